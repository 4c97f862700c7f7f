"""What a source of patients is: the names of its columns, and its rows in chunks; files, tables in memory, known data sets."""

from __future__ import annotations

import io
import os
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, Protocol, Self, TypeAlias

from sonmf.errors import InputError
from sonmf.frames import DataFrame, Series, pandas
from sonmf.sources import limits
from sonmf.sources.errors import MissingColumnError, TableError, cell_in_words, explained, not_among, refuse_names, require

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

ROWS = 20_000  # of a chunk, at most
ALL_ROWS = 2**31
LOOKED_AT, LEAST_WORDS = 100, 3  # rows that tell which column has the notes, and words of a cell there
WORDS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
OPTIONS = {
    "separator": "--sep is for CSV, TSV and other text",
    "encoding": "--encoding is for CSV, TSV and other text",
    "sheet": "--sheet is for a workbook",
}
Columns: TypeAlias = "dict[str, Series | list[str]]"
NO_SEPARATORS = '"\r\n'


class Source(Protocol):
    """A table of patients, wherever it is kept: ``columns``, ``chunks``, and ``remarks`` on how it was read.

    A kind of source has ``names`` and ``parts``; the rest follows from them. ``str`` of it is what a message calls it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sonmf.sources import open_table
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "notes.csv")
    ...     _ = path.write_text("id,note\\n007,cough x3d\\n008,fever\\n009,fall\\n")
    ...     source = open_table(path)
    ...     (
    ...         source.columns,
    ...         [len(part) for part in source.chunks(rows=2)],
    ...         source.read(["id"]).to_dict("list"),
    ...     )
    (['id', 'note'], [2, 1], {'id': ['007', '008', '009']})
    """

    without_rows: ClassVar[str] = "has a header and no rows: give a file with at least one row"
    """The end of the sentence that refuses it then."""

    @cached_property
    def columns(self) -> list[str]:
        """The names of the columns, found without reading the rows."""
        with explained(self):
            return self.names()

    def chunks(self, rows: int = ROWS, columns: Iterable[str] | None = None) -> Iterator[DataFrame]:
        """The rows as DataFrames of at most ``rows`` rows, in bounded memory; with these columns, all by default."""
        if rows < 1:
            raise InputError(f"rows={rows} must be at least 1")
        chosen = self.columns if columns is None else list(columns)
        for name in not_among(chosen, self.columns):
            require(self.columns, name, self)
        return self._explained(rows, chosen)

    def _explained(self, rows: int, columns: list[str]) -> Iterator[DataFrame]:
        empty = True
        with explained(self):
            for part in self.parts(rows, columns):
                yield part
                empty = False
        if empty:
            raise TableError(f"{self} {self.without_rows}")

    @abstractmethod
    def names(self) -> list[str]:
        """The names of its columns."""
        ...

    @abstractmethod
    def parts(self, rows: int, columns: list[str]) -> Iterator[DataFrame]:
        """DataFrames of at most ``rows`` rows and little more than ``LARGEST_PART`` bytes, with columns that it has."""
        ...

    @property
    def name(self) -> str:
        """What a report calls the source, without its folder."""
        return str(self)

    @property
    def places(self) -> tuple[Path, ...]:
        """The files and folders that are read."""
        return ()

    @property
    def remarks(self) -> tuple[str, ...]:
        """What a person should know about how the source was read, one sentence each; reading all of it may add some."""
        return ()

    @property
    def missing_column_hint(self) -> str:
        """Where a missing column may be found, and with which option; empty if nowhere."""
        return ""

    def read(self, columns: Iterable[str] | None = None) -> DataFrame:
        """The whole table as one DataFrame."""
        frames = list(self.chunks(ALL_ROWS, columns))
        return frames[0] if len(frames) == 1 else pandas().concat(frames, ignore_index=True)

    def require(self, name: str) -> str:
        """The name of a column; one that is missing is refused with a list of those that it has."""
        require(self.columns, name, self, self.missing_column_hint)
        return name

    def require_note(self, name: str) -> str:
        """``require`` for the column of the notes: the sentence also says which column looks most like them."""
        try:
            return self.require(name)
        except MissingColumnError as error:
            likely = self._longest_texts() if error.columns else ""
            perhaps = f", perhaps --text {likely!r}" if likely else ""
            raise MissingColumnError(f"{error}; name the column of the notes with --text{perhaps}", error.columns) from None

    def _longest_texts(self) -> str:
        """The column with the most words in the first rows; empty if no column has three words in a cell on average."""
        words: dict[str, float] = {"": LEAST_WORDS}
        for column, cells in next(self.chunks(LOOKED_AT)).items():
            words[str(column)] = sum(len(cell.split()) for cell in cells if isinstance(cell, str)) / len(cells)
        return max(words, key=lambda name: words[name])


class Reading(NamedTuple):
    """How to read a file; what is None is recognised from the file.

    Examples
    --------
    >>> from sonmf.sources import Reading
    >>> Reading.asked(sep="tab", encoding="latin-1")
    Reading(separator='\\t', encoding='latin-1', sheet=None)
    """

    separator: str | None = None
    """Separator of the cells of CSV, TSV and other text."""
    encoding: str | None = None
    """Encoding of text, by a name that Python knows."""
    sheet: str | None = None
    """Sheet of a workbook."""

    @classmethod
    def asked(cls, sep: str | None = None, encoding: str | None = None, sheet: str | None = None) -> Self:
        """A reading from options of the command line: a separator may be a word, such as "tab"; wrong ones are refused."""
        separator = None if sep is None else WORDS.get(sep.lower(), sep)
        if separator is not None and (len(separator) != 1 or separator in NO_SEPARATORS):
            raise InputError(f"--sep {sep}: give one character, such as ';', or one of {', '.join(WORDS)}")
        try:
            "".encode("utf-8" if encoding is None else encoding)
        except (LookupError, ValueError):
            raise InputError(
                f"--encoding {encoding}: there is no such encoding; common ones are utf-8, utf-16, cp1252 (Windows) and "
                "cp850 (DOS)"
            ) from None
        return cls(separator, encoding, sheet)


class File(Protocol):
    """A file to read a table from: a path, or uploaded bytes. ``str`` of it is what a message calls it."""

    @property
    def name(self) -> str:
        """The last part of its path; the ending says what kind of file it is."""
        ...

    def open(self, mode: Literal["rb"]) -> io.BufferedIOBase:
        """A binary stream, from the start."""
        ...


class OpenFile:
    """A ``File`` without a path: ``stream`` gives its bytes, from the start each time."""

    def __init__(self, stream: Callable[[], io.BufferedIOBase], title: str, name: str) -> None:
        self.stream, self.title, self.name = stream, title, name

    def __str__(self) -> str:
        return self.title

    def open(self, mode: str) -> io.BufferedIOBase:
        """A binary stream, from the start."""
        return self.stream()


def read_from_start(descriptor: int) -> io.BufferedReader:
    """A stream of a file that the system holds open, however far others have read; closing it leaves the file open."""
    return io.BufferedReader(_Positioned(descriptor))


class _Positioned(io.RawIOBase):
    """A descriptor read by position, so that several streams can share it."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor, self.place = descriptor, 0

    def fileno(self) -> int:
        return self.descriptor

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        starts = {os.SEEK_SET: 0, os.SEEK_CUR: self.place, os.SEEK_END: os.fstat(self.descriptor).st_size}
        self.place = starts[whence] + offset
        return self.place

    def tell(self) -> int:
        return self.place

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer)
        piece = os.pread(self.descriptor, len(view), self.place)
        view[: len(piece)] = piece
        self.place += len(piece)
        return len(piece)


class FileSource(Source):
    """A table in one file. A kind of file also has ``endings``."""

    endings: ClassVar[tuple[str, ...]]
    """Endings of the names of such files."""
    takes: ClassVar[tuple[str, ...]] = ()
    """Fields of ``Reading`` that say how such files are read."""
    largest: ClassVar[int | None] = None
    """The most bytes that may come out of such a file, where no other limit is given."""
    remedy: ClassVar[str] = "split it"
    """The end of the sentence that refuses a larger one."""

    share = 0.0
    """How much of the file was read when the latest part was made, from 0 to 1."""

    def __init__(self, file: File, reading: Reading = Reading(), limit: int | None = None) -> None:  # noqa: B008 it cannot change
        self.file, self.reading, self.limit = file, reading, limit or self.largest

    def __str__(self) -> str:
        return str(self.file)

    @property
    def name(self) -> str:
        return self.file.name

    def refuse_unused(self) -> None:
        """Refuse options that are for other kinds of files."""
        for field, value in self.reading._asdict().items():
            if value is not None and field not in self.takes:
                raise TableError(f"{self}: {OPTIONS[field]}, and this file is of another kind: leave the option out")

    @property
    def declared_rows(self) -> int:
        """How many rows the file says that it has, 0 if it does not say so."""
        return 0

    def refuse_size(self, size: int) -> None:
        """Refuse a file from which more bytes come than the limit, where there is one."""
        if self.limit is not None and size > self.limit:
            raise TableError(self.too_large)

    @property
    def too_large(self) -> str:
        """The sentence that refuses it then."""
        return f"{self} unpacks to more than {self.limit or limits.LARGEST_UNPACKED:,} bytes: {self.remedy}"

    def stop(self) -> None:
        """End at once what takes long before the next part is made; may be called from another thread."""

    @property
    def places(self) -> tuple[Path, ...]:
        return (self.file,) if isinstance(self.file, Path) else ()


class FrameSource(Source):
    """The rows of a DataFrame, whose columns are called by the text of their names; ``title`` is what messages call it."""

    def __init__(self, frame: DataFrame, title: str = "the table") -> None:
        self.frame, self.title = frame.set_axis([str(name) for name in frame.columns], axis=1), title

    def __str__(self) -> str:
        return self.title

    def names(self) -> list[str]:
        names = list(self.frame.columns)
        refuse_names(names, self)
        return names

    def parts(self, rows: int, columns: list[str]) -> Iterator[DataFrame]:
        for start in range(0, len(self.frame), rows):
            yield self.frame[columns].iloc[start : start + rows].reset_index(drop=True)


class KnownSource(Source):
    """A published data set, whose rows are decoded into our columns; ``raw`` is the source that holds it as published."""

    def __init__(self, raw: Source) -> None:
        self.raw = raw

    def __str__(self) -> str:
        return str(self.raw)

    @property
    def name(self) -> str:
        return self.raw.name

    @property
    def places(self) -> tuple[Path, ...]:
        return self.raw.places

    @property
    def remarks(self) -> tuple[str, ...]:
        return self.raw.remarks

    @property
    def missing_column_hint(self) -> str:
        return self.raw.missing_column_hint

    def require(self, name: str) -> str:
        if isinstance(self.raw, FileSource) and name not in self.columns and name in self.raw.columns:
            ours = ", ".join(self.columns)
            raise MissingColumnError(
                f"{self} has a column {name!r}, which a preset reads under other names: name one of its columns, {ours}",
                self.columns,
            )
        return super().require(name)

    @classmethod
    @abstractmethod
    def recognises(cls, raw: Source) -> bool:
        """Whether a source looks like this data set."""

    @abstractmethod
    def published(self, rows: int, columns: list[str]) -> Iterator[DataFrame]:
        """What is needed to make these columns of ours, as published, in DataFrames of at most ``rows`` rows."""

    @abstractmethod
    def decode(self, frame: DataFrame, first: int) -> Columns:
        """Our columns by name, those that the frame has the data for; ``first`` is the number of rows before these."""

    def refuse_cells(self, column: Series, strange: Series, why: str, first: int) -> None:
        """Refuse the first strange cell of a published column, if there is one; ``why`` ends the sentence."""
        if strange.any():
            row = int(strange.to_numpy().argmax())
            where = f"row {first + row + 1}, column {column.name!r}"
            raise TableError(f"{self} {where}: {cell_in_words(column.iloc[row])} is {why}")

    def parts(self, rows: int, columns: list[str]) -> Iterator[DataFrame]:
        first = 0
        for frame in self.published(rows, columns):
            decoded = self.decode(frame.reset_index(drop=True), first)
            first += len(frame)
            yield pandas().DataFrame({name: decoded[name] for name in columns})
