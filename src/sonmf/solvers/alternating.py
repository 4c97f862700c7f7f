"""The alternating methods' common half: a rule moves G where the documents live, and X'G and G'G come home for F."""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple, Protocol

import numpy as np

from sonmf import kernels
from sonmf.solvers.problem import Factors, LeastSquares
from sonmf.types import Array

TINY = 1e-16  # floor of the factors and of denominators: an exact zero would stay zero for ever


class State(NamedTuple):
    point: Factors
    accepted: bool = True


class Rule(Protocol):
    """How a method moves G: new G from XF, the old G and A = F'F, for some documents."""

    def __call__(self, XF: Any, G: Any, A: Any, /) -> Any: ...


def sweep(problem: LeastSquares, rule: Rule, G: Any, F: Array) -> tuple[Any, Array, Array]:
    """One pass: G <- rule(XF, G, F'F), and with it M = X'G and S = G'G."""
    G, (M, S) = problem.engine.sweep(partial(kernels.alternate, rule), G, F)
    return G, np.asarray(M, np.float64), np.asarray(S, np.float64)


def keep(XF: Any, G: Any, A: Any) -> Any:
    """The rule that leaves G alone."""
    return G


def error(problem: LeastSquares, F: Array, M: Array, S: Array) -> float:
    """||X - GF'||^2 / (np) = (||X||^2 - 2 tr(F'M) + tr(F'F S)) / (np)."""
    return problem.mean(problem.square - 2 * float(np.vdot(F, M)) + float(np.vdot(F.T @ F, S)))


def init_state(problem: LeastSquares, start: tuple[Array, Any]) -> State:
    """The state at the start itself."""
    F, G = start
    G, M, S = sweep(problem, keep, G, F)
    return State(Factors(F, G, error(problem, F, M, S)))
