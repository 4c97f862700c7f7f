"""What a source of patients is: the names of its columns, and its rows in chunks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, ClassVar, Protocol

from sonmf.frames import pandas
from sonmf.sources.errors import TableError, explained
from sonmf.sources.names import require

ROWS = 20_000  # of a chunk, at most
ALL_ROWS = 2**31


class Source(Protocol):
    """A table of patients, wherever it is kept. A kind of source has ``columns`` and ``chunks``; the rest follows from them.

    ``str`` of it is what a message calls it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sonmf.sources import open_table
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "notes.csv")
    ...     _ = path.write_text("id,note\\n007,cough x3d\\n008,fever\\n009,fall\\n")
    ...     source = open_table(path)
    ...     source.columns, [len(part) for part in source.chunks(rows=2)], source.read(["id"]).to_dict("list")
    (['id', 'note'], [2, 1], {'id': ['007', '008', '009']})
    """

    @property
    @abstractmethod
    def columns(self) -> list[str]:
        """The names of its columns, found without reading its rows."""
        ...

    @abstractmethod
    def chunks(self, rows: int = ROWS, columns: Iterable[str] | None = None) -> Iterator[Any]:
        """Its rows as DataFrames of at most so many, in bounded memory; with these columns, all by default."""
        ...

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a person should know of how it was read, a sentence each."""
        return ()

    def read(self, columns: Iterable[str] | None = None) -> Any:
        """The whole table as one DataFrame."""
        frames = list(self.chunks(ALL_ROWS, columns))
        return frames[0] if len(frames) == 1 else pandas().concat(frames, ignore_index=True)

    def require(self, name: str) -> str:
        """The name of a column that is there; another is refused with those that are."""
        require(self.columns, name, self)
        return name


class File(Protocol):
    """What a table can be read from: a path, or bytes that someone has sent. ``str`` of it is what a message calls it."""

    @property
    def name(self) -> str:
        """The last part of its path, which ends in what kind of file it is."""
        ...

    def open(self, mode: str) -> Any:
        """A binary stream, from the start."""
        ...


class FileSource(Source):
    """A table in one file. A kind of file has ``endings``, ``names`` and ``parts``."""

    endings: ClassVar[tuple[str, ...]]
    """Of the names of such files."""

    def __init__(self, file: File) -> None:
        self.file = file

    def __str__(self) -> str:
        return str(self.file)

    @property
    def ending(self) -> str:
        """The longest of its endings that its name has."""
        return max((ending for ending in self.endings if self.file.name.lower().endswith(ending)), key=len)

    @cached_property
    def columns(self) -> list[str]:
        """As ``Source`` says."""
        with explained(self.file):
            return self.names()

    def chunks(self, rows: int = ROWS, columns: Iterable[str] | None = None) -> Iterator[Any]:
        """As ``Source`` says."""
        refuse_rows(rows)
        return self._explained(rows, None if columns is None else list(columns))

    def _explained(self, rows: int, columns: list[str] | None) -> Iterator[Any]:
        with explained(self.file):
            yield from self.parts(rows, columns)

    @abstractmethod
    def names(self) -> list[str]:
        """Of its columns."""

    @abstractmethod
    def parts(self, rows: int, columns: list[str] | None) -> Iterator[Any]:
        """DataFrames of at most so many rows and ``LARGEST_PART`` bytes, with the columns that are asked for."""


def refuse_rows(rows: int) -> None:
    """Chunks of no rows."""
    if rows < 1:
        raise ValueError(f"rows={rows} must be at least 1")


def refuse_empty(file: object, empty: bool) -> None:
    """A table without rows."""
    if empty:
        raise TableError(f"{file} has a header and no rows: give a file with at least one row")
