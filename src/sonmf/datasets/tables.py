"""Tables that people have: CSV, TSV and Parquet files and folders of them, read as they are or refused in one sentence."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from sonmf.datasets.nearest import hint
from sonmf.frames import pandas

SEPARATORS = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".tsv.gz": "\t"}
PARQUET = ".parquet"
KNOWN = (*SEPARATORS, PARQUET)
ALL_ROWS = 2**31
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
    names = _names(first)
    for file in others:
        _refuse_other_columns(file, _names(file), first, names)
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
        return f"its {len(names)} columns have long names; the first line must hold the names of the columns, not a patient"
    return f"its columns are {', '.join(names)}"


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


def _names(file: Path) -> list[str]:
    ending = ending_of(file)
    with explained(file):
        return _parquet_names(file) if ending == PARQUET else _delimited_names(file, ending)


def _delimited_names(path: Path, ending: str) -> list[str]:
    with _opened(path, ending) as stream:
        return next(_split(path, ending, stream))


def _parquet_names(path: Path) -> list[str]:
    with _parquet_file(path) as file:
        return list(file.schema_arrow.names)


def _refuse_other_columns(file: Path, names: list[str], first: Path, expected: list[str]) -> None:
    remedy = "all files of a folder need the same columns"
    if missing := [name for name in expected if name not in names]:
        raise TableError(f"{file} has no column {_shown(missing[0])}, but {first.name} has: {remedy}")
    if more := [name for name in names if name not in expected]:
        raise TableError(f"{file} has a column {_shown(more[0])}, but {first.name} has not: {remedy}")


def ending_of(path: Any) -> str:
    """The known ending of a file's name; like the next ones, for anything with a name that can be opened."""
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
        records = _split(path, ending, stream)
        header = next(records)
        chosen = _chosen(path, header, columns)
        places = [header.index(name) for name in chosen]
        picked = ([record[k] or None for k in places] for record in records)  # other cells are not kept
        part = list(islice(picked, rows))
        _refuse_empty(path, len(part))
        while part:
            cells = zip(*part, strict=True)
            yield pandas().DataFrame(dict(zip(chosen, map(list, cells), strict=True)), dtype=object)
            part = list(islice(picked, rows))


def _opened(path: Any, ending: str) -> Any:
    return gzip.open(path) if ending.endswith(".gz") else path.open("rb")


def _split(path: Any, ending: str, stream: Iterable[bytes]) -> Iterator[list[str]]:
    return _records(path, csv.reader(_lines(path, stream), delimiter=SEPARATORS[ending], strict=True))


def _lines(path: Path, stream: Iterable[bytes]) -> Iterator[str]:
    """Decoded; a byte-order mark is passed over."""
    for number, line in enumerate(stream, start=1):
        try:
            text = line.decode()
        except UnicodeDecodeError as error:
            byte = f"byte 0x{line[error.start]:02x} ({error.start + 1} bytes into the line)"
            raise TableError(f"{path} line {number} is not UTF-8, at {byte}: save the file again as UTF-8") from None
        yield text.removeprefix(BYTE_ORDER_MARK) if number == 1 else text


def _records(path: Path, reader: Any) -> Iterator[list[str]]:
    """The header, then the rows, each as wide as the header; empty lines are passed over."""
    try:
        header = _header(path, next(filter(None, reader), []))
        yield header
        for record in filter(None, reader):
            if len(record) != len(header):
                raise TableError(
                    f"{path} line {reader.line_num} has {len(record)} cells, but the header has {len(header)}: "
                    "put cells that hold a separator or a line break in quotation marks"
                )
            yield record
    except csv.Error as error:
        raise TableError(
            f"{path} line {reader.line_num} cannot be split into cells ({error}): double quotation marks inside quoted cells, "
            "and close those that are open"
        ) from None


def _header(path: Path, names: list[str]) -> list[str]:
    """The names of the columns; one without a name is called by its number."""
    if not names:
        raise TableError(f"{path} is empty: give a file with a header and rows")
    header = [name.strip() or f"column {number}" for number, name in enumerate(names, start=1)]
    twice = [name for name in header if header.count(name) > 1]
    if twice:
        raise TableError(f"{path} has several columns named {_shown(twice[0])}: give each its own name")
    return header


def _chosen(path: Path, there: list[str], columns: list[str] | None) -> list[str]:
    for name in columns or []:
        require(there, name, path)
    return there if columns is None else columns


def _refuse_empty(path: Path, rows: int) -> None:
    if rows == 0:
        raise TableError(f"{path} has a header and no rows: give a file with at least one row")


def parquet_parts(path: Any, rows: int, columns: list[str] | None) -> Iterator[Any]:
    """Parts of a Parquet file."""
    with _parquet_file(path) as file:
        chosen = _chosen(path, file.schema_arrow.names, columns)
        _refuse_empty(path, file.metadata.num_rows)
        for batch in file.iter_batches(batch_size=min(rows, file.metadata.num_rows), columns=chosen):
            yield batch.to_pandas()


@contextmanager
def _parquet_file(path: Any) -> Iterator[Any]:
    try:
        from pyarrow import ArrowException, default_memory_pool, parquet
    except ImportError:
        raise TableError(f"{path} needs pyarrow to be read: python -m pip install pyarrow, or save the table as CSV") from None
    with path.open("rb") as stream:
        try:
            yield parquet.ParquetFile(stream)
        except (ArrowException, OSError):
            raise TableError(f"{path} is damaged, or not a Parquet file as its name says: copy or write it again") from None
        finally:
            default_memory_pool().release_unused()  # what it keeps for later counts as ours
