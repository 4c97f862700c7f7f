"""The simulations: tables 1-4 with their figures, and the studies of appendices 8.2 to 8.4: start, rank and step size."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from scipy.special import expit

from sonmf import BinarySONMF, metrics, simulate
from sonmf.engines import engine_for
from sonmf.experiments import paper_tables, simulation_methods
from sonmf.experiments.design import (
    ITERATIONS,
    SIZE,
    AnySolver,
    Experiment,
    Outcome,
    Panel,
    Trial,
    Watched,
    factor_figures,
)
from sonmf.solvers import binary_starts, logistic, loop, majoriser, newton
from sonmf.solvers.problem import Bernoulli
from sonmf.types import Array

NEED_NON_NEGATIVE = ("ONMF", "NMF")  # half of scenario 3's X is negative
NOT_ORTHOGONAL = ("NMF", "Semi-NMF")
STARTS = {"svd": "SVD", "kmeans": "K-means", "random": "random"}
ITERATIONS_OF_A_START = 250
TRUE_RANK = 15  # of the study of the rank
EVERY = 5  # the distance of the probabilities is taken at every fifth iteration
STEPS = (0.05, 0.025, 0.01, 0.005, 0.001)
SWAPPED = (
    "The paper's table 1 has eps_F and eps_G of SONMF in each other's column: "
    "compare its eps_F with our eps_G, and its eps_G with our eps_F."
)


# ---- continuous data ----


def draw_continuous(trial: Trial, rank: int) -> tuple[Array, Array, Array, float]:
    """X, the true F and G, and their error."""
    X, F, G = simulate.continuous(trial.scenario, SIZE, SIZE, rank, random_state=trial.random())
    return X, F, G, float(np.mean((X - G @ F.T) ** 2))


def compare_methods(trial: Trial) -> list[Outcome]:
    X, F, G, truth = draw_continuous(trial, trial.k)
    outcomes = []
    for method in simulation_methods.METHODS:
        if trial.scenario == 3 and method.startswith(NEED_NON_NEGATIVE):
            continue
        fit = simulation_methods.continuous(method, X, trial.k, np.random.RandomState(trial.number))
        figures = {
            "average_residual": metrics.average_residual(X, fit.G, fit.F.T),
            "orthogonal_residual": float("nan") if method.startswith(NOT_ORTHOGONAL) else metrics.orthogonal_residual(fit.F.T),
            **factor_figures(F, G, fit.F, fit.G),
            "seconds": fit.seconds,
            "iterations": float(fit.iterations),
            **simulation_methods.criterion_figures(fit),
            "true_error": truth,
        }
        curves = {} if method.endswith(simulation_methods.FULL) else {"residual": fit.history}
        outcomes.append(Outcome(method, figures, curves))
    return outcomes


def compare_starts(trial: Trial) -> list[Outcome]:
    """SVD, K-means and random starts, the paper's method and ours."""
    X, *_, truth = draw_continuous(trial, trial.k)
    outcomes = []
    for method in ("SONMF (paper)", "SONMF"):
        for init, label in STARTS.items():
            fit = simulation_methods.continuous(method, X, trial.k, np.random.RandomState(trial.number), init)
            history = fit.history[:ITERATIONS_OF_A_START]
            figures = {"average_residual": history[-1], **simulation_methods.criterion_figures(fit), "true_error": truth}
            outcomes.append(Outcome(f"{method}, {label}", figures, {"residual": history}))
    return outcomes


def compare_ranks(trial: Trial) -> list[Outcome]:
    """More topics than there are, SONMF against Semi-NMF."""
    X, *_, truth = draw_continuous(trial, TRUE_RANK)
    outcomes = []
    for method in ("SONMF (paper)", "SONMF", "Semi-NMF"):
        fit = simulation_methods.continuous(method, X, trial.k, np.random.RandomState(trial.number))
        figures = {"average_residual": fit.history[-1], "over_fit": truth - fit.history[-1]}
        figures |= {**simulation_methods.criterion_figures(fit), "true_error": truth}
        outcomes.append(Outcome(method, figures, {"residual": fit.history}))
    return outcomes


# ---- 0/1 data ----


class BinaryTruth:
    """A simulated data set, its true probabilities and their cost, noise of the log-odds included."""

    def __init__(self, trial: Trial) -> None:
        drawn = simulate.binary_with_log_odds(SIZE, SIZE, trial.k, random_state=trial.random())
        self.X, theta, self.F, self.G = drawn
        self.P, self.cost = expit(theta), metrics.mean_bernoulli_cost(self.X, theta)


def follow(
    truth: BinaryTruth,
    method: str,
    solver: AnySolver,
    problem: Bernoulli,
    start: Callable[[], Any],
    codes: Callable[[Any], Array],
    rule: loop.Falling | loop.Turning | None = None,
) -> Outcome:
    """Run a solver until its cost no longer falls; cost and distance of the probabilities by iteration, figures at the end."""
    costs: list[float] = []
    distances: dict[int, float] = {}
    began, aside = time.process_time(), 0.0

    def probabilities(point: Any) -> Array:
        return np.asarray(expit(getattr(point, "mu", 0.0) + codes(point) @ point.F.T))

    def see(before: Any, after: Any) -> None:
        nonlocal aside
        costs.append(float(after.point.cost))
        if len(costs) % EVERY == 1:
            measured = time.process_time()
            distances[len(costs)] = metrics.probability_distance(probabilities(after.point), truth.P, squared=False)
            aside += time.process_time() - measured

    run = loop.run(Watched(solver, see), problem, start(), max_iter=ITERATIONS, rule=rule or loop.Falling(0.0))
    seconds, point = time.process_time() - began - aside, run.state.point
    F, G = point.F, codes(point)
    eps_P = metrics.probability_distance(probabilities(point), truth.P)
    distances[len(costs)] = float(np.sqrt(eps_P))
    between = np.interp(np.arange(len(costs)) + 1, list(distances), list(distances.values()))
    figures = {
        "average_cost": costs[-1],
        "orthogonal_residual": metrics.orthogonal_residual(F.T) if method != "logNMF" else float("nan"),
        "eps_P": float(np.sqrt(eps_P)),
        "eps_P_squared": eps_P,
        **factor_figures(truth.F, truth.G, F, G),
        "seconds": seconds,
        "to_true_cost": float(next((i + 1 for i, cost in enumerate(costs) if cost <= truth.cost), ITERATIONS)),
        "true_cost": truth.cost,
    }
    return Outcome(method, figures, {"cost": costs, "eps_P": between.tolist()})


def newton_outcome(truth: BinaryTruth, k: int, eta: float, method: str) -> Outcome:
    """The paper's Algorithm 2: no intercept, no ridge."""
    engine = engine_for(scipy.sparse.csr_array(truth.X))

    def start() -> tuple[Array, Array, Array]:
        return binary_starts.start(engine, "svd", k, np.random.RandomState(0), intercept=False)

    return follow(truth, method, newton.Newton(eta), Bernoulli(engine), start, lambda point: engine.gather(point.G))


def majoriser_outcome(truth: BinaryTruth, k: int, method: str) -> Outcome:
    """BinarySONMF() with its defaults, until it has converged."""
    engine = engine_for(scipy.sparse.csr_array(truth.X))
    default = BinarySONMF()

    def start() -> tuple[Array, Array, Any]:
        F, mu, G = binary_starts.start(engine, "svd", k, np.random.RandomState(0), intercept=True)
        return F, mu, binary_starts.majoriser_codes(engine, G)

    problem = Bernoulli(engine, default.alpha, intercept=True)
    return follow(truth, method, majoriser, problem, start, lambda point: point.G.G, loop.Turning(default.tol, majoriser))


def logistic_outcome(truth: BinaryTruth, k: int, random: np.random.Generator, method: str) -> Outcome:
    engine = engine_for(scipy.sparse.csr_array(truth.X))

    def start() -> tuple[Array, Array]:
        return random.random((SIZE, k)), engine.place(random.normal(size=(SIZE, k)))

    return follow(truth, method, logistic.Logistic(0.001), Bernoulli(engine), start, lambda point: engine.gather(point.G))


def compare_binary_methods(trial: Trial) -> list[Outcome]:
    truth = BinaryTruth(trial)
    return [
        newton_outcome(truth, trial.k, 0.01, "SONMF (paper)"),
        majoriser_outcome(truth, trial.k, "SONMF"),
        logistic_outcome(truth, trial.k, np.random.default_rng([trial.seed, trial.number]), "logNMF"),
    ]


def compare_steps(trial: Trial) -> list[Outcome]:
    truth = BinaryTruth(trial)
    return [newton_outcome(truth, trial.k, eta, f"eta = {eta:g}") for eta in STEPS]


# ---- the experiments ----

COLUMNS = {
    "average_residual": "average residual",
    "orthogonal_residual": "orthogonal residual",
    "eps_F": "eps_F",
    "eps_G": "eps_G",
    "F_sparsity_pct": "F zeros %",
    "G_sparsity_pct": "G zeros %",
    "seconds": "seconds",
    "iterations": "iterations",
    "reached_pct": "reached %",
}
RESIDUALS = (Panel("residual", "log(average residual + 1)", truth="true_error", log1p=True),)

CONTINUOUS = {
    f"table{scenario}": Experiment(
        name=f"table{scenario}",
        title=f"Table {scenario} and figure {scenario}: scenario {scenario}",
        cells=tuple((scenario, k) for k in (10, 30, 50)),
        run=compare_methods,
        columns=COLUMNS,
        panels=RESIDUALS,
        trials=100,
        paper=paper_tables.continuous(),
        iterations_shown={1: 500, 2: 100, 3: 50}[scenario],
        remark=SWAPPED if scenario == 1 else "",
    )
    for scenario in (1, 2, 3)
} | {
    "init-study": Experiment(
        name="init-study",
        title="Appendix 8.2: the start",
        cells=tuple((scenario, 30) for scenario in (1, 2, 3)),
        run=compare_starts,
        columns={"average_residual": "average residual", "to_criterion": "iterations to criterion", "reached_pct": "reached %"},
        panels=RESIDUALS,
        trials=100,
        iterations_shown=ITERATIONS_OF_A_START,
        cell_label=lambda scenario, k: f"scenario {scenario}, K = {k}",
    ),
    "rank-study": Experiment(
        name="rank-study",
        title=f"Appendix 8.3: true rank {TRUE_RANK}, more topics than there are",
        cells=tuple((3, k) for k in (30, 60, 120)),
        run=compare_ranks,
        columns={
            "average_residual": "average residual",
            "over_fit": "true error - residual",
            "to_criterion": "iterations to criterion",
            "reached_pct": "reached %",
        },
        panels=RESIDUALS,
        trials=50,
        iterations_shown=100,
    ),
}

BINARY_CELLS = tuple((0, k) for k in (10, 30, 50))
COSTS = (Panel("cost", "mean cost", truth="true_cost"), Panel("eps_P", "eps_P"))

BINARY = {
    "table4": Experiment(
        name="table4",
        title="Table 4 and figure 4: binary simulation",
        cells=BINARY_CELLS,
        run=compare_binary_methods,
        columns={
            "average_cost": "average cost",
            "orthogonal_residual": "orthogonal residual",
            "eps_P": "eps_P",
            "eps_F": "eps_F",
            "eps_G": "eps_G",
            "F_sparsity_pct": "F zeros %",
            "G_sparsity_pct": "G zeros %",
            "seconds": "seconds",
            "to_true_cost": "iterations to true cost (500: not reached)",
        },
        panels=COSTS,
        trials=50,
        paper=paper_tables.binary(),
    ),
    "step-study": Experiment(
        name="step-study",
        title="Appendix 8.4: the step size of Newton's update of G",
        cells=BINARY_CELLS,
        run=compare_steps,
        columns={
            "average_cost": "average cost",
            "eps_P": "eps_P",
            "eps_F": "eps_F",
            "eps_G": "eps_G",
            "to_true_cost": "iterations to true cost (500: not reached)",
            "true_cost": "true cost",
        },
        panels=COSTS,
        trials=20,
    ),
}

EXPERIMENTS = CONTINUOUS | BINARY
