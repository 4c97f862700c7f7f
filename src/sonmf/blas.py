"""Sums and products of matrices in compiled code, rows shared among threads; numba's ``np.dot`` is BLAS.

The functions take the numbers of threads and of items, then where the rows of each item begin and end. Matrices are C
contiguous.
"""

from __future__ import annotations

import numpy as np

from sonmf.parallel import for_each_item

ROWS_IN_CACHE = 384


@for_each_item
def blend(item, rows, a, A, b, B, out):  # type: ignore[no-untyped-def]
    """out = aA + bB."""
    for i in range(rows[item], rows[item + 1]):
        for j in range(A.shape[1]):
            out[i, j] = a * A[i, j] + b * B[i, j]


@for_each_item
def column_squares(item, rows, A, B, squares):  # type: ignore[no-untyped-def]
    """||a||^2, ||b||^2 and ||a - b||^2 of each pair of columns, in parts."""
    for i in range(rows[item], rows[item + 1]):
        for j in range(A.shape[1]):
            a, b = np.float64(A[i, j]), np.float64(B[i, j])
            squares[item, 0, j] += a * a
            squares[item, 1, j] += b * b
            squares[item, 2, j] += (a - b) * (a - b)


@for_each_item
def product(item, rows, A, B, out):  # type: ignore[no-untyped-def]
    """out = AB."""
    np.dot(A[rows[item] : rows[item + 1]], B, out[rows[item] : rows[item + 1]])


@for_each_item
def shrink(item, rows, A, B, out):  # type: ignore[no-untyped-def]
    """out = A - AB, with the product in the precision of B."""
    near, less = np.empty((ROWS_IN_CACHE, A.shape[1]), B.dtype), np.empty((ROWS_IN_CACHE, A.shape[1]), B.dtype)
    for first in range(rows[item], rows[item + 1], ROWS_IN_CACHE):
        count = min(ROWS_IN_CACHE, rows[item + 1] - first)
        for i in range(count):
            for j in range(A.shape[1]):
                near[i, j] = A[first + i, j]
        np.dot(near[:count], B, less[:count])
        for i in range(count):
            for j in range(A.shape[1]):
                out[first + i, j] = A[first + i, j] - less[i, j]
