"""Non-negative least squares, one document after another, by cyclic coordinate descent on the normal equations."""

from __future__ import annotations

import numpy as np

from sonmf.compiled import compiled
from sonmf.types import Array

SWEEPS, TOLERANCE = 1000, 1e-10
GUESS = 8  # sweeps after which the positive entries of g are nearly always known


def nonnegative(B: Array, A: Array) -> None:
    """Overwrite each row b of B by argmin over g >= 0 of g'Ag / 2 - b'g."""
    eps = max(TOLERANCE, 4 * float(np.finfo(B.dtype).eps))
    _descend(B, np.ascontiguousarray(A, B.dtype), eps)


@compiled
def _descend(B, A, tolerance):  # type: ignore[no-untyped-def]
    for i in range(len(B)):
        gradient = -B[i]
        B[i] = 0
        _sweep(B[i], gradient, A, 0.0, tolerance, SWEEPS)


@compiled
def _sweep(g, gradient, A, smallest, tolerance, sweeps):  # type: ignore[no-untyped-def]
    """Some sweeps of coordinate descent from g, with gradient = Ag - b, over entries with a diagonal above ``smallest``."""
    for _ in range(sweeps):
        moved, size = 0.0, 0.0
        for c in range(len(A)):
            if A[c, c] > smallest:
                value = max(g[c] - gradient[c] / A[c, c], 0)
                change = value - g[c]
                if change != 0:
                    g[c] = value
                    for d in range(len(A)):
                        gradient[d] += change * A[c, d]
                moved = max(moved, abs(change))
                size = max(size, value)
        if moved <= tolerance * size:
            break


@compiled
def exact(b, A, singular):  # type: ignore[no-untyped-def]
    """argmin over g >= 0 of g'Ag / 2 - b'g, for A with a diagonal of at most 1; a pivot below ``singular`` is rounding.

    A little descent guesses which g are positive, and these solve their own equations. Where the guess is wrong, the active
    set method of Lawson and Hanson finds them one after another.
    """
    g, gradient, passive = np.zeros_like(b), -b, np.zeros(len(b), np.bool_)
    _sweep(g, gradient, A, singular, TOLERANCE, GUESS)
    for c in range(len(b)):
        passive[c] = g[c] > 0
    L, solution = np.empty_like(A), np.zeros_like(b)
    if _solve(solution, b, A, passive, singular, L) and np.min(solution) >= 0:
        _, steepest = _entering(solution, b, A, passive)
        if steepest <= singular * np.max(np.abs(b)):
            return solution
    return _active_set(b, A, singular, L, passive)


@compiled
def _active_set(b, A, singular, L, passive):  # type: ignore[no-untyped-def]
    k = len(b)
    g, solution, banned = np.zeros_like(b), np.zeros_like(b), np.zeros(k, np.bool_)
    passive[:] = False
    slack = singular * np.max(np.abs(b))
    for _ in range(3 * k):
        c, steepest = _entering(g, b, A, passive | banned)
        if steepest <= slack:
            break
        passive[c] = True
        if not _solve(solution, b, A, passive, singular, L) or solution[c] <= 0:
            passive[c], banned[c] = False, True  # it depends on those that are there
            continue
        while True:
            step = 1.0
            for d in range(k):
                if passive[d] and solution[d] <= 0:
                    step = min(step, g[d] / (g[d] - solution[d]))
            for d in range(k):
                g[d] += step * (solution[d] - g[d])
                if passive[d] and solution[d] <= 0 and g[d] <= slack:
                    g[d], passive[d] = 0, False
            if step == 1.0:
                break
            _solve(solution, b, A, passive, singular, L)
    return g


@compiled
def _entering(g, b, A, passive):  # type: ignore[no-untyped-def]
    """The entry outside that would lower the objective fastest by growing, and how fast."""
    best, steepest = 0, -np.inf
    for c in range(len(b)):
        if not passive[c]:
            slope = b[c]
            for d in range(len(b)):
                slope -= A[c, d] * g[d]
            if slope > steepest:
                best, steepest = c, slope
    return best, steepest


@compiled
def _solve(solution, b, A, passive, singular, L):  # type: ignore[no-untyped-def]
    """Ag = b for the passive entries, by Cholesky, and 0 for the others; False where they are dependent."""
    chosen, m = np.empty(len(b), np.int64), 0
    for c in range(len(b)):
        solution[c] = 0
        if passive[c]:
            chosen[m] = c
            m += 1
    for i in range(m):
        row = chosen[i]
        for j in range(i + 1):
            value = A[row, chosen[j]]
            for c in range(j):
                value -= L[i, c] * L[j, c]
            if j < i:
                L[i, j] = value / L[j, j]
            elif value > singular:
                L[i, i] = np.sqrt(value)
            else:
                return False
    for i in range(m):
        value = b[chosen[i]]
        for c in range(i):
            value -= L[i, c] * solution[chosen[c]]
        solution[chosen[i]] = value / L[i, i]
    for i in range(m - 1, -1, -1):
        value = solution[chosen[i]]
        for j in range(i + 1, m):
            value -= L[j, i] * solution[chosen[j]]
        solution[chosen[i]] = value / L[i, i]
    return True


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
