"""Tables that people have: CSV, TSV and Parquet files, read as they are or refused in one sentence."""

from __future__ import annotations

import csv
import gzip
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

from sonmf.datasets.frames import pandas
from sonmf.datasets.nearest import hint

SEPARATORS = {".csv": ",", ".csv.gz": ",", ".tsv": "\t", ".tsv.gz": "\t"}
PARQUET = ".parquet"
KNOWN = (*SEPARATORS, PARQUET)
ALL_ROWS = 2**31
BYTE_ORDER_MARK = "\ufeff"


class TableError(ValueError):
    """A file that cannot be read as a table: which, why, and what to do."""


def read(path: str | Path, columns: Iterable[str] | None = None) -> Any:
    """A table as a DataFrame: every cell of a CSV or TSV file as text, an empty one as None; Parquet with its own types.

    Parameters
    ----------
    path : str or Path
        A file that ends in .csv, .tsv, either of them with .gz, or .parquet. Text is UTF-8, with or without a byte-order mark.
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


def chunks(path: str | Path, rows: int = 20_000) -> Iterator[Any]:
    """The same table a part at a time, so that a file larger than memory can be worked through.

    Parameters
    ----------
    path : str or Path
        As in ``read``.
    rows : int, default=20_000
        Of each part, at most.

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
    return _frames(Path(path), rows, None)


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
        raise TableError(f"{where} has no column {name!r}{hint(name, names)}: its columns are {', '.join(names)}")


def _frames(path: Path, rows: int, columns: Iterable[str] | None) -> Iterator[Any]:
    _refuse_missing(path)
    ending = ending_of(path)
    chosen = None if columns is None else list(columns)
    with explained(path):
        yield from parquet_parts(path, rows, chosen) if ending == PARQUET else delimited(path, ending, rows, chosen)


def ending_of(path: Any) -> str:
    """The known ending of a file's name; like the next ones, for anything with a name that can be opened."""
    for ending in KNOWN:
        if path.name.lower().endswith(ending):
            return ending
    raise TableError(f"{path} is not a table that can be read: save it as a file that ends in {', '.join(KNOWN)}")


def _refuse_missing(path: Path) -> None:
    folder = path.parent
    if path.is_dir():
        raise TableError(f"{path} is a folder: give the name of a file in it")
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
    with gzip.open(path) if ending.endswith(".gz") else path.open("rb") as stream:
        records = _records(path, csv.reader(_lines(path, stream), delimiter=SEPARATORS[ending], strict=True))
        header = next(records)
        chosen = _chosen(path, header, columns)
        places = [header.index(name) for name in chosen]
        part = list(islice(records, rows))
        _refuse_empty(path, len(part))
        while part:
            cells = list(zip(*part, strict=True))
            yield pandas().DataFrame({header[k]: [cell or None for cell in cells[k]] for k in places}, dtype=object)
            part = list(islice(records, rows))


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
        raise TableError(f"{path} has several columns named {twice[0]!r}: give each its own name")
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
    try:
        from pyarrow import ArrowException, parquet
    except ImportError:
        raise TableError(f"{path} needs pyarrow to be read: python -m pip install pyarrow, or save the table as CSV") from None
    with path.open("rb") as stream:
        try:
            file = parquet.ParquetFile(stream)
            chosen = _chosen(path, file.schema_arrow.names, columns)
            _refuse_empty(path, file.metadata.num_rows)
            for batch in file.iter_batches(batch_size=min(rows, file.metadata.num_rows), columns=chosen):
                yield batch.to_pandas()
        except (ArrowException, OSError):
            raise TableError(f"{path} is damaged, or not a Parquet file as its name says: copy or write it again") from None
