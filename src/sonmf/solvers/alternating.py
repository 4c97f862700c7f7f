"""What the alternating methods share: a rule moves G where the documents are, and X'G and G'G return for the step in F.

The published updates converge slowly: each turns the topics by little, for thousands of iterations. ``Accelerated`` applies
the same map to points further on, as Nesterov does, and restarts if the objective rises. So it has the same fixed points, and
where the map never raises the objective it never does either.
"""

from __future__ import annotations

from functools import partial
from typing import NamedTuple, Protocol, TypeAlias

import numpy as np

from sonmf import kernels
from sonmf.kernels import Rule
from sonmf.solvers.problem import Factors, LeastSquares, PlainState, require_number
from sonmf.types import Array

KEPT = 0.9  # the share of an entry that an extrapolation leaves it
LIFT = 1e-6  # of the mean of its row, the least that it leaves an entry: multiplicative updates hardly return from near zero
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


class Published(Protocol):
    """A method as it was published."""

    def init_state(self, problem: LeastSquares, start: tuple[Array, object], /) -> AlternatingState: ...

    def update(self, problem: LeastSquares, state: AlternatingState, /) -> AlternatingState: ...


class AcceleratedState(NamedTuple):
    point: Factors
    previous: Factors | None = None
    """The end of the step before; None if there is nothing to extrapolate from."""
    age: int = 0
    """Accepted steps since the last restart."""
    accepted: bool = True


class Accelerated(NamedTuple):
    """Nesterov's extrapolation of a published map, with restart."""

    method: Published

    def init_state(self, problem: LeastSquares, start: tuple[Array, object]) -> AcceleratedState:
        return AcceleratedState(self.method.init_state(problem, start).point)

    def update(self, problem: LeastSquares, state: AcceleratedState) -> AcceleratedState:
        point, previous, t = state.point, state.previous, state.age
        further = point if previous is None else extrapolate(problem, point, previous, t / (t + 3))
        new = self.method.update(problem, PlainState(further)).point
        if new.objective <= point.objective:
            return AcceleratedState(new, previous=point, age=t + 1)
        if previous is None:  # the published step can raise the objective only by rounding: it has converged
            return state._replace(accepted=True)
        return AcceleratedState(point, accepted=False)


def extrapolate(problem: LeastSquares, point: Factors, previous: Factors, beta: float) -> Factors:
    G = problem.engine.each(partial(ahead, beta), point.G, previous.G)
    return point._replace(F=ahead(beta, point.F, previous.F), G=G)


def ahead(beta: float, A: Array, previous: Array) -> Array:
    """A + beta (A - previous), where every entry keeps its sign and most of its size, and none is nearly zero.

    A row, a document or a word, knows no other: how documents are divided into blocks, or weighted, changes nothing.
    """
    E = A + A.dtype.type(beta) * (A - previous)
    size = np.abs(A)
    least = np.maximum(KEPT * size, (LIFT * size.mean(axis=1, keepdims=True, dtype=np.float64)).astype(A.dtype))
    return np.asarray(np.where(A >= 0, np.maximum(E, least), np.minimum(E, -least)))
