"""A column of times that comes in parts: it is refused where the whole of it would be, and none of it is kept."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sonmf.sources import Source, TableError, dates
from sonmf.types import Array


class TimesInParts:
    """Every order of days and months that reads all parts so far; what they leave open is refused at the end.

    ``asked`` is the column, with the order where it is said: ``arrival:day-first``.
    """

    def __init__(self, asked: str, source: Source) -> None:
        self.column, said = dates.column_and_order(asked)
        self.source, self.rows = source, 0
        self.orders = [said] if said else list(dates.ORDERS)
        self.open: list[object] | None = None
        """A part that the orders read differently."""

    def add(self, values: Iterable[object]) -> None:
        """The next part."""
        values = list(values)
        where = f"{self.source}, after {self.rows:,} rows," if self.rows else self.source
        found: dict[str, Array] = {}
        for order in self.orders:
            try:
                found[order] = dates.parse_times(values, self.column, where, order)
            except TableError:
                if order == self.orders[-1] and not found:
                    raise
        first, *others = found.values()
        if self.open is None and not all(np.array_equal(first, other, equal_nan=True) for other in others):
            self.open = values
        self.orders, self.rows = list(found), self.rows + len(values)

    def end(self) -> None:
        """Refuse a column that may be read in either order."""
        if len(self.orders) > 1 and self.open is not None:
            dates.parse_times(self.open, self.column, self.source)
