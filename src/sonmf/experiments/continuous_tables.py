"""Tables 1-3 and figures 1-3: scenarios 1-3, K = 10, 30, 50."""

from __future__ import annotations

import numpy as np

from sonmf import metrics, simulate
from sonmf.experiments import printed_figures, simulation_methods
from sonmf.experiments.design import SIZE, Experiment, Outcome, Panel, Trial, factor_figures

NEED_NON_NEGATIVE = ("ONMF", "NMF")  # half of scenario 3's X is negative
NOT_ORTHOGONAL = ("NMF", "Semi-NMF")


def run(trial: Trial) -> list[Outcome]:
    X, F, G = simulate.continuous(trial.scenario, SIZE, SIZE, trial.k, random_state=trial.random())
    truth = float(np.mean((X - G @ F.T) ** 2))
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
        paper=printed_figures.continuous(),
        iterations_shown={1: 500, 2: 100, 3: 50}[scenario],
    )
    for scenario in (1, 2, 3)
}
