"""Notes in partitions that dask keeps or loads: tallies come home, and each partition becomes one block of the matrix."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from sonmf.kernels import kinds
from sonmf.text.tally import Tally, added

FAN_IN = 8


def lives(X: Any) -> bool:
    """Whether X is a dask bag, series or dataframe."""
    return kinds.of(X) is kinds.DASK


def tally(count: Callable[[Any], Tally], X: Any) -> tuple[Tally, list[int]]:
    """The tally of all notes, and how many each partition has, in one pass."""
    import dask

    parts = _each(count, X)
    lengths = [dask.delayed(_length)(part) for part in parts]
    while len(parts) > 1:
        parts = [dask.delayed(added)(parts[i : i + FAN_IN]) for i in range(0, len(parts), FAN_IN)]
    total, *found = dask.compute(*parts, *lengths)
    return total, found


def lengths(X: Any) -> list[int]:
    """How many notes each partition has."""
    import dask

    return list(dask.compute(*_each(_rows, X)))


def matrix(weigh: Callable[[Any], Any], X: Any, rows: Iterable[int], n_words: int) -> Any:
    """A dask array with a CSR block for each partition, made when it is asked for."""
    import dask.array

    blocks = zip(_each(weigh, X), rows, strict=True)
    return dask.array.concatenate([dask.array.from_delayed(block, (n, n_words), dtype=np.float64) for block, n in blocks])


def _each(function: Callable[[Any], Any], X: Any) -> list[Any]:
    """A task for each partition; what the function carries travels once."""
    import dask

    shared = dask.delayed(function)
    return [dask.delayed(_applied)(shared, part, number) for number, part in enumerate(X.to_delayed())]


# ---- what runs where the notes are ----


def _applied(function: Callable[[Any], Any], part: Any, number: int) -> Any:
    try:
        return function(part)
    except ValueError as error:
        raise ValueError(f"partition {number} of X: {error}") from None


def _length(part: Tally) -> int:
    return part.notes


def _rows(part: Any) -> int:
    return len(part)
