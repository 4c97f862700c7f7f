"""A table that is in memory already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from sonmf.sources.names import chosen
from sonmf.sources.source import ROWS, Source, refuse_rows


class Table(Source):
    """A DataFrame as a source; its ``attrs["remarks"]`` are the remarks.

    Parameters
    ----------
    frame : pandas.DataFrame
    name : str
        What a message calls it.
    """

    def __init__(self, frame: Any, name: str) -> None:
        self.frame, self.name = frame, name

    def __str__(self) -> str:
        return self.name

    @property
    def columns(self) -> list[str]:
        """As ``Source`` says."""
        return list(self.frame.columns)

    @property
    def remarks(self) -> tuple[str, ...]:
        """As ``Source`` says."""
        return tuple(self.frame.attrs.get("remarks", ()))

    def chunks(self, rows: int = ROWS, columns: Iterable[str] | None = None) -> Iterator[Any]:
        """As ``Source`` says."""
        refuse_rows(rows)
        wanted = chosen(self.columns, None if columns is None else list(columns), self)
        starts = range(0, max(len(self.frame), 1), rows)
        return (self.frame[wanted].iloc[start : start + rows] for start in starts)
