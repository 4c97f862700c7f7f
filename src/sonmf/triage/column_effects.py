"""What a column adds to the log-odds: a bent line for a number, a value for each level of a category, topics for a text.

Each value becomes a few features with mean 0 over the patients of the fit, so that effects are centred: they add nothing for
the average patient, nor where the column is not given. A missing value has a feature of its own where the fit saw some.
"""

from __future__ import annotations

from functools import cached_property
from typing import Annotated, ClassVar, Self

import numpy as np
from msgspec import Meta, Struct, field

from sonmf.text import NotesVectorizer
from sonmf.triage.columns import CATEGORY, NUMBER, TEXT, Kind, is_missing
from sonmf.triage.records import GroupEffect, Shape, ValueEffect
from sonmf.triage.strict_json import Bounded, require
from sonmf.types import Array

KNOTS = (0.05, 0.35, 0.65, 0.95)  # quantiles where the line may bend; benchmarks/columns.py compares
FEWEST_TO_BEND = 200  # values: fewer show no more than a slope
MISSING, OTHER = "(missing)", "(other)"
MOST_LEVELS = 100  # the commonest of a category; the others are merged
BINS = 10  # of a number, at most, in a report
SMALLEST = 20  # patients of a bin: fewer could be re-identified


class Number(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag=NUMBER):
    """f(x) = a x + sum over knots of b_j (x - knot_j)+, centred: linear beyond the outer knots."""

    kind: ClassVar[Kind] = NUMBER
    name: str
    measured: bool
    """Whether it is read from the note."""
    knots: Array
    centre: Array
    """Mean of x and of each (x - knot)+ over the patients of the fit that have a value."""
    missing: Annotated[float, Meta(ge=0, lt=1)]
    """Share of the patients of the fit without a value; 0 where they were too few to have an effect of their own."""
    low: Bounded
    high: Bounded
    """The range of the fit. A few patients are beyond each end, so that no patient can be identified by it."""
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
    def fit(cls, name: str, values: Array, fewest: int, *, measured: bool = False) -> Self | None:
        """None if nothing can be learned: fewer than twice ``fewest`` values, or all the same."""
        known = np.sort(values[np.isfinite(values)])
        if len(known) < 2 * fewest or known[0] == known[-1]:
            return None
        knots = np.unique(np.quantile(known, KNOTS if len(known) >= FEWEST_TO_BEND else ()))
        knots = knots[(known[0] < knots) & (knots < known[-1])] if len(np.unique(known)) > 2 else np.empty(0)
        absent = len(values) - len(known)
        missing = absent / len(values) if absent >= fewest else 0.0
        low, high = float(known[fewest - 1]), float(known[-fewest])
        return cls(name, measured, knots, _bent(known, knots).mean(axis=0), missing, low, high)

    def features(self, values: Array) -> Array:
        """A row for each value; NaN is missing."""
        known = np.isfinite(values)
        bent = np.zeros((len(values), len(self.centre)))
        bent[known] = _bent(values[known], self.knots) - self.centre
        return np.column_stack([bent, ~known - self.missing]) if self.missing else bent

    def remark(self, value: float) -> str:
        """What is strange about one value; empty if nothing is."""
        if not np.isfinite(value):
            return "" if self.missing else f"{self.name} is missing, which the fit did not see: it adds nothing"
        width = self.high - self.low
        if width == 0 or self.low - width <= value <= self.high + width:
            return ""
        return f"{self.name} is {value:g}, far outside the range of the fit ({self.low:g} to {self.high:g}): check its unit"


def _bent(values: Array, knots: Array) -> Array:
    return np.column_stack([values, np.maximum(values[:, None] - knots, 0)])


class Category(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag=CATEGORY, dict=True):
    """f(level) = its effect, centred; rare levels, those beyond the commonest, and those the fit never saw share one effect."""

    kind: ClassVar[Kind] = CATEGORY
    name: str
    measured: bool
    levels: tuple[str, ...]
    shares: Array
    """Of the patients of the fit that have one of the levels."""
    effects: Array = field(default_factory=lambda: np.empty(0))

    def __post_init__(self) -> None:
        require(len(set(self.levels)) == self.width >= 2, "a column does not have at least two different levels")
        require(self.shares.shape == (self.width,), "a column does not have as many shares as levels")
        require(self.shares.min() > 0 and abs(self.shares.sum() - 1) < 1e-9, "the shares of a column are not shares")

    @property
    def width(self) -> int:
        """Number of its features."""
        return len(self.levels)

    @classmethod
    def fit(cls, name: str, values: Array, fewest: int, *, measured: bool = False) -> Self | None:
        """None if there are not two levels of ``fewest`` patients."""
        names, counts = np.unique([MISSING if value is None else value for value in values], return_counts=True)
        common = names == MISSING
        common[np.argsort(-counts, kind="stable")[:MOST_LEVELS]] = True
        common &= counts >= fewest
        found = dict(zip(names[common].tolist(), counts[common].tolist(), strict=True))
        others = int(counts[~common & (names != MISSING)].sum()) + found.get(OTHER, 0)
        if others >= fewest:
            found[OTHER] = others
        if len(found) < 2:
            return None
        sizes = np.array(list(found.values()), float)
        return cls(name, measured, tuple(found), sizes / sizes.sum())

    def features(self, values: Array) -> Array:
        """A row for each value; None is missing."""
        place = np.array([self.place(value) for value in values], int).reshape(len(values))
        rows = (place[:, None] == np.arange(len(self.levels))) - self.shares
        return np.where(place[:, None] < 0, 0.0, rows)

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
        if self.place(value) >= 0:
            return ""
        what = "is missing" if value is None else "has a value"
        return f"{self.name} {what}, which the fit did not see: it adds nothing"


class Text(Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag=TEXT):
    """f(text) = effects'(F'x - mean), with words and topics of its own."""

    kind: ClassVar[Kind] = TEXT
    name: str
    vectorizer: NotesVectorizer
    components: Array
    centre: Array
    effects: Array = field(default_factory=lambda: np.empty(0))
    measured: ClassVar[bool] = False

    @property
    def width(self) -> int:
        """Number of its features."""
        return len(self.centre)

    def features(self, values: Array) -> Array:
        """A row for each text; None is an empty one."""
        return np.asarray(self.vectorizer.transform(values) @ self.components.T) - self.centre

    def remark(self, value: object) -> str:
        """Nothing is strange about a text."""
        return ""


Column = Number | Category | Text


def shape(column: Column, values: Array | None, parts: Array, y: Array) -> Shape:
    """How much a column moves the forecast, and how: what a report draws."""
    assert values is not None, "a fit has the values of its columns"
    missing = np.array([is_missing(value) for value in values], bool)
    return Shape(
        name=column.name,
        kind=column.kind,
        measured=column.measured,
        missing=float(missing.mean()),
        moves=float(parts.std()),
        missing_effect=_mean(parts[missing]) if missing.any() else None,
        curve=_curve(column) if isinstance(column, Number) else [],
        bins=_bins(values, parts, y, ~missing) if isinstance(column, Number) else [],
        levels=_levels(column, values, parts, y) if isinstance(column, Category) else [],
        words=_words(column) if isinstance(column, Text) else [],
    )


def _curve(column: Number) -> list[ValueEffect[float]]:
    """Value and effect at both ends of the range of the fit and where the line bends: straight between them."""
    at = np.unique([column.low, *column.knots, column.high])
    effects = column.features(at) @ column.effects
    return [ValueEffect(float(value), float(effect)) for value, effect in zip(at, effects, strict=True)]


def _bins(values: Array, parts: Array, y: Array, known: Array) -> list[GroupEffect[float]]:
    """Patients of about equal number from low values to high: how many, mean value, mean effect, share admitted."""
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
    return [ValueEffect(column.vectorizer.spelling_[names[j]], float(weights[j])) for j in order if weights[j]]


def _mean(values: Array) -> float:
    return float(np.mean(values.astype(float)))
