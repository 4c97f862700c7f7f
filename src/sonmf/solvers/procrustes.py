"""The exact step: for fixed G the F that minimises ||X - GF'||^2 is the polar factor of M = X'G (orthogonal Procrustes).

No step size and no line search. h is convex, so h(Y) >= h(F) + 2 tr((Y - F)'M), and the polar factor maximises the right
side: the objective never rises.
"""

from __future__ import annotations

from sonmf.solvers.problem import LeastSquares, LeastSquaresPoint, PlainState, evaluate
from sonmf.types import Array


def init_state(problem: LeastSquares, F: Array) -> PlainState[LeastSquaresPoint]:
    return PlainState(evaluate(problem, problem.engine.near(F)))


def update(problem: LeastSquares, state: PlainState[LeastSquaresPoint]) -> PlainState[LeastSquaresPoint]:
    new = evaluate(problem, problem.polar(state.point.M))
    return PlainState(new) if new.objective <= state.point.objective else state  # a rise can only be rounding
