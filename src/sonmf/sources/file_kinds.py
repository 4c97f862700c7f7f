"""Open what a person names as a source. A new kind of file is a class in its own module, added to KINDS."""

from __future__ import annotations

import shutil
import sys
import tempfile
import weakref
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from typing import IO, BinaryIO

from sonmf.files import named, temporary_folder
from sonmf.frames import DataFrame
from sonmf.sources.delimited_text import Delimited
from sonmf.sources.errors import TableError, did_you_mean, explained, name_for_message, not_among
from sonmf.sources.parquet import Parquet
from sonmf.sources.source import File, FileSource, OpenFile, Reading, Source, read_from_start
from sonmf.sources.workbook import Workbook

KINDS: tuple[type[FileSource], ...] = (Delimited, Parquet, Workbook)
ENDINGS = tuple(ending for kind in KINDS for ending in kind.endings)


TEXT = (".txt", ".txt.gz")
"""Endings of text whose separator is recognised if a person names the file; in a folder such files are skipped."""
STANDARD_INPUT = "-"
PIPED = {b"PAR1": "standard input.parquet", b"PK\x03\x04": "standard input.xlsx", b"\x1f\x8b": "standard input.csv.gz"}
"""What a piped table is called, by its first bytes; any other table is text."""
AS_RECOGNISED = Reading()
REMEDY = "all files of a folder need the same columns"


def open_table(path: str | Path, reading: Reading = AS_RECOGNISED) -> Source:
    """A file, a folder or standard input as a source of patients.

    Parameters
    ----------
    path : str or Path
        A file that ends in .csv, .tsv, .txt, any of them with .gz, .parquet, .xlsx or another ending of a workbook; a folder
        of such files (except .txt) with the same columns, read in the order of their names; or "-", standard input.
        Cells of text files are text, empty ones None; Parquet and workbooks have their own types.
    reading : Reading, optional
        Separator, encoding and sheet, if they are not to be recognised.

    Returns
    -------
    Source
        With ``columns``, ``chunks(rows, columns)`` and ``read(columns)``. A file that cannot be read raises a
        ``TableError`` when it is read.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sonmf.sources import open_table
    >>> with TemporaryDirectory() as folder:
    ...     for name in ("january.csv", "february.csv"):
    ...         _ = Path(folder, name).write_text("id,note\\n007,cough\\n")
    ...     open_table(folder).read().to_dict("list")
    {'id': ['007', '007'], 'note': ['cough', 'cough']}
    """
    if str(path) == STANDARD_INPUT:
        if sys.stdin is None:
            raise TableError("standard input is closed: pipe a table into the command, or name a file instead of -")
        if sys.stdin.isatty():
            raise TableError("standard input is your keyboard: pipe a table into the command, or name a file instead of -")
        return open_file(piped(sys.stdin.buffer), reading)
    path = Path(path)
    if path.is_dir():
        return Folder(path, reading)
    _refuse_no_file(path)
    source = open_file(path, reading)
    source.refuse_unused()
    return source


def open_file(file: File, reading: Reading = AS_RECOGNISED, limit: int | None = None) -> FileSource:
    """One file as a source, by the ending of its name; a .txt is text, and so is any file whose separator is given.

    Parameters
    ----------
    file : Path or File
    reading : Reading, optional
    limit : int, optional
        The most bytes that may come out of it.

    Returns
    -------
    FileSource
    """
    for kind in KINDS:
        if file.name.lower().endswith(kind.endings):
            return kind(file, reading, limit)
    if reading.separator is not None or file.name.lower().endswith(TEXT):
        return Delimited(file, reading, limit)
    endings = ", ".join(ENDINGS)
    raise TableError(
        f"{file} is not a table that can be read: save it as a file that ends in {endings}; if it is text, give its separator "
        "with --sep"
    )


def piped(stream: BinaryIO) -> OpenFile:
    """A stream, read to its end into an unnamed temporary file: tables are read twice."""
    folder = temporary_folder()
    with named(Path(folder)):
        kept = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 it ends with the file that is returned
        try:
            shutil.copyfileobj(stream, kept, 2**20)
            kept.flush()
        except BaseException:
            _close(kept)
            raise
    kept.seek(0)
    begin = kept.read(4)
    name = next((name for known, name in PIPED.items() if begin.startswith(known)), "standard input.csv")
    file = OpenFile(partial(read_from_start, kept.fileno()), "standard input", name)
    weakref.finalize(file, _close, kept)
    return file


def _close(file: IO[bytes]) -> None:
    with suppress(OSError):  # what a full disk has not taken
        file.close()


def _refuse_no_file(path: Path) -> None:
    folder = path.parent
    if not folder.is_dir():
        raise TableError(f"{path} does not exist, nor does the folder {folder}: check the path")
    if not path.exists():
        near = did_you_mean(path.name, [file.name for file in folder.iterdir()])
        raise TableError(f"{path} does not exist{near}: check the name")
    if not path.is_file():  # it would be read twice, and the second time from where the first one ended
        raise TableError(f"{path} is a pipe or a device, not a file: pipe the table into the command, and name - instead")


class Folder(Source):
    """A folder of files with the same columns, at least one, in the order of their names."""

    def __init__(self, path: Path, reading: Reading = AS_RECOGNISED) -> None:
        self.path, self.reading = path, reading

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
        """The tables among its files, listed when they are needed; other files and hidden ones are skipped."""
        with explained(self):
            files = [file for file in self.path.iterdir() if file.name.lower().endswith(ENDINGS) and file.is_file()]
            shown = sorted(file for file in files if not file.name.startswith("."))
        if not shown:
            endings = ", ".join(ENDINGS)
            raise TableError(f"{self} is a folder without tables: give a file, or a folder of files that end in {endings}")
        return [open_file(file, self.reading) for file in shown]

    def names(self) -> list[str]:
        """The names of the columns, which all files must share; a file with others is refused."""
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
