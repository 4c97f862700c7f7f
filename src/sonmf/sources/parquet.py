"""Parquet, with its own types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from sonmf.frames import DataFrame
from sonmf.sources import limits
from sonmf.sources.column_names import refuse_names
from sonmf.sources.errors import TableError
from sonmf.sources.source import File, FileSource
from sonmf.types import Array

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile


class Parquet(FileSource):
    """Decompressed one batch at a time: a file of a few bytes can hold gigabytes."""

    endings = (".parquet",)

    def names(self) -> list[str]:
        with _parquet(self.file) as opened:
            return self._names(opened())

    def parts(self, rows: int, columns: list[str]) -> Iterator[DataFrame]:
        for batch in self.batches(rows, columns):
            yield batch.to_pandas(integer_object_nulls=True)  # otherwise 7 becomes 7.0 in batches with a missing value

    def batches(self, rows: int, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """The same as record batches of pyarrow, none larger than ``LARGEST_PART`` plus one row."""
        with _parquet(self.file) as opened:
            packed = opened()
            if packed.metadata.num_rows == 0:
                raise TableError(f"{self} {self.without_rows}")
            repeated = opened(metadata=packed.metadata, read_dictionary=_repeating(packed, columns))
            size = min(rows, limits.LARGEST_BATCH, packed.metadata.num_rows)
            empty = 0
            for batch in repeated.iter_batches(batch_size=size, columns=columns):
                empty = empty + len(batch) if columns and all(one.null_count == len(one) for one in batch) else 0
                if empty > limits.MOST_EMPTY_LINES:
                    most = f"{limits.MOST_EMPTY_LINES:,}"
                    raise TableError(f"{self.file} has more than {most} consecutive rows without a value: remove them")
                yield from _without_dictionaries(self.file, batch)

    def declared(self, columns: list[str]) -> tuple[int, int]:
        """Rows, and bytes of these columns, as the file declares them: quick, and true unless the file was forged."""
        with _parquet(self.file) as opened:
            facts = opened().metadata
        parts = [facts.row_group(g).column(k) for g in range(facts.num_row_groups) for k in range(facts.num_columns)]
        return facts.num_rows, sum(one.total_uncompressed_size for one in parts if one.path_in_schema in set(columns))

    def _names(self, opened: ParquetFile) -> list[str]:
        names = list(opened.schema_arrow.names)
        refuse_names(names, self.file)
        return names


def _repeating(opened: ParquetFile, wanted: list[str]) -> list[str]:
    """Text columns to be read as codes of a dictionary: a file of a few bytes can repeat a long text very often."""
    names, groups = set(wanted), range(opened.metadata.num_row_groups)
    places = [k for k in range(len(opened.schema)) if opened.schema.column(k).path in names]
    texts = [k for k in places if opened.schema.column(k).physical_type == "BYTE_ARRAY"]
    return [
        opened.schema.column(k).path
        for k in texts
        if not any(
            "DELTA" in code for g in groups for code in opened.metadata.row_group(g).column(k).encodings
        )  # not in pyarrow
    ]


def _without_dictionaries(file: File, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """A batch with its dictionaries decoded, in small slices."""
    sizes = sum(map(_sizes, batch.columns), np.zeros(batch.num_rows, np.int64))
    if sizes.max(initial=0) > limits.LONGEST_ROW:
        raise TableError(
            f"{file} has a row of more than {limits.LONGEST_ROW:,} bytes: shorten its longest cell, or leave that column out"
        )
    cuts = np.flatnonzero(np.diff(np.cumsum(sizes) // limits.LARGEST_PART)) + 1
    for start, stop in pairwise([0, *cuts.tolist(), batch.num_rows]):
        columns = [
            one.dictionary_decode() if hasattr(one, "dictionary") else one for one in batch.slice(start, stop - start).columns
        ]
        yield batch.from_arrays(columns, batch.schema.names)


def _sizes(column: pa.Array) -> Array:
    """Bytes of each decoded text; 0 for other types, whose size is bounded by the number of rows."""
    from pyarrow import compute, types

    if types.is_dictionary(column.type):
        texts = _sizes(column.dictionary)
        return texts[compute.fill_null(column.indices, 0)] if len(texts) else np.zeros(len(column), np.int64)
    if types.is_string(column.type) or types.is_binary(column.type):
        return np.asarray(compute.fill_null(compute.binary_length(column), 0).to_numpy(zero_copy_only=False))
    return np.zeros(len(column), np.int64)


@contextmanager
def _parquet(file: File) -> Iterator[Callable[..., ParquetFile]]:
    """How to open a file as Parquet, with the options of ``pyarrow.parquet.ParquetFile``."""
    try:
        from pyarrow import ArrowException, default_memory_pool, parquet
    except ImportError:
        raise TableError(f"{file} needs pyarrow to be read: python -m pip install pyarrow, or save the table as CSV") from None
    with file.open("rb") as stream:
        try:
            yield partial(parquet.ParquetFile, stream)
        except MemoryError:  # the one exception of pyarrow that is not about the file
            raise
        except (ArrowException, OSError):
            raise TableError(f"{file} is damaged, or not a Parquet file as its name says: copy or write it again") from None
        finally:
            default_memory_pool().release_unused()  # memory that it keeps for later counts against our limits
