"""What a person asks: which columns hold the times, by which clock, how often, and how far ahead."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sonmf.beds.clock import Clock, span
from sonmf.sources import TableError, dates

USUAL_TIME = "arrival"
SHORTEST, LONGEST = np.timedelta64(15, "m"), np.timedelta64(7, "D")


class Asked(NamedTuple):
    """As it is written on the line or in the page; empty where nothing was said.

    Examples
    --------
    >>> from sonmf.beds import Asked
    >>> Asked(until="departure", by="ward").columns
    ('arrival', 'departure', 'ward')
    >>> Asked(window="12h", zone="Europe/Berlin").settings().window
    np.timedelta64(43200,'s')
    """

    time: str = USUAL_TIME
    """Column of the arrival, with the order of its days where that is said."""
    until: str = ""
    """Column of the departure."""
    by: str = ""
    """Column to tell patients apart by."""
    zone: str = ""
    every: str = "1h"
    window: str = "8h"
    stay: str = "6h"
    now: str = ""

    @property
    def columns(self) -> tuple[str, ...]:
        """That a file of patients must have."""
        return tuple(dates.column_and_order(name)[0] for name in (self.time, self.until, self.by) if name)

    def settings(self) -> Settings:
        """The same, understood; what cannot be meant is refused."""
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
            raise ValueError(f"window {self.window}: give at most 7d: the naive forecast looks back a week")
        clock = Clock(self.zone)
        return Settings(clock, every, window, stay, self._moment(clock))

    def _moment(self, clock: Clock) -> Any:
        if not self.now:
            return None
        try:
            found = dates.read_times([self.now], "now", "the command line")
        except TableError:  # which tells rows of a column
            found = dates.Times(np.array(["NaT"], "datetime64[s]"), instants=False)
        if np.isnat(found.values[0]):
            raise ValueError(f"now {self.now}: write one moment, such as 2024-03-31T14:05; 3/4/2024 could be two")
        if found.instants and clock.zone is None:
            raise ValueError(
                f"now {self.now}: it has an offset, and no zone is said: leave the offset out, or give the zone of the clock, "
                "such as --zone Europe/Berlin"
            )
        return (found.values if found.instants else clock.moments(found.values))[0]


class Settings(NamedTuple):
    """What is meant."""

    clock: Clock
    every: Any
    """timedelta64[s], as window and stay."""
    window: Any
    stay: Any
    now: Any
    """A moment; None for that of the last arrival."""
