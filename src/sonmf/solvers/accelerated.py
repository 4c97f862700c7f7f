"""The exact step, over-relaxed, with Nesterov's extrapolation and restart: Y = polar(E), E = T_t + beta_t (T_t - T_{t-1}).

M_t = X'[XY]+ is what one pass makes of E, and T_t = M_t + omega (M_t - E) goes a little further. Extrapolating before the polar
factor equals extrapolating F after it, to first order, and saves one polar factor an iteration. h is convex, so near the
solution a step multiplies every error by some mu in [0, 1), over-relaxed by mu - omega (1 - mu) >= -omega; momentum is stable
above -1/3.

A step that raises the objective, or hardly lowers it, is rejected. The next step starts afresh from polar(M_t), which cannot
raise it. So a run never stops at the turning point of its own momentum.
"""

from __future__ import annotations

from typing import NamedTuple

from sonmf.device_arrays import blend
from sonmf.solvers.problem import LeastSquares, LeastSquaresPoint, evaluate
from sonmf.types import Array

OMEGA = 0.3  # a third is the limit of stability
OVERSHOT = 0.05  # an extrapolated step that gains less than this share of the last gain has gone too far


class AcceleratedState(NamedTuple):
    point: LeastSquaresPoint
    T: Array
    previous: Array | None = None
    """T of the step before; None if there is nothing to extrapolate from."""
    age: int = 0
    """Accepted steps since the last restart."""
    gain: float = 0.0
    """The fall of the objective in the last accepted step."""
    accepted: bool = True


def init_state(problem: LeastSquares, F: Array) -> AcceleratedState:
    point = evaluate(problem, problem.engine.near(F))
    return AcceleratedState(point, point.M)


def update(problem: LeastSquares, state: AcceleratedState) -> AcceleratedState:
    T, T_old, t = state.T, state.previous, state.age
    beta = (t + 4) / (t + 5)  # 0.8 at once, while Nesterov's t / (t + 2) begins at 0: fewer passes
    E = T if T_old is None else blend(1 + beta, T, -beta, T_old)
    new = evaluate(problem, problem.polar(E))
    gain = state.point.objective - new.objective
    if gain >= (0.0 if T_old is None else OVERSHOT * state.gain):
        return AcceleratedState(new, blend(1 + OMEGA, new.M, -OMEGA, E), previous=T, age=t + 1, gain=gain)
    if T_old is None:  # the plain step can raise the objective only by rounding: it has converged
        return state._replace(accepted=True)
    return AcceleratedState(state.point, state.point.M, accepted=False)
