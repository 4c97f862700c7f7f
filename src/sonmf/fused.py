"""Sums over tall matrices in one go over memory, compiled: numpy would go over it once for each operation."""

from __future__ import annotations

from sonmf.compiled import compiled


@compiled
def blend(a, A, b, B, out):  # type: ignore[no-untyped-def]
    """out = aA + bB."""
    for i in range(len(A)):
        for j in range(A.shape[1]):
            out[i, j] = a * A[i, j] + b * B[i, j]
