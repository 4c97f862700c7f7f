"""Dates and times as people write them, to datetime64; an ambiguous day and month are refused.

One rule for zones, whatever the kind of file: a time without an offset is local clock time. A time with an offset, or from a
column of instants as Parquet has them, is an instant and is converted to UTC. A column with both kinds is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from sonmf.frames import pandas
from sonmf.sources.errors import TableError, cell_in_words
from sonmf.types import Array

DAY_FIRST, MONTH_FIRST = ORDERS = ("day-first", "month-first")
CLOCK = (
    r"(?:[T ,]+(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2})(?:[.,][0-9]+)?)? *(?P<half>[AP]M)?)?"
    r" *(?P<zone>Z|UTC|(?P<sign>[+-])(?P<hours>0[0-9]|1[0-4]):?(?P<minutes>[0-5][0-9]))?"
)
YEAR = r"(?P<year>[0-9]{4}|[0-9]{2})"
MONTH = r"(?P<name>[A-Z]{3})[A-Z]*\.?"
ISO = re.compile(r"(?P<year>[0-9]{4})(?:[-/.]?(?P<month>[0-9]{2})(?:[-/.]?(?P<day>[0-9]{2}))?)?" + CLOCK)
NUMBERS = re.compile(rf"(?P<first>[0-9]{{1,2}})(?P<mark>[./-])(?P<then>[0-9]{{1,2}})(?P=mark){YEAR}" + CLOCK)
NAMED = (
    re.compile(rf"(?P<day>[0-9]{{1,2}})[- ]?{MONTH}[-, ]*{YEAR}" + CLOCK),
    re.compile(rf"{MONTH} (?P<day>[0-9]{{1,2}}),? {YEAR}" + CLOCK),
)
NAMES = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
FIRST_YEAR = 1000  # of four digits
EXAMPLES = "2024-03-31, 2024-03-31 14:05, 31.03.2024, 31-Mar-2024"

Parts: TypeAlias = Mapping[str, Any]
"""Groups of a pattern by name, or ``time``, a date that a library has read already."""


class Times(NamedTuple):
    """Times of a column, as datetime64[s]."""

    values: Array
    instants: bool
    """Whether they had an offset and are in UTC; otherwise they are local clock times."""


def parse_times(values: Iterable[object], column: str, where: object, order: str | None = None) -> Array:
    """Times of a column, to the second; NaT where one is missing.

    Times with an offset are converted to UTC, and those without stay local clock times.

    Parameters
    ----------
    values : iterable
        Texts, dates of any kind, or None. 31.03.2024 has the day first. 3/4/2024 is ambiguous: if no value of the column
        settles it, the column is refused.
    column : str
        Name of the column, for messages.
    where : object
        What to call the table.
    order : {"day-first", "month-first"}, optional
        If it is known.

    Returns
    -------
    ndarray of datetime64[s]

    Examples
    --------
    >>> from sonmf.sources.dates import parse_times
    >>> parse_times(["2019-12", "31.03.2024 14:05", None], "arrival", "ed.csv")
    array(['2019-12-01T00:00:00', '2024-03-31T14:05:00', 'NaT'], dtype='datetime64[s]')
    >>> parse_times(["2024-03-31T14:05+02:00"], "arrival", "ed.csv")
    array(['2024-03-31T12:05:00'], dtype='datetime64[s]')
    >>> parse_times(["3/4/2024"], "arrival", "ed.csv")
    Traceback (most recent call last):
    sonmf.sources.errors.TableError: ed.csv column 'arrival': no row shows whether the day or the month comes first: give \
--time arrival:day-first or arrival:month-first
    """
    return read_times(values, column, where, order).values


def read_times(values: Iterable[object], column: str, where: object, order: str | None = None) -> Times:
    """The times of ``parse_times``, and whether they are instants."""
    cells = list(values)
    matched = []
    for row, (cell, missing) in enumerate(zip(cells, pandas().isna(pandas().Series(cells, dtype=object)), strict=True)):
        if (parts := {} if missing else _match(cell)) is None:
            raise _wrong(row, cells, column, where, f"not a date: write it as in {EXAMPLES}, or leave it empty")
        matched.append(parts)
    if order is None and any("mark" in parts and parts["mark"] != "." for parts in matched if parts):
        order = _order(matched, column, where)
    times = np.array([_time(parts, order) for parts in matched], "datetime64[s]")
    wrong = np.isnat(times) & np.array([bool(parts) for parts in matched], bool)
    if wrong.any():
        raise _wrong(int(wrong.argmax()), cells, column, where, "not a day of the calendar: correct it, or leave it empty")
    return Times(times, _all_instants(matched, column, where))


def _wrong(row: int, cells: list[object], column: str, where: object, what: str) -> TableError:
    return TableError(f"{where} row {row + 1}, column {column!r}: {cell_in_words(cells[row])} is {what}")


def _all_instants(matched: list[Parts], column: str, where: object) -> bool:
    """Whether all times have an offset; a column in which only some have one is refused."""
    first: dict[bool, int] = {}
    for row, parts in enumerate(matched):
        if parts:
            first.setdefault(_is_instant(parts), row)
    if len(first) > 1:
        rows = f"times with a zone (row {first[True] + 1}) and times without (row {first[False] + 1})"
        raise TableError(f"{where} column {column!r} has {rows}: write all of them the same way")
    return True in first


def _is_instant(parts: Parts) -> bool:
    if "time" in parts:
        return getattr(parts["time"], "tzinfo", None) is not None
    return parts["zone"] is not None


def _match(cell: object) -> Parts | None:
    """The parts of a time by name, empty for a blank; None if a text is not a time. A number such as 20240331 may be one."""
    if hasattr(cell, "year") or isinstance(cell, np.datetime64):
        return {"time": cell}
    text = (cell if isinstance(cell, str) else str(cell).removesuffix(".0")).strip().upper()
    if not text:
        return {}
    for pattern in (ISO, NUMBERS, *NAMED):
        if match := pattern.fullmatch(text):
            parts = match.groupdict()
            return parts if parts.get("name") in (None, *NAMES) else None
    return None


def _order(matched: list[Parts], column: str, where: object) -> str:
    """Whether days or months come first, as values above 12 show."""
    settled: dict[str, int] = {}
    for row, parts in enumerate(matched):
        if parts.get("mark", ".") != "." and min(int(parts["first"]), int(parts["then"])) <= 12:
            for name, order in (("first", DAY_FIRST), ("then", MONTH_FIRST)):
                if int(parts[name]) > 12:
                    settled.setdefault(order, row)
    if len(settled) == 1:
        return next(iter(settled))
    if settled:
        rows = f"days first (row {settled[DAY_FIRST] + 1}) and months first (row {settled[MONTH_FIRST] + 1})"
        raise TableError(f"{where} column {column!r} has {rows}: write all of them the same way")
    both = ((int(parts["first"]), int(parts["then"])) for parts in matched if parts.get("mark", ".") != ".")
    if all(first == then or max(first, then) > 12 for first, then in both):
        return DAY_FIRST
    remedy = f"give --time {column}:{DAY_FIRST} or {column}:{MONTH_FIRST}"
    raise TableError(f"{where} column {column!r}: no row shows whether the day or the month comes first: {remedy}")


def _time(parts: Parts, order: str | None) -> np.datetime64:
    if not parts:
        return np.datetime64("NaT")
    if "time" in parts:
        time = pandas().Timestamp(parts["time"])
        return np.datetime64((time if time.tz is None else time.tz_convert("UTC").tz_localize(None)).to_datetime64(), "s")
    try:
        return np.datetime64("-".join(_day(parts, order)) + "T" + ":".join(_clock(parts)), "s") - _offset(parts)
    except ValueError:
        return np.datetime64("NaT")


def _day(parts: Parts, order: str | None) -> Iterator[str]:
    """Year, month and day, padded with zeros."""
    year = int(parts["year"])
    if len(parts["year"]) > 2 and year < FIRST_YEAR:
        raise ValueError("a mark of a missing date, such as 0001-01-01")
    yield f"{year + (0 if year > 99 else 2000 if year < 69 else 1900):04d}"
    if "first" in parts:
        days_first = parts["mark"] == "." or order == DAY_FIRST
        yield from (f"{int(parts[name]):02d}" for name in (("then", "first") if days_first else ("first", "then")))
        return
    yield f"{NAMES.index(parts['name']) + 1:02d}" if "name" in parts else parts["month"] or "01"
    yield f"{int(parts['day'] or 1):02d}"


def _clock(parts: Parts) -> Iterator[str]:
    hour = int(parts["hour"] or 0)
    if parts["half"]:
        hour = hour % 12 + (12 if parts["half"] == "PM" else 0)
    yield f"{hour:02d}"
    yield parts["minute"] or "00"
    yield parts["second"] or "00"


def _offset(parts: Parts) -> np.timedelta64:
    """How far the clock of a time is ahead of UTC."""
    if not parts["sign"]:
        return np.timedelta64(0, "s")
    minutes = 60 * int(parts["hours"]) + int(parts["minutes"])
    return np.timedelta64(-minutes if parts["sign"] == "-" else minutes, "m")


def column_and_order(given: str) -> tuple[str, str | None]:
    """ "arrival:day-first" as the name of a column and its order of day and month; None where no order is given."""
    name, _, order = given.rpartition(":")
    return (name, order) if name and order in ORDERS else (given, None)
