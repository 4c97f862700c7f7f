"""ONMF by hierarchical alternating least squares, Kimura, Tanaka and Kudo (2014): F >= 0, G >= 0, columns of F orthogonal.

Each column of F solves its own least squares problem under one linear constraint, orthogonality to the sum r of all the others;
for non-negative columns that is orthogonality to each of them:

    h = X'g_j - sum over i != j of f_i (g_i'g_j),    f_j <- [h - (r'h / r'r) r]+ of unit length.

The columns of G follow by plain HALS: g_j <- [(XF)_j - sum over i != j of g_i (f_i'f_j)]+ / f_j'f_j.
"""

from __future__ import annotations

import numpy as np

from sonmf.solvers.alternating import TINY, AlternatingState, error, sweep
from sonmf.solvers.alternating import init_state as init_state
from sonmf.solvers.problem import Factors, LeastSquares, PlainState
from sonmf.types import Array


def update(problem: LeastSquares, state: AlternatingState) -> AlternatingState:
    G, M, S = sweep(problem, move_G, state.point.G, state.point.F)
    F = move_F(state.point.F.copy(), M, S)
    return PlainState(Factors(F, G, error(problem, F, M, S)))


def move_F(F: Array, M: Array, S: Array) -> Array:
    total = F.sum(axis=1)
    for j in range(F.shape[1]):
        h = M[:, j] - F @ S[:, j] + F[:, j] * S[j, j]
        r = total - F[:, j]
        f = np.maximum(h - (r @ h) / max(float(r @ r), TINY) * r, TINY)
        F[:, j] = f / np.linalg.norm(f)
        total = r + F[:, j]
    return F


def move_G(XF: Array, G: Array, A: Array) -> Array:
    from sonmf.kernels.least_squares import hals

    G = G.copy()
    hals(G, XF, A, G.dtype.type(TINY))
    return G
