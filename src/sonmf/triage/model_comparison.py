"""Two models on the same patients: how much each figure differs, whether by chance, and which patients change group."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct

from sonmf.errors import InputError
from sonmf.triage import measures
from sonmf.triage.columns import Table
from sonmf.triage.factorisations import fewest_named
from sonmf.triage.inputs import one_sided
from sonmf.triage.patient_scores import Scored
from sonmf.triage.patients import Patients
from sonmf.triage.records import Difference
from sonmf.types import Array

if TYPE_CHECKING:
    from sonmf.triage.model import TriageModel

SMALLEST = 20  # patients of a complaint that is shown
OUTCOMES = ("admitted", "not admitted")


class Comparison(Struct, frozen=True):
    """What ``compare`` found.

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.triage.model_comparison import compare_forecasts
    >>> y = np.arange(200) % 2
    >>> better = np.where(y, 1.0, -1.0) + np.tile([1.5, 0, 0, -1.5], 50)
    >>> comparison = compare_forecasts(np.zeros(200), better, y)
    >>> comparison["auroc"].a, comparison["auroc"].b
    (0.5, 0.75)
    >>> comparison.moved("admitted")
    (50, 0)
    """

    patients: int
    admitted: int
    differences: list[Difference]
    """A row for each figure of ``measures.COMPARED``."""
    thresholds: list[float]
    """The probabilities at which a patient changes to another group of risk."""
    moves: dict[str, list[list[int]]]
    """For each outcome, how many patients are in a group of risk by a (row) and by b (column), the lowest risk first."""
    complaints: list[Difference]
    """The log loss for each complaint of at least 20 patients that either model has a model for."""

    def __getitem__(self, name: str) -> Difference:
        """The difference of a figure."""
        return next(difference for difference in self.differences if difference.name == name)

    @property
    def groups(self) -> list[str]:
        """The groups of risk between the thresholds, as people call them."""
        ends = [0.0, *self.thresholds, 1.0]
        return [f"{low:.0%} to {high:.0%}" for low, high in pairwise(ends)]

    def moved(self, outcome: str) -> tuple[int, int]:
        """How many of these patients b puts into a higher group than a, and into a lower one."""
        table = np.array(self.moves[outcome])
        return int(np.triu(table, 1).sum()), int(np.tril(table, -1).sum())

    @property
    def improves(self) -> bool:
        """Whether b has a smaller log loss than a by more than chance."""
        return self["log_loss"].high < 0

    def verdict(self, a: str = "A", b: str = "B") -> str:
        """Which model is better on these patients, in a sentence; log loss decides, since it sees order and calibration."""
        loss, area = self["log_loss"], self["auroc"]
        if not any(figure.difference for figure in self.differences) and not any(map(sum, map(self.moved, OUTCOMES))):
            return f"{_capital(a)} and {b} make the same forecasts for these patients."
        in_figures = f"{_capital(b)} against {a}: log loss {_by(loss)}, AUROC {_by(area, 3)}"
        if not loss.clear:
            return f"Neither is clearly better on these patients: the difference in log loss could be chance. {in_figures}."
        better = b if loss.difference < 0 else a
        return f"{_capital(better)} is better on these patients: the difference in log loss is beyond chance. {in_figures}."


def _capital(name: str) -> str:
    return name[:1].upper() + name[1:] if " " in name else name  # a file keeps its spelling


def _by(figure: Difference, digits: int = 4) -> str:
    size, interval = f"{abs(figure.difference):.{digits}f}", f"[{figure.low:+z.{digits}f}, {figure.high:+z.{digits}f}]"
    if not float(size):
        return f"the same {interval}"
    return f"{'higher' if figure.difference > 0 else 'lower'} by {size} {interval}"


def compare(
    a: TriageModel,
    b: TriageModel,
    notes: Iterable[object],
    disposition: Iterable[object],
    complaint: Iterable[object] | None = None,
    columns: Table = None,
    *,
    thresholds: Sequence[float] = (0.5,),
) -> Comparison:
    """b - a: two fixed models, judged on the same patients, which neither should have seen.

    Parameters
    ----------
    a, b : TriageModel
    notes, disposition, complaint, columns
        As for ``TriageModel.fit``; each model takes the columns that it has.
    thresholds : sequence of float, default=(0.5,)
        Probabilities between the groups of risk.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.triage import TriageModel, compare
    >>> may, june = (
    ...     make_triage_notes(1500, complaints=["Cough"], random_state=month)
    ...     for month in (5, 6)
    ... )
    >>> model = TriageModel(n_topics=10).fit(may["note"], may["disposition"])
    >>> topics = TriageModel(n_topics=10, outcome_axes=0).fit(
    ...     may["note"], may["disposition"]
    ... )
    >>> comparison = compare(topics, model, june["note"], june["disposition"])
    >>> comparison["auroc"].difference > 0, comparison["auroc"].clear
    (True, True)
    >>> compare(model, model, june["note"], june["disposition"]).verdict("june", "june")
    'june and june make the same forecasts for these patients.'
    """
    if a.classes_[1] != b.classes_[1]:
        raise InputError(f"the models forecast different outcomes: {a.classes_[1]!r} and {b.classes_[1]!r}")
    fewest = fewest_named(a.pooled_model_.vectorizer)
    patients = Patients.given(notes, disposition, complaint, columns, positive=a.classes_[1], fewest=fewest)
    return compare_on(a, b, patients, patients, thresholds)


def compare_on(
    a: TriageModel, b: TriageModel, as_a: Patients, as_b: Patients, thresholds: Sequence[float] = (0.5,)
) -> Comparison:
    """Compare two models on a table of patients. Both must read the same rows of it, with the same outcomes."""
    same = np.array_equal(as_a.outcomes, as_b.outcomes)
    if not same or (as_a.rows is not None and as_b.rows is not None and not np.array_equal(as_a.rows, as_b.rows)):
        raise InputError(
            "the models read different patients of this table, or read their outcomes differently: give patients who have only "
            "outcomes that mean the same to both"
        )
    odds, other = Scored(a, as_a).log_odds, Scored(b, as_b).log_odds
    known = {*a.models_, *b.models_}
    names = [name if name in known else "" for name in as_a.names]
    return compare_forecasts(odds, other, as_a.outcomes, names, thresholds)


def compare_forecasts(
    a: Array, b: Array, y: Array, complaints: Iterable[str] = (), thresholds: Sequence[float] = (0.5,)
) -> Comparison:
    """Compare by log-odds and outcomes, 1 for admitted; patients without a complaint count only among all."""
    if reason := one_sided(len(y), int(y.sum())):
        raise InputError(f"these patients cannot tell the models apart: {reason}")
    limits = sorted(set(thresholds))
    if not limits or not 0 < limits[0] <= limits[-1] < 1:
        raise InputError(f"thresholds={list(thresholds)}: give probabilities between 0 and 1, such as 0.1, 0.3")
    groups = [np.searchsorted(limits, measures.probability(odds), side="left") for odds in (a, b)]
    moves = {}
    for outcome, sign in zip(OUTCOMES, (1, 0), strict=True):
        by_a, by_b = (group[y == sign] for group in groups)
        table = [np.bincount(by_b[by_a == group], minlength=len(limits) + 1).tolist() for group in range(len(limits) + 1)]
        moves[outcome] = table
    of_complaints = _of_complaints(a, b, y, np.asarray(list(complaints), object))
    return Comparison(len(y), int(y.sum()), measures.differences(a, b, y), limits, moves, of_complaints)


def _of_complaints(a: Array, b: Array, y: Array, names: Array) -> list[Difference]:
    compared = []
    for name in sorted({*names} - {""}):
        rows = names == name
        if rows.sum() >= SMALLEST:
            by_a, by_b = (measures.mean(measures.losses(odds[rows], y[rows])) for odds in (a, b))
            compared.append(measures.difference("log_loss", by_a, by_b, y[rows], str(name)))
    return compared
