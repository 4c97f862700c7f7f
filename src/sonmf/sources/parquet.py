"""Parquet files, whose columns keep their own types."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

from sonmf.frames import DataFrame
from sonmf.sources import limits
from sonmf.sources.errors import TableError, refuse_names
from sonmf.sources.unpacking import PackedSource, TableFacts

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    from sonmf.types import Array

LONG = "{} has a row of more than {:,} bytes: shorten its longest cell, or leave that column out"
LARGEST_CELL = 32  # bytes of a number, a date or a truth value


class Parquet(PackedSource):
    """Decompressed one batch at a time; each piece is a stream of pyarrow with one batch."""

    endings = (".parquet",)
    decoder = ("pyarrow.parquet", "pyarrow")

    def inspect(self) -> TableFacts:
        with self._opened() as opened:
            file = opened()
            names = list(file.schema_arrow.names)
            refuse_names(names, self)
            return TableFacts(names, file.metadata.num_rows, [], "")

    def pieces(self, rows: int, columns: list[str]) -> Iterator[bytes]:
        from pyarrow import BufferOutputStream, ipc

        for batch in self.batches(rows, columns):
            target = BufferOutputStream()
            with ipc.new_stream(target, batch.schema) as stream:
                stream.write_batch(batch)
            yield target.getvalue()

    def frame(self, piece: bytes, columns: list[str]) -> DataFrame:
        from pyarrow import ipc

        table = ipc.open_stream(piece).read_all()
        return table.to_pandas(integer_object_nulls=True)  # otherwise 7 becomes 7.0 in batches with a missing value

    def batches(self, rows: int, columns: list[str]) -> Iterator[pa.RecordBatch]:
        """The columns as record batches of pyarrow, none larger than ``LARGEST_PART`` plus one row."""
        with self._opened() as opened:
            packed = opened()
            repeated = opened(metadata=packed.metadata, read_dictionary=_repeating(packed, columns))
            size = max(min(rows, limits.LARGEST_BATCH, packed.metadata.num_rows), 1)
            empty = 0
            for batch in repeated.iter_batches(batch_size=size, columns=columns):
                empty = empty + len(batch) if columns and all(column.null_count == len(column) for column in batch) else 0
                if empty > limits.MOST_EMPTY_LINES:
                    most = f"{limits.MOST_EMPTY_LINES:,}"
                    raise TableError(f"{self} has more than {most} consecutive rows without a value: remove them")
                yield from self._without_dictionaries(batch)

    def _without_dictionaries(self, batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
        """A batch with its dictionaries decoded, in small slices."""
        import numpy as np

        sizes = sum(map(_sizes, batch.columns), np.zeros(batch.num_rows, np.int64))
        if sizes.max(initial=0) > limits.LONGEST_ROW:
            raise TableError(LONG.format(self, limits.LONGEST_ROW))
        cuts = np.flatnonzero(np.diff(np.cumsum(sizes) // limits.LARGEST_PART)) + 1
        for start, stop in pairwise([0, *cuts.tolist(), batch.num_rows]):
            columns = [
                column.dictionary_decode() if hasattr(column, "dictionary") else column
                for column in batch.slice(start, stop - start).columns
            ]
            piece = batch.from_arrays(columns, batch.schema.names)
            if piece.nbytes > limits.LARGEST_PART + limits.LONGEST_ROW + LARGEST_CELL * piece.num_rows * piece.num_columns:
                raise TableError(LONG.format(self, limits.LONGEST_ROW))  # a list in a cell
            piece.validate(full=True)  # text that is not UTF-8 is damage
            yield piece

    @contextmanager
    def _opened(self) -> Iterator[Callable[..., ParquetFile]]:
        """How to open the file, with the options of ``pyarrow.parquet.ParquetFile``."""
        from pyarrow import ArrowException, default_memory_pool, parquet

        with self.file.open("rb") as stream:
            try:
                yield partial(parquet.ParquetFile, stream)
            except MemoryError:  # the one exception of pyarrow that is not about the file
                raise
            except (ArrowException, OSError):
                raise TableError(f"{self} is damaged, or not a Parquet file as its name says: copy or write it again") from None
            finally:
                default_memory_pool().release_unused()  # memory that it keeps for later counts against our limits


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


def _sizes(column: pa.Array) -> Array:
    """Bytes of each decoded text; 0 for other types, whose size is bounded by the number of rows."""
    import numpy as np
    from pyarrow import compute, types

    if types.is_dictionary(column.type):
        texts = _sizes(column.dictionary)
        return texts[compute.fill_null(column.indices, 0)] if len(texts) else np.zeros(len(column), np.int64)
    if any(
        is_text(column.type) for is_text in (types.is_string, types.is_binary, types.is_large_string, types.is_large_binary)
    ):
        return np.asarray(compute.fill_null(compute.binary_length(column), 0).to_numpy(zero_copy_only=False))
    return np.zeros(len(column), np.int64)
