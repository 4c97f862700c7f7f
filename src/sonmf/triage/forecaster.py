"""The one pipeline: patient -> words, topics and columns -> named features -> calibrated log-odds, linear in all of them.

``TriageModel`` ships it and ``evaluate`` judges it, the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
import scipy.sparse
from msgspec import Struct, structs

from sonmf.rank import FOLDS, RankChoice, select_rank
from sonmf.text import NotesVectorizer, Seeds, seed_topics
from sonmf.text.note_numbers import RANGES, read_measurements
from sonmf.text.vectorizer import NoWordsError
from sonmf.triage import classifier
from sonmf.triage.column_effects import Category, Column, Number, Text
from sonmf.triage.columns import CATEGORY, NUMBER, TEXT, Columns, Rows, convert_values, is_missing
from sonmf.triage.factorisations import METHODS, fewest_named, project, vectorizer_for
from sonmf.triage.recalibration import UNCHANGED, Line
from sonmf.triage.records import PatientCount
from sonmf.triage.strict_json import Bounded
from sonmf.triage.warm_start import WarmStart
from sonmf.types import Array, Matrix

WORDS = "words"
NO_KNOWN_WORD = "the note has no word that the model knows: the forecast starts from the base rate of the complaint"
NOT_GIVEN = "not given, so without effect: {}"
NOTHING_NEW = 1e-7  # of a feature, after those before it
FEWEST_MEASURED = 20  # notes that state a measurement: fewer teach nothing


@dataclass(frozen=True)
class Settings:
    """How to fit: the same for every complaint and every fold."""

    method: str
    """A factorisation, or "words" for none."""
    vectorizer: NotesVectorizer | None
    rule: str
    seed: int
    kinds: Mapping[str, str]
    """Of the columns that are given."""
    text_topics: Sequence[int]
    """Numbers of topics to try for a column of text."""
    auto: bool = False
    """Choose among several numbers of topics by the words alone; otherwise each is fitted and judged by its forecast."""
    notes: bool = True
    """False: only columns and measurements count."""
    seeds: Sequence[str] = ()
    """Words of topics that are asked for."""
    strict_seeds: bool = True
    """Whether a seed word that is not known is refused; otherwise it is ignored."""
    start: WarmStart | None = None
    """Topics of an earlier model to start from."""


class EncodedPatients(NamedTuple):
    """Patients as a forecaster takes them: the words of their notes, and the values of its columns."""

    X: Matrix
    """Weights of their words."""
    values: list[Array | None]
    """Of each column; None where it is not given."""
    column_parts: Array
    """What each column (second axis) adds to the log-odds."""


class Forecaster(Struct, frozen=True, forbid_unknown_fields=True, eq=False, dict=True):
    """log-odds = intercept + effects'F'x + sum over columns of their effects, for the patients of one complaint."""

    vectorizer: NotesVectorizer
    components: Array | None
    """F', a topic a row; None where every word is a feature."""
    effects: Array
    """Log-odds per unit of each topic, calibration included."""
    intercept: Bounded
    columns: tuple[Column, ...]
    n_notes: PatientCount
    n_admitted: PatientCount
    recalibration: Line
    """What updates did to the log-odds since the fit; effects and intercept include it."""

    @property
    def base_rate(self) -> float:
        """Share of admissions among the training notes."""
        return self.n_admitted / self.n_notes

    @cached_property
    def word_effects(self) -> Array:
        """Log-odds per unit of each word's weight: F effects."""
        return np.asarray(self.effects if self.components is None else self.effects @ self.components)

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
            stated = read_measurements(notes) if any(column.measured for column in self.columns) else {}
        return self.encode_words(self.vectorizer.transform(notes), self.column_values(given, stated, rows))

    def encode_words(self, X: Matrix, values: list[Array | None]) -> EncodedPatients:
        """The same from the words and the values of the columns."""
        n = X.shape[0]
        parts = [
            np.zeros(n) if values_of is None else column.features(values_of) @ column.effects
            for column, values_of in zip(self.columns, values, strict=True)
        ]
        return EncodedPatients(X, values, np.array(parts).reshape(-1, n).T)

    def column_values(self, given: Columns, stated: Columns, rows: Rows = None) -> list[Array | None]:
        """The values of each column: what was given, and for a measurement what the note says where nothing was given."""
        lower_case = {name.lower(): values for name, values in given.items()}
        values: list[Array | None] = []
        for column in self.columns:
            cells = lower_case.get(column.name) if column.measured else given.get(column.name)
            converted = None if cells is None else convert_values(column.name, column.kind, cells, rows)
            values.append(_fill(converted, stated[column.name]) if column.measured else converted)
        return values

    def known(self, X: Matrix) -> Array:
        """Which notes have a word of the vocabulary; all of them if words are not used."""
        return np.diff(X.indptr) > 0 if len(self.effects) else np.ones(X.shape[0], bool)

    def parts(self, patients: EncodedPatients) -> Array:
        """What each topic, and then each column, adds to the log-odds of each patient."""
        n = patients.X.shape[0]
        topics = np.empty((n, 0)) if self.components is None else project(patients.X, self.components) * self.effects
        return np.hstack([topics, patients.column_parts])

    def remarks(self, patients: EncodedPatients) -> list[list[str]]:
        """What is strange about the values of each patient; ``not_given`` tells what is the same for all of them."""
        remarks: list[list[str]] = [[] for _ in range(patients.X.shape[0])]
        for column, values in zip(self.columns, patients.values, strict=True):
            if values is not None:
                for of_patient, value in zip(remarks, values, strict=True):
                    of_patient += filter(None, [column.remark(value)])
        return remarks

    def not_given(self, names: Collection[str]) -> str:
        """A sentence on the columns that are not among these names; empty if all are. Measurements need not be given."""
        return not_given_sentence(column.name for column in self.columns if not column.measured and column.name not in names)

    def log_odds(self, patients: EncodedPatients) -> Array:
        """The log-odds of each patient; without a known word they start from the base rate, and columns still count."""
        X = patients.X
        words = np.where(self.known(X), X @ self.word_effects + self.intercept, self.base_log_odds)
        return np.asarray(words + patients.column_parts.sum(axis=1))


def not_given_sentence(names: Iterable[str]) -> str:
    """A sentence on columns that are not given; empty if all are."""
    listed = ", ".join(names)
    return NOT_GIVEN.format(listed) if listed else ""


class ForecasterFit(NamedTuple):
    """A forecaster, the patients that it was fitted to, and what else a report tells of the fit."""

    forecaster: Forecaster
    patients: EncodedPatients
    features: Matrix
    """Projections of the notes, or their words, then the features of the columns."""
    factorisation: Any
    """None where there are no topics."""
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
) -> list[ForecasterFit]:
    """A fit for each number of topics that the notes can have; what does not depend on that number is done once.

    ``stated`` are the measurements that may be used, as ``read_measurements`` reads them in the notes. ``advance`` is called
    after every fit that compares numbers of topics.
    """
    vectorizer = vectorizer_for(settings.method, settings.vectorizer)
    X = vectorizer.fit_transform(notes)
    columns = _columns(given, stated, settings)
    seeds = seed_topics(settings.seeds if settings.method == "sonmf" else [], vectorizer, X, strict=settings.strict_seeds)
    n_topics = [max(k, len(seeds.words)) for k in n_topics]
    choice = _choice(X, n_topics, settings.method, settings, advance)
    for _ in range(fits_to_choose(n_topics, settings.auto) - (len(choice.curve.ranks) * FOLDS if choice else 0)):
        advance()  # of numbers that these notes cannot have
    numbers = [choice.rank] if choice else sorted({min(k, *X.shape) for k in n_topics})
    return [_fit_one(X, y, vectorizer, columns, k, settings, seeds, choice) for k in numbers]


def fits_to_choose(n_topics: Sequence[int], auto: bool) -> int:
    """The number of fits that compare these numbers of topics."""
    return FOLDS * len(n_topics) if auto else 0


def _choice(
    X: Matrix, n_topics: Sequence[int], method: str, settings: Settings, advance: Callable[[], None] | None = None
) -> RankChoice | None:
    """How many topics the words hold, of the numbers that half of the notes and half of the words can have.

    None where nobody asked, and where there is nothing to compare: a single word, or words that are in every note.
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
    columns: list[_FittedColumn],
    n_topics: int,
    settings: Settings,
    seeds: Seeds,
    choice: RankChoice | None,
) -> ForecasterFit:
    """The forecaster with one number of topics."""
    factorisation = _factorisation(X, vectorizer, n_topics, settings, seeds)
    components = None if factorisation is None else np.ascontiguousarray(factorisation.components_, np.float64)
    if not settings.notes:
        components = np.empty((0, X.shape[1]))
    of_words = X if components is None else project(X, components)
    features = join_features(of_words, [column.features for column in columns])
    fitted = classifier.fit(features, y, settings.rule, settings.seed)
    ends = np.cumsum([of_words.shape[1], *(column.features.shape[1] for column in columns)])
    word_effects, *column_effects = np.split(fitted.effects, ends[:-1])
    forecaster = Forecaster(
        vectorizer=vectorizer,
        components=components,
        effects=word_effects,
        intercept=fitted.intercept,
        columns=tuple(
            structs.replace(fitted_column.column, effects=fitted_column.mixing @ effects)
            for fitted_column, effects in zip(columns, column_effects, strict=True)
        ),
        n_notes=len(y),
        n_admitted=int(y.sum()),
        recalibration=UNCHANGED,
    )
    parts = [column.features @ effects for column, effects in zip(columns, column_effects, strict=True)]
    patients = EncodedPatients(X, [column.values for column in columns], np.array(parts).reshape(-1, len(y)).T)
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
    """Features of the words, then those of the columns; sparse if the words are."""
    if scipy.sparse.issparse(features):
        return scipy.sparse.csr_array(scipy.sparse.hstack([features, *map(scipy.sparse.csr_array, blocks)]))
    return np.hstack([features, *blocks])


class _FittedColumn(NamedTuple):
    """A column that can be used, with its values and features for the patients of the fit."""

    column: Column
    values: Array
    features: Array
    """Those of the column times ``mixing``. A line that bends at four knots has features that hardly differ, and the
    classifier would take much longer to tell them apart, so they are made uncorrelated; of two levels one is enough."""
    mixing: Array

    @classmethod
    def of(cls, column: Column, values: Array) -> Self:
        features = column.features(values)
        mixing = _uncorrelating(features) if isinstance(column, Number) else np.eye(features.shape[1])
        if isinstance(column, Category) and len(column.levels) == 2:
            mixing = mixing[:, 1:]
        return cls(column, values, features @ mixing, mixing)


def _uncorrelating(features: Array) -> Array:
    """The upper triangle T for which features @ T has uncorrelated columns: of each feature what those before lack."""
    scale = np.abs(features).max(axis=0)
    scale[scale == 0] = 1.0
    _, R = np.linalg.qr(features / scale)
    new = np.abs(np.diag(R)) > NOTHING_NEW * np.sqrt(len(features))
    T = np.zeros_like(R)
    T[np.ix_(new, new)] = np.linalg.inv(R[np.ix_(new, new)])
    return np.asarray(np.sqrt(len(features)) * T / scale[:, None])


def _columns(given: Columns, stated: Columns, settings: Settings) -> list[_FittedColumn]:
    """The columns and measurements that can be used; a given column replaces the measurement of the same name."""
    fewest = fewest_named(settings.vectorizer)
    columns: list[tuple[Column | None, Array]] = []
    for name, cells in given.items():
        kind = settings.kinds[name]
        values = convert_values(name, kind, cells)
        columns.append((_text(name, values, settings) if kind == TEXT else KINDS[kind].fit(name, values, fewest), values))
    replaced = {name.lower() for name in given}
    for name, values in stated.items():
        if name not in replaced and _often(values):
            kind = NUMBER if name in RANGES else CATEGORY
            columns.append((KINDS[kind].fit(name, values, fewest, measured=True), values))
    return [_FittedColumn.of(column, values) for column, values in columns if column is not None]


def anything_measured(stated: Columns) -> bool:
    """Whether enough notes state an age, a vital sign or the like."""
    return any(map(_often, stated.values()))


def _often(values: Array) -> bool:
    return sum(not is_missing(value) for value in values) >= FEWEST_MEASURED


KINDS: dict[str, type[Number] | type[Category]] = {NUMBER: Number, CATEGORY: Category}


def _text(name: str, values: Array, settings: Settings) -> Text | None:
    """None if no word occurs often enough."""
    vectorizer = vectorizer_for("sonmf", settings.vectorizer)
    try:
        X = vectorizer.fit_transform(values)
    except NoWordsError:
        return None
    choice = _choice(X, settings.text_topics, "sonmf", settings)
    k = choice.rank if choice else min(*settings.text_topics, *X.shape)
    components = METHODS["sonmf"].fit(X, k, settings.seed).components_
    return Text(name, vectorizer, components, project(X, components).mean(axis=0))


def _fill(given: Array | None, stated: Array) -> Array:
    """The values that were given, and where one is missing what the note says."""
    if given is None:
        return stated
    return np.array([said if is_missing(value) else value for value, said in zip(given, stated, strict=True)], stated.dtype)
