"""Non-negative least squares, one document after another, by cyclic coordinate descent on the normal equations."""

from __future__ import annotations

from typing import Any

import numpy as np

from sonmf.compiled import compiled

Array = np.ndarray[Any, Any]

SWEEPS, TOLERANCE = 1000, 1e-10


def nonnegative(B: Array, A: Array) -> None:
    """Overwrite each row b of B by argmin over g >= 0 of g'Ag / 2 - b'g."""
    eps = max(TOLERANCE, 4 * float(np.finfo(B.dtype).eps))
    _descend(B, np.ascontiguousarray(A, B.dtype), eps)


@compiled
def _descend(B, A, tolerance):  # type: ignore[no-untyped-def]
    k = len(A)
    for i in range(len(B)):
        g, gradient = B[i], -B[i]
        g[:] = 0
        for _ in range(SWEEPS):
            moved, size = 0.0, 0.0
            for c in range(k):
                if A[c, c] > 0:
                    value = max(g[c] - gradient[c] / A[c, c], 0)
                    change = value - g[c]
                    if change != 0:
                        g[c] = value
                        for d in range(k):
                            gradient[d] += change * A[c, d]
                    moved = max(moved, abs(change))
                    size = max(size, value)
            if moved <= tolerance * size:
                break


@compiled
def hals(G, B, A, floor):  # type: ignore[no-untyped-def]
    """One sweep of coordinate descent for every row g of G: g_j <- max(b_j - sum over l != j of g_l a_lj, floor) / a_jj."""
    for i in range(len(G)):
        g = G[i]
        for j in range(len(A)):
            rest = B[i, j] + g[j] * A[j, j]
            for c in range(len(A)):
                rest -= g[c] * A[j, c]
            g[j] = max(rest, floor) / max(A[j, j], floor)
