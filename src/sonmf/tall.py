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

from sonmf.threads import count, share
from sonmf.types import Array

Sums = tuple[Any, ...]

WORTH_A_THREAD = 2**16  # numbers to read and write, or as long in products
WORTH_A_COMPILED_THREAD = 2**14  # the same where no thread waits for the interpreter
PRODUCTS = 32  # products and sums of numbers in cache that take as long as to read and write one number


def gram(A: Any) -> Array:
    """A'A."""
    if not isinstance(A, np.ndarray):
        return home(A.T @ A)
    if len(rows := compiled_rows(A, A.shape[1])) <= 2:
        return np.asarray(A.T @ A)
    k = A.shape[1]
    out, parts = np.empty((k, k), A.dtype), np.empty((len(rows) - 1, k, k), A.dtype)
    _together("gram", rows, _blas("syrk", A), np.ascontiguousarray(A), parts, out)
    return out


def product(A: Any, B: Array) -> Any:
    """A B in the precision of A."""
    B = beside(B, A)
    if not isinstance(A, np.ndarray) or len(rows := compiled_rows(A, B.shape[1])) <= 2:
        return A @ B
    out = np.empty((len(A), B.shape[1]), A.dtype)
    _together("product", rows, _blas("gemm", A), np.ascontiguousarray(A), np.ascontiguousarray(B), out)
    return out


def shrunk(A: Any, B: Array) -> Any:
    """A - A B, in memory with the product in the precision of B."""
    if not isinstance(A, np.ndarray):
        return A - A @ beside(B, A)
    out = np.empty(A.shape, A.dtype)
    rows = compiled_rows(A, B.shape[1])
    _together("shrunk", rows, _blas("gemm", B), np.ascontiguousarray(A), np.ascontiguousarray(B), out)
    return out


def blend(a: float, A: Any, b: float, B: Any) -> Any:
    """aA + bB in the precision of A."""
    if not isinstance(A, np.ndarray):
        return a * A + b * B
    out = np.empty(A.shape, A.dtype)
    a, b = A.dtype.type(a), A.dtype.type(b)
    _together("blend", compiled_rows(A), a, np.ascontiguousarray(A), b, np.ascontiguousarray(B), out)
    return out


def inverses(S: Array, shifts: Array, weights: Array) -> Array | None:
    """The sum of w (S + tI)^(-1) over shifts t and weights w, for a symmetric S; None unless every S + tI is positive."""
    from sonmf import fused, parallel

    out, parts, failures = np.empty_like(S), np.empty((len(shifts), *S.shape)), np.zeros(len(shifts), np.int32)
    lapack = fused.address("potrf", S.dtype), fused.address("potri", S.dtype)
    parallel.together(fused.inverses, min(count(), len(shifts)), *lapack, S, shifts, weights, parts, failures, out)
    return None if failures.any() else out


def _together(name: str, rows: Array, *arguments: Any) -> None:
    """A function of ``fused`` on so many parts of the rows, by as many threads."""
    from sonmf import fused, parallel

    parallel.together(getattr(fused, name), len(rows) - 1, rows, *arguments)


def _blas(name: str, A: Array) -> int:
    from sonmf import fused

    return fused.address(name, A.dtype)


def distance(A: Any, B: Any) -> float:
    """||A - B||, the Frobenius norm."""
    if not isinstance(A, np.ndarray):
        return float((A - B).norm())
    rows = compiled_rows(A)
    squares = np.zeros(len(rows) - 1)
    _together("distance", rows, np.ascontiguousarray(A), np.ascontiguousarray(B), squares)
    return float(np.sqrt(squares.sum()))


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


def parts_of(A: Array, products: int = 0) -> list[slice]:
    """The rows of A, a part for each thread that is worth one where every entry is multiplied so often."""
    work = A.size * (1 + products // PRODUCTS)
    return cuts(len(A), max(1, min(count(), work // WORTH_A_THREAD)))


def compiled_rows(A: Array, products: int = 0, copies: int = 1) -> Array:
    """Where such parts begin and end for compiled work, which may be smaller; A is read so many times."""
    work = A.size * (copies + products // PRODUCTS)
    return bounds(len(A), max(1, min(count(), work // WORTH_A_COMPILED_THREAD)))


def bounds(rows: int, pieces: int) -> Array:
    """Where pieces of the same length, or nearly, begin and end."""
    return np.linspace(0, rows, pieces + 1).astype(int)


def cuts(rows: int, pieces: int) -> list[slice]:
    """So many rows in pieces of the same length, or nearly."""
    return [slice(a, b) for a, b in itertools.pairwise(bounds(rows, pieces).tolist())]
