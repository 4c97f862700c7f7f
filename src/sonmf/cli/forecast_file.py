"""A forecast on disk or in a pipe: CSV, TSV or Parquet, written row by row as the forecasts come."""

from __future__ import annotations

import csv
import datetime
import gzip
from collections.abc import Callable, Iterable, Iterator, Mapping
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, TextIO

from sonmf.sources import Source

if TYPE_CHECKING:
    from pyarrow import Schema

FIELDS = ("id", "probability", "top_topics", "top_words", "top_columns", "remark")
"""The first columns of a forecast; columns that are copied follow."""
PROBABILITY = FIELDS.index("probability")
ENDINGS = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet")
ROWS = 20_000  # of a part of a Parquet file
LARGEST = 2**63  # of a whole number that Parquet holds
KEPT = (bool, int, float, str, datetime.datetime, datetime.date)
"""Types of cells that Parquet keeps; others become text."""

Write = Callable[[Path, Iterator[list[object]]], None]


def writer(path: Path, fields: list[str], source: Source, copied: Mapping[str, str], cell: Callable[[object], object]) -> Write:
    """How a forecast with these fields is written, by the ending of the path.

    ``copied`` tells which column of the source a field is copied from. In Parquet nothing is taken for a formula, and cells
    stay; their types have to be known before the first row is written, so these columns are read once more.
    """
    if path.name.endswith(".parquet"):
        schema = _schema(fields, source, copied)
        return lambda partial, rows: write_parquet(partial, schema, rows)
    separator = "\t" if ".tsv" in path.suffixes else ","

    def write(partial: Path, rows: Iterator[list[object]]) -> None:
        with partial.open("wb") as plain, _packed(plain, partial) as file:
            write_delimited(file, fields, rows, separator, cell)

    return write


def _packed(file: BinaryIO, path: Path) -> TextIO:
    """A file for text, compressed if the path ends with .gz; it holds no name and no time, so that its bytes repeat."""
    if path.suffix != ".gz":
        return TextIOWrapper(file, "utf-8", newline="")
    packed = gzip.GzipFile("", "wb", fileobj=file, mtime=0)
    return TextIOWrapper(packed, "utf-8", newline="")


def write_parquet(path: Path, schema: Schema, rows: Iterator[list[object]]) -> None:
    """A part in memory at a time."""
    from pyarrow import array, parquet, table, types

    with parquet.ParquetWriter(path, schema) as file:
        while part := list(islice(rows, ROWS)):
            columns = []
            for kind, cells in zip(schema.types, zip(*part, strict=True), strict=True):
                as_it_is = str if types.is_string(kind) else unchanged
                known = [None if cell is None or cell != cell else as_it_is(cell) for cell in cells]
                columns.append(array(known, kind, from_pandas=True))
            file.write_table(table(columns, schema=schema))


def unchanged(cell: object) -> object:
    return cell


def _schema(fields: list[str], source: Source, copied: Mapping[str, str]) -> Schema:
    """The probability is a number, what is copied has the type of its column, and all else is text.

    A column has a type if all its values have the same, else it is text: a workbook may hold 7 and "007".
    """
    from pyarrow import float64, int64, scalar, schema, string

    kinds = dict.fromkeys(fields, string()) | {"probability": float64(), "id": int64()}  # the numbers of the rows
    seen_types: dict[str, dict[type, object]] = {name: {} for name in copied.values()}
    if seen_types:
        for frame in source.chunks(columns=seen_types):
            for name, seen in seen_types.items():
                for value in frame[name].dropna():
                    odd = isinstance(value, int) and not -LARGEST <= value < LARGEST
                    seen.setdefault(str if odd or not isinstance(value, KEPT) else type(value), value)
    for field, name in copied.items():
        seen = seen_types[name]
        kinds[field] = scalar(next(iter(seen.values()))).type if len(seen) == 1 and str not in seen else string()
    return schema(list(kinds.items()))


def as_text(row: list[object]) -> list[object]:
    """A row of a forecast with six digits of its probability, as people read it."""
    return [*row[:PROBABILITY], f"{row[PROBABILITY]:.6f}", *row[PROBABILITY + 1 :]]


def write_delimited(
    file: TextIO, fields: list[str], rows: Iterable[list[object]], delimiter: str, cell: Callable[[object], object]
) -> None:
    separated = csv.writer(file, delimiter=delimiter, lineterminator="\n")
    quoting = csv.writer(file, delimiter=delimiter, lineterminator="\n", quoting=csv.QUOTE_ALL)
    separated.writerow([cell(name) for name in fields])
    for row in rows:
        cells = [cell(value) for value in as_text(row)]
        returns = any(
            "\r" in text for text in cells if isinstance(text, str)
        )  # which csv leaves bare, and readers end a row at
        (quoting if returns else separated).writerow(cells)
