"""What an experiment is (data sets to draw, methods to run on each, columns to show, a figure to draw), and how it is run."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from sonmf import jobs
from sonmf.errors import InputError
from sonmf.experiments import load
from sonmf.metrics import sparsity, subspace_distance
from sonmf.solvers import loop
from sonmf.types import Array

AnySolver: TypeAlias = loop.Solver[Any, Any, Any]
"""A solver of any kind, since those of one table differ in their problems, starts and states."""

SIZE = 500  # documents and words of every simulation
ITERATIONS = 500
THRESHOLD = 1e-4  # the paper's criterion: the mean cost changes by no more than this


class Trial(NamedTuple):
    """One data set of one cell; these numbers determine everything that is drawn for it."""

    experiment: str
    scenario: int
    k: int
    number: int
    seed: int

    @property
    def name(self) -> str:
        return f"scenario{self.scenario}-k{self.k}-trial{self.number}-seed{self.seed}"

    def random(self) -> np.random.Generator:
        """A random stream of its own, which does not depend on what ran before, or in which process."""
        return np.random.default_rng([self.seed, self.scenario, self.k, self.number])


class Outcome(NamedTuple):
    """What one method did on one data set."""

    method: str
    figures: dict[str, float]
    curves: dict[str, list[float]]
    """Curves by iteration: ``residual`` or ``cost``, and what else the figure shows."""


class Panel(NamedTuple):
    """One curve of the figure: what it shows, how, and the true value to draw as a dashed line."""

    curve: str
    label: str
    truth: str | None = None
    log1p: bool = False


class Experiment(NamedTuple):
    """One table or study of the paper."""

    name: str
    title: str
    cells: tuple[tuple[int, int], ...]
    """Scenario and K of each column of panels."""
    run: Callable[[Trial], list[Outcome]]
    columns: dict[str, str]
    """Figures to show, with their headings."""
    panels: tuple[Panel, ...]
    trials: int
    """Trials of a full run."""
    paper: dict[tuple[int, int, str], dict[str, str]] | None = None
    """What the paper prints, by scenario, K and method."""
    remark: str = ""
    """What a reader of the paper's table should know."""
    iterations_shown: int = ITERATIONS
    cell_label: Callable[[int, int], str] = lambda scenario, k: f"K = {k}"


def trials_of(experiment: Experiment, count: int, seed: int) -> list[Trial]:
    """Trials in the order they run: all cells of the first trial, then of the second, largest K first."""
    cells = sorted(experiment.cells, key=lambda cell: -cell[1])
    return [Trial(experiment.name, scenario, k, number, seed) for number in range(count) for scenario, k in cells]


def run(trials: list[Trial], folder: Path, processes: int, advance: Callable[[Trial], None]) -> None:
    """Run the trials that are not on disk yet; ``advance`` is called for every trial, also for those that were run before.

    Trials on disk from another version of the package are refused.
    """
    for experiment in sorted({trial.experiment for trial in trials}):
        jobs.claim(folder / experiment, [experiment])
    jobs.run(run_one, {path_of(trial, folder): trial for trial in trials}, processes, advance, read=read_outcomes)


def run_one(trial: Trial) -> list[dict[str, object]]:
    return [outcome._asdict() for outcome in load(trial.experiment).run(trial)]


def outcomes_of(trial: Trial, folder: Path) -> list[Outcome]:
    return read_outcomes(json.loads(path_of(trial, folder).read_text()))


def read_outcomes(content: list[dict[str, Any]]) -> list[Outcome]:
    """The outcomes in a file of a trial, or an ``InputError`` or ``TypeError`` if it holds something else."""
    if not content:
        raise InputError("no method was run")
    return [Outcome(**outcome) for outcome in content]


def path_of(trial: Trial, folder: Path) -> Path:
    return folder / trial.experiment / jobs.FITS / f"{trial.name}.json"


def factor_figures(F: Array, G: Array, F_hat: Array, G_hat: Array) -> dict[str, float]:
    """Distance of the column spaces from the truth, squared and not, and the share of zeros in per cent."""
    eps_F, eps_G = subspace_distance(F, F_hat), subspace_distance(G, G_hat)
    return {
        "eps_F": float(np.sqrt(eps_F)),
        "eps_G": float(np.sqrt(eps_G)),
        "eps_F_squared": eps_F,
        "eps_G_squared": eps_G,
        "F_sparsity_pct": 100 * sparsity(F_hat),
        "G_sparsity_pct": 100 * sparsity(G_hat),
    }


class Watched:
    """A solver whose ``see`` gets the states before and after each iteration; a callback of the loop sees only F."""

    def __init__(self, solver: AnySolver, see: Callable[[Any, Any], None]) -> None:
        self.solver, self.see = solver, see
        self.init_state = solver.init_state

    def update(self, problem: Any, state: Any) -> Any:
        after = self.solver.update(problem, state)
        self.see(state, after)
        return after
