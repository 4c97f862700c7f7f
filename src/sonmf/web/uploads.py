"""A file that was sent: it stays in memory, and is read until it is too large, takes too long, or nobody waits for it."""

from __future__ import annotations

import io
import time
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple, Self

from sonmf.sources import PatientColumns, Source, open_file
from sonmf.sources.source import FileSource

MOST_ROWS = 1_000_000  # that a browser can hold


class GivenUpError(Exception):
    """Nobody waits for this work any more."""


class FileFacts(NamedTuple):
    """What a page shows of a file: its columns, and those that are read as note, complaint and id (empty if there is none)."""

    columns: list[str]
    text: str
    group: str
    id: str

    @classmethod
    def of(cls, columns: PatientColumns, source: Source) -> Self:
        """Of a source, with the columns that are read."""
        return cls(source.columns, columns.text, columns.group, columns.id)


class Part(NamedTuple):
    """Some rows of a table."""

    notes: list[object]
    complaints: list[object] | None
    patients: list[object] | None
    outcomes: list[object] | None
    columns: dict[str, list[object]]
    """Columns of the model that the file has."""
    share: float
    """How much of the table has been read with it."""
    remarks: Sequence[str] = ()
    """Remarks on how the file was read so far."""
    more: Mapping[str, list[object]] = MappingProxyType({})
    """Other columns that were requested."""

    @classmethod
    def of(cls, columns: PatientColumns, cells: Mapping[str, list[object]], share: float, remarks: Sequence[str] = ()) -> Self:
        """From the cells of each column by its name."""
        given = {name: cells[name] for name in columns.columns}
        outcomes = cells.get(columns.label)
        more = {name: cells[name] for name in columns.more}
        return cls(cells[columns.text], cells.get(columns.group), cells.get(columns.id), outcomes, given, share, remarks, more)


class Upload:
    """A ``File`` for a source.

    Parameters
    ----------
    name : str
        What the file was called.
    data : bytes
    limit : int
        The most bytes that may come out of it.
    seconds : float
        That reading it may take.
    """

    def __init__(self, name: str, data: bytes, limit: int, seconds: float) -> None:
        self.name, self.data, self.limit = name, data, limit
        self.deadline = time.monotonic() + seconds
        self.stopped = False
        self.source: FileSource | None = None

    def __str__(self) -> str:
        return self.name

    def open(self, mode: str) -> io.BytesIO:
        """To read from the start."""
        return io.BytesIO(self.data)

    def table(self) -> FileSource:
        """The table in it, which ``stop`` ends."""
        self.source = open_file(self, limit=self.limit)
        return self.source

    def stop(self) -> None:
        """Nobody waits any more; may be called from another thread than the one that reads."""
        self.stopped = True
        if self.source is not None:
            self.source.stop()

    def close(self) -> None:
        """Free the bytes now: readers of a table hold each other, and go only when Python looks for such cycles."""
        self.data = b""

    def check(self) -> None:
        """Raise an error if reading takes too long, or nobody waits for it."""
        if time.monotonic() > self.deadline:
            raise ValueError("the list took too long: split it into smaller files")
        if self.stopped:
            raise GivenUpError

    def check_rows(self, count: int) -> None:
        """Raise an error if there are more rows than a browser can hold."""
        if count > MOST_ROWS:
            raise ValueError(f"{self} has more than {MOST_ROWS:,} rows: split it, or use `sonmf predict`")
