"""CSV, TSV and other text with a separator, also compressed by gzip: cells as text, an empty one as None.

Python's csv module splits it. Unlike pandas and pyarrow it refuses a row that is too short and a quotation mark that is never
closed, and names the line. ``benchmarks/reading.py`` measures what that costs.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import chain, islice
from operator import itemgetter
from typing import NamedTuple

from sonmf.frames import DataFrame, pandas
from sonmf.sources import limits
from sonmf.sources.encoding import Encoding
from sonmf.sources.errors import TableError, name_for_message, refuse_names
from sonmf.sources.source import FileSource

NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "pipes"}
SAMPLE = 65536  # bytes from which the separator is recognised
SAMPLE_ROWS = 100  # of them, at most
FIRST_LINE = re.compile(r'"?sep=(.)"?\r?\n', re.IGNORECASE)  # some spreadsheets write it, and none shows it
BLOCK = 65536  # bytes that are decoded at a time
MARKS = "double quotation marks inside quoted cells, and close those that are open"
LONG = "has a cell of more than {:,} letters: shorten it, " + MARKS
MARK = '"'
QUOTE = "put cells that hold a separator or a line break in quotation marks"


class Separator(NamedTuple):
    """The separator, and the number of lines before the header that only declare it."""

    character: str
    skipped: int = 0


class Delimited(FileSource):
    """Separator and encoding are recognised unless they are given."""

    endings = (".csv", ".csv.gz", ".tsv", ".tsv.gz")
    takes = ("separator", "encoding")

    def names(self) -> list[str]:
        with self._records() as records:
            return next(records)

    def parts(self, rows: int, columns: list[str]) -> Iterator[DataFrame]:
        with self._records() as records:
            place = {name: k for k, name in enumerate(next(records))}
            places = [place[name] for name in columns]
            for part in records.together(rows, places):
                cells = map(_with_none, zip(*part, strict=True))
                self.share = records.share
                yield pandas().DataFrame(dict(zip(columns, cells, strict=True)), dtype=object)

    @property
    def remarks(self) -> tuple[str, ...]:
        recognised = {}
        if self.reading.encoding is None and self.encoding.name != "utf-8":
            recognised["--encoding"] = f"as {self.encoding.title}"
        if self.reading.separator is None and self.separator.character != self._usual_separator:
            recognised["--sep"] = f"with {NAMES.get(self.separator.character, self.separator.character)} between cells"
        return (f"read {', '.join(recognised.values())} (overruled by {', '.join(recognised)})",) if recognised else ()

    @property
    def missing_column_hint(self) -> str:
        return "if there should be several, give the separator of the cells with --sep" if len(self.columns) == 1 else ""

    @cached_property
    def encoding(self) -> Encoding:
        """The encoding, as far as it is known yet."""
        with self._opened() as stream:
            return Encoding(self, stream.read(4), self.reading.encoding)

    @cached_property
    def separator(self) -> Separator:
        """The separator, and the number of lines before the header."""
        with self._opened() as stream:
            sample = self.encoding.lines(stream).read(SAMPLE).removeprefix(b"\xef\xbb\xbf")
        return recognise_separator(
            sample.decode("latin-1"), len(sample) < SAMPLE, self.reading.separator, self._usual_separator
        )

    @property
    def _usual_separator(self) -> str:
        return "\t" if ".tsv" in self.file.name.lower() else ","

    @contextmanager
    def _opened(self) -> Iterator[io.BufferedIOBase]:
        """A stream of its bytes, decompressed."""
        with self.file.open("rb") as stream:
            if not self.file.name.lower().endswith(".gz"):
                yield stream
                return
            with gzip.open(stream) as unpacked:
                yield unpacked

    @contextmanager
    def _records(self) -> Iterator[_Records]:
        separator, encoding = self.separator, self.encoding
        with self._opened() as stream:
            yield _Records(self, stream, encoding, separator)

    def broken_cell(self, before: int, last: int) -> BrokenCell | None:
        """The cell that cannot be read in the row after line ``before``; ``last`` is the last line that was read."""
        with self._opened() as stream:
            lines = _Records(self, stream, self.encoding, self.separator).lines()
            return find_broken_cell("".join(islice(lines, before, last)), self.separator.character)


class _Records:
    """The header, then the rows, each as wide as the header; empty lines are skipped."""

    def __init__(self, source: Delimited, stream: io.BufferedIOBase, encoding: Encoding, separator: Separator) -> None:
        self.packed = getattr(stream, "fileobj", stream)
        """The bytes of the file itself."""
        self.size = self.packed.seek(0, io.SEEK_END)
        self.packed.seek(0)
        self.source, self.stream, self.decoder = source, encoding.lines(stream), encoding.decoder()
        self.read = 0
        """Bytes read so far."""
        self.pending = 0
        """Bytes read since the last complete row."""
        self.split = 0
        """Lines of the complete rows so far."""
        self.rows = csv.reader(chain.from_iterable(self._blocks()), delimiter=separator.character, strict=True)
        self.records = self._checked(separator.skipped)

    def __next__(self) -> list[str]:
        return next(self.records)

    @property
    def share(self) -> float:
        """How much of the file has been read."""
        return float(self.packed.tell() / self.size)

    def together(self, rows: int, places: list[int]) -> Iterator[list[Sequence[str]]]:
        """The cells at these places, of at most ``rows`` rows and ``LARGEST_PART`` bytes of the file at a time."""
        part: list[Sequence[str]] = []
        before = self.read
        pick = _picker(places)
        for record in self.records:
            part.append(pick(record))  # other cells are not kept
            if len(part) == rows or self.read - before > limits.LARGEST_PART:
                yield part
                part, before = [], self.read
        if part:
            yield part

    def _checked(self, skipped: int) -> Iterator[list[str]]:
        header: list[str] = []
        try:
            for _ in range(skipped):
                next(self.rows)
            empty = 0
            for record in self.rows:
                self.pending, self.split = 0, self.rows.line_num
                if len(record) == len(header) > 0:
                    yield record
                elif record and header:
                    raise self._wrong(f"has {len(record)} cells, but the header has {len(header)}: {QUOTE}")
                elif record:
                    header = self._header(record)
                    yield header
                empty = 0 if record else empty + 1
                if empty > limits.MOST_EMPTY_LINES:
                    raise self._wrong(f"ends more than {limits.MOST_EMPTY_LINES:,} empty lines: remove them")
        except csv.Error as error:
            raise self._unsplit(header, error) from None
        if not header:
            raise TableError(f"{self.source} is empty: give a file with a header and rows")

    def lines(self) -> Iterator[str]:
        """Lines that are not split into cells."""
        for block in self._blocks():
            self.pending = 0
            yield from block

    def _blocks(self) -> Iterator[io.StringIO]:
        """Whole lines, as text; a row that is too long is refused before it is in memory."""
        size = max(min(BLOCK, limits.LONGEST_ROW // 16, limits.LARGEST_PART // 16), 1)
        while block := self.stream.read(size):
            if not block.endswith(b"\n"):
                block += self.stream.readline(limits.LONGEST_ROW + 1)
            self.read += len(block)
            self.pending += len(block)
            self.source.refuse_size(self.read)
            if self.pending > limits.LONGEST_ROW + size:
                last = self.rows.line_num + len(block.splitlines())
                raise TableError(
                    f"{self.source} line {last} belongs to a row of more than {limits.LONGEST_ROW:,} bytes: "
                    "close quotation marks that are open, and check that each row ends its line"
                )
            yield io.StringIO(self.decoder(block, self.rows.line_num), newline="")

    def _unsplit(self, header: list[str], error: csv.Error) -> TableError:
        """Refuse a row with a cell that does not end: in which column and where, as far as that can be seen."""
        last = self.rows.line_num
        long = "field limit" in str(error)
        broken = None if long else self.source.broken_cell(self.split, last)
        if broken is None:
            return self._wrong(
                LONG.format(csv.field_size_limit()) if long else f"cannot be split into cells ({error}): {MARKS}"
            )
        column = f"column {name_for_message(header[broken.cell])}" if broken.cell < len(header) else f"cell {broken.cell + 1}"
        why = "is never closed"
        if broken.mark:
            line, character = broken.mark
            why = (
                f"has a quotation mark at character {character} of line {self.split + line} that neither ends it nor is doubled"
            )
        return TableError(
            f"{self.source} line {self.split + broken.line}, {column}: the quoted cell that begins there {why}: {MARKS}"
        )

    def _wrong(self, what: str) -> TableError:
        return TableError(f"{self.source} line {self.rows.line_num} {what}")

    def _header(self, names: list[str]) -> list[str]:
        """The names of the columns; a column without a name is called by its number."""
        header = [name.strip() or f"column {number}" for number, name in enumerate(names, start=1)]
        refuse_names(header, self.source)
        return header


def _picker(places: list[int]) -> Callable[[list[str]], Sequence[str]]:
    if len(places) > 1:
        return itemgetter(*places)
    return lambda record: [record[k] for k in places]


def _with_none(cells: tuple[str, ...]) -> list[str | None]:
    return [cell or None for cell in cells] if "" in cells else list(cells)


def recognise_separator(sample: str, whole: bool, given: str | None, usual: str) -> Separator:
    """The separator of a text, from its beginning.

    The separator is the one that splits the header and all rows into the same number of cells, at least two. If there
    are several, it is the one with most cells, then the usual one; if there is none, the one that splits the header most often.
    Unless the sample is the ``whole`` text, its last row may be cut. ``given`` is the separator that a person has named.

    Examples
    --------
    >>> from sonmf.sources.delimited_text import recognise_separator
    >>> recognise_separator("id;note;temp\\n7;cough, fever;37,5\\n", True, None, ",")
    Separator(character=';', skipped=0)
    """
    if first := FIRST_LINE.match(sample):
        return Separator(given or first[1], 1)
    if given:
        return Separator(given)
    widths = {separator: _widths(sample, whole, separator) for separator in NAMES}
    splitting = [separator for separator, counts in widths.items() if counts[:1] > [1]]

    def fit(separator: str) -> tuple[bool, int, bool]:
        return len(set(widths[separator])) == 1, widths[separator][0], separator == usual

    return Separator(max(splitting, key=fit, default=usual))


def _widths(sample: str, whole: bool, separator: str) -> list[int]:
    rows = csv.reader(io.StringIO(sample, newline=""), delimiter=separator)
    try:
        counts = [len(row) for row in islice(rows, SAMPLE_ROWS) if row]
    except csv.Error:  # a cell without end
        return []
    return counts if whole or len(counts) < 2 or len(counts) == SAMPLE_ROWS else counts[:-1]


class BrokenCell(NamedTuple):
    """A cell that does not end where it should; lines and characters count from 1 within the row."""

    cell: int
    """The number of the cell in its row, from 0."""
    line: int
    """The line of the row on which the cell begins."""
    mark: tuple[int, int] | None
    """Line and character of a quotation mark in it that neither ends it nor is doubled; None if it never ends."""


def find_broken_cell(text: str, separator: str) -> BrokenCell | None:
    """The first quoted cell of a row that is broken, None if there is none.

    Examples
    --------
    >>> from sonmf.sources.delimited_text import find_broken_cell
    >>> find_broken_cell('7,"cough, "dry" x3d",home', ",")
    BrokenCell(cell=1, line=1, mark=(1, 11))
    >>> find_broken_cell('7,"cough', ",")
    BrokenCell(cell=1, line=1, mark=None)
    """
    cell, at = 0, 0
    while at < len(text):
        if text[at] == MARK:
            begin, at = at, _closing(text, at + 1)
            if at < 0:
                return BrokenCell(cell, _line(text, begin), None)
            if at + 1 < len(text) and text[at + 1] not in (separator, "\n", "\r"):
                return BrokenCell(cell, _line(text, begin), (_line(text, at), at - text.rfind("\n", 0, at)))
            at += 1
        else:
            while at < len(text) and text[at] not in (separator, "\n", "\r"):
                at += 1
        if at < len(text) and text[at] != separator:
            return None  # the row ends here
        cell, at = cell + 1, at + 1
    return None


def _closing(text: str, at: int) -> int:
    """The next quotation mark that is not doubled, -1 if there is none."""
    while (at := text.find(MARK, at)) >= 0 and text[at + 1 : at + 2] == MARK:
        at += 2
    return at


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
