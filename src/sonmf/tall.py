"""Tall matrices, words x topics, where they are: in memory, shared among our threads, or torch tensors on a device.

What is topics x topics is small: it is always at home, a numpy array.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from sonmf.threads import Array, count, run

ENTRIES_WORTH_A_THREAD = 2**15
ROWS_IN_CACHE = 384


def gram(A: Any) -> Array:
    """A'A."""
    if not isinstance(A, np.ndarray):
        return home(A.T @ A)
    parts: list[Array] = run(lambda rows: rows.T @ rows, _shares(A))
    return np.asarray(sum(parts[1:], start=parts[0]))


def product(A: Any, B: Array) -> Any:
    """A B in the precision of A."""
    B = beside(B, A)
    if not isinstance(A, np.ndarray):
        return A @ B
    out = np.empty((len(A), B.shape[1]), A.dtype)
    run(lambda rows, part: np.matmul(rows, B, out=part), _shares(A), _shares(out, A))
    return out


def shrunk(A: Any, B: Array) -> Any:
    """A - A B, in memory with the product in the precision of B."""
    if not isinstance(A, np.ndarray):
        return A - A @ beside(B, A)
    out = np.empty_like(A)

    def shrink(rows: Array, part: Array) -> None:
        for i in range(0, len(rows), ROWS_IN_CACHE):
            few = rows[i : i + ROWS_IN_CACHE]
            np.subtract(few, few.astype(B.dtype, copy=False) @ B, out=part[i : i + ROWS_IN_CACHE])

    run(shrink, _shares(A), _shares(out, A))
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


def _shares(A: Array, like: Array | None = None) -> list[Array]:
    """The rows of A, a share for each thread that is worth one for A, or for a matrix like it."""
    pieces = max(1, min(count(), (A if like is None else like).size // ENTRIES_WORTH_A_THREAD))
    bounds = np.linspace(0, len(A), pieces + 1).astype(int)
    return [A[a:b] for a, b in itertools.pairwise(bounds)]
