"""Tables that people have: CSV, TSV and Parquet files and folders of them, read as they are or refused in one sentence."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

import numpy as np

from sonmf.datasets.nearest import hint
from sonmf.frames import pandas

SEPARATORS = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".tsv.gz": "\t"}
PARQUET = ".parquet"
KNOWN = (*SEPARATORS, PARQUET)
ALL_ROWS = 2**31
MOST_COLUMNS = 10_000
LONGEST_ROW = 4_000_000  # bytes
MOST_EMPTY_LINES = 1_000_000  # one after another
LARGEST_PART = 16_000_000  # bytes of rows that are held before they are handed on
LARGEST_BATCH = 1000  # rows of Parquet that are unpacked at a time
NAMED = 20  # columns that an error lists
LONGEST_NAME, MOST_WORDS = 40, 4  # characters and words of the name of a column; what is longer may be a note
BYTE_ORDER_MARK = "\ufeff"


class TableError(ValueError):
    """A file that cannot be read as a table: which, why, and what to do."""


def read(path: str | Path, columns: Iterable[str] | None = None) -> Any:
    """A table as a DataFrame: every cell of a CSV or TSV file as text, an empty one as None; Parquet with its own types.

    Parameters
    ----------
    path : str or Path
        A file that ends in .csv, .tsv, either of them with .gz, or .parquet, or a folder of such files with the same columns,
        read by name. Text is UTF-8, with or without a byte-order mark.
    columns : iterable of str, optional
        Those to read; all by default.

    Returns
    -------
    pandas.DataFrame

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sonmf.datasets import tables
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "notes.csv")
    ...     _ = path.write_text("id,note\\n007,cough x3d\\n")
    ...     tables.read(path).to_dict("list")
    {'id': ['007'], 'note': ['cough x3d']}
    """
    frames = list(_frames(Path(path), ALL_ROWS, columns))
    return frames[0] if len(frames) == 1 else pandas().concat(frames, ignore_index=True)


def chunks(path: str | Path, rows: int = 20_000, columns: Iterable[str] | None = None) -> Iterator[Any]:
    """The same table a part at a time, so that a file or a folder larger than memory can be worked through.

    Parameters
    ----------
    path : str or Path
        As in ``read``.
    rows : int, default=20_000
        Of each part, at most.
    columns : iterable of str, optional
        As in ``read``.

    Yields
    ------
    pandas.DataFrame

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sonmf.datasets import tables
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "notes.tsv")
    ...     _ = path.write_text("note\\ncough\\nfever\\nfall\\n")
    ...     [len(part) for part in tables.chunks(path, rows=2)]
    [2, 1]
    """
    if rows < 1:
        raise ValueError(f"rows={rows} must be at least 1")
    return _frames(Path(path), rows, columns)


def columns_of(path: str | Path) -> list[str]:
    """The names of a table's columns, found without reading its rows.

    Parameters
    ----------
    path : str or Path
        As in ``read``.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from sonmf.datasets import tables
    >>> with TemporaryDirectory() as folder:
    ...     for name in ("january.csv", "february.csv"):
    ...         _ = Path(folder, name).write_text("id,note\\n7,cough\\n")
    ...     tables.columns_of(folder)
    ['id', 'note']
    """
    first, *others = _files(Path(path))
    names = names_of(first)
    for file in others:
        _refuse_other_columns(file, names_of(file), first, names)
    return names


def require(columns: Any, name: str, where: str | Path) -> None:
    """Nothing if a table has the column, else an error that names what it has.

    Parameters
    ----------
    columns : DataFrame or iterable of str
    name : str
    where : str or Path
        What to call the table in the error.

    Examples
    --------
    >>> from sonmf.datasets import tables
    >>> tables.require(["id", "note"], "notes", "triage.csv")
    Traceback (most recent call last):
    sonmf.datasets.tables.TableError: triage.csv has no column 'notes' (did you mean 'note'?): its columns are id, note
    """
    names = [str(column) for column in columns]
    if name not in names:
        raise TableError(f"{where} has no column {name!r}{hint(name, names)}: {_listed(names)}")


def _listed(names: list[str]) -> str:
    """The columns for a message, unless one has the length of a note: a file without a header has a patient in its place."""
    if any(map(_is_text, names)):
        return f"its {len(names):,} columns have long names; the first line must hold the names of the columns, not a patient"
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return f"its columns are {', '.join(names[:NAMED])}{more}"


def _is_text(name: str) -> bool:
    return len(name) > LONGEST_NAME or len(name.split()) > MOST_WORDS


def _shown(name: str) -> str:
    return "with a long name" if _is_text(name) else repr(name)


def _frames(path: Path, rows: int, columns: Iterable[str] | None) -> Iterator[Any]:
    chosen = None if columns is None else list(columns)
    if path.is_dir():
        columns_of(path)  # before any row is read
    for file in _files(path):
        ending = ending_of(file)
        with explained(file):
            yield from parquet_parts(file, rows, chosen) if ending == PARQUET else delimited(file, ending, rows, chosen)


def _files(path: Path) -> list[Path]:
    """The file, or the tables of a folder by name; other files, and those that the system hides, are passed over."""
    if not path.is_dir():
        _refuse_missing(path)
        return [path]
    with explained(path):
        tables = [file for file in path.iterdir() if file.name.lower().endswith(KNOWN) and file.is_file()]
        found = sorted(file for file in tables if not file.name.startswith("."))
    if not found:
        raise TableError(f"{path} is a folder without tables: give a file, or a folder of files that end in {', '.join(KNOWN)}")
    return found


def names_of(file: Any) -> list[str]:
    """The names of the columns of one file; like the next ones, for anything with a name that can be opened."""
    ending = ending_of(file)
    with explained(file):
        return _parquet_names(file) if ending == PARQUET else _delimited_names(file, ending)


def _delimited_names(path: Any, ending: str) -> list[str]:
    with _opened(path, ending) as stream:
        return next(_records(path, _Lines(path, stream), SEPARATORS[ending]))


def _parquet_names(path: Any) -> list[str]:
    with _parquet(path) as opened:
        return _parquet_columns(path, opened())


def _refuse_other_columns(file: Path, names: list[str], first: Path, expected: list[str]) -> None:
    remedy = "all files of a folder need the same columns"
    if missing := _without(expected, names):
        raise TableError(f"{file} has no column {_shown(missing[0])}, but {first.name} has: {remedy}")
    if more := _without(names, expected):
        raise TableError(f"{file} has a column {_shown(more[0])}, but {first.name} has not: {remedy}")


def _without(names: Iterable[str], others: Iterable[str]) -> list[str]:
    known = set(others)
    return [name for name in names if name not in known]


def ending_of(path: Any) -> str:
    """The known ending of a file's name."""
    for ending in KNOWN:
        if path.name.lower().endswith(ending):
            return ending
    raise TableError(f"{path} is not a table that can be read: save it as a file that ends in {', '.join(KNOWN)}")


def _refuse_missing(path: Path) -> None:
    folder = path.parent
    if not folder.is_dir():
        raise TableError(f"{path} does not exist, nor does the folder {folder}: check the path")
    if not path.exists():
        near = hint(path.name, [file.name for file in folder.iterdir()])
        raise TableError(f"{path} does not exist{near}: check the name")


@contextmanager
def explained(path: Any) -> Iterator[None]:
    """What the system says of a file, as a TableError."""
    try:
        yield
    except PermissionError:
        raise TableError(f"{path} may not be read: ask its owner for permission, or copy it to a place of yours") from None
    except EOFError:
        raise TableError(f"{path} ends in the middle: it was cut off, so copy or download it again") from None
    except (gzip.BadGzipFile, zlib.error):
        raise TableError(f"{path} is damaged, or not compressed by gzip as its name says: copy or download it again") from None


def delimited(path: Any, ending: str, rows: int, columns: list[str] | None) -> Iterator[Any]:
    """Parts of a CSV or TSV file."""
    with _opened(path, ending) as stream:
        lines = _Lines(path, stream)
        records = _records(path, lines, SEPARATORS[ending])
        header = next(records)
        chosen = _chosen(path, header, columns)
        place = {name: k for k, name in enumerate(header)}
        places = [place[name] for name in chosen]
        picked = ([record[k] or None for k in places] for record in records)  # other cells are not kept
        empty = True
        for part in _parts(picked, rows, lines):
            cells = zip(*part, strict=True)
            yield pandas().DataFrame(dict(zip(chosen, map(list, cells), strict=True)), dtype=object)
            empty = False
        _refuse_empty(path, empty)


def _opened(path: Any, ending: str) -> Any:
    return gzip.open(path) if ending.endswith(".gz") else path.open("rb")


class _Lines:
    """The lines of a file, decoded; a row may take several, but no more bytes than ``LONGEST_ROW``."""

    def __init__(self, path: Any, stream: Any) -> None:
        self.path, self.stream = path, stream
        self.number = self.read = 0
        self.left = LONGEST_ROW

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
                f"{self.path} line {self.number} belongs to a row of more than {LONGEST_ROW:,} bytes: close quotation marks "
                "that are open, and check that each row ends its line"
            )
        return self._decoded(line)

    def begin_row(self) -> None:
        """All that was read belongs to rows that are whole."""
        self.left = LONGEST_ROW

    def _decoded(self, line: bytes) -> str:
        """A byte-order mark is passed over."""
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            byte = f"byte 0x{line[error.start]:02x} ({error.start + 1} bytes into the line)"
            raise TableError(f"{self.path} line {self.number} is not UTF-8, at {byte}: save the file again as UTF-8") from None
        return text.removeprefix(BYTE_ORDER_MARK) if self.number == 1 else text


def _parts(records: Iterable[list[str | None]], rows: int, lines: _Lines) -> Iterator[list[list[str | None]]]:
    """Rows together, so many and no more than ``LARGEST_PART`` bytes of the file."""
    part: list[list[str | None]] = []
    before = lines.read
    for record in records:
        part.append(record)
        if len(part) == rows or lines.read - before > LARGEST_PART:
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
        elif empty > MOST_EMPTY_LINES:
            raise TableError(f"{lines.path} line {lines.number} ends more than {MOST_EMPTY_LINES:,} empty lines: remove them")


def _records(path: Any, lines: _Lines, separator: str) -> Iterator[list[str]]:
    """The header, then the rows, each as wide as the header."""
    try:
        rows = _rows(lines, separator)
        header = _header(path, next(rows, []))
        yield header
        for record in rows:
            if len(record) != len(header):
                raise TableError(
                    f"{path} line {lines.number} has {len(record)} cells, but the header has {len(header)}: "
                    "put cells that hold a separator or a line break in quotation marks"
                )
            yield record
    except csv.Error as error:
        raise TableError(f"{path} line {lines.number} {_why(error)}, and close those that are open") from None


def _why(error: csv.Error) -> str:
    if "field limit" in str(error):
        return f"has a cell of more than {csv.field_size_limit():,} letters: shorten it, double quotation marks in quoted cells"
    return f"cannot be split into cells ({error}): double quotation marks inside quoted cells"


def _header(path: Path, names: list[str]) -> list[str]:
    """The names of the columns; one without a name is called by its number."""
    if not names:
        raise TableError(f"{path} is empty: give a file with a header and rows")
    header = [name.strip() or f"column {number}" for number, name in enumerate(names, start=1)]
    _refuse_columns(path, header)
    return header


def _refuse_columns(path: Path, names: Sequence[str]) -> None:
    if len(names) > MOST_COLUMNS:
        raise TableError(
            f"{path} has {len(names):,} columns: leave out those that are not needed, {MOST_COLUMNS:,} can be read"
        )
    ((name, times),) = Counter(names).most_common(1) or [("", 0)]
    if times > 1:
        raise TableError(f"{path} has several columns named {_shown(name)}: give each its own name")


def _chosen(path: Path, there: list[str], columns: list[str] | None) -> list[str]:
    for name in _without(columns or [], there):
        require(there, name, path)
    return there if columns is None else columns


def _refuse_empty(path: Path, empty: bool) -> None:
    if empty:
        raise TableError(f"{path} has a header and no rows: give a file with at least one row")


def parquet_parts(path: Any, rows: int, columns: list[str] | None) -> Iterator[Any]:
    """Parts of a Parquet file."""
    for batch in parquet_batches(path, rows, columns):
        yield batch.to_pandas()


def parquet_batches(path: Any, rows: int, columns: list[str] | None) -> Iterator[Any]:
    """The same as pyarrow's record batches, none larger than ``LARGEST_PART`` and a row."""
    with _parquet(path) as opened:
        file = opened()
        chosen = _chosen(path, _parquet_columns(path, file), columns)
        _refuse_empty(path, file.metadata.num_rows == 0)
        packed = opened(metadata=file.metadata, read_dictionary=_repeating(file, chosen))
        for batch in packed.iter_batches(batch_size=min(rows, LARGEST_BATCH, file.metadata.num_rows), columns=chosen):
            yield from _written_out(path, batch)


def _parquet_columns(path: Any, file: Any) -> list[str]:
    names = list(file.schema_arrow.names)
    _refuse_columns(path, names)
    return names


def _repeating(file: Any, chosen: list[str]) -> list[str]:
    """Columns of text to be read as numbers into a dictionary: a file of a few bytes can repeat a long text very often."""
    wanted, groups = set(chosen), range(file.metadata.num_row_groups)
    places = [k for k in range(len(file.schema)) if file.schema.column(k).path in wanted]
    texts = [k for k in places if file.schema.column(k).physical_type == "BYTE_ARRAY"]
    return [
        file.schema.column(k).path
        for k in texts
        if not any("DELTA" in code for g in groups for code in file.metadata.row_group(g).column(k).encodings)  # not in pyarrow
    ]


def _written_out(path: Any, batch: Any) -> Iterator[Any]:
    """A batch without dictionaries, in slices that stay small."""
    sizes = sum(map(_sizes, batch.columns), np.zeros(batch.num_rows, np.int64))
    if sizes.max(initial=0) > LONGEST_ROW:
        raise TableError(
            f"{path} has a row of more than {LONGEST_ROW:,} bytes: shorten its longest cell, or leave that column out"
        )
    cuts = np.flatnonzero(np.diff(np.cumsum(sizes) // LARGEST_PART)) + 1
    for start, stop in pairwise([0, *cuts.tolist(), batch.num_rows]):
        columns = [
            one.dictionary_decode() if hasattr(one, "dictionary") else one for one in batch.slice(start, stop - start).columns
        ]
        yield batch.from_arrays(columns, batch.schema.names)


def _sizes(column: Any) -> Any:
    """Bytes of each text once it is written out; nothing for other types, whose size pyarrow's batches bound."""
    from pyarrow import compute, types

    if types.is_dictionary(column.type):
        texts = _sizes(column.dictionary)
        return texts[compute.fill_null(column.indices, 0)] if len(texts) else np.zeros(len(column), np.int64)
    if types.is_string(column.type) or types.is_binary(column.type):
        return compute.fill_null(compute.binary_length(column), 0).to_numpy(zero_copy_only=False)
    return np.zeros(len(column), np.int64)


@contextmanager
def _parquet(path: Any) -> Iterator[Callable[..., Any]]:
    """How to open a file as Parquet, with the options of ``pyarrow.parquet.ParquetFile``."""
    try:
        from pyarrow import ArrowException, default_memory_pool, parquet
    except ImportError:
        raise TableError(f"{path} needs pyarrow to be read: python -m pip install pyarrow, or save the table as CSV") from None
    with path.open("rb") as stream:
        try:
            yield partial(parquet.ParquetFile, stream)
        except MemoryError:  # of pyarrow's exceptions the one that says nothing about the file
            raise
        except (ArrowException, OSError):
            raise TableError(f"{path} is damaged, or not a Parquet file as its name says: copy or write it again") from None
        finally:
            default_memory_pool().release_unused()  # what it keeps for later counts as ours
