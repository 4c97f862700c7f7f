"""CSV and TSV, also compressed by gzip: cells as text, an empty one as None."""

from __future__ import annotations

import csv
import gzip
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Self

from sonmf.frames import pandas
from sonmf.sources import limits
from sonmf.sources.errors import TableError
from sonmf.sources.names import chosen, refuse_names
from sonmf.sources.source import File, FileSource, refuse_empty

SEPARATORS = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".tsv.gz": "\t"}
BYTE_ORDER_MARK = "\ufeff"


class Delimited(FileSource):
    """Text is UTF-8, with or without a byte-order mark."""

    endings = tuple(SEPARATORS)

    def names(self) -> list[str]:
        """As ``FileSource`` says."""
        with self._opened() as stream:
            return next(self._records(_Lines(self.file, stream)))

    def parts(self, rows: int, columns: list[str] | None) -> Iterator[Any]:
        """As ``FileSource`` says."""
        with self._opened() as stream:
            lines = _Lines(self.file, stream)
            records = self._records(lines)
            header = next(records)
            wanted = chosen(header, columns, self.file)
            place = {name: k for k, name in enumerate(header)}
            places = [place[name] for name in wanted]
            picked = ([record[k] or None for k in places] for record in records)  # other cells are not kept
            empty = True
            for part in _parts(picked, rows, lines):
                cells = zip(*part, strict=True)
                yield pandas().DataFrame(dict(zip(wanted, map(list, cells), strict=True)), dtype=object)
                empty = False
            refuse_empty(self.file, empty)

    @contextmanager
    def _opened(self) -> Iterator[Any]:
        with self.file.open("rb") as stream:
            if not self.ending.endswith(".gz"):
                yield stream
                return
            with gzip.open(stream) as unpacked:
                yield unpacked

    def _records(self, lines: _Lines) -> Iterator[list[str]]:
        return _records(self.file, lines, SEPARATORS[self.ending])


class _Lines:
    """The lines of a file, decoded; a row may take several, but no more bytes than ``LONGEST_ROW``."""

    def __init__(self, file: File, stream: Any) -> None:
        self.file, self.stream = file, stream
        self.number = self.read = 0
        self.left = limits.LONGEST_ROW

    def __iter__(self) -> Self:
        return self

    def __next__(self) -> str:
        line = self.stream.readline(self.left + 1)
        if not line:
            raise StopIteration
        self.number += 1
        self.read += len(line)
        self.left -= len(line)
        if self.left < 0:
            raise TableError(
                f"{self.file} line {self.number} belongs to a row of more than {limits.LONGEST_ROW:,} bytes: "
                "close quotation marks that are open, and check that each row ends its line"
            )
        return self._decoded(line)

    def begin_row(self) -> None:
        """All that was read belongs to rows that are whole."""
        self.left = limits.LONGEST_ROW

    def _decoded(self, line: bytes) -> str:
        """A byte-order mark is passed over."""
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            byte = f"byte 0x{line[error.start]:02x} ({error.start + 1} bytes into the line)"
            raise TableError(f"{self.file} line {self.number} is not UTF-8, at {byte}: save the file again as UTF-8") from None
        return text.removeprefix(BYTE_ORDER_MARK) if self.number == 1 else text


def _parts(records: Iterable[list[str | None]], rows: int, lines: _Lines) -> Iterator[list[list[str | None]]]:
    """Rows together, so many and no more than ``LARGEST_PART`` bytes of the file."""
    part: list[list[str | None]] = []
    before = lines.read
    for record in records:
        part.append(record)
        if len(part) == rows or lines.read - before > limits.LARGEST_PART:
            yield part
            part, before = [], lines.read
    if part:
        yield part


def _rows(lines: _Lines, separator: str) -> Iterator[list[str]]:
    """The cells of each row that is not empty."""
    empty = 0
    for record in csv.reader(lines, delimiter=separator, strict=True):
        lines.begin_row()
        empty = 0 if record else empty + 1
        if record:
            yield record
        elif empty > limits.MOST_EMPTY_LINES:
            most = f"{limits.MOST_EMPTY_LINES:,}"
            raise TableError(f"{lines.file} line {lines.number} ends more than {most} empty lines: remove them")


def _records(file: File, lines: _Lines, separator: str) -> Iterator[list[str]]:
    """The header, then the rows, each as wide as the header."""
    try:
        rows = _rows(lines, separator)
        header = _header(file, next(rows, []))
        yield header
        for record in rows:
            if len(record) != len(header):
                raise TableError(
                    f"{file} line {lines.number} has {len(record)} cells, but the header has {len(header)}: "
                    "put cells that hold a separator or a line break in quotation marks"
                )
            yield record
    except csv.Error as error:
        raise TableError(f"{file} line {lines.number} {_why(error)}, and close those that are open") from None


def _why(error: csv.Error) -> str:
    if "field limit" in str(error):
        return f"has a cell of more than {csv.field_size_limit():,} letters: shorten it, double quotation marks in quoted cells"
    return f"cannot be split into cells ({error}): double quotation marks inside quoted cells"


def _header(file: File, names: list[str]) -> list[str]:
    """The names of the columns; one without a name is called by its number."""
    if not names:
        raise TableError(f"{file} is empty: give a file with a header and rows")
    header = [name.strip() or f"column {number}" for number, name in enumerate(names, start=1)]
    refuse_names(header, file)
    return header
