"""The one pipeline: patient -> words, topics and columns -> named features -> calibrated log-odds, linear in all of them.

``TriageModel`` ships it and ``evaluate`` judges it, the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from msgspec import Struct, structs

from sonmf.rank import FOLDS, RankChoice, select_rank
from sonmf.text import NotesVectorizer, Seeds, seed_topics
from sonmf.text.note_numbers import read_measurements
from sonmf.text.vectorizer import NoWordsError
from sonmf.triage import classifier, lasso
from sonmf.triage.axes import AxisPatients, NotesAndOutcomes, no_others
from sonmf.triage.column_effects import Column, Text
from sonmf.triage.columns import Columns, Rows, convert_values, is_missing
from sonmf.triage.factorisations import METHODS, fewest_named, project, vectorizer_for
from sonmf.triage.known_columns import KnownColumn, usable_columns
from sonmf.triage.labels import label_of
from sonmf.triage.moments import Moments, shrinkage
from sonmf.triage.recalibration import UNCHANGED, Line
from sonmf.triage.records import PatientCount
from sonmf.triage.strict_json import Bounded
from sonmf.triage.warm_start import WarmStart
from sonmf.types import Array, Matrix

WORDS = "words"
NO_KNOWN_WORD = "the note has no word that the model knows: the forecast starts from the base rate of the complaint"
NOT_GIVEN = "not given, so expected from the rest of the patient: {}"


@dataclass(frozen=True)
class Settings:
    """How to fit: the same for every complaint and every fold."""

    method: str
    """The name of a factorisation, or "words" for none."""
    vectorizer: NotesVectorizer | None
    rule: str
    seed: int
    kinds: Mapping[str, str]
    """The kinds of the columns that are given."""
    text_topics: Sequence[int]
    """Numbers of topics to try for a column of text."""
    auto: bool = False
    """Choose among several numbers of topics by the words alone; otherwise each is fitted and judged by its forecast."""
    notes: bool = True
    """Whether words count; if not, only columns and measurements do."""
    seeds: Sequence[str] = ()
    """The seed words of topics that a person has asked for."""
    strict_seeds: bool = True
    """Whether a seed word that is not known is refused; otherwise it is ignored."""
    start: WarmStart | None = None
    """Topics of an earlier model to start from."""
    outcome_axes: int = 0
    """Number of directions of words that are made from the outcome, in addition to the topics."""


class EncodedPatients(NamedTuple):
    """Patients as a forecaster takes them: the words of their notes, and the values of its columns."""

    X: Matrix
    """The weights of the words in their notes."""
    axis_scores: Array
    """Scores on each outcome axis (second axis); the patients of a fit have those on axes made without their fold."""
    values: Sequence[Array | None]
    """The values of each column; None for a column that is not given."""
    column_parts: Array
    """What each column (second axis) adds to the log-odds."""


class Forecaster(Struct, frozen=True, forbid_unknown_fields=True, eq=False, dict=True):
    """log-odds = intercept + effects'F'x + axis_effects'A'x + sum over columns of their effects, for one complaint."""

    vectorizer: NotesVectorizer
    components: Array | None
    """F', a topic a row; None where every word is a feature."""
    effects: Array
    """Log-odds per unit of each topic, or of each word, calibration included."""
    axes: Array
    """A', the outcome axes, one in each row: orthonormal to each other, and orthogonal to the topics. There may be none."""
    axis_effects: Array
    """Log-odds per unit of each axis, calibration included."""
    intercept: Bounded
    columns: tuple[Column, ...]
    n_notes: PatientCount
    n_admitted: PatientCount
    recalibration: Line
    """What updates did to the log-odds since the fit; effects and intercept include it."""
    moments: Moments
    """Moments of topics and columns before any recalibration; a missing column is expected from them."""

    @property
    def base_rate(self) -> float:
        """Share of admissions among the training notes."""
        return self.n_admitted / self.n_notes

    @cached_property
    def word_effects(self) -> Array:
        """Log-odds per unit of each word's weight: F effects + A axis_effects."""
        return np.asarray(self._topic_word_effects + self.axis_effects @ self.axes)

    @cached_property
    def _topic_word_effects(self) -> Array:
        return self.effects if self.components is None else np.asarray(self.effects @ self.components)

    @cached_property
    def base_log_odds(self) -> float:
        """The intercept of a note without a known word."""
        return float(self.recalibration.of(np.log(self.n_admitted / (self.n_notes - self.n_admitted))))

    def encode(
        self, notes: Sequence[object], given: Columns, rows: Rows = None, stated: Columns | None = None
    ) -> EncodedPatients:
        """Words and columns of patients; ``rows`` are their numbers in a larger table, for messages.

        ``stated`` is what ``read_measurements`` reads in the notes, if that is known already.
        """
        if stated is None:
            stated = read_measurements(notes) if self.reads_numbers else {}
        return self.encode_words(self.vectorizer.transform(notes), self.column_values(given, stated, rows))

    def encode_words(self, X: Matrix, values: Sequence[Array | None], axis_scores: Array | None = None) -> EncodedPatients:
        """Encode patients from the weights of their words; ``axis_scores`` are given for patients of the fit."""
        parts, missing = effects_of(self.columns, values, X.shape[0])
        patients = EncodedPatients(X, project(X, self.axes) if axis_scores is None else axis_scores, values, parts)
        return patients._replace(column_parts=self._with_expected(patients, parts, missing)) if missing.any() else patients

    def _with_expected(self, patients: EncodedPatients, parts: Array, missing: Array) -> Array:
        """What each column adds; one that is missing adds what the note and the other columns let expect (``moments``)."""
        X = patients.X
        topics = self.topics(X)
        topics[~self.known(X)] = self.moments.centre[: topics.shape[1]]
        slope = self.recalibration.slope
        parts, variance = self.moments.expect(topics, parts / slope, missing)
        before = (self._words(patients) - self.recalibration.intercept) / slope + parts.sum(axis=1)
        open_ = variance.sum(axis=1)
        share = variance / np.where(open_ > 0, open_, 1.0)[:, None]
        return np.asarray(slope * (parts + share * ((shrinkage(open_) - 1) * before)[:, None]))

    @property
    def reads_numbers(self) -> bool:
        """Whether what notes state in numbers counts."""
        return any(column.measured or column.stated for column in self.columns)

    def column_values(self, given: Columns, stated: Columns, rows: Rows = None) -> list[Array | None]:
        """The values of each column as they were given; a missing one is read from the note, if a note can state it."""
        by_name = {name.lower(): values for name, values in given.items()}
        values: list[Array | None] = []
        for column in self.columns:
            cells = by_name.get(column.name) if column.measured else given.get(column.name)
            own = None if cells is None else convert_values(column.name, column.kind, cells, rows)
            values.append(column.filled(own, stated.get(column.name.lower())))
        return values

    def known(self, X: Matrix) -> Array:
        """Which notes have a word of the vocabulary; all of them if words are not used."""
        return np.diff(X.indptr) > 0 if len(self.effects) else np.ones(X.shape[0], bool)

    def parts(self, patients: EncodedPatients) -> Array:
        """What each topic, then each outcome axis, then each column adds to the log-odds of each patient."""
        topics, axes = self.topics(patients.X), patients.axis_scores * self.axis_effects
        return np.hstack([topics * self.effects[: topics.shape[1]], axes, patients.column_parts])

    def topics(self, X: Matrix) -> Array:
        """How much of each topic a note has; no column where every word is a feature."""
        return np.empty((X.shape[0], 0)) if self.components is None else np.asarray(project(X, self.components))

    def remarks(self, patients: EncodedPatients) -> list[list[str]]:
        """Remarks on strange values of each patient; ``not_given`` has what is the same for all of them."""
        strange: list[list[str]] = [[] for _ in range(patients.X.shape[0])]
        for column, values in zip(self.columns, patients.values, strict=True):
            if values is not None:
                for remarks, value in zip(strange, values, strict=True):
                    remarks += filter(None, [column.remark(value)])
        return strange

    def not_given(self, patients: EncodedPatients) -> str:
        """A sentence on columns that were not given for a patient and that the note does not state; empty for none."""
        absent = [
            label_of(column.name)
            for column, values in zip(self.columns, patients.values, strict=True)
            if not column.measured and (values is None or (column.missing_in(values)[0] and is_missing(values[0])))
        ]
        return NOT_GIVEN.format(", ".join(absent)) if absent else ""

    def without_each(self, patients: EncodedPatients) -> Array:
        """The log-odds of each patient if a column (second axis) were not given."""
        parts, missing = effects_of(self.columns, patients.values, patients.X.shape[0])
        log_odds = np.empty(parts.shape)
        for place in range(len(self.columns)):
            gone = missing.copy()
            gone[:, place] = True
            log_odds[:, place] = self._words(patients) + self._with_expected(patients, parts, gone).sum(axis=1)
        return log_odds

    def log_odds(self, patients: EncodedPatients) -> Array:
        """The log-odds of each patient; without a known word the intercept is the base rate's, and columns still count."""
        return np.asarray(self._words(patients) + patients.column_parts.sum(axis=1))

    def _words(self, patients: EncodedPatients) -> Array:
        """The intercept and what the words of each note add to it."""
        X, axes = patients.X, patients.axis_scores @ self.axis_effects
        return np.where(self.known(X), X @ self._topic_word_effects + axes + self.intercept, self.base_log_odds)


def effects_of(columns: Sequence[Column], values: Sequence[Array | None], n: int) -> tuple[Array, Array]:
    """What each column (second axis) adds for each of n patients, and where it is missing; there it is 0 for now."""
    parts, missing = np.zeros((n, len(columns))), np.ones((n, len(columns)), bool)
    for place, (column, given) in enumerate(zip(columns, values, strict=True)):
        if given is not None:
            parts[:, place], missing[:, place] = column.features(given) @ column.effects, column.missing_in(given)
    return parts, missing


class ForecasterFit(NamedTuple):
    """A forecaster, the patients that it was fitted to, and what else a report says about the fit."""

    forecaster: Forecaster
    patients: EncodedPatients
    features: Matrix
    """Projections of the notes, or their words, then scores on outcome axes, then the features of the columns."""
    factorisation: Any
    """The fitted factorisation; None where there are no topics."""
    seeds: list[str]
    """The seed words of the first topics, if there are any."""
    classifier: classifier.Classifier
    rank_choice: RankChoice | None
    """How the number of topics was chosen; None if it was given."""


def fit(
    notes: Sequence[object],
    y: Array,
    given: Columns,
    stated: Columns,
    n_topics: Sequence[int],
    settings: Settings,
    advance: Callable[[], None] = lambda: None,
    person: Array | None = None,
    others: Callable[[], NotesAndOutcomes] = no_others,
) -> list[ForecasterFit]:
    """A fit for each number of topics that the notes can have; what does not depend on that number is done once.

    ``stated`` are the measurements that may be used, as ``read_measurements`` reads them in the notes. ``advance`` is called
    after every fit that compares numbers of topics. Rows of the same ``person`` are in the same fold. ``others`` returns notes
    and outcomes of the patients of other complaints, who help to make outcome axes where there are too few of one outcome here.
    """
    vectorizer = vectorizer_for(settings.method, settings.vectorizer)
    X = vectorizer.fit_transform(notes)
    fewest = fewest_named(settings.vectorizer)
    columns = usable_columns(given, stated, settings.kinds, fewest, lambda name, texts: _text(name, texts, settings))
    seeds = seed_topics(settings.seeds if settings.method == "sonmf" else [], vectorizer, X, strict=settings.strict_seeds)
    n_topics = [max(k, len(seeds.words)) for k in n_topics]
    choice = _choice(X, n_topics, settings.method, settings, advance)
    for _ in range(fits_to_choose(n_topics, settings.auto) - (len(choice.curve.ranks) * FOLDS if choice else 0)):
        advance()  # of numbers that these notes cannot have
    numbers = [choice.rank] if choice else sorted({min(k, *X.shape) for k in n_topics})
    fold = lasso.fold_numbers(y, person, random_state=settings.seed)
    axes_from = AxisPatients.of(X, y, fold, vectorizer, others if settings.outcome_axes else no_others)
    return [_fit_one(X, y, vectorizer, columns, k, settings, seeds, choice, axes_from) for k in numbers]


def fits_to_choose(n_topics: Sequence[int], auto: bool) -> int:
    """The number of fits that compare these numbers of topics."""
    return FOLDS * len(n_topics) if auto else 0


def _choice(
    X: Matrix, n_topics: Sequence[int], method: str, settings: Settings, advance: Callable[[], None] | None = None
) -> RankChoice | None:
    """How many topics the words support, among the numbers that half of the notes and half of the words allow.

    None if nobody asked for a choice, or if nothing can be compared: a single word, or words that are in every note.
    """
    possible = [k for k in n_topics if k <= min(X.shape) // 2]
    if not settings.auto or not possible or not X.data.any():
        return None
    model = METHODS[method].make(1, settings.seed)
    if hasattr(model, "n_init"):
        model.set_params(n_init=1)  # how well a number of topics does hardly depends on the start
    return select_rank(model, X, possible, random_state=settings.seed, callback=advance)


def _fit_one(
    X: Matrix,
    y: Array,
    vectorizer: NotesVectorizer,
    columns: list[KnownColumn],
    n_topics: int,
    settings: Settings,
    seeds: Seeds,
    choice: RankChoice | None,
    axes_from: AxisPatients,
) -> ForecasterFit:
    """The forecaster with one number of topics."""
    factorisation = _factorisation(X, vectorizer, n_topics, settings, seeds)
    components = None if factorisation is None else np.ascontiguousarray(factorisation.components_, np.float64)
    if not settings.notes:
        components = np.empty((0, X.shape[1]))
    of_words = X if components is None else project(X, components)
    axes, scores = axes_from.axes(components, settings.outcome_axes)
    blocks = [scores, *(known.features if components is None else known.imputed(of_words) for known in columns)]
    features = join_features(of_words, blocks)
    fitted = classifier.fit(features, y, settings.rule, axes_from.fold_of_fit)
    ends = np.cumsum([of_words.shape[1], *(block.shape[1] for block in blocks)])
    word_effects, axis_effects, *column_effects = np.split(fitted.effects, ends[:-1])
    pairs = zip(columns, column_effects, strict=True)
    used = tuple(structs.replace(known.column, effects=known.mixing @ effects) for known, effects in pairs)
    values = [known.values for known in columns]
    forecaster = Forecaster(
        vectorizer=vectorizer,
        components=components,
        effects=word_effects,
        axes=axes,
        axis_effects=axis_effects,
        intercept=fitted.intercept,
        columns=used,
        n_notes=len(y),
        n_admitted=int(y.sum()),
        recalibration=UNCHANGED,
        moments=Moments.of(np.empty((len(y), 0)) if components is None else of_words, *effects_of(used, values, len(y))),
    )
    patients = forecaster.encode_words(X, values, scores)
    return ForecasterFit(forecaster, patients, features, factorisation, seeds.words, fitted, choice)


def _factorisation(X: Matrix, vectorizer: NotesVectorizer, n_topics: int, settings: Settings, seeds: Seeds) -> Any:
    """The fitted factorisation; None where every word is a feature, or none is."""
    if not settings.notes or settings.method == WORDS:
        return None
    parameters: dict[str, object] = {"fixed_components": seeds.components} if seeds.words else {}
    if settings.start is not None and settings.method == "sonmf":
        start = settings.start.among(vectorizer, n_topics, len(seeds.words))
        parameters |= {} if start is None else {"init": start}
    return METHODS[settings.method].fit(X, n_topics, settings.seed, **parameters)


def join_features(features: Matrix, blocks: list[Array]) -> Matrix:
    """Features of the words, then those of axes and columns; sparse if the words are."""
    if scipy.sparse.issparse(features):
        return scipy.sparse.csr_array(scipy.sparse.hstack([features, *map(scipy.sparse.csr_array, blocks)]))
    return np.hstack([features, *blocks])


def _text(name: str, values: Array, settings: Settings) -> Text | None:
    """Fit a column of text; None if no word of it occurs often enough."""
    vectorizer = vectorizer_for("sonmf", settings.vectorizer)
    try:
        X = vectorizer.fit_transform(values)
    except NoWordsError:
        return None
    choice = _choice(X, settings.text_topics, "sonmf", settings)
    k = choice.rank if choice else min(*settings.text_topics, *X.shape)
    components = METHODS["sonmf"].fit(X, k, settings.seed).components_
    return Text(name, vectorizer, components, project(X, components).mean(axis=0))
