"""The model of one complaint: the forecaster, and what a report says about it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sonmf.text import NotesVectorizer, Topic, located
from sonmf.text.lexicon import as_people_write
from sonmf.text.note_numbers import measurement_columns
from sonmf.text.note_reader import as_notes
from sonmf.text.topic_words import in_words
from sonmf.triage import lasso, measures, merit, records
from sonmf.triage.axes import axis_names
from sonmf.triage.column_effects import Column
from sonmf.triage.columns import Columns, is_missing
from sonmf.triage.explanation import ColumnPart, Explanation, TopicPart, cut_into_pieces
from sonmf.triage.forecaster import NO_KNOWN_WORD, EncodedPatients, Forecaster
from sonmf.types import Array, Matrix

UNSTABLE = " (unstable)"  # after the name of such a topic


class ComplaintModel(Struct, frozen=True, eq=False, dict=True):
    """log-odds = intercept + effects'F'x + axis_effects'A'x + columns, for a patient of one complaint with word weights x.

    The topics F were found in the notes alone; the axes A were made from the outcome, orthogonal to the topics.

    The forecast itself is ``forecaster``; what is added here is for people: names and words of topics, explanations, and how
    the fit went.

    Examples
    --------
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.triage import TriageModel
    >>> notes = make_triage_notes(500, complaints=["Fever"], random_state=0)
    >>> fitted = (
    ...     TriageModel(n_topics=5).fit(notes["note"], notes["disposition"]).pooled_model_
    ... )
    >>> fitted.components.shape == (fitted.n_topics, len(fitted.words))
    True
    """

    name: str
    """The name of the complaint; empty for the model of all complaints."""
    forecaster: Forecaster
    labels: tuple[str, ...]
    """Names that a person has given to topics; an empty text for a topic without one."""
    record: records.FitRecord
    """How the fit went."""

    @property
    def components(self) -> Array:
        """F', a topic a row."""
        assert self.forecaster.components is not None, "a complaint's model has topics"
        return self.forecaster.components

    @property
    def effects(self) -> Array:
        """Log-odds per unit of each topic, calibration included."""
        return self.forecaster.effects

    @property
    def axes(self) -> Array:
        """A', a direction of words made from the outcome a row; without rows for ``outcome_axes=0``."""
        return self.forecaster.axes

    @property
    def axis_effects(self) -> Array:
        """Log-odds per unit of each axis, calibration included."""
        return self.forecaster.axis_effects

    @property
    def axis_names(self) -> list[str]:
        """What to call each axis."""
        return axis_names(len(self.axes))

    @property
    def axis_strength(self) -> Array:
        """Change of the log-odds when the score on an axis rises by one standard deviation."""
        return np.asarray(self.axis_effects * [axis.scale for axis in self.record.axes])

    @property
    def intercept(self) -> float:
        """Log-odds of a note in which all topics and axes are 0."""
        return self.forecaster.intercept

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns and measurements that count."""
        return self.forecaster.columns

    @property
    def vectorizer(self) -> NotesVectorizer:
        """How notes become words."""
        return self.forecaster.vectorizer

    @property
    def n_notes(self) -> int:
        """Number of training notes."""
        return self.forecaster.n_notes

    @property
    def n_admitted(self) -> int:
        """Number of training notes of admitted patients."""
        return self.forecaster.n_admitted

    @property
    def base_rate(self) -> float:
        """Share of admissions among the training notes."""
        return self.forecaster.base_rate

    @property
    def n_topics(self) -> int:
        """Number of topics."""
        return len(self.components)

    def with_labels(self, labels: Mapping[int, str]) -> ComplaintModel:
        """A copy of the model with other names for these topics, by number."""
        return replace(self, labels=tuple(labels.get(k, label) for k, label in enumerate(self.labels)))

    @cached_property
    def words(self) -> list[str]:
        """The vocabulary, in the order of the columns of ``components``."""
        return [str(word) for word in self.vectorizer.get_feature_names_out()]

    @cached_property
    def marked_spellings(self) -> list[str]:
        """The vocabulary as people spell it; denied words still have their mark."""
        return [self.vectorizer.spelling_[word] for word in self.words]

    @cached_property
    def spellings(self) -> list[str]:
        """The vocabulary as people write it: "no fever"."""
        return [as_people_write(word) for word in self.marked_spellings]

    @property
    def names(self) -> list[str]:
        """What to call each topic: the name a person gave it, its seed words, or its two strongest words.

        A topic that other draws of the patients do not give is marked, so that nobody relies on it.
        """
        marks = [UNSTABLE if topic.unstable else "" for topic in self.record.stability] or [""] * self.n_topics
        names = zip(self.labels, self.seeds, self._two_words, marks, strict=True)
        return [(label or seed or words) + mark for label, seed, words, mark in names]

    @property
    def direction_names(self) -> list[str]:
        """What to call each topic, and then each outcome axis."""
        return [*self.names, *self.axis_names]

    @property
    def seeds(self) -> list[str]:
        """The seed words of each topic; empty for those that the fit found."""
        return [*self.record.seeds, *[""] * (self.n_topics - len(self.record.seeds))]

    @cached_property
    def _two_words(self) -> list[str]:
        return ["/".join(word for word, _ in topic.positive) or f"topic {k}" for k, topic in enumerate(self.topics(2))]

    @property
    def centre(self) -> Array:
        """Mean of each topic over the training notes."""
        return self.forecaster.moments.centre[: self.n_topics]

    @cached_property
    def scale(self) -> Array:
        """Standard deviation of each topic over the training notes, 0 where it is constant."""
        return lasso.without_rounding(self.forecaster.moments.scale[: self.n_topics])

    @cached_property
    def correlation(self) -> Array:
        """Correlations of the topics over the training notes; those of a constant topic are 0."""
        covariance = self.forecaster.moments.covariance[: self.n_topics, : self.n_topics]
        return lasso.per_scale(lasso.per_scale(covariance, self.scale).T, self.scale)

    @property
    def strength(self) -> Array:
        """Change of the log-odds when a topic rises by one standard deviation."""
        return np.asarray(self.effects * self.scale)

    def topics(self, n: int = 5, filler: Iterable[str] | None = None) -> list[Topic]:
        """Each topic in its leading words, as people spell them; ``filler`` as for ``top_words``."""
        return in_words(self.record.leading_words, self.marked_spellings, n, self.labels, filler)

    def axis_words(self, n: int = 5, filler: Iterable[str] | None = None) -> list[Topic]:
        """Each axis in its leading words: the positive ones speak for admission, the negative ones against it."""
        rankings = [axis.leading_words for axis in self.record.axes]
        return in_words(rankings, self.marked_spellings, n, self.axis_names, filler)

    def explain(self, note: str | None, given: Columns, remark: str = "") -> Explanation:
        """The log-odds of a patient in exact parts; ``given`` has one value in each column. The note is read once."""
        (note,) = as_notes([note])
        forecaster, analysis, numbers = self.forecaster, self.vectorizer.analyse(note), located(note)
        stated = measurement_columns([{number.name: number.value for number in numbers}])
        values = forecaster.column_values(given, stated, rows=())
        patient = forecaster.encode_words(analysis.row, values)
        X = patient.X
        log_odds = float(forecaster.log_odds(patient)[0])
        known = bool(forecaster.known(X)[0])
        columns = self._column_parts(patient, given, stated)
        in_note = {part.name.lower(): part.contribution for part in columns if part.measured}
        word_parts = zip(X.indices, X.data * forecaster.word_effects[X.indices], strict=True)
        by_feature = {self.words[place]: part for place, part in word_parts}
        (strange,) = forecaster.remarks(patient)
        return Explanation(
            probability=float(measures.probability(log_odds)),
            log_odds=log_odds,
            intercept=self.intercept if known else forecaster.base_log_odds,
            topics=self._parts_of(X, self.components, self.effects, self.names) if known else [],
            axes=self._parts_of(X, self.axes, self.axis_effects, self.axis_names) if known else [],
            columns=columns,
            base_rate=self.base_rate,
            model=self.name,
            unknown=analysis.unknown,
            pieces=cut_into_pieces(note, analysis, by_feature if known else {}, numbers, in_note),
            remark="; ".join(filter(None, [remark, "" if known else NO_KNOWN_WORD, *strange, forecaster.not_given(patient)])),
        )

    def _column_parts(self, patient: EncodedPatients, given: Columns, stated: Columns) -> list[ColumnPart]:
        """What each column adds; a part is measured if its value comes from the note."""
        parts = []
        for column, values, contribution in zip(self.columns, patient.values, patient.column_parts[0], strict=True):
            value = None if values is None else plain_value(values[0])
            in_note = column.filled(None, stated.get(column.name.lower()))
            from_note = value is not None and in_note is not None and in_note[0] == value
            own = column.measured or is_missing(given.get(column.name, [None])[0])
            parts.append(ColumnPart(column.name, value, float(contribution), from_note and own))
        return sorted(parts, key=lambda part: -abs(part.contribution))

    def _parts_of(self, X: Matrix, directions: Array, effects: Array, names: list[str]) -> list[TopicPart]:
        """Direction by word: effect_k F_jk x_j, the largest contribution first; without those that have no effect."""
        words = [self.spellings[j] for j in X.indices]
        table = effects[:, None] * directions[:, X.indices] * X.data
        order = np.argsort(-np.abs(table.sum(axis=1)), kind="stable")
        return [
            TopicPart(int(k), names[k], float(table[k].sum()), dict(zip(words, map(float, table[k]), strict=True)))
            for k in order
            if effects[k] != 0
        ]

    def merit(self, patients: EncodedPatients, y: Array) -> records.Merit:
        """Admission rate of these patients by the number of signals shown."""
        axes, columns = self.record.axes, self.record.columns
        axis_centre = self.axis_effects * [axis.centre for axis in axes]
        centre = np.concatenate([self.effects * self.centre, axis_centre, np.zeros(len(columns))])
        of_columns = np.array([shape.moves for shape in columns])
        moves = [np.abs(self.effects) * self.scale, np.abs(self.axis_strength), of_columns]
        return merit.tally(self.forecaster.parts(patients), y, self.record.merit.topics, centre, np.concatenate(moves))


def plain_value(value: float | str | None) -> float | str | None:
    """A value of a column, None where it is missing."""
    if isinstance(value, str) or value is None:
        return value
    return None if value != value else float(value)
