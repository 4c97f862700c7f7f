"""The options of a forecast of beds: columns of the times, time zone, step and window."""

from __future__ import annotations

import re
from typing import NamedTuple
from zoneinfo import ZoneInfo

import numpy as np

from sonmf.beds.local_hours import to_moments
from sonmf.errors import InputError
from sonmf.sources import TableError, dates

USUAL_TIME, USUAL_UNTIL = "arrival", "departure"
SECONDS = {"m": 60, "h": 3600, "d": 86_400}
SHORTEST, LONGEST = np.timedelta64(15, "m"), np.timedelta64(7, "D")


class BedOptions(NamedTuple):
    """The options as text, from the command line or the page; empty if nothing was given.

    Examples
    --------
    >>> from sonmf.beds import BedOptions
    >>> BedOptions(until="departure", by="ward").columns
    ('arrival', 'departure', 'ward')
    >>> BedOptions(window="12h").length("window")
    np.timedelta64(43200,'s')
    """

    time: str = USUAL_TIME
    """Column of the arrival, with the order of day and month if that is given."""
    until: str = ""
    """Column of the departure."""
    by: str = ""
    """Column of the ward, or of another group."""
    zone: str = ""
    """Name of the time zone; without one the clock never changes."""
    every: str = "1h"
    window: str = "8h"
    stay: str = "6h"
    now: str = ""
    """The moment of the forecast; empty for that of the last arrival."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that a file of patients must have."""
        return tuple(dates.column_and_order(name)[0] for name in (self.time, self.until, self.by) if name)

    @property
    def time_zone(self) -> ZoneInfo | None:
        """The zone of the local clock; a name that is not known is refused."""
        try:
            return ZoneInfo(self.zone) if self.zone else None
        except (KeyError, OSError, ValueError):
            raise InputError(
                f"zone {self.zone} is not known: give a name such as Europe/Berlin, America/New_York or UTC"
            ) from None

    @property
    def moment(self) -> np.datetime64 | None:
        """The moment of the forecast; None for that of the last arrival."""
        if not self.now:
            return None
        try:
            times = dates.read_times([self.now], "now", "the command line")
        except TableError:  # its message is about a row of a column
            times = dates.Times(np.array(["NaT"], "datetime64[s]"), instants=False)
        if np.isnat(times.values[0]):
            raise InputError(f"now {self.now}: write one moment, such as 2024-03-31T14:05; 3/4/2024 is ambiguous")
        if times.instants and not self.zone:
            raise InputError(
                f"now {self.now}: it has an offset, but no zone is given: leave the offset out, or give the zone of the clock, "
                "such as --zone Europe/Berlin"
            )
        moment: np.datetime64 = (times.values if times.instants else to_moments(times.values, self.time_zone))[0]
        return moment

    def length(self, option: str) -> np.timedelta64:
        """The value of ``every``, ``window`` or ``stay``."""
        return span(getattr(self, option), option)

    def check(self) -> None:
        """Refuse options that are impossible, alone or together."""
        every, window, _ = map(self.length, ("every", "window", "stay"))
        if every < SHORTEST:
            raise InputError(f"every {self.every}: give at least 15m")
        if window < every:
            raise InputError(
                f"window {self.window} is shorter than every {self.every}: give a longer window, or a shorter step"
            )
        if window > LONGEST:
            raise InputError(f"window {self.window}: give at most 7d, because the naive forecast uses the week before")
        _ = self.time_zone, self.moment


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
