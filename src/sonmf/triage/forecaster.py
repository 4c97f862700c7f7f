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


class Read(NamedTuple):
    """Patients as the model reads them."""

    X: Matrix
    """Weights of their words."""
    values: list[Array | None]
    """Of each column; None where it is not given."""
    parts: Array
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

    def read(self, notes: Sequence[object], given: Columns, rows: Rows = None, stated: Columns | None = None) -> Read:
        """Words and columns of patients; ``rows`` are their numbers in a larger table, for messages.

        ``stated`` is what ``read_measurements`` finds in the notes, where that is known.
        """
        if stated is None:
            stated = read_measurements(notes) if any(one.measured for one in self.columns) else {}
        return self.read_words(self.vectorizer.transform(notes), self.column_values(given, stated, rows))

    def read_words(self, X: Matrix, values: list[Array | None]) -> Read:
        """The same from the words and the values of the columns."""
        n = X.shape[0]
        parts = [
            np.zeros(n) if some is None else one.features(some) @ one.effects
            for one, some in zip(self.columns, values, strict=True)
        ]
        return Read(X, values, np.array(parts).reshape(-1, n).T)

    def column_values(self, given: Columns, stated: Columns, rows: Rows = None) -> list[Array | None]:
        """Of each column: what was given, and for measurements what the note says where nothing was given."""
        by_name = {name.lower(): values for name, values in given.items()}
        found: list[Array | None] = []
        for one in self.columns:
            values = by_name.get(one.name) if one.measured else given.get(one.name)
            mine = None if values is None else convert_values(one.name, one.kind, values, rows)
            found.append(_fill(mine, stated[one.name]) if one.measured else mine)
        return found

    def known(self, X: Matrix) -> Array:
        """Which notes have a word of the vocabulary; all of them if words are not used."""
        return np.diff(X.indptr) > 0 if len(self.effects) else np.ones(X.shape[0], bool)

    def parts(self, read: Read) -> Array:
        """What each topic, and then each column, adds to the log-odds of each patient."""
        topics = np.empty((read.X.shape[0], 0)) if self.components is None else project(read.X, self.components) * self.effects
        return np.hstack([topics, read.parts])

    def remarks(self, read: Read) -> list[list[str]]:
        """What is strange about the values of each patient; ``not_given`` tells what is the same for all of them."""
        found: list[list[str]] = [[] for _ in range(read.X.shape[0])]
        for one, values in zip(self.columns, read.values, strict=True):
            if values is not None:
                for remarks, value in zip(found, values, strict=True):
                    remarks += filter(None, [one.remark(value)])
        return found

    def not_given(self, names: Collection[str]) -> str:
        """A sentence on the columns that are not among these names; empty if all are. Measurements need not be given."""
        return not_given_sentence(one.name for one in self.columns if not one.measured and one.name not in names)

    def log_odds(self, read: Read) -> Array:
        """Of each patient; without a known word the intercept is that of the base rate, and columns still count."""
        words = np.where(self.known(read.X), read.X @ self.word_effects + self.intercept, self.base_log_odds)
        return np.asarray(words + read.parts.sum(axis=1))


def not_given_sentence(names: Iterable[str]) -> str:
    """A sentence on columns that are not given; empty if all are."""
    listed = ", ".join(names)
    return NOT_GIVEN.format(listed) if listed else ""


class Fit(NamedTuple):
    """A forecaster, and what was found while it was fitted."""

    forecaster: Forecaster
    read: Read
    """The patients of the fit."""
    features: Matrix
    """Projections of the notes, or their words, then the features of the columns."""
    factorisation: Any
    """None where there are no topics."""
    seeds: list[str]
    """The seed words of the first topics, if there are any."""
    classifier: classifier.Classifier
    choice: RankChoice | None
    """How the number of topics was chosen; None if it was given."""


def fit(
    notes: Sequence[object],
    y: Array,
    given: Columns,
    stated: Columns,
    n_topics: Sequence[int],
    settings: Settings,
    advance: Callable[[], None] = lambda: None,
) -> list[Fit]:
    """One for each number of topics that the notes can have; what does not depend on it is done once.

    ``stated`` are the measurements that may be used, as ``read_measurements`` finds them in the notes. ``advance`` is called
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
    return [_fit(X, y, vectorizer, columns, k, settings, seeds)._replace(choice=choice) for k in numbers]


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


def _fit(
    X: Matrix, y: Array, vectorizer: NotesVectorizer, columns: list[_Known], k: int, settings: Settings, seeds: Seeds
) -> Fit:
    words = settings.notes and settings.method == WORDS
    given: dict[str, object] = {"fixed_components": seeds.components} if seeds.words else {}
    if settings.start is not None and settings.method == "sonmf":
        start = settings.start.among(vectorizer, k, len(seeds.words))
        given |= {} if start is None else {"init": start}
    factorisation = METHODS[settings.method].fit(X, k, settings.seed, **given) if settings.notes and not words else None
    components = factorisation.components_ if factorisation is not None else np.empty((0, X.shape[1]))
    of_notes, blocks = X if words else project(X, components), [one.features for one in columns]
    features = join_features(of_notes, blocks)
    fitted = classifier.fit(features, y, settings.rule, settings.seed)
    ends = np.cumsum([of_notes.shape[1], *(block.shape[1] for block in blocks)])
    of_words, *of_columns = np.split(fitted.effects, ends[:-1])
    forecaster = Forecaster(
        vectorizer=vectorizer,
        components=None if words else np.ascontiguousarray(components, np.float64),
        effects=of_words,
        intercept=fitted.intercept,
        columns=tuple(
            structs.replace(one.column, effects=one.mixing @ some) for one, some in zip(columns, of_columns, strict=True)
        ),
        n_notes=len(y),
        n_admitted=int(y.sum()),
        recalibration=UNCHANGED,
    )
    parts = [block @ some for block, some in zip(blocks, of_columns, strict=True)]
    read = Read(X, [one.values for one in columns], np.array(parts).reshape(-1, len(y)).T)
    return Fit(forecaster, read, features, factorisation, seeds.words, fitted, choice=None)


def join_features(features: Matrix, blocks: list[Array]) -> Matrix:
    """Features of the words, then those of the columns; sparse if the words are."""
    if scipy.sparse.issparse(features):
        return scipy.sparse.csr_array(scipy.sparse.hstack([features, *map(scipy.sparse.csr_array, blocks)]))
    return np.hstack([features, *blocks])


class _Known(NamedTuple):
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


def _columns(given: Columns, stated: Columns, settings: Settings) -> list[_Known]:
    """The columns and measurements that can be used; a given column replaces the measurement of the same name."""
    fewest = fewest_named(settings.vectorizer)
    found: list[tuple[Column | None, Array]] = []
    for name, values in given.items():
        kind = settings.kinds[name]
        some = convert_values(name, kind, values)
        found.append((_text(name, some, settings) if kind == TEXT else KINDS[kind].fit(name, some, fewest), some))
    taken = {name.lower() for name in given}
    for name, some in stated.items():
        if name not in taken and _often(some):
            found.append((KINDS[NUMBER if name in RANGES else CATEGORY].fit(name, some, fewest, measured=True), some))
    return [_Known.of(one, some) for one, some in found if one is not None]


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


def _fill(mine: Array | None, stated: Array) -> Array:
    """What was given, and where it is missing what the note says."""
    if mine is None:
        return stated
    return np.array([other if is_missing(value) else value for value, other in zip(mine, stated, strict=True)], stated.dtype)
