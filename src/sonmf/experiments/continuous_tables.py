"""Tables 1-3 with figures 1-3, and the studies of appendices 8.2 (the start) and 8.3 (the rank), on continuous data."""

from __future__ import annotations

import numpy as np

from sonmf import metrics, simulate
from sonmf.experiments import printed_figures, simulation_methods
from sonmf.experiments.design import SIZE, Experiment, Outcome, Panel, Trial, factor_figures
from sonmf.types import Array

NEED_NON_NEGATIVE = ("ONMF", "NMF")  # half of scenario 3's X is negative
NOT_ORTHOGONAL = ("NMF", "Semi-NMF")
STARTS = {"svd": "SVD", "kmeans": "K-means", "random": "random"}
ITERATIONS_OF_A_START = 250
TRUE_RANK = 15  # of the study of the rank


def draw(trial: Trial, rank: int) -> tuple[Array, Array, Array, float]:
    """X, the true F and G, and their error."""
    X, F, G = simulate.continuous(trial.scenario, SIZE, SIZE, rank, random_state=trial.random())
    return X, F, G, float(np.mean((X - G @ F.T) ** 2))


def run(trial: Trial) -> list[Outcome]:
    X, F, G, truth = draw(trial, trial.k)
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
    X, *_, truth = draw(trial, trial.k)
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
    X, *_, truth = draw(trial, TRUE_RANK)
    outcomes = []
    for method in ("SONMF (paper)", "SONMF", "Semi-NMF"):
        fit = simulation_methods.continuous(method, X, trial.k, np.random.RandomState(trial.number))
        figures = {"average_residual": fit.history[-1], "over_fit": truth - fit.history[-1]}
        figures |= {**simulation_methods.criterion_figures(fit), "true_error": truth}
        outcomes.append(Outcome(method, figures, {"residual": fit.history}))
    return outcomes


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
PANELS = (Panel("residual", "log(average residual + 1)", truth="true_error", log1p=True),)

EXPERIMENTS = {
    f"table{scenario}": Experiment(
        name=f"table{scenario}",
        title=f"Table {scenario} and figure {scenario}: scenario {scenario}",
        cells=tuple((scenario, k) for k in (10, 30, 50)),
        run=run,
        columns=COLUMNS,
        panels=PANELS,
        trials=100,
        paper=printed_figures.continuous(),
        iterations_shown={1: 500, 2: 100, 3: 50}[scenario],
    )
    for scenario in (1, 2, 3)
} | {
    "init-study": Experiment(
        name="init-study",
        title="Appendix 8.2: the start",
        cells=tuple((scenario, 30) for scenario in (1, 2, 3)),
        run=compare_starts,
        columns={"average_residual": "average residual", "to_criterion": "iterations to criterion", "reached_pct": "reached %"},
        panels=PANELS,
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
        panels=PANELS,
        trials=50,
        iterations_shown=100,
    ),
}
