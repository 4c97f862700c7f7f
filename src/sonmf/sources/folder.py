"""A folder of files with the same columns, one after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

from sonmf.sources.errors import TableError
from sonmf.sources.names import shown, without
from sonmf.sources.source import FileSource, Source

REMEDY = "all files of a folder need the same columns"


class Folder(Source):
    """Its files in the order in which they are listed, at least one; they are listed when they are needed."""

    def __init__(self, path: Path, listed: Callable[[Path], list[FileSource]]) -> None:
        self.path, self._listed = path, listed

    def __str__(self) -> str:
        return str(self.path)

    @property
    def name(self) -> str:
        """As ``Source`` says."""
        return self.path.resolve().name

    @property
    def places(self) -> tuple[Path, ...]:
        """As ``Source`` says."""
        return (self.path,)

    @cached_property
    def files(self) -> list[FileSource]:
        """Of the folder."""
        return self._listed(self.path)

    def names(self) -> list[str]:
        """As ``Source`` says; a file that has others is refused."""
        first, *others = self.files
        names = first.columns
        for file in others:
            _refuse_other_columns(file, first, names)
        return names

    def parts(self, rows: int, columns: list[str]) -> Iterator[Any]:
        """As ``Source`` says."""
        for file in self.files:
            yield from file.chunks(rows, columns)

    @property
    def elsewhere(self) -> str:
        """As ``Source`` says."""
        return self.files[0].elsewhere

    @property
    def remarks(self) -> tuple[str, ...]:
        """Each once, with the number of files that it is about."""
        counts = Counter(remark for file in self.files for remark in file.remarks)
        return tuple(f"{count:,} of {len(self.files):,} files {remark}" for remark, count in counts.items())


def _refuse_other_columns(file: FileSource, first: FileSource, expected: list[str]) -> None:
    names = file.columns
    if missing := without(expected, names):
        raise TableError(f"{file} has no column {shown(missing[0])}, but {first.name} has: {REMEDY}")
    if more := without(names, expected):
        raise TableError(f"{file} has a column {shown(more[0])}, but {first.name} has not: {REMEDY}")
