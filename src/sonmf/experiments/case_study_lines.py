"""The fits of the case study summed up: one line for each method and number of topics."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite, nan
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sonmf.experiments.case_study_fits import ALL_ROWS, FOLDS, METHODS, TRIALS
from sonmf.frames import DataFrame

if TYPE_CHECKING:
    from pandas.api.typing import DataFrameGroupBy

CORES = 2


class Line(NamedTuple):
    """A method at one K: means over whole trials; NaN for what was not measured."""

    method: str
    k: int
    trials: int
    accuracy: float
    sd: float = nan
    """Standard deviation of the accuracy of a trial."""
    minutes: float = nan
    """Time that all trials take."""
    residual: float = nan
    residual_error: float = nan
    F_sparsity: float = nan
    F_sparsity_error: float = nan
    G_sparsity: float = nan
    G_sparsity_error: float = nan


def summary(rows: DataFrame) -> list[Line]:
    """One line for each method and K, in the order of the table."""
    lines = []
    for (method, k), fits in by_line(rows):
        folds, whole = fits[fits["fold"] != ALL_ROWS], fits[fits["fold"] == ALL_ROWS]
        trials = whole_trials(folds, "trial")["accuracy"].mean()
        minutes = folds["seconds"].mean() * TRIALS * FOLDS / CORES / 60
        line = Line(method, int(k), len(trials), trials.mean(), trials.std(), minutes)
        for name in ("residual", "F_sparsity", "G_sparsity"):
            if name in whole:
                line = line._replace(**{name: whole[name].mean(), f"{name}_error": whole[name].sem()})
        lines.append(line)
    return lines


def whole_trials(folds: DataFrame, trial: str) -> DataFrameGroupBy:
    """Fits grouped by trial, without trials that do not have all their folds yet."""
    return folds.groupby(trial).filter(lambda fits: len(fits) == FOLDS).groupby(trial)


def by_line(rows: DataFrame) -> list[tuple[tuple[str, int], DataFrame]]:
    """The fits of each method and K, in the order of the table."""
    order = {method: place for place, method in enumerate(METHODS)}
    return sorted(rows.groupby(["method", "n_topics"]), key=lambda item: (order[item[0][0]], item[0][1]))


def error_of_difference(line: Line, lines: Sequence[Line]) -> float:
    """Standard error of our mean minus the paper's, both means over trials.

    The spread of a trial is pooled over the lines of the same method, because a method that depends on its start varies more
    than the others; it is pooled over all lines if no line of the method has two trials.
    """
    known = [one for one in lines if isfinite(one.sd)]
    spread = [one.sd for one in known if one.method == line.method] or [one.sd for one in known]
    return float(np.sqrt(np.mean(np.square(spread)) * (1 / line.trials + 1 / TRIALS))) if spread else nan
