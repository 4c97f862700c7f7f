"""The effect of a column as a report draws it: a curve with its data, or a bar for each level."""

from __future__ import annotations

import numpy as np

from sonmf.triage.column_effects import Category, Column, Number, Text
from sonmf.triage.columns import is_missing
from sonmf.triage.records import Level, Point, Shape, ValueBin, Word
from sonmf.types import Array

BINS = 10
SMALLEST = 20  # patients of a bin: fewer could be re-identified


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


def _curve(column: Number) -> list[Point]:
    """Value and effect at both ends of the range of the fit and where the line bends: straight between them."""
    at = np.unique([column.low, *column.knots, column.high])
    effects = column.features(at) @ column.effects
    return [Point(float(value), float(effect)) for value, effect in zip(at, effects, strict=True)]


def _bins(values: Array, parts: Array, y: Array, known: Array) -> list[ValueBin]:
    """Patients of about equal number from low values to high: how many, mean value, mean effect, share admitted."""
    order = np.flatnonzero(known)[np.argsort(values[known], kind="stable")]
    n = min(BINS, len(order) // SMALLEST)
    return [
        ValueBin(len(some), _mean(values[some]), _mean(parts[some]), _mean(y[some]))
        for some in (np.array_split(order, n) if n else [])
    ]


def _levels(column: Category, values: Array, parts: Array, y: Array) -> list[Level]:
    place = np.array([column.place(value) for value in values])
    return [
        Level(level, int(some.sum()), _mean(parts[some]), _mean(y[some]))
        for number, level in enumerate(column.levels)
        for some in [place == number]
    ]


def _words(column: Text, most: int = 10) -> list[Word]:
    """The words with the largest effects, each with the log-odds per unit of its weight."""
    weights = column.effects @ column.components
    order = np.argsort(-np.abs(weights), kind="stable")[:most]
    names = column.vectorizer.get_feature_names_out()
    return [Word(column.vectorizer.spelling_[names[j]], float(weights[j])) for j in order if weights[j]]


def _mean(values: Array) -> float:
    return float(np.mean(values.astype(float)))
