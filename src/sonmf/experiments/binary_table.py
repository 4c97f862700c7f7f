"""The binary simulation: table 4 with figure 4, and the study of appendix 8.4, the step size of the paper's Newton update."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from scipy.special import expit

from sonmf import BinarySONMF, metrics, simulate
from sonmf.engines import engine_for
from sonmf.experiments import printed_figures
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

EVERY = 5  # the distance of the probabilities is taken at every fifth iteration
STEPS = (0.05, 0.025, 0.01, 0.005, 0.001)


class Truth:
    """A simulated data set, its true probabilities and their cost, noise of the log-odds included."""

    def __init__(self, trial: Trial) -> None:
        drawn = simulate.binary_with_log_odds(SIZE, SIZE, trial.k, random_state=trial.random())
        self.X, theta, self.F, self.G = drawn
        self.P, self.cost = expit(theta), metrics.mean_bernoulli_cost(self.X, theta)


def follow(
    truth: Truth,
    method: str,
    solver: AnySolver,
    problem: Bernoulli,
    start: Callable[[], Any],
    codes: Callable[[Any], Array],
    tol: float = 0.0,
) -> Outcome:
    """Run a solver until its cost falls no more; cost and distance of the probabilities by iteration, figures at the end."""
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

    run = loop.run(Watched(solver, see), problem, start(), max_iter=ITERATIONS, rule=loop.Falling(tol))
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


def newton_outcome(truth: Truth, k: int, eta: float, method: str) -> Outcome:
    """The paper's Algorithm 2: no intercept, no ridge."""
    engine = engine_for(scipy.sparse.csr_array(truth.X))

    def start() -> tuple[Array, Array, Array]:
        return binary_starts.start(engine, "svd", k, np.random.RandomState(0), intercept=False)

    return follow(truth, method, newton.Newton(eta), Bernoulli(engine), start, lambda point: engine.gather(point.G))


def majoriser_outcome(truth: Truth, k: int, method: str) -> Outcome:
    """BinarySONMF() with its defaults, until it has converged."""
    engine = engine_for(scipy.sparse.csr_array(truth.X))
    default = BinarySONMF()

    def start() -> tuple[Array, Array, Any]:
        F, mu, G = binary_starts.start(engine, "svd", k, np.random.RandomState(0), intercept=True)
        return F, mu, binary_starts.majoriser_codes(engine, G, None)

    problem = Bernoulli(engine, default.alpha, intercept=True)
    return follow(truth, method, majoriser, problem, start, lambda point: point.G.G, default.tol)


def logistic_outcome(truth: Truth, k: int, random: np.random.Generator, method: str) -> Outcome:
    engine = engine_for(scipy.sparse.csr_array(truth.X))

    def start() -> tuple[Array, Array]:
        return random.random((SIZE, k)), engine.place(random.normal(size=(SIZE, k)))

    return follow(truth, method, logistic.Logistic(0.001), Bernoulli(engine), start, lambda point: engine.gather(point.G))


def run(trial: Trial) -> list[Outcome]:
    truth = Truth(trial)
    return [
        newton_outcome(truth, trial.k, 0.01, "SONMF (paper)"),
        majoriser_outcome(truth, trial.k, "SONMF"),
        logistic_outcome(truth, trial.k, np.random.default_rng([trial.seed, trial.number]), "logNMF"),
    ]


def compare_steps(trial: Trial) -> list[Outcome]:
    truth = Truth(trial)
    return [newton_outcome(truth, trial.k, eta, f"eta = {eta:g}") for eta in STEPS]


CELLS = tuple((0, k) for k in (10, 30, 50))
PANELS = (Panel("cost", "mean cost", truth="true_cost"), Panel("eps_P", "eps_P"))

EXPERIMENTS = {
    "table4": Experiment(
        name="table4",
        title="Table 4 and figure 4: binary simulation",
        cells=CELLS,
        run=run,
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
        panels=PANELS,
        trials=50,
        paper=printed_figures.binary(),
    ),
    "step-study": Experiment(
        name="step-study",
        title="Appendix 8.4: the step size of Newton's update of G",
        cells=CELLS,
        run=compare_steps,
        columns={
            "average_cost": "average cost",
            "eps_P": "eps_P",
            "eps_F": "eps_F",
            "eps_G": "eps_G",
            "to_true_cost": "iterations to true cost (500: not reached)",
            "true_cost": "true cost",
        },
        panels=PANELS,
        trials=20,
    ),
}
