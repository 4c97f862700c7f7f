"""Columns beside the note, as people give them: numbers, categories or text, one value a patient, in the order of the notes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

import numpy as np
from sklearn.metrics import roc_auc_score

from sonmf.errors import InputError
from sonmf.sources.errors import cell_in_words
from sonmf.types import Array

if TYPE_CHECKING:
    import pandas as pd

NUMBER: Final = "number"
CATEGORY: Final = "category"
TEXT: Final = "text"
Kind = Literal["number", "category", "text"]
KINDS = (NUMBER, CATEGORY, TEXT)
LARGEST = 1e30  # of a number, without its sign
TELLING = 0.99  # AUROC of one column alone; a better one cannot have been known at triage
FEWEST_OF_A_LEVEL = 5
DECIMAL_COMMA = re.compile(r"[+-]?(0,[0-9]+|[0-9]+,([0-9]{1,2}|[0-9]{4,}))")
TWO_READINGS = re.compile(r"[+-]?[0-9]{1,3},[0-9]{3}")  # a decimal comma, or one between thousands
PLAIN = {float, int, np.float64, np.int64}
WORDY = 3  # mean number of words of a value; with more the column is text

Columns = dict[str, Array]
"""The values of columns as they were given, by name."""

Table: TypeAlias = "pd.DataFrame | Mapping[str, Iterable[object]] | None"
"""The forms in which people may give columns."""

Rows: TypeAlias = Sequence[int] | Array | None
"""Numbers of the patients in the table that a person has, for messages."""


def column_arrays(columns: Table, n: int) -> Columns:
    """The columns of a DataFrame or a mapping as arrays of objects: rows match by position, whatever an index says."""
    if columns is None:
        return {}
    if not hasattr(columns, "items"):
        raise InputError(
            f"columns is {type(columns).__name__}: give a DataFrame, or a dict with a list of values for each name"
        )
    arrays: Columns = {}
    for name, values in ((str(name), values) for name, values in columns.items()):
        if isinstance(values, str) or not hasattr(values, "__iter__"):
            raise InputError(f"column {name!r} is one value: give a list with one for each note")
        if name in arrays:
            raise InputError(f"two columns are named {name!r}: give each a name of its own")
        arrays[name] = np.fromiter(values, object)
        if len(arrays[name]) != n:
            raise InputError(f"column {name!r} has {len(arrays[name])} values for {n} notes")
    return arrays


def kinds_of(columns: Mapping[str, Array], asked: Mapping[str, str] | None) -> dict[str, str]:
    """The kind of each column, as asked or as its values look; a column that can tell nothing is refused."""
    asked, kinds = asked or {}, {}
    for name, kind in asked.items():
        if name not in columns:
            raise InputError(f"kinds names {name!r}, which is not a column: there are {', '.join(columns) or 'none'}")
        if kind not in KINDS:
            raise InputError(f"column {name!r} cannot be {kind!r}: choose one of {', '.join(KINDS)}")
    for name, values in columns.items():
        first = next((as_text(value) for value in values if not is_missing(value)), None)
        if len(values) and not any(not is_missing(value) and as_text(value) != first for value in values):
            state = "no value at all" if first is None else "the same value for every patient"
            raise InputError(f"column {name!r} has {state}, so it says nothing about admission: leave it out")
        kinds[name] = asked.get(name) or guess_kind(values)
    return kinds


def guess_kind(values: Array) -> str:
    """Numbers if most values are, text if most values differ and have several words, else a category."""
    if _plain_numbers(values) is not None:
        return NUMBER
    known = [value for value in values if not is_missing(value)]
    if 2 * sum(_number(value) is not None or _has_two_readings(value) for value in known) > len(known):
        return NUMBER
    texts = [as_text(value) for value in known]
    wordy = sum(len(text.split()) for text in texts) > WORDY * len(texts)
    return TEXT if wordy and 2 * len(set(texts)) > len(texts) else CATEGORY


def tells_the_outcome(name: str, kind: str, values: Array, y: Array) -> str:
    """A warning if a column alone tells who is admitted: it may have been written after the decision."""
    score = _alone(convert_values(name, kind, values), kind, y)
    area = float(roc_auc_score(y, score))
    if max(area, 1 - area) <= TELLING:
        return ""
    return (
        f"column {name!r} alone tells admitted patients from the others (AUROC {max(area, 1 - area):.3f}): "
        "leave it out unless it is known at triage"
    )


def _alone(values: Array, kind: str, y: Array) -> Array:
    """A number as it is, missing ones in the middle; for a level its share of admissions, unless it is rare."""
    if kind == NUMBER:
        return np.where(np.isfinite(values), values, np.nanmedian(values))
    _, place = np.unique([str(value) for value in values], return_inverse=True)
    n = np.bincount(place)
    rate = np.where(n >= FEWEST_OF_A_LEVEL, np.bincount(place, y) / n, y.mean())
    return np.asarray(rate[place])


def convert_values(name: str, kind: str, values: Array, rows: Rows = None) -> Array:
    """Floats with NaN, or texts with None, where a value is missing.

    ``rows`` are their numbers in the table that a person has; without them a message counts the values that are not numbers.
    """
    if kind == NUMBER:
        return _numbers(name, values, rows)
    return np.array([None if is_missing(value) else as_text(value) for value in values], object)


def is_missing(value: object) -> bool:
    """Whether a value is None, NaN, pandas.NA, or nothing but spaces."""
    if isinstance(value, str):
        return not value.strip()
    return value is None or type(value).__name__ in ("NAType", "NaTType") or value != value


def _numbers(name: str, values: Array, rows: Rows) -> Array:
    plain = _plain_numbers(values)
    if plain is not None:
        return plain
    numbers = [np.nan if is_missing(value) else _number(value) for value in values]
    wrong = [row for row, number in enumerate(numbers) if number is None]
    if not wrong:
        return np.array(numbers, float)
    value = cell_in_words(values[wrong[0]])
    if any(_has_two_readings(values[row]) for row in wrong):
        raise InputError(
            f"column {name!r} has numbers such as 9,999, whose comma may mark decimals or thousands: "
            "write numbers with a decimal point, and without marks between thousands"
        )
    if rows is None:
        many = f"{value}, which is not a number"
        if wrong[1:]:
            many = f"{value}, and {len(wrong) - 1} more values that are not numbers"
        raise InputError(
            f"column {name!r} has {many}: correct them or leave them empty, or take the column as a category ({name}:category)"
        )
    where = f" in row {rows[wrong[0]] + 1}" if len(rows) else ""
    raise InputError(f"column {name!r} has {value}{where}, which is not a number: correct it or leave it empty")


def _plain_numbers(values: Array) -> Array | None:
    """The values converted at once if all are numbers that are not too large, or NaN, as in a DataFrame; else None."""
    if not {type(value) for value in values} <= PLAIN:
        return None
    try:
        numbers: Array = values.astype(float)
    except OverflowError:
        return None
    return None if (np.abs(numbers) > LARGEST).any() else numbers


def _number(value: Any) -> float | None:
    """The number that a value states; None if it states none or is too large. True and false are categories.

    "37,5" is 37.5; "1,234" may mean either of two numbers, so it gives None.
    """
    if isinstance(value, bool | np.bool_):
        return None
    if isinstance(value, str) and DECIMAL_COMMA.fullmatch(value.strip()):
        value = value.replace(",", ".")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if abs(number) <= LARGEST else None


def _has_two_readings(value: object) -> bool:
    return isinstance(value, str) and TWO_READINGS.fullmatch(value.strip()) is not None


def as_text(value: object) -> str:
    """A value as text, the same for 3, 3.0, "3" and "3.0": tables with missing values turn whole numbers into floats."""
    text = str(value).strip()
    whole = text.removesuffix(".0")
    return whole if whole.lstrip("-").isdecimal() else text
