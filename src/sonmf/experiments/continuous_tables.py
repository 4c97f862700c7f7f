"""Tables 1-3 and figures 1-3: scenarios 1-3, K = 10, 30, 50."""

from __future__ import annotations

import numpy as np

from sonmf import metrics, simulate
from sonmf.experiments import methods, paper
from sonmf.experiments.design import SIZE, Experiment, Outcome, Panel, Trial, factor_figures, settled

NON_NEGATIVE = ("SONMF (paper)", "SONMF", "ONMF", "NMF", "Semi-NMF")
MIXED = ("SONMF (paper)", "SONMF", "Semi-NMF")  # half of scenario 3's X is negative
ORTHOGONAL = ("SONMF (paper)", "SONMF", "ONMF")


def run(trial: Trial) -> list[Outcome]:
    X, F, G = simulate.continuous(trial.scenario, SIZE, SIZE, trial.k, random_state=trial.random())
    truth = float(np.mean((X - G @ F.T) ** 2))
    outcomes = []
    for method in MIXED if trial.scenario == 3 else NON_NEGATIVE:
        fit = methods.continuous(method, X, trial.k, np.random.RandomState(trial.number))
        stop = settled(fit.history)
        figures = {
            "average_residual": metrics.average_residual(X, fit.G, fit.F.T),
            "orthogonal_residual": metrics.orthogonal_residual(fit.F.T) if method in ORTHOGONAL else float("nan"),
            **factor_figures(F, G, fit.F, fit.G),
            "seconds": fit.seconds[(stop or len(fit.seconds)) - 1],
            "iterations": float(stop or len(fit.history)),
            "reached_pct": 100.0 * (stop is not None),
            "true_error": truth,
        }
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

EXPERIMENTS = {
    f"table{scenario}": Experiment(
        name=f"table{scenario}",
        title=f"Table {scenario} and figure {scenario}: scenario {scenario}",
        cells=tuple((scenario, k) for k in (10, 30, 50)),
        run=run,
        columns=COLUMNS,
        panels=(Panel("residual", "log(average residual + 1)", truth="true_error", log1p=True),),
        trials=100,
        paper=paper.continuous(),
        iterations_shown={1: 500, 2: 100, 3: 50}[scenario],
    )
    for scenario in (1, 2, 3)
}
