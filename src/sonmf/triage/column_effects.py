"""What a column adds to the log-odds: a bent line for a number, a value for each level of a category, topics for a text.

Each value becomes a few features with mean 0 over the patients of the fit that have one, so that effects are centred: they add
nothing for the average patient. What a missing value adds is expected from the rest of the patient (``moments``); only where a
note does not state a measurement, being missing is a feature of its own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Annotated, ClassVar, Self

import numpy as np
from msgspec import Meta, Struct, field

from sonmf.text import NotesVectorizer
from sonmf.text.lexicon import as_people_write
from sonmf.text.note_numbers import RANGES
from sonmf.triage.columns import CATEGORY, NUMBER, TEXT, Kind, is_missing
from sonmf.triage.labels import label_of
from sonmf.triage.records import GroupEffect, Shape, ValueEffect
from sonmf.triage.strict_json import Bounded, require
from sonmf.types import Array

KNOTS = (0.05, 0.35, 0.65, 0.95)  # quantiles where the line may bend; benchmarks/columns.py compares
FEWEST_TO_BEND = 200  # values: fewer show no more than a slope
MISSING, OTHER = "(missing)", "(other)"
MOST_LEVELS = 100  # the commonest of a category; the others are merged
MOST_NAMED = 12  # levels that a message lists
BINS = 10  # of a number, at most, in a report
FEWEST_TO_COMPARE = 20  # patients with a value of their own and one in the note
SAME_UNIT = 0.15  # of the spread of a column: by how much the two may differ in the middle
SAME_MEANING = 0.9  # of the patients whose note has a word have the same level
SMALLEST = 20  # patients of a bin: fewer could be re-identified


class Number(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag=NUMBER):
    """f(x) = a x + sum over knots of b_j (x - knot_j)+, centred, for x between low and high; constant beyond them."""

    kind: ClassVar[Kind] = NUMBER
    name: str
    measured: bool
    """Whether the value is read from the note."""
    knots: Array
    centre: Array
    """Mean of x and of each (x - knot)+ over the patients of the fit that have a value."""
    missing: Annotated[float, Meta(ge=0, lt=1)]
    """Share of the patients of the fit without a value; 0 where they were too few to have an effect of their own."""
    low: Bounded
    high: Bounded
    """The range of the fit. A few patients are beyond each end, so that no patient can be identified by it."""
    stated: bool
    """Whether the note's value fills a gap of the column, which then has the name and the unit of a measurement."""
    effects: Array = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        require(self.low <= self.high, "the range of a column ends before it starts")
        require(self.knots.ndim == 1 and (np.diff(self.knots) > 0).all(), "the knots of a column are not sorted")
        require(self.centre.shape == (len(self.knots) + 1,), "a column does not have as many means as features")

    @property
    def width(self) -> int:
        """Number of its features."""
        return len(self.centre) + (self.missing > 0)

    @classmethod
    def fit(cls, name: str, values: Array, fewest: int, *, measured: bool = False, notes: Array | None = None) -> Self | None:
        """None if nothing can be learned: fewer than twice ``fewest`` values, or all the same.

        ``notes`` is what the notes state under this name; it fills gaps if it has the same unit.
        """
        stated = notes is not None and _same_unit(name, values, notes)
        if stated and notes is not None:
            values = np.where(np.isfinite(values), values, notes)
        known = np.sort(values[np.isfinite(values)])
        if len(known) < 2 * fewest or known[fewest - 1] == known[-fewest]:
            return None
        low, high = float(known[fewest - 1]), float(known[-fewest])
        known = np.clip(known, low, high)
        knots = np.unique(np.quantile(known, KNOTS if len(known) >= FEWEST_TO_BEND else ()))
        knots = knots[(low < knots) & (knots < high)] if len(np.unique(known)) > 2 else np.empty(0)
        absent = len(values) - len(known)
        missing = absent / len(values) if measured and absent >= fewest else 0.0
        return cls(name, measured, knots, _bent(known, knots).mean(axis=0), missing, low, high, stated)

    def filled(self, values: Array | None, notes: Array | None) -> Array | None:
        """The values, with gaps filled from the notes if those count; None if neither is given."""
        if notes is None or not (self.measured or self.stated):
            return values
        return notes if values is None else np.where(np.isfinite(values), values, notes)

    def features(self, values: Array) -> Array:
        """A row of features for each value; NaN is missing."""
        known = np.isfinite(values)
        bent = np.zeros((len(values), len(self.centre)))
        bent[known] = _bent(np.clip(values[known], self.low, self.high), self.knots) - self.centre
        return np.column_stack([bent, ~known - self.missing]) if self.missing else bent

    def missing_in(self, values: Array) -> Array:
        """Whether each value is missing and has no effect of its own."""
        return np.zeros(len(values), bool) if self.missing else ~np.isfinite(values)

    def remark(self, value: float) -> str:
        """What is strange about one value; empty if nothing is."""
        if not self.far_outside(np.array([value])).any():
            return ""
        end = self.low if value < self.low else self.high
        fitted = f"the range of the fit ({self.low:g} to {self.high:g})"
        return f"{label_of(self.name)} is {value:g}, far outside {fitted}: it counts as {end:g}; check its unit"

    def far_outside(self, values: Array) -> Array:
        """Which values lie further outside the range of the fit than it is wide: they usually have another unit."""
        width = self.high - self.low
        return np.asarray((values < self.low - width) | (values > self.high + width))


def _bent(values: Array, knots: Array) -> Array:
    return np.column_stack([values, np.maximum(values[:, None] - knots, 0)])


class Category(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag=CATEGORY, dict=True):
    """f(level) = its effect, centred; rare levels, those beyond the commonest, and those the fit never saw share one effect."""

    kind: ClassVar[Kind] = CATEGORY
    name: str
    measured: bool
    levels: tuple[str, ...]
    shares: Array
    """The share of each level among the patients of the fit that have one."""
    stated: dict[str, str]
    """The level for each word that counts where the column has none and the note has the word; empty if none does."""
    effects: Array = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        require(len(set(self.levels)) == self.width >= 2, "a column does not have at least two different levels")
        require(self.shares.shape == (self.width,), "a column does not have as many shares as levels")
        require(set(self.stated.values()) <= set(self.levels), "a note can state a level that a column does not have")
        require(self.shares.min() > 0 and abs(self.shares.sum() - 1) < 1e-9, "the shares of a column are not shares")

    @property
    def width(self) -> int:
        """Number of its features."""
        return len(self.levels)

    @classmethod
    def fit(cls, name: str, values: Array, fewest: int, *, measured: bool = False, notes: Array | None = None) -> Self | None:
        """None if there are not two levels of ``fewest`` patients; ``notes`` is what the notes state under this name.

        A missing value is a level in what notes state, and where there is only one other level, as in "yes" and nothing.
        Elsewhere it is unknown, so that a file without values is forecast as one without the column.
        """
        stated = {} if notes is None else _same_meaning(values, notes)
        if notes is not None:
            values = _fill_levels(values, notes, stated)
        levels = {} if measured else _common_levels([value for value in values if value is not None], fewest)
        if len(levels) < 2:
            levels = _common_levels([MISSING if value is None else value for value in values], fewest)
        if len(levels) < 2:
            return None
        sizes = np.array(list(levels.values()), float)
        stated = stated if set(stated.values()) <= set(levels) else {}
        return cls(name, measured, tuple(levels), sizes / sizes.sum(), stated)

    def filled(self, values: Array | None, notes: Array | None) -> Array | None:
        """The levels, with gaps filled from the notes if those count; None if neither is given."""
        if notes is None or not (self.measured or self.stated):
            return values
        words = {word: word for word in notes} if self.measured else self.stated
        return _fill_levels(np.full(len(notes), None, object) if values is None else values, notes, words)

    def features(self, values: Array) -> Array:
        """A row of features for each value; None is missing."""
        place = np.array([self.place(value) for value in values], int).reshape(len(values))
        rows = (place[:, None] == np.arange(len(self.levels))) - self.shares
        return np.where(place[:, None] < 0, 0.0, rows)

    def missing_in(self, values: Array) -> Array:
        """Whether each value is a level that the fit has not seen, or is missing and missing is not a level."""
        return np.array([self.place(value) < 0 for value in values], bool)

    def place(self, value: str | None) -> int:
        """Number of the level that a value belongs to, -1 if there is none."""
        if value is None:
            return self._places.get(MISSING, -1)
        return self._places.get(value, self._places.get(OTHER, -1))

    @cached_property
    def _places(self) -> dict[str, int]:
        return {level: place for place, level in enumerate(self.levels)}

    def remark(self, value: str | None) -> str:
        """What is strange about one value; empty if nothing is."""
        if value is None or self.place(value) >= 0:
            return ""
        return (
            f"{label_of(self.name)} has a level that the fit did not see, and counts as missing: it knows {self.known_levels}"
        )

    @property
    def known_levels(self) -> str:
        """The levels of the fit, for a message."""
        named = [level for level in self.levels if level not in (MISSING, OTHER)]
        more = f" and {len(named) - MOST_NAMED:,} more" if len(named) > MOST_NAMED else ""
        return ", ".join(named[:MOST_NAMED]) + more


def _same_unit(name: str, values: Array, notes: Array) -> bool:
    """Whether a column and the notes state the same in the same unit, as patients with both show, else plausible values."""
    known, both = values[np.isfinite(values)], np.isfinite(values) & np.isfinite(notes)
    low, high = np.quantile(known, [0.01, 0.99]) if len(known) else (0.0, 0.0)
    if both.sum() >= FEWEST_TO_COMPARE:
        return bool(np.median(np.abs(values[both] - notes[both])) <= SAME_UNIT * (high - low))
    least, most, _ = RANGES[name.lower()]
    return bool(least <= low <= high <= most)


def _same_meaning(values: Array, notes: Array) -> dict[str, str]:
    """The level that belongs to each word of the notes, learned from patients with both; empty if it is not clear."""
    levels: dict[str, str] = {}
    for word in sorted({word for word in notes if word is not None}):
        counts = Counter(value for value, note in zip(values, notes, strict=True) if note == word and value is not None)
        level, most = counts.most_common(1)[0] if counts else ("", 0)
        if most < max(FEWEST_TO_COMPARE, SAME_MEANING * counts.total()):
            return {}
        levels[word] = level
    return levels if len(set(levels.values())) == len(levels) else {}


def _fill_levels(values: Array, notes: Array, levels: Mapping[str, str]) -> Array:
    pairs = zip(values, notes, strict=True)
    return np.array([levels.get(note) if value is None else value for value, note in pairs], object)


def _common_levels(values: Sequence[str], fewest: int) -> dict[str, int]:
    """How many patients have each level; the rare ones, and those beyond the commonest, count together."""
    names, counts = np.unique(np.array(values, object), return_counts=True) if values else (np.empty(0, object), np.empty(0))
    common = names == MISSING
    common[np.argsort(-counts, kind="stable")[:MOST_LEVELS]] = True
    common &= counts >= fewest
    levels = dict(zip(names[common].tolist(), counts[common].tolist(), strict=True))
    others = int(counts[~common & (names != MISSING)].sum()) + levels.get(OTHER, 0)
    return levels | ({OTHER: others} if others >= fewest else {})


class Text(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag=TEXT):
    """f(text) = effects'(F'x - mean), with words and topics of its own."""

    kind: ClassVar[Kind] = TEXT
    name: str
    vectorizer: NotesVectorizer
    components: Array
    centre: Array
    effects: Array = field(default_factory=lambda: np.empty(0))
    measured: ClassVar[bool] = False
    stated: ClassVar[bool] = False

    @property
    def width(self) -> int:
        """Number of its features."""
        return len(self.centre)

    def features(self, values: Array) -> Array:
        """A row of features for each text; None counts as empty."""
        return np.asarray(self.vectorizer.transform(values) @ self.components.T) - self.centre

    def missing_in(self, values: Array) -> Array:
        """No text is missing: an empty one is a text without words."""
        return np.zeros(len(values), bool)

    def filled(self, values: Array | None, notes: Array | None) -> Array | None:
        """The texts as they are."""
        return values

    def remark(self, value: object) -> str:
        """An empty remark: no text is strange."""
        return ""


Column = Number | Category | Text


def shape(column: Column, values: Array | None, parts: Array, y: Array, auroc_without: float | None) -> Shape:
    """How much a column moves the forecast, and how: what a report draws."""
    assert values is not None, "a fit has the values of its columns"
    missing = np.array([is_missing(value) for value in values], bool)
    return Shape(
        name=column.name,
        kind=column.kind,
        measured=column.measured,
        missing=float(missing.mean()),
        moves=float(parts.std()),
        auroc_without=auroc_without,
        missing_effect=_mean(parts[missing]) if missing.any() else None,
        curve=_curve(column) if isinstance(column, Number) else [],
        bins=_bins(values, parts, y, ~missing) if isinstance(column, Number) else [],
        levels=_levels(column, values, parts, y) if isinstance(column, Category) else [],
        words=_words(column) if isinstance(column, Text) else [],
    )


def _curve(column: Number) -> list[ValueEffect[float]]:
    """Value and effect at both ends of the range of the fit, and where the line bends; it is straight in between."""
    at = np.unique([column.low, *column.knots, column.high])
    effects = column.features(at) @ column.effects
    return [ValueEffect(float(value), float(effect)) for value, effect in zip(at, effects, strict=True)]


def _bins(values: Array, parts: Array, y: Array, known: Array) -> list[GroupEffect[float]]:
    """Groups of about equally many patients, from low values to high: number, mean value, mean effect, share admitted."""
    order = np.flatnonzero(known)[np.argsort(values[known], kind="stable")]
    n = min(BINS, len(order) // SMALLEST)
    return [
        GroupEffect(_mean(values[some]), _mean(parts[some]), len(some), _mean(y[some]))
        for some in (np.array_split(order, n) if n else [])
    ]


def _levels(column: Category, values: Array, parts: Array, y: Array) -> list[GroupEffect[str]]:
    place = np.array([column.place(value) for value in values])
    return [
        GroupEffect(level, _mean(parts[some]), int(some.sum()), _mean(y[some]))
        for number, level in enumerate(column.levels)
        for some in [place == number]
    ]


def _words(column: Text, most: int = 10) -> list[ValueEffect[str]]:
    """The words with the largest effects, each with the log-odds per unit of its weight."""
    weights = column.effects @ column.components
    order = np.argsort(-np.abs(weights), kind="stable")[:most]
    names = column.vectorizer.get_feature_names_out()
    return [ValueEffect(as_people_write(column.vectorizer.spelling_[names[j]]), float(weights[j])) for j in order if weights[j]]


def _mean(values: Array) -> float:
    return float(np.mean(values.astype(float)))
