"""Appendix 8.3: more topics than there are, scenario 3 with true rank 15 and K = 30, 60, 120; SONMF against Semi-NMF."""

from __future__ import annotations

import numpy as np

from sonmf import simulate
from sonmf.experiments import simulation_methods
from sonmf.experiments.design import SIZE, Experiment, Outcome, Panel, Trial

TRUE_RANK = 15


def run(trial: Trial) -> list[Outcome]:
    X, F, G = simulate.continuous(trial.scenario, SIZE, SIZE, TRUE_RANK, random_state=trial.random())
    truth = float(np.mean((X - G @ F.T) ** 2))
    outcomes = []
    for method in ("SONMF (paper)", "SONMF", "Semi-NMF"):
        fit = simulation_methods.continuous(method, X, trial.k, np.random.RandomState(trial.number))
        figures = {
            "average_residual": fit.history[-1],
            "over_fit": truth - fit.history[-1],
            **simulation_methods.criterion_figures(fit),
            "true_error": truth,
        }
        outcomes.append(Outcome(method, figures, {"residual": fit.history}))
    return outcomes


EXPERIMENT = Experiment(
    name="rank-study",
    title=f"Appendix 8.3: true rank {TRUE_RANK}, more topics than there are",
    cells=tuple((3, k) for k in (30, 60, 120)),
    run=run,
    columns={
        "average_residual": "average residual",
        "over_fit": "true error - residual",
        "to_criterion": "iterations to criterion",
        "reached_pct": "reached %",
    },
    panels=(Panel("residual", "log(average residual + 1)", truth="true_error", log1p=True),),
    trials=50,
    iterations_shown=100,
)
