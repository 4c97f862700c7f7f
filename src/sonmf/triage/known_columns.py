"""The columns and measurements that a fit can use, with their values and features for its patients."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Self

import numpy as np

from sonmf.text.note_numbers import RANGES
from sonmf.triage import lasso
from sonmf.triage.column_effects import Category, Column, Number, Text
from sonmf.triage.columns import CATEGORY, NUMBER, TEXT, Columns, convert_values, is_missing
from sonmf.types import Array

NOTHING_NEW = 1e-7  # of a feature, after those before it
FEWEST_STATED = 20  # notes that state a measurement: fewer teach nothing
KINDS: dict[str, type[Number] | type[Category]] = {NUMBER: Number, CATEGORY: Category}


class KnownColumn(NamedTuple):
    """A column that can be used, with its values and features for the patients of the fit."""

    column: Column
    values: Array
    features: Array
    """The features of the column times ``mixing``. A line that bends at four knots has features that hardly differ, and
    the classifier would need much longer to separate them. So they are made uncorrelated. Of two levels one is enough."""
    mixing: Array

    @classmethod
    def of(cls, column: Column, values: Array) -> Self:
        """A column with the values of the patients of the fit."""
        features = column.features(values)
        mixing = _uncorrelating(features) if isinstance(column, Number) else np.eye(features.shape[1])
        if isinstance(column, Category) and len(column.levels) == 2:
            mixing = mixing[:, 1:]
        return cls(column, values, features @ mixing, mixing)

    def imputed(self, topics: Array) -> Array:
        """The features; where the column is missing, they are predicted from the topics by a ridge regression."""
        gone = self.column.missing_in(self.values)
        if not gone.any() or not topics.shape[1]:
            return self.features
        scaled = lasso.standardise(topics).Z
        scaled = scaled - scaled[~gone].mean(axis=0)
        rows = scaled[~gone]
        weights = np.linalg.solve(rows.T @ rows + np.eye(rows.shape[1]), rows.T @ self.features[~gone])
        features = self.features.copy()
        features[gone] = scaled[gone] @ weights
        return features


def _uncorrelating(features: Array) -> Array:
    """The upper triangle T for which features @ T has uncorrelated columns: of each feature what those before lack."""
    scale = np.abs(features).max(axis=0)
    scale[scale == 0] = 1.0
    _, R = np.linalg.qr(features / scale)
    new = np.abs(np.diag(R)) > NOTHING_NEW * np.sqrt(len(features))
    T = np.zeros_like(R)
    T[np.ix_(new, new)] = np.linalg.inv(R[np.ix_(new, new)])
    return np.asarray(np.sqrt(len(features)) * T / scale[:, None])


def usable_columns(
    given: Columns, stated: Columns, kinds: Mapping[str, str], fewest: int, fit_text: Callable[[str, Array], Text | None]
) -> list[KnownColumn]:
    """The columns and measurements that a fit can use; a given column replaces the measurement of the same name.

    ``stated`` are the measurements that may be used, as ``read_measurements`` finds them in the notes. ``fit_text`` fits a
    column of text.
    """
    known: list[tuple[Column | None, Array]] = []
    for name, cells in given.items():
        values, in_notes = convert_values(name, kinds[name], cells), stated.get(name.lower())
        if kinds[name] == TEXT:
            known.append((fit_text(name, values), values))
        elif (column := KINDS[kinds[name]].fit(name, values, fewest, notes=in_notes)) is not None:
            filled = column.filled(values, in_notes)
            known.append((column, values if filled is None else filled))
    taken = {name.lower() for name in given}
    for name, values in stated.items():
        if name not in taken and _often(values):
            kind = NUMBER if name in RANGES else CATEGORY
            known.append((KINDS[kind].fit(name, values, fewest, measured=True), values))
    return [KnownColumn.of(column, values) for column, values in known if column is not None]


def anything_measured(stated: Columns) -> bool:
    """Whether enough notes state any measurement."""
    return any(map(_often, stated.values()))


def _often(values: Array) -> bool:
    return sum(not is_missing(value) for value in values) >= FEWEST_STATED
