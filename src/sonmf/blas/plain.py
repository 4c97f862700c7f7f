"""The functions of ``native`` in plain numba, which calls BLAS and LAPACK itself; addresses are not used."""

from __future__ import annotations

import numpy as np

from sonmf.compiled import compiled


@compiled
def multiply(gemm, A, B, out):  # type: ignore[no-untyped-def]
    """out = AB."""
    np.dot(A, B, out[: len(A)])


@compiled
def multiply_transposed(gemm, A, B, out):  # type: ignore[no-untyped-def]
    """out = AB'."""
    np.dot(A, B.T, out)


@compiled
def add_transposed(gemm, A, B, out):  # type: ignore[no-untyped-def]
    """out += A'B."""
    out += np.dot(A.T, B)


@compiled
def gram_triangle(syrk, A, out):  # type: ignore[no-untyped-def]
    """out = A'A."""
    np.dot(A.T, A, out)


@compiled
def invert_triangle(potrf, potri, S, info):  # type: ignore[no-untyped-def]
    """S = S^(-1), the lower triangles alone; info becomes other than 0 if S is not positive."""
    for i in range(len(S)):
        for j in range(i):
            S[j, i] = S[i, j]  # numba looks at both triangles
    try:
        inverse = np.linalg.inv(np.linalg.cholesky(S))
    except Exception:
        info[0] = 1
        return
    S[:] = np.dot(inverse.T, inverse)
