"""A file that was sent: it stays in memory, and is read until it is too large, takes too long, or nobody waits for it."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sonmf.errors import InputError
from sonmf.sources import TableError, open_file
from sonmf.sources.source import FileSource

MOST_ROWS = 1_000_000  # that a browser can hold


class GivenUpError(Exception):
    """Nobody waits for this work any more."""


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

    def columns(self) -> list[str]:
        """The columns of the table in it."""
        with self.watched():
            return list(self.table().columns)

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
            raise InputError("the list took too long: split it into smaller files")
        if self.stopped:
            raise GivenUpError

    def check_rows(self, count: int) -> None:
        """Raise an error if there are more rows than a browser can hold."""
        if count > MOST_ROWS:
            raise InputError(f"{self} has more than {MOST_ROWS:,} rows: split it, or use `sonmf predict`")

    @property
    def share(self) -> float:
        """How much of it has been read."""
        return self.source.share if self.source is not None else 0.0

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Read the file; a file whose reading was stopped looks damaged, and is not called so."""
        try:
            yield
        except TableError:
            self.check()
            raise
