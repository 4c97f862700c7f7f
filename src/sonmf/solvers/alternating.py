"""What the alternating methods share: a rule moves G where the documents are, and X'G and G'G return for the step in F."""

from __future__ import annotations

from functools import partial
from typing import TypeAlias

import numpy as np

from sonmf import kernels
from sonmf.kernels import Rule
from sonmf.solvers.problem import Factors, LeastSquares, PlainState, require_number
from sonmf.types import Array

TINY = 1e-16  # lower bound of factors and denominators: an exact zero would stay zero for ever

AlternatingState: TypeAlias = PlainState[Factors]


def sweep(problem: LeastSquares, rule: Rule, G: object, F: Array) -> tuple[object, Array, Array]:
    """One pass: G <- rule(XF, G, F'F), and with it M = X'G and S = G'G."""
    G, (M, S) = problem.engine.sweep(partial(kernels.alternate, rule), G, F)
    require_number(float(np.trace(S)))
    return G, np.asarray(M, np.float64), np.asarray(S, np.float64)


def keep(XF: Array, G: Array, A: Array) -> Array:
    """The rule that leaves G as it is."""
    return G


def error(problem: LeastSquares, F: Array, M: Array, S: Array) -> float:
    """||X - GF'||^2 / (np) = (||X||^2 - 2 tr(F'M) + tr(F'F S)) / (np)."""
    return problem.mean(problem.square - 2 * float(np.vdot(F, M)) + float(np.vdot(F.T @ F, S)))


def init_state(problem: LeastSquares, start: tuple[Array, object]) -> AlternatingState:
    """The state at the start itself."""
    F, G = start
    G, M, S = sweep(problem, keep, G, F)
    return PlainState(Factors(F, G, error(problem, F, M, S)))
