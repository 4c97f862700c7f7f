"""Moments and local times: lengths such as 8h, time zones with their clock changes, hours of the week.

A moment is a datetime64[s] in UTC. People read and write local time, which skips an hour in spring and repeats one in autumn.
"""

from __future__ import annotations

import datetime
import re
from functools import cache
from zoneinfo import ZoneInfo

import numpy as np

from sonmf.types import Array

SECONDS = {"m": 60, "h": 3600, "d": 86_400}
QUARTER = np.timedelta64(900, "s")  # every zone changes its clock at a quarter of an hour
FIRST, LAST = np.datetime64("1970-01-01", "D"), np.datetime64("2100-01-01", "D")  # clock changes are known between these days
HOURS, WEEK = 24, 168
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
WEEKDAY_OF_FIRST = WEEKDAYS.index("Thursday")


def span(text: str, what: str) -> np.timedelta64:
    """ "8h", "90m" or "1d" as a timedelta64[s]; zero and negative lengths are refused.

    Parameters
    ----------
    text : str
    what : str
        What it is the length of, for messages.

    Returns
    -------
    timedelta64[s]

    Examples
    --------
    >>> from sonmf.beds.clock import span
    >>> span("90m", "every")
    np.timedelta64(5400,'s')
    >>> span("-8h", "window")
    Traceback (most recent call last):
    ValueError: window -8h: it would end before it starts: give a length such as 8h
    """
    match = re.fullmatch(r"(-?[0-9]{1,6}(?:\.[0-9]{1,6})?) *([mhd])", text.strip().lower())
    if not match:
        raise ValueError(f"{what} {text}: write a number followed by m, h or d, such as 30m, 8h or 1d")
    seconds = round(float(match[1]) * SECONDS[match[2]])
    if seconds < 0:
        raise ValueError(f"{what} {text}: it would end before it starts: give a length such as 8h")
    if not 60 <= seconds <= 366 * SECONDS["d"]:
        raise ValueError(f"{what} {text}: give a length of at least a minute and at most a year, such as 8h")
    return np.timedelta64(seconds, "s")


def span_in_words(length: np.timedelta64) -> str:
    """A span in the largest unit that leaves no fraction: 8h, 90m."""
    seconds = int(length / np.timedelta64(1, "s"))
    unit = next((unit for unit in ("d", "h") if seconds % SECONDS[unit] == 0), "m")
    return f"{seconds / SECONDS[unit]:g}{unit}"


def in_words(written: str) -> str:
    """A moment as ``Clock.written`` gives it, for a table: Sun 31 Mar 14:05."""
    moment = datetime.datetime.fromisoformat(written)
    return f"{WEEKDAYS[moment.weekday()][:3]} {moment.day} {MONTHS[moment.month - 1]} {moment:%H:%M}"


class Clock:
    """local = moment + offset(moment): the local clock of a time zone.

    A local time that occurs twice is the first of the two, unless the later one is asked for. A time that the clock skips is as
    long after the change as it seems to be after the time of the change, like ``fold`` in Python.

    Parameters
    ----------
    zone : str, optional
        Such as Europe/Berlin. By default the clock never changes, and its times count as UTC.

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds.clock import Clock
    >>> clock = Clock("Europe/Berlin")
    >>> times = np.array(["2024-03-31T01:30", "2024-03-31T02:30", "2024-10-27T02:30"], "datetime64[s]")
    >>> clock.moments(times)
    array(['2024-03-31T00:30:00', '2024-03-31T01:30:00', '2024-10-27T00:30:00'], dtype='datetime64[s]')
    >>> clock.local(clock.moments(times))
    array(['2024-03-31T01:30:00', '2024-03-31T03:30:00', '2024-10-27T02:30:00'], dtype='datetime64[s]')
    >>> clock.written(clock.moments(times)[0])
    '2024-03-31T01:30+01:00'
    """

    def __init__(self, zone: str | None = None) -> None:
        self.zone = zone or None
        self.changes, self.offsets = _changes(zone) if zone else (np.array([], "datetime64[s]"), np.zeros(1, "timedelta64[s]"))

    def local(self, moments: Array | np.datetime64) -> Array:
        """The local times of moments."""
        return np.asarray(moments + self._offset(moments))

    def moments(self, local: Array, later: bool = False) -> Array:
        """The moments of local times."""
        both = np.stack([self.offsets[:-1], self.offsets[1:]])
        turn = self.changes + (both.min(axis=0) if later else both.max(axis=0))
        return np.asarray(local - self.offsets[np.searchsorted(turn, local, side="right")])

    def written(self, moment: np.datetime64) -> str:
        """A moment in ISO 8601, with the offset if the zone is known."""
        text = str(self.local(moment).astype("datetime64[m]"))
        if self.zone is None:
            return text
        minutes = int(self._offset(moment) / np.timedelta64(1, "m"))
        return f"{text}{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"

    def midnights(self, first: np.datetime64, last: np.datetime64) -> Array:
        """The moments at which local days begin, from the first at or after ``first`` to the last before ``last``."""
        day = self.local(np.array([first, last])).astype("datetime64[D]")
        found = self.moments(np.arange(day[0], day[1] + 1).astype("datetime64[s]"))
        return np.asarray(found[(found >= first) & (found < last)])

    def week_before(self, moments: Array | np.datetime64) -> Array:
        """The moments with the same local time one week earlier."""
        return self.moments(self.local(moments) - np.timedelta64(7, "D"))

    def _offset(self, moments: Array | np.datetime64) -> Array:
        return np.asarray(self.offsets[np.searchsorted(self.changes, moments, side="right")])


@cache
def _changes(zone: str) -> tuple[Array, Array]:
    """The moments at which a zone changes its clock, and its offsets: before the first, then after each."""
    try:
        known = ZoneInfo(zone)
    except (KeyError, OSError, ValueError):
        raise ValueError(f"zone {zone} is not known: give a name such as Europe/Berlin, America/New_York or UTC") from None
    days = np.arange(FIRST, LAST + 1).astype("datetime64[s]")
    offsets = _offsets(days, known)
    turned = np.flatnonzero(offsets[1:] != offsets[:-1])
    changes, found = [], [offsets[0]]
    for day in days[turned]:
        quarters = day + np.arange(97) * QUARTER
        within = _offsets(quarters, known)
        for k in np.flatnonzero(within[1:] != within[:-1]):
            changes.append(quarters[k + 1])
            found.append(within[k + 1])
    return np.array(changes, "datetime64[s]"), np.array(found, "timedelta64[s]")


def _offsets(moments: Array, zone: ZoneInfo) -> Array:
    stamps = moments.astype(np.int64).tolist()
    found = [datetime.datetime.fromtimestamp(stamp, zone).utcoffset() for stamp in stamps]
    return np.array(found, "timedelta64[s]")


def hour_of_week(local: Array) -> Array:
    """0 for the first hour of a Monday, 167 for the last of a Sunday."""
    hours = local.astype("datetime64[h]").astype(np.int64)
    return np.asarray((hours + HOURS * WEEKDAY_OF_FIRST) % WEEK)


def hours_within(start: np.datetime64, end: np.datetime64, clock: Clock) -> Array:
    """How many hours of each hour of the week lie between two moments; their sum is the time between them."""
    first = start.astype("datetime64[s]").astype(np.int64) // 900 + 1
    marks = np.arange(first, -(-end.astype("datetime64[s]").astype(np.int64) // 900)) * 900
    begins = np.concatenate([[start], marks.astype("datetime64[s]")])
    lengths = np.diff(np.append(begins, end)) / np.timedelta64(1, "h")
    return np.bincount(hour_of_week(clock.local(begins)), lengths, WEEK)
