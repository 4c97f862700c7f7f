"""The hours that a local clock shows: hours of the week, local midnights, and moments in words.

A moment is a datetime64[s] in UTC. People read and write local time, which skips an hour in spring and repeats one in autumn.
Without a zone the clock never changes, and local times count as moments.
"""

from __future__ import annotations

from datetime import datetime, tzinfo

import numpy as np

from sonmf.frames import pandas
from sonmf.types import Array

HOURS, WEEK = 24, 168
QUARTER = np.timedelta64(900, "s")
"""The step of all present clocks: they differ from UTC by whole quarters of an hour."""
LAST = np.datetime64("9999-12-30T00:00:00")  # Python's calendar ends a day later; departures that are not known may be then


class LocalHours:
    """Which hour of the week each quarter of an hour belongs to, from one moment to another.

    Parameters
    ----------
    first, last : datetime64
        Moments.
    zone : tzinfo, optional
        The time zone of the clock.

    Examples
    --------
    >>> import numpy as np
    >>> from zoneinfo import ZoneInfo
    >>> from sonmf.beds import LocalHours
    >>> first, last = np.array(["2024-03-30T23:00", "2024-03-31T22:00"], "datetime64[s]")
    >>> sunday = LocalHours(first, last, ZoneInfo("Europe/Berlin"))
    >>> sunday.lengths(first, last).reshape(7, 24)[
    ...     6, :5
    ... ]  # the clock skips the hour from two to three
    array([1., 1., 0., 1., 1.])
    >>> sunday.written(first)
    '2024-03-31T00:00+01:00'
    """

    def __init__(self, first: np.datetime64, last: np.datetime64, zone: tzinfo | None = None) -> None:
        self.first, self.zone = first - first.astype("datetime64[s]").astype(np.int64) % 900 - QUARTER, zone
        quarters = np.arange(self.first, last + 1, QUARTER)
        local = pandas().DatetimeIndex(quarters, tz="UTC").tz_convert(zone).tz_localize(None)
        self._hour_of_week = np.asarray(HOURS * local.day_of_week + local.hour)
        self.midnights = quarters[1:][np.diff(local.normalize().asi8) > 0]
        """The moments at which local days begin."""

    def hour_of_week(self, moments: Array) -> Array:
        """The hour of the week of each time: 0 for the first hour of a local Monday, 167 for the last of a Sunday."""
        return np.asarray(self._hour_of_week[(moments - self.first) // QUARTER])

    def lengths(self, start: np.datetime64, end: np.datetime64) -> Array:
        """How many hours of each hour of the week lie between two moments; their sum is the time between them."""
        begin, stop = (int((moment - self.first) // QUARTER) for moment in (start, end))
        seconds = np.full(stop - begin + 1, 900)
        seconds[0] -= (start - self.first).astype(int) - 900 * begin
        seconds[-1] -= 900 * (stop + 1) - (end - self.first).astype(int)
        return np.bincount(self._hour_of_week[begin : stop + 1], seconds, WEEK) / 3600

    def days(self, start: np.datetime64, end: np.datetime64) -> Array:
        """The local midnights from the first at or after a moment to the last before another."""
        return np.asarray(self.midnights[(self.midnights >= start) & (self.midnights < end)])

    def written(self, moment: np.datetime64) -> str:
        """A moment as ``written`` gives it in this zone."""
        return written(moment, self.zone)


def to_moments(local: Array, zone: tzinfo | None, later: bool = False) -> Array:
    """The moments of local times.

    A local time that occurs twice is the first of the two, or on request the later one. A time that the clock skips is the
    moment of the change.
    """
    if zone is None:
        return local
    index = pandas().DatetimeIndex(np.minimum(local, LAST))
    there = index.tz_localize(zone, ambiguous=np.full(len(index), not later), nonexistent="shift_forward")
    return np.asarray(there.tz_convert(None).to_numpy("datetime64[s]"))


def written(moment: np.datetime64, zone: tzinfo | None) -> str:
    """A moment in ISO 8601, with the offset if there is a zone."""
    return str(pandas().Timestamp(moment, tz="UTC").tz_convert(zone).isoformat(timespec="minutes"))


def in_words(moment: str) -> str:
    """A moment as ``written`` gives it, for a table: Sun 31 Mar 2024 14:05."""
    local = datetime.fromisoformat(moment)
    return f"{local:%a} {local.day} {local:%b %Y %H:%M}"
