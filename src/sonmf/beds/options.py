"""The options of a forecast of beds: columns of the times, time zone, step and window."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonmf.beds.clock import Clock, span
from sonmf.sources import TableError, dates

USUAL_TIME = "arrival"
SHORTEST, LONGEST = np.timedelta64(15, "m"), np.timedelta64(7, "D")


class Asked(NamedTuple):
    """The options as text, from the command line or the page; empty where nothing was given.

    Examples
    --------
    >>> from sonmf.beds import Asked
    >>> Asked(until="departure", by="ward").columns
    ('arrival', 'departure', 'ward')
    >>> Asked(window="12h", zone="Europe/Berlin").settings().window
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

    def settings(self) -> Settings:
        """The options as values; impossible ones are refused."""
        every, window, stay = (
            span(text, option) for text, option in ((self.every, "every"), (self.window, "window"), (self.stay, "stay"))
        )
        if every < SHORTEST:
            raise ValueError(f"every {self.every}: give at least 15m")
        if window < every:
            raise ValueError(
                f"window {self.window} is shorter than every {self.every}: give a longer window, or a shorter step"
            )
        if window > LONGEST:
            raise ValueError(f"window {self.window}: give at most 7d, because the naive forecast uses the week before")
        clock = Clock(self.zone)
        return Settings(clock, every, window, stay, self._moment(clock))

    def _moment(self, clock: Clock) -> np.datetime64 | None:
        if not self.now:
            return None
        try:
            found = dates.read_times([self.now], "now", "the command line")
        except TableError:  # its message is about a row of a column
            found = dates.Times(np.array(["NaT"], "datetime64[s]"), instants=False)
        if np.isnat(found.values[0]):
            raise ValueError(f"now {self.now}: write one moment, such as 2024-03-31T14:05; 3/4/2024 is ambiguous")
        if found.instants and clock.zone is None:
            raise ValueError(
                f"now {self.now}: it has an offset, but no zone is given: leave the offset out, or give the zone of the clock, "
                "such as --zone Europe/Berlin"
            )
        moment: np.datetime64 = (found.values if found.instants else clock.moments(found.values))[0]
        return moment


class Settings(NamedTuple):
    """The options of a forecast as values."""

    clock: Clock
    every: np.timedelta64
    window: np.timedelta64
    stay: np.timedelta64
    now: np.datetime64 | None
    """None for the moment of the last arrival."""
