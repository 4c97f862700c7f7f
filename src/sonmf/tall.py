"""Tall matrices, words x topics, where they are: in memory, shared among our threads, or torch tensors on a device.

What is topics x topics is small: it is always at home, a numpy array.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Sequence
from functools import reduce
from typing import Any

import numpy as np

from sonmf.threads import Array, count, share

Sums = tuple[Any, ...]

WORTH_A_THREAD = 2**16  # numbers to read and write, or as long in products
PRODUCTS = 32  # products and sums of numbers in cache that take as long as to read and write one number
ROWS_IN_CACHE = 384


def gram(A: Any) -> Array:
    """A'A."""
    if not isinstance(A, np.ndarray):
        return home(A.T @ A)
    return np.asarray(added([(part,) for part in share(lambda rows: A[rows].T @ A[rows], parts_of(A, A.shape[1]))])[0])


def product(A: Any, B: Array) -> Any:
    """A B in the precision of A."""
    B = beside(B, A)
    if not isinstance(A, np.ndarray):
        return A @ B
    out = np.empty((len(A), B.shape[1]), A.dtype)
    share(lambda rows: np.matmul(A[rows], B, out=out[rows]), parts_of(A, B.shape[1]))
    return out


def shrunk(A: Any, B: Array) -> Any:
    """A - A B, in memory with the product in the precision of B."""
    if not isinstance(A, np.ndarray):
        return A - A @ beside(B, A)
    out = np.empty_like(A)

    def shrink(rows: slice) -> None:
        for i in range(rows.start, rows.stop, ROWS_IN_CACHE):
            few = slice(i, min(i + ROWS_IN_CACHE, rows.stop))
            np.subtract(A[few], A[few].astype(B.dtype, copy=False) @ B, out=out[few])

    share(shrink, parts_of(A, B.shape[1]))
    return out


def blend(a: float, A: Any, b: float, B: Any) -> Any:
    """aA + bB in the precision of A."""
    if not isinstance(A, np.ndarray):
        return a * A + b * B
    from sonmf import fused

    out = np.empty_like(A)
    a, b = A.dtype.type(a), A.dtype.type(b)
    share(lambda rows: fused.blend(a, A[rows], b, B[rows], out[rows]), parts_of(A))
    return out


def distance(A: Any, B: Any) -> float:
    """||A - B||, the Frobenius norm."""
    D = blend(1, A, -1, B)
    return float(np.linalg.norm(D)) if isinstance(D, np.ndarray) else float(D.norm())


def total(A: Any) -> float:
    """The sum of all entries."""
    if not isinstance(A, np.ndarray):
        return float(A.sum())
    return float(sum(share(lambda rows: A[rows].sum(), parts_of(A))))


def lifted(A: Any, floor: float) -> Any:
    """A with everything below the floor lifted to it, in memory in place."""
    if not isinstance(A, np.ndarray):
        return A.clip(floor)
    share(lambda rows: np.maximum(A[rows], floor, out=A[rows]), parts_of(A))
    return A


def added(parts: Sequence[Sums]) -> Sums:
    """The sums of all parts, each added in the order of the parts, so that they repeat to the bit."""
    return tuple(_sum(values) for values in zip(*parts, strict=True))


def _sum(values: Sequence[Any]) -> Any:
    if len(values) == 1 or not isinstance(values[0], np.ndarray):
        return reduce(operator.add, values)
    out = np.empty_like(values[0])

    def add(rows: slice) -> None:
        np.add(values[0][rows], values[1][rows], out=out[rows])
        for value in values[2:]:
            out[rows] += value[rows]

    share(add, parts_of(out))
    return out


def doubled(A: Any) -> Any:
    """A in float64."""
    return A.astype(np.float64, copy=False) if isinstance(A, np.ndarray) else A.double()


def home(A: Any) -> Array:
    """A as a numpy array."""
    return A if isinstance(A, np.ndarray) else np.asarray(A.cpu().numpy())


def beside(B: Array, A: Any) -> Any:
    """B where A is, in its precision."""
    return B.astype(A.dtype, copy=False) if isinstance(A, np.ndarray) else A.new_tensor(B)


def parts_of(A: Array, products: int = 0, times: int = 1) -> list[slice]:
    """The rows of A, a part for each thread that is worth one where every entry is multiplied so often.

    There are fewer where each part comes ``times`` times.
    """
    work = A.size * (1 + products // PRODUCTS)
    pieces = -(-max(1, min(count(), work // WORTH_A_THREAD)) // times)
    return cuts(len(A), pieces)


def cuts(rows: int, pieces: int) -> list[slice]:
    """So many rows in pieces of the same length, or nearly."""
    bounds = np.linspace(0, rows, pieces + 1).astype(int).tolist()
    return [slice(a, b) for a, b in itertools.pairwise(bounds)]
