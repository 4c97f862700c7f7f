"""Tall and small matrices in compiled code that our threads share: sums in one go over memory, products by BLAS and LAPACK.

A board and the rows of each item come first. Matrices are C contiguous; BLAS sees them transposed.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from sonmf.compiled import compiled
from sonmf.llvm import extending
from sonmf.parallel import dealt, native

PLAIN, TRANSPOSED, UPPER = (np.frombuffer(letter, np.uint8) for letter in (b"N", b"T", b"U"))
ROWS_IN_CACHE = 384
EVERY = 8  # rows of a sum that one item makes


@cache
def address(name: str, dtype: Any) -> int:
    """Where scipy's BLAS or LAPACK has a function for such numbers."""
    module = "cython_lapack" if name.startswith("po") else "cython_blas"
    kind = "s" if np.dtype(dtype).itemsize == 4 else "d"
    return int(extending.get_cython_function_address(f"scipy.linalg.{module}", kind + name))


@compiled
def _int(x):  # type: ignore[no-untyped-def]
    return np.full(1, x, np.int32)


@compiled
def multiply(gemm, A, B, out):  # type: ignore[no-untyped-def]
    """out = AB."""
    n, k = _int(B.shape[1]), _int(len(B))
    native(gemm, (PLAIN, PLAIN, n, _int(len(A)), k, np.ones(1, A.dtype), B, n, A, k, np.zeros(1, A.dtype), out, n))


@compiled
def multiply_transposed(gemm, A, B, out):  # type: ignore[no-untyped-def]
    """out = AB'."""
    n, k = _int(len(B)), _int(B.shape[1])
    native(gemm, (TRANSPOSED, PLAIN, n, _int(len(A)), k, np.ones(1, A.dtype), B, k, A, k, np.zeros(1, A.dtype), out, n))


@compiled
def add_transposed(gemm, A, B, out):  # type: ignore[no-untyped-def]
    """out += A'B."""
    n, m, one = _int(B.shape[1]), _int(A.shape[1]), np.ones(1, A.dtype)
    native(gemm, (PLAIN, TRANSPOSED, n, m, _int(len(A)), one, B, n, A, m, one, out, n))


@dealt
def _blend(item, rows, a, A, b, B, out):  # type: ignore[no-untyped-def]
    for i in range(rows[item], rows[item + 1]):
        for j in range(A.shape[1]):
            out[i, j] = a * A[i, j] + b * B[i, j]


@compiled
def blend(board, rows, a, A, b, B, out):  # type: ignore[no-untyped-def]
    """out = aA + bB."""
    _blend(board, len(rows) - 1, (rows, a, A, b, B, out))


@dealt
def _distance(item, rows, A, B, squares):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(rows[item], rows[item + 1]):
        for j in range(A.shape[1]):
            total += np.float64(A[i, j] - B[i, j]) ** 2
    squares[item] = total


@compiled
def distance(board, rows, A, B, squares):  # type: ignore[no-untyped-def]
    """||A - B||^2 in parts."""
    _distance(board, len(squares), (rows, A, B, squares))


@dealt
def _product(item, rows, gemm, A, B, out):  # type: ignore[no-untyped-def]
    multiply(gemm, A[rows[item] : rows[item + 1]], B, out[rows[item] : rows[item + 1]])


@compiled
def product(board, rows, gemm, A, B, out):  # type: ignore[no-untyped-def]
    """out = AB."""
    _product(board, len(rows) - 1, (rows, gemm, A, B, out))


@dealt
def _shrunk(item, rows, gemm, A, B, out):  # type: ignore[no-untyped-def]
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


@compiled
def shrunk(board, rows, gemm, A, B, out):  # type: ignore[no-untyped-def]
    """out = A - AB, with the product in the precision of B."""
    _shrunk(board, len(rows) - 1, (rows, gemm, A, B, out))


@dealt
def _gram(item, rows, syrk, A, parts):  # type: ignore[no-untyped-def]
    some, one, zero = A[rows[item] : rows[item + 1]], np.full(1, 1, A.dtype), np.full(1, 0, A.dtype)
    n = _int(A.shape[1])
    native(syrk, (UPPER, PLAIN, n, _int(len(some)), one, some, n, zero, parts[item], n))


@dealt
def _add_symmetric(item, parts, weights, out):  # type: ignore[no-untyped-def]
    """A few rows of the sum of weighted parts, of which only the lower triangles are filled."""
    for i in range(item * EVERY, min((item + 1) * EVERY, len(out))):
        row = np.zeros(i + 1, out.dtype)
        for part in range(len(parts)):
            for j in range(i + 1):
                row[j] += weights[part] * parts[part, i, j]
        for j in range(i + 1):
            out[i, j] = out[j, i] = row[j]


@compiled
def gram(board, rows, syrk, A, parts, out):  # type: ignore[no-untyped-def]
    """out = A'A."""
    _gram(board, len(parts), (rows, syrk, A, parts))
    _add_symmetric(board, -(-len(out) // EVERY), (parts, np.ones(len(parts), out.dtype), out))


@dealt
def _inverse(item, potrf, potri, S, shifts, parts, failures):  # type: ignore[no-untyped-def]
    part, n, info = parts[item], _int(len(S)), failures[item : item + 1]
    for i in range(len(S)):
        for j in range(i + 1):
            part[i, j] = S[i, j]
        part[i, i] += shifts[item]
    native(potrf, (UPPER, n, part, n, info))
    if info[0] == 0:
        native(potri, (UPPER, n, part, n, info))


@compiled
def inverses(board, potrf, potri, S, shifts, weights, parts, failures, out):  # type: ignore[no-untyped-def]
    """out = sum of w (S + t I)^(-1) over the shifts t and their weights w, unless a factorisation fails."""
    _inverse(board, len(shifts), (potrf, potri, S, shifts, parts, failures))
    _add_symmetric(board, -(-len(out) // EVERY), (parts, weights, out))
