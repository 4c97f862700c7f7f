"""Appendix 8.4: the step size of the paper's Newton update, eta = 0.05 ... 0.001."""

from __future__ import annotations

from sonmf.experiments.binary_table import Truth, newton_outcome
from sonmf.experiments.design import Experiment, Outcome, Panel, Trial

STEPS = (0.05, 0.025, 0.01, 0.005, 0.001)


def run(trial: Trial) -> list[Outcome]:
    truth = Truth(trial)
    return [newton_outcome(truth, trial.k, eta, f"eta = {eta:g}") for eta in STEPS]


EXPERIMENT = Experiment(
    name="step-study",
    title="Appendix 8.4: the step size of Newton's update of G",
    cells=tuple((0, k) for k in (10, 30, 50)),
    run=run,
    columns={
        "average_cost": "average cost",
        "eps_P": "eps_P",
        "eps_F": "eps_F",
        "eps_G": "eps_G",
        "to_true_cost": "iterations to true cost (500: not reached)",
        "true_cost": "true cost",
    },
    panels=(Panel("cost", "mean cost", truth="true_cost"), Panel("eps_P", "eps_P")),
    trials=20,
)
