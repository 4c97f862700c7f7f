"""The exact step: for fixed G the F that minimises ||X - GF'||^2 is the polar factor of M = X'G (orthogonal Procrustes).

No step size and no line search. h is convex, so h(Y) >= h(F) + 2 tr((Y - F)'M), and the polar factor maximises the right
side: the objective never rises.
"""

from __future__ import annotations

from typing import NamedTuple

from sonmf.solvers.problem import LeastSquares, Point, evaluate
from sonmf.types import Array


class State(NamedTuple):
    point: Point
    accepted: bool = True


def init_state(problem: LeastSquares, F: Array) -> State:
    return State(evaluate(problem, problem.engine.near(F)))


def update(problem: LeastSquares, state: State) -> State:
    new = evaluate(problem, problem.polar(state.point.M))
    return State(new) if new.objective <= state.point.objective else state  # a rise can only be rounding
