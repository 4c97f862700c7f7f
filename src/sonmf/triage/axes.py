"""Directions of words made from the outcome, for the patients of one complaint.

The fold of a patient is the same for the axes and for the classifier. A patient is therefore scored, in training and wherever
the fit is judged, by axes that were made without the patient's own fold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse
from msgspec import Struct

from sonmf.outcome_axes import OutcomeAxes
from sonmf.text import NotesVectorizer
from sonmf.triage import lasso
from sonmf.types import Array, Matrix

if TYPE_CHECKING:
    from sonmf.triage.complaint import ComplaintModel
    from sonmf.triage.patients import Patients

FEWEST = 20  # patients of either outcome: with fewer, the axes are made from the patients of all complaints
NAME = "admission itself"
"""What an axis is called: words that speak for admission and against it, beyond what the topics explain."""
ABOUT = (
    "Topics are found in the notes, without the outcome. The directions called admission itself are made from the outcome: "
    "words that speak for admission or against it beyond what the topics explain. In training, every patient is scored by "
    "directions that were made without that patient's outcome."
)

NotesAndOutcomes: TypeAlias = tuple[Sequence[object], Array]


def no_others() -> NotesAndOutcomes:
    """No patients of other complaints."""
    return [], np.empty(0)


def notes_of_others(patients: Patients, rows: Array, judged: Array | None = None) -> NotesAndOutcomes:
    """The notes and outcomes of all patients but these rows and further visits of the same people.

    Patients who came after the first of the rows that are ``judged`` are left out, where there are times.
    """
    there = np.ones(len(patients), bool)
    there[rows] = False
    if patients.person is not None:
        there &= ~np.isin(patients.person, patients.person[rows])
    if patients.times is not None and judged is not None:
        there &= patients.times < patients.times[judged].min()
    notes = [note for note, used in zip(patients.notes, there, strict=True) if used]
    return notes, patients.outcomes[there]


def axis_names(n: int) -> list[str]:
    """The names of n axes, with numbers where there are several.

    Examples
    --------
    >>> from sonmf.triage.axes import axis_names
    >>> axis_names(1), axis_names(2)
    (['admission itself'], ['admission itself 1', 'admission itself 2'])
    """
    return [NAME] if n == 1 else [f"{NAME} {number}" for number in range(1, n + 1)]


class AxisReport(Struct, frozen=True):
    """A direction of words that was made from the outcome; positive words speak for admission, negative ones against it."""

    name: str
    strength: float
    """Change of the log-odds when the score rises by one standard deviation."""
    odds: float
    positive: list[tuple[str, float]]
    negative: list[tuple[str, float]]


def axis_reports(model: ComplaintModel, words: int = 10, filler: Iterable[str] | None = None) -> list[AxisReport]:
    """The outcome axes in the order in which they were made, each with ``words`` on either side."""
    rows = zip(model.axis_names, model.axis_strength.tolist(), model.axis_words(words, filler), strict=True)
    return [
        AxisReport(name, strength, float(np.exp(strength)), sides.positive, sides.negative) for name, strength, sides in rows
    ]


def about_axes(model: ComplaintModel) -> str:
    """What the outcome axes of a complaint are; empty where it has none."""
    return ABOUT if len(model.axes) else ""


class AxisPatients(NamedTuple):
    """The patients that outcome axes are made from: those of the fit and, if these are too few, those of other complaints."""

    X: Matrix
    """The words of these patients; the first rows are the patients of the fit."""
    y: Array
    fold: Array
    fold_of_fit: Array
    """The fold of each patient of the fit."""

    @classmethod
    def of(
        cls, X: Matrix, y: Array, fold: Array, vectorizer: NotesVectorizer, others: Callable[[], NotesAndOutcomes]
    ) -> AxisPatients:
        """The patients of a fit, with the fold of each; ``others`` is called only if there are too few of one outcome."""
        notes, outcomes = others() if min(y.sum(), len(y) - y.sum()) < FEWEST else no_others()
        if not len(notes):
            return cls(X, y, fold, fold)
        folds = np.arange(len(outcomes)) % lasso.FOLDS  # any will do, as they are not scored
        together = scipy.sparse.vstack([X, vectorizer.transform(notes)], "csr")
        return cls(together, np.concatenate([y, outcomes]), np.concatenate([fold, folds]), fold)

    def axes(self, topics: Array | None, n: int) -> tuple[Array, Array]:
        """At most n axes, orthogonal to the topics, and the scores of the patients of the fit, by axes without their fold.

        There are none without topics: where every word is a feature of its own, a direction of words adds nothing.
        """
        patients = len(self.fold_of_fit)
        if topics is None or not len(topics) or not n:
            return np.empty((0, self.X.shape[1])), np.empty((patients, 0))
        made = OutcomeAxes(n, orthogonal_to=topics, folds=self.fold)
        scores = made.fit_transform(self.X, self.y)[:patients]
        there = made.components_.any(axis=1)  # if there are as many topics as words, nothing is left
        return made.components_[there], scores[:, there]
