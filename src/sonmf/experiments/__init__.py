"""The tables and studies of the paper. ``design`` runs their trials, and ``simulation_report`` writes the results."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sonmf.experiments.design import Experiment

NAMES = ("table1", "table2", "table3", "table4", "init-study", "rank-study", "step-study")


def load(name: str) -> Experiment:
    """The experiment of that name."""
    from sonmf.experiments.simulations import EXPERIMENTS

    return EXPERIMENTS[name]
