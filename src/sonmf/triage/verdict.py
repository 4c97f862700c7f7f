"""What an evaluation says of the methods: differences paired fold by fold, each beside its own standard error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from sonmf.threads import Array
from sonmf.triage.evaluation import FIGURES, TITLES
from sonmf.triage.forecaster import WORDS

DEFAULT = "sonmf"
LARGER_IS_BETTER = {"log_loss": False, "auroc": True}


class Rival(NamedTuple):
    """A method with so many topics."""

    method: str
    n_topics: int

    def __str__(self) -> str:
        topics = f" with {self.n_topics} topic{'s' if self.n_topics > 1 else ''}"
        return TITLES[self.method] + ("" if self.method == WORDS else topics)


class Behind(NamedTuple):
    """How much worse than the best: the mean difference over the folds, and its standard error."""

    mean: float
    error: float

    @property
    def clear(self) -> bool:
        """Whether the difference is larger than its standard error."""
        return self.mean > self.error

    def __str__(self) -> str:
        return f"{self.mean:.4f} ± {self.error:.4f}"


def verdict(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the rows of an ``Evaluation`` say by log loss and by AUROC: which rival is best, and which are clearly worse.

    Of the others it names the next, the bag of words and the default method. Folds of all complaints count alike.
    """
    found = [lines for figure in LARGER_IS_BETTER if (lines := _judged(rows, figure))]
    return [*found, "± is the standard error of the difference, paired over the folds."] if found else []


def _judged(rows: Sequence[Mapping[str, Any]], figure: str) -> str:
    """Empty where there is nothing to compare."""
    sign = -1 if LARGER_IS_BETTER[figure] else 1
    values = _paired(rows, figure)
    if len(values) < 2 or any(len(some) < 2 for some in values.values()):
        return ""
    best, *others = sorted(values, key=lambda rival: sign * float(values[rival].mean()))
    behind = {rival: _behind(sign * (values[rival] - values[best])) for rival in others}
    opening = f"By {FIGURES[figure]} {best} is best ({values[best].mean():.3f})."
    if not any(one.clear for one in behind.values()):
        return f"{opening} All others are within one standard error of it: these folds do not separate them."
    near: list[str] = []
    far: list[str] = []
    for rival, role in _roles(best, others).items():
        (far if behind[rival].clear else near).append(f"{rival}{role} ({behind[rival]})")
    sentences = [opening]
    sentences += [f"Within one standard error of it: {'; '.join(near)}."] if near else []
    sentences += [f"Worse by more than one standard error: {'; '.join(far)}."] if far else []
    return " ".join(sentences)


def _paired(rows: Sequence[Mapping[str, Any]], figure: str) -> dict[Rival, Array]:
    """The figure of each rival on the folds where all of them have one, in the same order."""
    tables: dict[Rival, dict[Any, float]] = {}
    for row in rows:
        fold = row["complaint"], row["repeat"], row["fold"]
        value = row.get(figure)
        if value is not None and np.isfinite(value):
            tables.setdefault(Rival(row["method"], row["n_topics"]), {})[fold] = value
    shared = set.intersection(*map(set, tables.values())) if tables else set()
    return {rival: np.array([table[fold] for fold in sorted(shared)]) for rival, table in tables.items()}


def _behind(differences: Array) -> Behind:
    return Behind(float(differences.mean()), float(differences.std(ddof=1) / np.sqrt(len(differences))))


def _roles(best: Rival, others: list[Rival]) -> dict[Rival, str]:
    """Those to name, and as what: the next, the bag of words, and the default with the number of topics that suits it."""
    default = next((rival for rival in (best, *others) if rival.method == DEFAULT), None)
    named = {others[0]: ", the next"}
    named |= {rival: "" for rival in others[1:] if rival.method == WORDS}
    if default == others[0]:
        named[default] = ", the next and the default"
    elif default is not None and default != best:
        named[default] = ", the default"
    return named
