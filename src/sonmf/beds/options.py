"""The options of a forecast of beds: columns of the times, time zone, step and window."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from sonmf.beds.clock import Clock
from sonmf.errors import InputError
from sonmf.sources import TableError, dates

USUAL_TIME = "arrival"
SECONDS = {"m": 60, "h": 3600, "d": 86_400}
SHORTEST, LONGEST = np.timedelta64(15, "m"), np.timedelta64(7, "D")


class BedOptions(NamedTuple):
    """The options as text, from the command line or the page; empty where nothing was given.

    Examples
    --------
    >>> from sonmf.beds import BedOptions
    >>> BedOptions(until="departure", by="ward").columns
    ('arrival', 'departure', 'ward')
    >>> BedOptions(window="12h", zone="Europe/Berlin").settings().window
    np.timedelta64(43200,'s')
    """

    time: str = USUAL_TIME
    """Column of the arrival, with the order of day and month if that is given."""
    until: str = ""
    """Column of the departure."""
    by: str = ""
    """Column of the ward, or of another group."""
    zone: str = ""
    every: str = "1h"
    window: str = "8h"
    stay: str = "6h"
    now: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that a file of patients must have."""
        return tuple(dates.column_and_order(name)[0] for name in (self.time, self.until, self.by) if name)

    def settings(self) -> BedSettings:
        """The options as values; impossible ones are refused."""
        every, window, stay = (
            span(text, option) for text, option in ((self.every, "every"), (self.window, "window"), (self.stay, "stay"))
        )
        if every < SHORTEST:
            raise InputError(f"every {self.every}: give at least 15m")
        if window < every:
            raise InputError(
                f"window {self.window} is shorter than every {self.every}: give a longer window, or a shorter step"
            )
        if window > LONGEST:
            raise InputError(f"window {self.window}: give at most 7d, because the naive forecast uses the week before")
        clock = Clock(self.zone)
        return BedSettings(clock, every, window, stay, self._moment(clock))

    def _moment(self, clock: Clock) -> np.datetime64 | None:
        if not self.now:
            return None
        try:
            times = dates.read_times([self.now], "now", "the command line")
        except TableError:  # its message is about a row of a column
            times = dates.Times(np.array(["NaT"], "datetime64[s]"), instants=False)
        if np.isnat(times.values[0]):
            raise InputError(f"now {self.now}: write one moment, such as 2024-03-31T14:05; 3/4/2024 is ambiguous")
        if times.instants and clock.zone is None:
            raise InputError(
                f"now {self.now}: it has an offset, but no zone is given: leave the offset out, or give the zone of the clock, "
                "such as --zone Europe/Berlin"
            )
        moment: np.datetime64 = (times.values if times.instants else clock.moments(times.values))[0]
        return moment


class BedSettings(NamedTuple):
    """The options of a forecast as values."""

    clock: Clock
    every: np.timedelta64
    window: np.timedelta64
    stay: np.timedelta64
    now: np.datetime64 | None
    """The moment of the forecast; None for that of the last arrival."""


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
    >>> from sonmf.beds import span
    >>> span("90m", "every")
    np.timedelta64(5400,'s')
    >>> span("-8h", "window")
    Traceback (most recent call last):
    sonmf.errors.InputError: window -8h: it would end before it starts: give a length such as 8h
    """
    match = re.fullmatch(r"(-?[0-9]{1,6}(?:\.[0-9]{1,6})?) *([mhd])", text.strip().lower())
    if not match:
        raise InputError(f"{what} {text}: write a number followed by m, h or d, such as 30m, 8h or 1d")
    seconds = round(float(match[1]) * SECONDS[match[2]])
    if seconds < 0:
        raise InputError(f"{what} {text}: it would end before it starts: give a length such as 8h")
    if not 60 <= seconds <= 366 * SECONDS["d"]:
        raise InputError(f"{what} {text}: give a length of at least a minute and at most a year, such as 8h")
    return np.timedelta64(seconds, "s")


def span_in_words(length: np.timedelta64) -> str:
    """A span in the largest unit that leaves no fraction: 8h, 90m."""
    seconds = int(length / np.timedelta64(1, "s"))
    unit = next((unit for unit in ("d", "h") if seconds % SECONDS[unit] == 0), "m")
    return f"{seconds / SECONDS[unit]:g}{unit}"
