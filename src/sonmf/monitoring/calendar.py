"""Months and weeks: which one a time belongs to, what it is called, and how many make a year."""

from __future__ import annotations

import datetime
from typing import NamedTuple

import numpy as np

from sonmf.types import Array

MONTH, WEEK = EVERY = ("month", "week")
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


class Calendar(NamedTuple):
    """How time is cut into periods.

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.monitoring import Calendar
    >>> times = np.array(["2024-03-31T14:05", "2024-04-01", "NaT"], "datetime64[s]")
    >>> Calendar("month").periods(times), Calendar("week").periods(times)
    (['2024-03', '2024-04', ''], ['2024-W13', '2024-W14', ''])
    >>> Calendar("month").in_words("2024-03"), Calendar("week").in_words("2024-W13")
    ('March 2024', 'week 13 of 2024')
    """

    every: str

    @property
    def a_year(self) -> int:
        """How many periods a year has."""
        return 12 if self.every == MONTH else 52

    @property
    def windows(self) -> tuple[int, ...]:
        """How many of the last periods are judged together: a sudden change shows in few periods, a small one in many.

        All periods since the fit are looked at too.
        """
        return (1, 2, 3, 6, 12) if self.every == MONTH else (1, 2, 4, 13, 52)

    def periods(self, times: Array) -> list[str]:
        """The period of each time, in a form that sorts; empty where there is no time."""
        unit = "M" if self.every == MONTH else "D"
        days, place = np.unique(times.astype(f"datetime64[{unit}]"), return_inverse=True)
        names = ["" if np.isnat(day) else self._name(day) for day in days]
        return [names[number] for number in place]

    def _name(self, time: np.datetime64) -> str:
        if self.every == MONTH:
            return str(time)
        year, week, _ = datetime.date.fromisoformat(str(time)).isocalendar()
        return f"{year:04d}-W{week:02d}"

    def in_words(self, period: str) -> str:
        """The period as people say it."""
        year, _, number = period.partition("-")
        return f"{MONTHS[int(number) - 1]} {year}" if self.every == MONTH else f"week {int(number[1:])} of {year}"
