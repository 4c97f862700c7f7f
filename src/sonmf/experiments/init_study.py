"""Appendix 8.2: SVD, K-means and random starts, K = 30, scenarios 1-3; the paper's method and ours."""

from __future__ import annotations

import numpy as np

from sonmf import simulate
from sonmf.experiments import simulation_methods
from sonmf.experiments.design import SIZE, Experiment, Outcome, Panel, Trial

ITERATIONS = 250
STARTS = {"svd": "SVD", "kmeans": "K-means", "random": "random"}


def run(trial: Trial) -> list[Outcome]:
    X, F, G = simulate.continuous(trial.scenario, SIZE, SIZE, trial.k, random_state=trial.random())
    truth = float(np.mean((X - G @ F.T) ** 2))
    outcomes = []
    for method in ("SONMF (paper)", "SONMF"):
        for init, label in STARTS.items():
            fit = simulation_methods.continuous(method, X, trial.k, np.random.RandomState(trial.number), init)
            figures = {
                "average_residual": fit.history[:ITERATIONS][-1],
                **simulation_methods.criterion_figures(fit),
                "true_error": truth,
            }
            outcomes.append(Outcome(f"{method}, {label}", figures, {"residual": fit.history[:ITERATIONS]}))
    return outcomes


EXPERIMENT = Experiment(
    name="init-study",
    title="Appendix 8.2: the start",
    cells=tuple((scenario, 30) for scenario in (1, 2, 3)),
    run=run,
    columns={"average_residual": "average residual", "to_criterion": "iterations to criterion", "reached_pct": "reached %"},
    panels=(Panel("residual", "log(average residual + 1)", truth="true_error", log1p=True),),
    trials=100,
    iterations_shown=ITERATIONS,
    cell_label=lambda scenario, k: f"scenario {scenario}, K = {k}",
)
