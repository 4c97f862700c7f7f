"""A folder of files with the same columns, one after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path

from sonmf.frames import DataFrame
from sonmf.sources.column_names import name_for_message, not_among
from sonmf.sources.errors import TableError
from sonmf.sources.source import FileSource, Source

REMEDY = "all files of a folder need the same columns"


class Folder(Source):
    """Its files, at least one, in the order in which they are listed; they are listed when they are needed."""

    def __init__(self, path: Path, list_files: Callable[[Path], list[FileSource]]) -> None:
        self.path, self._list_files = path, list_files

    def __str__(self) -> str:
        return str(self.path)

    @property
    def name(self) -> str:
        return self.path.resolve().name

    @property
    def places(self) -> tuple[Path, ...]:
        return (self.path,)

    @cached_property
    def files(self) -> list[FileSource]:
        """The files of the folder."""
        return self._list_files(self.path)

    def names(self) -> list[str]:
        """As ``Source`` says; a file with other columns is refused."""
        first, *others = self.files
        names = first.columns
        for file in others:
            _refuse_other_columns(file, first, names)
        return names

    def parts(self, rows: int, columns: list[str]) -> Iterator[DataFrame]:
        for file in self.files:
            yield from file.chunks(rows, columns)

    @property
    def missing_column_hint(self) -> str:
        return self.files[0].missing_column_hint

    @property
    def remarks(self) -> tuple[str, ...]:
        """Each remark once, with the number of files that it is about."""
        counts = Counter(remark for file in self.files for remark in file.remarks)
        return tuple(f"{count:,} of {len(self.files):,} files {remark}" for remark, count in counts.items())


def _refuse_other_columns(file: FileSource, first: FileSource, expected: list[str]) -> None:
    names = file.columns
    if missing := not_among(expected, names):
        raise TableError(f"{file} has no column {name_for_message(missing[0])}, which {first.name} has: {REMEDY}")
    if more := not_among(names, expected):
        raise TableError(f"{file} has a column {name_for_message(more[0])}, which {first.name} does not have: {REMEDY}")
