"""A folder of files with the same columns, one after another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from sonmf.sources.errors import TableError
from sonmf.sources.names import shown, without
from sonmf.sources.source import ROWS, FileSource, Source, refuse_rows

REMEDY = "all files of a folder need the same columns"


class Folder(Source):
    """Its files in the order given, at least one."""

    def __init__(self, path: Path, files: list[FileSource]) -> None:
        self.path, self.files = path, files

    def __str__(self) -> str:
        return str(self.path)

    @cached_property
    def columns(self) -> list[str]:
        """As ``Source`` says; a file that has others is refused."""
        first, *others = self.files
        names = first.columns
        for file in others:
            _refuse_other_columns(file, first, names)
        return names

    def chunks(self, rows: int = ROWS, columns: Iterable[str] | None = None) -> Iterator[Any]:
        """As ``Source`` says."""
        refuse_rows(rows)
        return self._parts(rows, None if columns is None else list(columns))

    def _parts(self, rows: int, columns: list[str] | None) -> Iterator[Any]:
        _ = self.columns  # compared before any row is read
        for file in self.files:
            yield from file.chunks(rows, columns)


def _refuse_other_columns(file: FileSource, first: FileSource, expected: list[str]) -> None:
    names = file.columns
    if missing := without(expected, names):
        raise TableError(f"{file} has no column {shown(missing[0])}, but {first.file.name} has: {REMEDY}")
    if more := without(names, expected):
        raise TableError(f"{file} has a column {shown(more[0])}, but {first.file.name} has not: {REMEDY}")
