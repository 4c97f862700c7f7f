"""What an attack reports."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable
from typing import NamedTuple

SHOWN = 3  # kinds of failure that a table has room for
SECONDS = 30  # between two lines of progress


class Outcome(NamedTuple):
    """How often an attack was tried, how often the promise held, and what happened where it did not."""

    tried: int
    survived: int
    worst: str = ""
    gigabytes: float = 0.0
    seconds: float = 0.0
    """The most that one trial took, where the promise is one about costs."""

    @property
    def at_most(self) -> str:
        """The costs, for a table."""
        return f"{self.gigabytes:.1f} GB, {self.seconds:.0f} s" if self.seconds else ""

    def and_then(self, more: Outcome) -> Outcome:
        """Of both together."""
        costs = max(self.gigabytes, more.gigabytes), max(self.seconds, more.seconds)
        return Outcome(self.tried + more.tried, self.survived + more.survived, self.worst or more.worst, *costs)


def counted(trials: Iterable[str]) -> Outcome:
    """The outcome of trials that each say what went wrong, in a few words that are the same for the same fault, or nothing.

    An interrupt ends them, and what was tried until then counts.
    """
    faults: dict[str, int] = {}
    tried, due = 0, time.monotonic() + SECONDS
    try:
        for fault in trials:
            tried += 1
            if fault:
                faults[fault] = faults.get(fault, 0) + 1
            if time.monotonic() > due:
                due = time.monotonic() + SECONDS
                print(f"  {tried:,} tried, {sum(faults.values()):,} not survived", file=sys.stderr, flush=True)
    except KeyboardInterrupt:
        print("  interrupted", file=sys.stderr, flush=True)
    most = sorted(faults, key=lambda fault: -faults[fault])[:SHOWN]
    left = f"; {len(faults) - SHOWN} other kinds" if len(faults) > SHOWN else ""
    return Outcome(tried, tried - sum(faults.values()), "; ".join(f"{faults[fault]} x {fault}" for fault in most) + left)
