"""How the patients of a fit are spread over topics, columns, forecasts and words: what later patients are compared with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from msgspec.structs import replace
from scipy.special import expit, logit

from sonmf.triage.column_effects import SMALLEST, Category, Column, Number, Text
from sonmf.triage.factorisations import project
from sonmf.triage.recalibration import Line
from sonmf.triage.records import Histogram, HistogramKind, Reference, WordCounts
from sonmf.triage.strict_json import require
from sonmf.types import Array

if TYPE_CHECKING:
    from sonmf.triage.forecaster import EncodedPatients, Forecaster

FORECAST: Final = "forecast"
TOPIC: Final = "topic"
COLUMN: Final = "column"
RANGES = 10  # of a histogram, at most


def make_reference(
    model: Forecaster, patients: EncodedPatients, notes: Sequence[object], forecasts: Array, *, of_the_fit: bool = True
) -> Reference:
    """What a model with topics remembers of patients, whose forecasts are by a classifier that had not seen them.

    ``of_the_fit`` says whether the words were learned from these notes.
    """
    assert model.components is not None, "patients are compared with topics"
    amounts_of = np.hstack([project(patients.X, model.components), patients.axis_scores])
    histograms = [_ranges(FORECAST, "", forecasts)]
    histograms += [_ranges(TOPIC, str(k), amounts) for k, amounts in enumerate(amounts_of.T)]
    columns = zip(model.columns, patients.values, strict=True)
    histograms += [_of_column(column, values) for column, values in columns if values is not None]
    words = word_counts(model.vectorizer.count_words(notes, of_the_fit=of_the_fit))
    return Reference([histogram for histogram in histograms if histogram is not None], words)


def recalibrate_reference(reference: Reference, line: Line) -> Reference:
    """The distribution of the same patients after a line with a slope above 0 has been applied to the log-odds of the model."""
    histograms = [
        replace(histogram, edges=expit(line.of(logit(np.array(histogram.edges)))).tolist())
        if histogram.kind == FORECAST
        else histogram
        for histogram in reference.histograms
    ]
    return replace(reference, histograms=histograms)


def word_counts(counts: Array) -> WordCounts:
    """Sums over notes, from the numbers of words and of unknown words in each."""
    words, unknown = (int(total) for total in counts.sum(axis=0))
    away = counts[:, 1] - (unknown / words if words else 0.0) * counts[:, 0]
    return WordCounts(len(counts), words, unknown, float(away @ away))


def histogram_cells(edges: Sequence[float], values: Array, column: Column | None = None) -> Array:
    """The cell of a histogram in which each value lies, given its edges; ``column`` if the values are those of a column."""
    if isinstance(column, Category):
        place = np.array([column.place(value) for value in values], int).reshape(len(values))
        return np.where(place < 0, len(column.levels), place)
    return np.where(np.isfinite(values), np.searchsorted(edges, values), len(edges) + 1)


def _of_column(column: Column, values: Array) -> Histogram | None:
    if isinstance(column, Text):
        return None
    if isinstance(column, Number):
        return _ranges(COLUMN, column.name, values)
    counts = np.bincount(histogram_cells((), values, column), minlength=len(column.levels) + 1)
    return Histogram(COLUMN, column.name, [], counts.tolist())


def _ranges(kind: HistogramKind, name: str, values: Array) -> Histogram | None:
    """Ranges of about equally many patients, at least SMALLEST, so that no edge identifies one; None for a single range."""
    known = np.sort(values[np.isfinite(values)])
    edges: list[float] = []
    below = 0
    for edge in np.unique(np.quantile(known, np.arange(1, RANGES) / RANGES)) if len(known) else ():
        upto = int(np.searchsorted(known, edge, side="right"))
        if upto - below >= SMALLEST and len(known) - upto >= SMALLEST:
            edges.append(float(edge))
            below = upto
    if not edges:
        return None
    return Histogram(kind, name, edges, np.bincount(histogram_cells(edges, values), minlength=len(edges) + 2).tolist())


def check(reference: Reference, topics: int, columns: Mapping[str, int]) -> None:
    """An ``InputError`` unless a fit with so many topics and axes and these columns (with their levels) could have left it."""
    for histogram in reference.histograms:
        is_topic = histogram.kind == TOPIC and histogram.name.isdecimal() and int(histogram.name) < topics
        known = is_topic or histogram.kind == FORECAST or (histogram.kind == COLUMN and histogram.name in columns)
        require(known, "a histogram is of something that the model does not have")
        size = len(histogram.edges) + 2 if histogram.edges else columns.get(histogram.name, 0) + 1
        require(len(histogram.counts) == size, "a histogram is incomplete")
