"""The trials of an experiment, and the outcome of each as a file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TypedDict

from sonmf import jobs
from sonmf.experiments import load
from sonmf.experiments.design import Experiment, Outcome, Trial


class OutcomeJson(TypedDict):
    """An ``Outcome`` in a file."""

    method: str
    figures: dict[str, float]
    curves: dict[str, list[float]]


def trials_of(experiment: Experiment, count: int, seed: int) -> list[Trial]:
    """Trials in the order they run: all cells of the first trial, then of the second, largest K first."""
    cells = sorted(experiment.cells, key=lambda cell: -cell[1])
    return [Trial(experiment.name, scenario, k, number, seed) for number in range(count) for scenario, k in cells]


def run(trials: list[Trial], folder: Path, processes: int, advance: Callable[[Trial], None]) -> None:
    """Run those trials that are not on disk yet; ``advance`` hears of every trial, run or found."""
    jobs.run(run_one, {path_of(trial, folder): trial for trial in trials}, processes, advance, read=read_outcomes)


def run_one(trial: Trial) -> list[dict[str, object]]:
    return [outcome._asdict() for outcome in load(trial.experiment).run(trial)]


def outcomes_of(trial: Trial, folder: Path) -> list[Outcome]:
    return read_outcomes(json.loads(path_of(trial, folder).read_text()))


def read_outcomes(found: list[OutcomeJson]) -> list[Outcome]:
    if not found:
        raise ValueError("no method was run")
    return [Outcome(**outcome) for outcome in found]


def path_of(trial: Trial, folder: Path) -> Path:
    return folder / trial.experiment / "trials" / f"{trial.name}.json"
