"""What an evaluation says of the methods: differences paired fold by fold, each beside its own standard error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sonmf.triage.evaluation import TITLES
from sonmf.triage.evaluation_fits import Row
from sonmf.triage.evaluation_records import BOTH, COLUMNS, NOTES
from sonmf.triage.forecaster import WORDS
from sonmf.types import Array

DEFAULT = "sonmf"
ALL, NOTES_ALONE = "all", "the notes alone"


class Rival(NamedTuple):
    """A method with a number of topics, and the inputs it has seen."""

    method: str
    n_topics: int
    inputs: str

    def __str__(self) -> str:
        if self.inputs == COLUMNS:
            return "the columns alone"
        topics = f" with {self.n_topics} topic{'s' if self.n_topics > 1 else ''}"
        alone = " on the notes alone" if self.inputs == NOTES_ALONE else ""
        return TITLES[self.method] + ("" if self.method == WORDS else topics) + alone

    @property
    def has(self) -> str:
        """The verb after it."""
        return "have" if self.inputs == COLUMNS else "has"


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


def verdict(rows: Sequence[Row]) -> str:
    """One sentence on the rows of an ``Evaluation``: who has the smallest log loss, ahead of whom, and who the largest AUROC.

    Of the others it names the next, the bag of words, the default method, and what has seen less. Folds of all complaints
    count alike. Empty where there is nothing to compare.
    """
    same = len({row["inputs"] for row in rows}) == 1  # then it goes without saying
    alone = {NOTES: ALL if same else NOTES_ALONE, COLUMNS: COLUMNS, BOTH: ALL}
    rows = [{**row, "inputs": alone[row["inputs"]]} for row in rows]
    losses, aurocs = _pair_by_fold(rows, "log_loss"), _pair_by_fold(rows, "auroc")
    if not _comparable(losses):
        return ""
    best, *others = sorted(losses, key=lambda rival: float(losses[rival].mean()))
    behind = {}
    for rival in others:
        differences = losses[rival] - losses[best]
        behind[rival] = Behind(float(differences.mean()), float(differences.std(ddof=1) / np.sqrt(len(differences))))
    clauses = [_lead(best, behind), _largest(best, aurocs) if _comparable(aurocs) else ""]
    return f"{best} {best.has} the smallest log loss ({losses[best].mean():.3f}){'; '.join(filter(None, clauses))}."


def _comparable(values: Mapping[Rival, Array]) -> bool:
    return len(values) > 1 and all(len(some) > 1 for some in values.values())


def _lead(best: Rival, behind: Mapping[Rival, Behind]) -> str:
    """Ahead of whom by more than the standard error, and of whom not."""
    if not any(one.clear for one in behind.values()):
        return ", but no method is behind it by more than one standard error"
    near: list[str] = []
    far: list[str] = []
    for rival, role in _roles(best, list(behind)).items():
        (far if behind[rival].clear else near).append(f"{rival}{role} ({behind[rival]})")
    parts = [f"by more than one standard error ahead of {' and '.join(far)}"] if far else []
    parts += [f"by less than one ahead of {' and '.join(near)}"] if near else []
    return ", " + ", ".join(parts)


def _largest(best: Rival, aurocs: Mapping[Rival, Array]) -> str:
    """Who has the largest AUROC."""
    first = max(aurocs, key=lambda rival: (float(aurocs[rival].mean()), rival == best))
    figure = f"the largest AUROC ({aurocs[first].mean():.3f})"
    same = "they" if best.inputs == COLUMNS else "it"
    return f"{same} {best.has} {figure} too" if first == best else f"{first} {first.has} {figure}"


def _pair_by_fold(rows: Sequence[Row], figure: str) -> dict[Rival, Array]:
    """The figure of each rival on the folds where all of them have one, in the same order."""
    tables: dict[Rival, dict[tuple[str, int, int], float]] = {}
    for row in rows:
        fold = row["complaint"], row["repeat"], row["fold"]
        value = row.get(figure)
        if value is not None and np.isfinite(value):
            tables.setdefault(Rival(row["method"], row["n_topics"], row["inputs"]), {})[fold] = value
    shared = set.intersection(*map(set, tables.values())) if tables else set()
    return {rival: np.array([table[fold] for fold in sorted(shared)]) for rival, table in tables.items()}


def _roles(best: Rival, others: list[Rival]) -> dict[Rival, str]:
    """Those to name, and as what: the next, the bag of words, and the default with the number of topics that suits it."""
    default = next((rival for rival in (best, *others) if rival.method == DEFAULT and rival.inputs == ALL), None)
    named = {others[0]: ", the next"}
    named |= {rival: "" for rival in others[1:] if rival.method == WORDS or rival.inputs != ALL}
    if default == others[0]:
        named[default] = ", the next and the default"
    elif default is not None and default != best:
        named[default] = ", the default"
    return named
