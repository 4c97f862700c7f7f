"""NMF by Lee and Seung's multiplicative updates (2001), eq. (2) of the paper.

G <- G * (XF) / (G F'F),    F <- F * (X'G) / (F G'G),    * and / entry by entry.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sonmf.solvers.alternating import TINY, error, keep, sweep
from sonmf.solvers.problem import Factors, LeastSquares
from sonmf.threads import Array


class State(NamedTuple):
    point: Factors
    accepted: bool = True


def init_state(problem: LeastSquares, start: tuple[Array, Any]) -> State:
    F, G = start
    G, M, S = sweep(problem, keep, G, F)
    return State(Factors(F, G, error(problem, F, M, S)))


def update(problem: LeastSquares, state: State) -> State:
    F = state.point.F
    G, M, S = sweep(problem, move_G, state.point.G, F)
    F = F * M / np.maximum(F @ S, TINY)
    return State(Factors(F, G, error(problem, F, M, S)))


def move_G(XF: Any, G: Any, F: Any) -> Any:
    return G * XF / np.maximum(G @ (F.T @ F), TINY)
