"""Moments and local times: time zones with their clock changes, hours of the week.

A moment is a datetime64[s] in UTC. People read and write local time, which skips an hour in spring and repeats one in autumn.
"""

from __future__ import annotations

import datetime
from zoneinfo import ZoneInfo

import numpy as np

from sonmf.errors import InputError
from sonmf.frames import pandas
from sonmf.types import Array

HOURS, WEEK = 24, 168
WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
LAST = np.datetime64("9999-12-30T00:00:00")  # Python's calendar ends a day later; departures that are not known may be then
WEEKDAY_OF_1970 = WEEKDAYS.index("Thursday")  # on the first of January


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
        try:
            self._zone = ZoneInfo(zone) if zone else None
        except (KeyError, OSError, ValueError):
            raise InputError(f"zone {zone} is not known: give a name such as Europe/Berlin, America/New_York or UTC") from None

    def local(self, moments: Array | np.datetime64) -> Array:
        """The local times of moments."""
        if self.zone is None:
            return np.asarray(moments)
        utc = pandas().DatetimeIndex(np.minimum(np.ravel(moments).astype("datetime64[s]"), LAST), tz="UTC")
        return np.reshape(utc.tz_convert(self._zone).tz_localize(None).values, np.shape(moments))

    def moments(self, local: Array, later: bool = False) -> Array:
        """The moments of local times."""
        if self.zone is None:
            return np.asarray(local)
        times = np.minimum(np.ravel(local).astype("datetime64[s]"), LAST)
        there = (
            pandas().DatetimeIndex(times).tz_localize(self._zone, ambiguous=np.full(len(times), not later), nonexistent="NaT")
        )
        moments = there.asi8.astype("datetime64[s]")  # seconds since 1970 in UTC
        for place in np.flatnonzero(np.isnat(moments) & ~np.isnat(times)):  # times that the clock skips
            moments[place] = int(times[place].item().replace(tzinfo=self._zone, fold=int(later)).timestamp())
        return np.reshape(moments, np.shape(local))

    def written(self, moment: np.datetime64) -> str:
        """A moment in ISO 8601, with the offset if the zone is known."""
        there = pandas().Timestamp(moment, tz="UTC").tz_convert(self._zone)
        return str(there.isoformat(timespec="minutes"))

    def midnights(self, first: np.datetime64, last: np.datetime64) -> Array:
        """The moments at which local days begin, from the first at or after ``first`` to the last before ``last``."""
        day = self.local(np.array([first, last])).astype("datetime64[D]")
        midnights = self.moments(np.arange(day[0], day[1] + 1).astype("datetime64[s]"))
        return np.asarray(midnights[(midnights >= first) & (midnights < last)])

    def week_before(self, moments: Array | np.datetime64) -> Array:
        """The moments with the same local time one week earlier."""
        return self.moments(self.local(moments) - np.timedelta64(7, "D"))


def hour_of_week(local: Array) -> Array:
    """0 for the first hour of a Monday, 167 for the last of a Sunday."""
    hours = local.astype("datetime64[h]").astype(np.int64)
    return np.asarray((hours + HOURS * WEEKDAY_OF_1970) % WEEK)


def hours_within(start: np.datetime64, end: np.datetime64, clock: Clock) -> Array:
    """How many hours of each hour of the week lie between two moments; their sum is the time between them."""
    first = start.astype("datetime64[s]").astype(np.int64) // 900 + 1
    marks = np.arange(first, -(-end.astype("datetime64[s]").astype(np.int64) // 900)) * 900
    begins = np.concatenate([[start], marks.astype("datetime64[s]")])
    lengths = np.diff(np.append(begins, end)) / np.timedelta64(1, "h")
    return np.bincount(hour_of_week(clock.local(begins)), lengths, WEEK)
