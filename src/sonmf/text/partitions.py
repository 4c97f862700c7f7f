"""Notes in partitions of dask: only counts are collected, and each partition becomes one block of the matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from sonmf.device_arrays import add_up
from sonmf.errors import InputError
from sonmf.kernels import kinds
from sonmf.types import Matrix

if TYPE_CHECKING:
    from dask.array import Array as DaskArray
    from dask.bag import Bag
    from dask.dataframe import DataFrame, Series
    from dask.delayed import Delayed

Notes: TypeAlias = Sequence[object]
DaskNotes: TypeAlias = "Bag | Series | DataFrame"
FAN_IN = 8


class CorpusCounts(NamedTuple):
    """The counts of a part of the notes. A fit needs nothing else of it, and adds up the counts of all parts."""

    notes: int
    features: Counter[str]
    """How many notes have each feature."""
    words: Counter[str]
    """How often each word occurs as it is written, in the order of first appearance."""


def add_counts(parts: Sequence[CorpusCounts]) -> CorpusCounts:
    """The counts of all notes, in the order of the parts, so that first appearances stay first."""
    return CorpusCounts(*add_up(parts))


def is_dask(X: object) -> bool:
    """Whether X is a dask bag, series or dataframe."""
    return kinds.of(X) is kinds.DASK


def count_words(count: Callable[[Notes], CorpusCounts], X: DaskNotes) -> tuple[CorpusCounts, list[int]]:
    """The counts of all notes, and the number of notes in each partition, in one pass."""
    import dask

    parts = _each(count, X)
    lengths = [part.notes for part in parts]
    while len(parts) > 1:
        parts = [dask.delayed(add_counts)(parts[i : i + FAN_IN]) for i in range(0, len(parts), FAN_IN)]
    total, *rows = dask.compute(*parts, *lengths)
    return total, rows


def lengths(X: DaskNotes) -> list[int]:
    """The number of notes in each partition."""
    import dask

    return list(dask.compute(*_each(len, X)))


def matrix(weigh: Callable[[Notes], Matrix], X: DaskNotes, rows: Iterable[int], n_words: int) -> DaskArray:
    """A dask array with a CSR block for each partition, computed when it is needed."""
    import dask.array

    blocks = zip(_each(weigh, X), rows, strict=True)
    return dask.array.concatenate([dask.array.from_delayed(block, (n, n_words), dtype=np.float64) for block, n in blocks])


def _each(function: Callable[[Notes], object], X: DaskNotes) -> list[Delayed]:
    """A task for each partition; the function itself is sent once."""
    import dask

    shared = dask.delayed(function)
    return [dask.delayed(_apply)(shared, part, number) for number, part in enumerate(X.to_delayed())]


# ---- runs on the workers ----


def _apply(function: Callable[[Notes], object], part: Notes, number: int) -> object:
    try:
        return function(part)
    except ValueError as error:
        raise InputError(f"partition {number} of X: {error}") from None
