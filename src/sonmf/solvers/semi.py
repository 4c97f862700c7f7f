"""Semi-NMF of Ding, Li and Jordan (2010): F free, G >= 0.

F = X'G (G'G)^(-1),    G <- G * sqrt(([XF]+ + G [F'F]-) / ([XF]- + G [F'F]+)),    A = [A]+ - [A]-.
"""

from __future__ import annotations

import numpy as np

from sonmf.solvers.alternating import TINY, AlternatingState, error, keep, sweep
from sonmf.solvers.problem import Factors, LeastSquares, PlainState
from sonmf.types import Array


def init_state(problem: LeastSquares, start: tuple[Array, object]) -> AlternatingState:
    F, G = start
    G, M, S = sweep(problem, keep, G, F)
    F = least_squares_F(M, S)
    return PlainState(Factors(F, G, error(problem, F, M, S)))


def update(problem: LeastSquares, state: AlternatingState) -> AlternatingState:
    G, M, S = sweep(problem, move_G, state.point.G, state.point.F)
    F = least_squares_F(M, S)
    return PlainState(Factors(F, G, error(problem, F, M, S)))


def least_squares_F(M: Array, S: Array) -> Array:
    return np.asarray(M @ np.linalg.pinv(S, hermitian=True))


def move_G(XF: Array, G: Array, A: Array) -> Array:
    above = np.maximum(XF, 0) + G @ np.maximum(-A, 0)
    below = np.maximum(-XF, 0) + G @ np.maximum(A, 0)
    return np.asarray(np.maximum(G * np.sqrt(above / np.maximum(below, TINY)), TINY))
