"""The operations of ``lanes`` in plain numba: a row is a small array that each operation overwrites."""

from __future__ import annotations

import numpy as np

from sonmf.compiled import compiled


@compiled
def nothing(A, lanes):  # type: ignore[no-untyped-def]
    """A row of zeros for the numbers of A."""
    return np.zeros(lanes, A.dtype)


@compiled
def plus(row, x, A, i):  # type: ignore[no-untyped-def]
    """row + x A[i]."""
    for c in range(len(row)):
        row[c] += x * A[i, c]
    return row


@compiled
def add(A, i, x, row):  # type: ignore[no-untyped-def]
    """A[i] += x row."""
    for c in range(len(row)):
        A[i, c] += x * row[c]


@compiled
def put(A, i, row):  # type: ignore[no-untyped-def]
    """A[i] = row."""
    for c in range(len(row)):
        A[i, c] = row[c]


@compiled
def positive(row):  # type: ignore[no-untyped-def]
    """[row]+."""
    for c in range(len(row)):
        if row[c] < 0:  # NaN stays NaN
            row[c] = 0
    return row


@compiled
def square(row):  # type: ignore[no-untyped-def]
    """||row||^2 in float64."""
    total = 0.0
    for c in range(len(row)):
        total += np.float64(row[c]) ** 2
    return total
