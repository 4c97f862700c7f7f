"""Appendix 8.2: SVD, K-means and random starts, K = 30, scenarios 1-3; the paper's method and ours."""

from __future__ import annotations

import numpy as np

from sonmf import simulate
from sonmf.experiments import methods
from sonmf.experiments.design import SIZE, Experiment, Outcome, Panel, Trial, settled

STARTS = {"svd": "SVD", "kmeans": "K-means", "random": "random"}


def run(trial: Trial) -> list[Outcome]:
    X, F, G = simulate.continuous(trial.scenario, SIZE, SIZE, trial.k, random_state=trial.random())
    truth = float(np.mean((X - G @ F.T) ** 2))
    outcomes = []
    for method in ("SONMF (paper)", "SONMF"):
        for init, label in STARTS.items():
            fit = methods.continuous(method, X, trial.k, np.random.RandomState(trial.number), init)
            stop = settled(fit.history)
            figures = {
                "average_residual": fit.history[-1],
                "iterations": float(stop or len(fit.history)),
                "reached_pct": 100.0 * (stop is not None),
                "true_error": truth,
            }
            outcomes.append(Outcome(f"{method}, {label}", figures, {"residual": fit.history}))
    return outcomes


EXPERIMENT = Experiment(
    name="init-study",
    title="Appendix 8.2: the start",
    cells=tuple((scenario, 30) for scenario in (1, 2, 3)),
    run=run,
    columns={"average_residual": "average residual", "iterations": "iterations", "reached_pct": "reached %"},
    panels=(Panel("residual", "log(average residual + 1)", truth="true_error", log1p=True),),
    trials=40,
    iterations_shown=250,
    cell_label=lambda scenario, k: f"scenario {scenario}, K = {k}",
)
