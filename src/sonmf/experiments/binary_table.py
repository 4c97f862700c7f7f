"""Table 4 and figure 4: the binary simulation, K = 10, 30, 50."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse
from scipy.special import expit

from sonmf import BinarySONMF, metrics, simulate
from sonmf.engines import engine_for
from sonmf.experiments import paper
from sonmf.experiments.design import ITERATIONS, SIZE, Experiment, Outcome, Panel, Trial, factor_figures
from sonmf.solvers import binary_starts, logistic, majoriser, newton
from sonmf.solvers.problem import Bernoulli

EVERY = 5  # the distance of the probabilities is taken at every fifth iteration


class Truth:
    """A simulated data set, its true probabilities and their cost, noise of the log-odds included."""

    def __init__(self, trial: Trial) -> None:
        drawn = simulate.binary_with_log_odds(SIZE, SIZE, trial.k, random_state=trial.random())
        self.X, theta, self.F, self.G = drawn
        self.P, self.cost = expit(theta), metrics.mean_bernoulli_cost(self.X, theta)


def follow(truth: Truth, method: str, states: Iterator[Any], codes: Any) -> Outcome:
    """Run through the states of a solver; cost and distance by iteration, figures at the end."""
    spent, costs, distances = 0.0, [], {}
    while True:
        began = time.process_time()
        state = next(states, None)
        spent += time.process_time() - began
        if state is None:
            break
        point, last = state.point, state
        costs.append(float(point.cost))
        if len(costs) % EVERY == 1:
            P = expit(getattr(point, "mu", 0.0) + codes(point) @ point.F.T)
            distances[len(costs)] = metrics.probability_distance(P, truth.P, squared=False)
    F, G = last.point.F, codes(last.point)
    P = expit(getattr(last.point, "mu", 0.0) + G @ F.T)
    eps_P = metrics.probability_distance(P, truth.P)
    distances[len(costs)] = float(np.sqrt(eps_P))
    between = np.interp(np.arange(len(costs)) + 1, list(distances), list(distances.values()))
    figures = {
        "average_cost": costs[-1],
        "orthogonal_residual": metrics.orthogonal_residual(F.T) if method != "logNMF" else float("nan"),
        "eps_P": float(np.sqrt(eps_P)),
        "eps_P_squared": eps_P,
        **factor_figures(truth.F, truth.G, F, G),
        "seconds": spent,
        "to_true_cost": float(next((i + 1 for i, cost in enumerate(costs) if cost <= truth.cost), ITERATIONS)),
        "true_cost": truth.cost,
    }
    return Outcome(method, figures, {"cost": costs, "eps_P": between.tolist()})


def newton_outcome(truth: Truth, k: int, eta: float, method: str) -> Outcome:
    """The paper's Algorithm 2: no intercept, no ridge."""
    engine = engine_for(scipy.sparse.csr_array(truth.X))

    def states() -> Iterator[Any]:
        problem = Bernoulli(engine, eta=eta)
        start = binary_starts.start(engine, "svd", k, np.random.RandomState(0), intercept=False)
        state = newton.init_state(problem, start)
        for _ in range(ITERATIONS):
            state = newton.update(problem, state)
            yield state

    return follow(truth, method, states(), lambda point: engine.gather(point.G))


def majoriser_outcome(truth: Truth, k: int, method: str) -> Outcome:
    """BinarySONMF() as it is by default, until it has converged."""
    engine = engine_for(scipy.sparse.csr_array(truth.X))
    default = BinarySONMF()

    def states() -> Iterator[Any]:
        problem = Bernoulli(engine, default.alpha, intercept=True)
        random = np.random.RandomState(0)
        F, mu, G = binary_starts.start(engine, "svd", k, random, intercept=True)
        state = majoriser.init_state(problem, (F, mu, binary_starts.codes(engine, G, None)))
        for _ in range(ITERATIONS):
            before, state = state, majoriser.update(problem, state)
            yield state
            if state.accepted and before.point.objective - state.point.objective <= default.tol * state.point.objective:
                return

    return follow(truth, method, states(), lambda point: point.G.G)


def logistic_outcome(truth: Truth, k: int, random: np.random.Generator, method: str) -> Outcome:
    engine = engine_for(scipy.sparse.csr_array(truth.X))

    def states() -> Iterator[Any]:
        problem = Bernoulli(engine, eta=0.001)
        state = logistic.init_state(problem, (random.random((SIZE, k)), engine.place(random.normal(size=(SIZE, k)))))
        for _ in range(ITERATIONS):
            state = logistic.update(problem, state)
            yield state

    return follow(truth, method, states(), lambda point: engine.gather(point.G))


def run(trial: Trial) -> list[Outcome]:
    truth = Truth(trial)
    return [
        newton_outcome(truth, trial.k, 0.01, "SONMF (paper)"),
        majoriser_outcome(truth, trial.k, "SONMF"),
        logistic_outcome(truth, trial.k, np.random.default_rng([trial.seed, trial.number]), "logNMF"),
    ]


EXPERIMENT = Experiment(
    name="table4",
    title="Table 4 and figure 4: binary simulation",
    cells=tuple((0, k) for k in (10, 30, 50)),
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
    panels=(Panel("cost", "mean cost", truth="true_cost"), Panel("eps_P", "eps_P")),
    trials=50,
    paper=paper.binary(),
)
