"""Arithmetic on words x topics matrices where they are: numpy arrays in memory, shared among our threads, or torch tensors.

Matrices of topics x topics are small: they are always numpy arrays.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from sonmf.threads import count, share
from sonmf.types import Array

if TYPE_CHECKING:
    from torch import Tensor

DeviceArray: TypeAlias = "Array | Tensor"
"""A numpy array, or a torch tensor on its device."""

Sums: TypeAlias = tuple[Any, ...]
"""What a kernel returns to be added up over the blocks: arrays and numbers, a fixed number of each for each kernel."""

WORTH_A_THREAD = 2**16  # numbers to read and write, or products that take as long: for fewer it is not worth waking one
PRODUCTS = 32  # multiplications and additions in cache that take as long as reading and writing one number


def gram(A: DeviceArray) -> Array:
    """A'A."""
    if not isinstance(A, np.ndarray):
        return to_numpy(A.T @ A)
    parts = share(
        lambda rows: (A[rows].T @ A[rows],), thread_slices(A, A.shape[1])
    )  # numpy computes half of a symmetric product
    return np.asarray(add_up(parts)[0])


def product(A: DeviceArray, B: Array) -> DeviceArray:
    """A B in the precision of A."""
    B = like(B, A)
    if not isinstance(A, np.ndarray) or len(rows := thread_bounds(A, B.shape[1])) <= 2:
        return A @ B
    out = np.empty((len(A), B.shape[1]), A.dtype)
    _by_rows("product", rows, np.ascontiguousarray(A), np.ascontiguousarray(B), out)
    return out


def shrink(A: DeviceArray, B: Array) -> DeviceArray:
    """A - A B. In memory the product has the precision of B."""
    if not isinstance(A, np.ndarray):
        return A - A @ like(B, A)
    out = np.empty(A.shape, A.dtype)
    rows = thread_bounds(A, B.shape[1])
    _by_rows("shrink", rows, np.ascontiguousarray(A), np.ascontiguousarray(B), out)
    return out


def blend(a: float, A: DeviceArray, b: float, B: DeviceArray) -> DeviceArray:
    """aA + bB in the precision of A."""
    if not isinstance(A, np.ndarray):
        return a * A + b * B
    out = np.empty(A.shape, A.dtype)
    a, b = A.dtype.type(a), A.dtype.type(b)
    _by_rows("blend", thread_bounds(A), a, np.ascontiguousarray(A), b, np.ascontiguousarray(B), out)
    return out


def _by_rows(name: str, rows: Array, *arguments: object) -> None:
    """Run a function of ``blas`` with one thread for each part of the rows."""
    from sonmf import blas

    getattr(blas, name)(len(rows) - 1, len(rows) - 1, rows, *arguments)


def column_turns(A: DeviceArray, B: DeviceArray) -> Array:
    """||a / ||a|| - b / ||b|| || for each pair of columns: the angle between them, in radians, if it is small."""
    aa, bb, ab = _column_squares(A, B)
    # = (||a - b||^2 - (||a|| - ||b||)^2) / (||a|| ||b||), where a small angle does not cancel as it would in 2 - 2 cos.
    lengths = np.sqrt(aa), np.sqrt(bb)
    squares = np.maximum(ab - (lengths[0] - lengths[1]) ** 2, 0)
    return np.asarray(np.sqrt(np.divide(squares, lengths[0] * lengths[1], out=np.zeros_like(aa), where=(aa > 0) & (bb > 0))))


def _column_squares(A: DeviceArray, B: DeviceArray) -> Array:
    """||a||^2, ||b||^2 and ||a - b||^2 of each pair of columns, in float64."""
    if not isinstance(A, np.ndarray):
        A, B = to_float64(A), to_float64(B)
        return np.stack([to_numpy((C * C).sum(0)) for C in (A, B, A - B)])
    rows = thread_bounds(A)
    squares = np.zeros((len(rows) - 1, 3, A.shape[1]))
    _by_rows("column_squares", rows, np.ascontiguousarray(A), np.ascontiguousarray(B), squares)
    return np.asarray(squares.sum(axis=0))


def total(A: DeviceArray) -> float:
    """The sum of all entries."""
    if not isinstance(A, np.ndarray):
        return float(A.sum())
    return float(sum(share(lambda rows: A[rows].sum(), thread_slices(A))))


def raise_to(A: DeviceArray, floor: float) -> DeviceArray:
    """max(A, floor), in memory in place."""
    if not isinstance(A, np.ndarray):
        return A.clip(floor)
    share(lambda rows: np.maximum(A[rows], floor, out=A[rows]), thread_slices(A))
    return A


def add_up(parts: Sequence[Sums]) -> Sums:
    """The sums of all parts, added in the order of the parts, so that the same parts give the same bits."""
    return tuple(_sum(values) for values in zip(*parts, strict=True))


def _sum(values: Sums) -> object:
    if len(values) == 1 or not isinstance(values[0], np.ndarray):
        return reduce(operator.add, values)
    out = np.empty_like(values[0])

    def add(rows: slice) -> None:
        np.add(values[0][rows], values[1][rows], out=out[rows])
        for value in values[2:]:
            out[rows] += value[rows]

    share(add, thread_slices(out))
    return out


def to_float64(A: DeviceArray) -> DeviceArray:
    """A in float64."""
    return A.astype(np.float64, copy=False) if isinstance(A, np.ndarray) else A.double()


def to_numpy(A: DeviceArray) -> Array:
    """A as a numpy array."""
    return np.asarray(A.cpu() if hasattr(A, "cpu") else A)  # a dask array is computed


def like(B: Array, A: DeviceArray) -> DeviceArray:
    """B on the device of A, in the precision of A."""
    return B.astype(A.dtype, copy=False) if isinstance(A, np.ndarray) else A.new_tensor(B)


def thread_slices(A: Array, products: int = 0) -> list[slice]:
    """The rows of A in a slice for each thread that pays off, if every entry takes part in so many products."""
    return _slices(thread_bounds(A, products))


def thread_bounds(A: Array, products: int = 0, copies: int = 1) -> Array:
    """The bounds of the slices for threads, if A is read ``copies`` times."""
    work = A.size * (copies + products // PRODUCTS)
    return bounds(len(A), max(1, min(count(), work // WORTH_A_THREAD)))


def bounds(rows: int, pieces: int) -> Array:
    """The bounds of pieces of nearly the same length."""
    return np.linspace(0, rows, pieces + 1).astype(int)


def split_rows(rows: int, pieces: int) -> list[slice]:
    """The rows in pieces of nearly the same length."""
    return _slices(bounds(rows, pieces))


def _slices(bounds: Array) -> list[slice]:
    return [slice(a, b) for a, b in itertools.pairwise(bounds.tolist())]
