"""NMF by Lee and Seung's multiplicative updates (2001), eq. (2) of the paper.

G <- G * (XF) / (G F'F),    F <- F * (X'G) / (F G'G),    * and / entry by entry.
"""

from __future__ import annotations

import numpy as np

from sonmf.solvers.alternating import TINY, AlternatingState, error, sweep
from sonmf.solvers.alternating import init_state as init_state
from sonmf.solvers.problem import Factors, LeastSquares, PlainState
from sonmf.types import Array


def update(problem: LeastSquares, state: AlternatingState) -> AlternatingState:
    F = state.point.F
    G, M, S = sweep(problem, move_G, state.point.G, F)
    F = F * M / np.maximum(F @ S, TINY)
    return PlainState(Factors(F, G, error(problem, F, M, S)))


def move_G(XF: Array, G: Array, A: Array) -> Array:
    return np.asarray(G * XF / np.maximum(G @ A, TINY))
