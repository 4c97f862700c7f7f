"""Arithmetic on matrices in compiled code that our threads share: sums in one go over memory, products by BLAS and LAPACK.

The functions for ``parallel.run_together`` take a board and the rows of each item first. Matrices are C contiguous.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import DTypeLike

from sonmf import llvm
from sonmf.llvm import extending
from sonmf.parallel import for_each_item, leader

if llvm.AVAILABLE:
    from sonmf.blas.native import add_transposed, gram_triangle, invert_triangle, multiply, multiply_transposed
else:
    from sonmf.blas.plain import add_transposed, gram_triangle, invert_triangle, multiply, multiply_transposed

__all__ = [
    "add_transposed",
    "address",
    "blend",
    "distance",
    "gram",
    "inverses",
    "multiply",
    "multiply_transposed",
    "product",
    "shrink",
]

ROWS_IN_CACHE = 384
EVERY = 8  # rows of a sum that one item computes


@cache
def address(name: str, dtype: DTypeLike) -> int:
    """The address of a function of scipy's BLAS or LAPACK for numbers of this dtype."""
    module = "cython_lapack" if name.startswith("po") else "cython_blas"
    kind = "s" if np.dtype(dtype).itemsize == 4 else "d"
    return int(extending.get_cython_function_address(f"scipy.linalg.{module}", kind + name))


@for_each_item
def _blend(item, rows, a, A, b, B, out):  # type: ignore[no-untyped-def]
    for i in range(rows[item], rows[item + 1]):
        for j in range(A.shape[1]):
            out[i, j] = a * A[i, j] + b * B[i, j]


@leader
def blend(board, rows, a, A, b, B, out):  # type: ignore[no-untyped-def]
    """out = aA + bB."""
    _blend(board, len(rows) - 1, (rows, a, A, b, B, out))


@for_each_item
def _distance(item, rows, A, B, squares):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(rows[item], rows[item + 1]):
        for j in range(A.shape[1]):
            total += np.float64(A[i, j] - B[i, j]) ** 2
    squares[item] = total


@leader
def distance(board, rows, A, B, squares):  # type: ignore[no-untyped-def]
    """||A - B||^2 in parts."""
    _distance(board, len(squares), (rows, A, B, squares))


@for_each_item
def _product(item, rows, gemm, A, B, out):  # type: ignore[no-untyped-def]
    multiply(gemm, A[rows[item] : rows[item + 1]], B, out[rows[item] : rows[item + 1]])


@leader
def product(board, rows, gemm, A, B, out):  # type: ignore[no-untyped-def]
    """out = AB."""
    _product(board, len(rows) - 1, (rows, gemm, A, B, out))


@for_each_item
def _shrink(item, rows, gemm, A, B, out):  # type: ignore[no-untyped-def]
    some, less = np.empty((ROWS_IN_CACHE, A.shape[1]), B.dtype), np.empty((ROWS_IN_CACHE, A.shape[1]), B.dtype)
    for first in range(rows[item], rows[item + 1], ROWS_IN_CACHE):
        count = min(ROWS_IN_CACHE, rows[item + 1] - first)
        for i in range(count):
            for j in range(A.shape[1]):
                some[i, j] = A[first + i, j]
        multiply(gemm, some[:count], B, less)
        for i in range(count):
            for j in range(A.shape[1]):
                out[first + i, j] = A[first + i, j] - less[i, j]


@leader
def shrink(board, rows, gemm, A, B, out):  # type: ignore[no-untyped-def]
    """out = A - AB, with the product in the precision of B."""
    _shrink(board, len(rows) - 1, (rows, gemm, A, B, out))


@for_each_item
def _gram(item, rows, syrk, A, parts):  # type: ignore[no-untyped-def]
    gram_triangle(syrk, A[rows[item] : rows[item + 1]], parts[item])


@for_each_item
def _add_symmetric(item, parts, weights, out):  # type: ignore[no-untyped-def]
    """A few rows of the sum of weighted parts, of which only the lower triangles are filled."""
    for i in range(item * EVERY, min((item + 1) * EVERY, len(out))):
        row = np.zeros(i + 1, out.dtype)
        for part in range(len(parts)):
            for j in range(i + 1):
                row[j] += weights[part] * parts[part, i, j]
        for j in range(i + 1):
            out[i, j] = out[j, i] = row[j]


@leader
def gram(board, rows, syrk, A, parts, out):  # type: ignore[no-untyped-def]
    """out = A'A."""
    _gram(board, len(parts), (rows, syrk, A, parts))
    _add_symmetric(board, -(-len(out) // EVERY), (parts, np.ones(len(parts), out.dtype), out))


@for_each_item
def _inverse(item, potrf, potri, S, shifts, parts, failures):  # type: ignore[no-untyped-def]
    part = parts[item]
    for i in range(len(S)):
        for j in range(i + 1):
            part[i, j] = S[i, j]
        part[i, i] += shifts[item]
    invert_triangle(potrf, potri, part, failures[item : item + 1])


@leader
def inverses(board, potrf, potri, S, shifts, weights, parts, failures, out):  # type: ignore[no-untyped-def]
    """out = sum of w (S + t I)^(-1) over the shifts t and their weights w, unless a factorisation fails."""
    _inverse(board, len(shifts), (potrf, potri, S, shifts, parts, failures))
    _add_symmetric(board, -(-len(out) // EVERY), (parts, weights, out))
