"""Products and inverses of small matrices in compiled code, by calls to the BLAS and LAPACK of scipy.

Matrices are C contiguous; BLAS sees them transposed. The functions ask for the addresses of what they call.
"""

from __future__ import annotations

import numpy as np

from sonmf.compiled import compiled
from sonmf.parallel import native

PLAIN, TRANSPOSED, UPPER = (np.frombuffer(letter, np.uint8) for letter in (b"N", b"T", b"U"))


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


@compiled
def gram_triangle(syrk, A, out):  # type: ignore[no-untyped-def]
    """out = A'A, the lower triangle alone."""
    n, one, zero = _int(A.shape[1]), np.full(1, 1, A.dtype), np.full(1, 0, A.dtype)
    native(syrk, (UPPER, PLAIN, n, _int(len(A)), one, A, n, zero, out, n))


@compiled
def invert_triangle(potrf, potri, S, info):  # type: ignore[no-untyped-def]
    """S = S^(-1), the lower triangles alone; info becomes other than 0 if S is not positive."""
    n = _int(len(S))
    native(potrf, (UPPER, n, S, n, info))
    if info[0] == 0:
        native(potri, (UPPER, n, S, n, info))
