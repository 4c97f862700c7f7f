"""The exact step with Nesterov's extrapolation and restart: Y = polar(M_t + beta_t (M_t - M_{t-1})).

Extrapolating M before the polar factor equals extrapolating F after it, to first order, and saves one polar factor an
iteration. A step that worsens the objective, or hardly lowers it, is not taken: the next one starts afresh from polar(M_t),
which cannot worsen it. So a run never stops at the turning point of its own momentum.
"""

from __future__ import annotations

from typing import NamedTuple

from sonmf.solvers.problem import LeastSquares
from sonmf.solvers.reduced import Point, evaluate
from sonmf.stiefel import polar
from sonmf.threads import Array

OVERSHOT = 0.05  # an extrapolated step that gains less than this share of the last one's gain has gone too far


class State(NamedTuple):
    point: Point
    previous: Array | None = None
    age: int = 0
    """Accepted steps since the last restart."""
    gain: float = 0.0
    """What the last accepted step took off the objective."""
    accepted: bool = True


def init_state(problem: LeastSquares, F: Array) -> State:
    return State(evaluate(problem, F))


def update(problem: LeastSquares, state: State) -> State:
    M, M_old, t = state.point.M, state.previous, state.age
    beta = (t + 4) / (t + 5)  # 0.8 at once, where Nesterov's t / (t + 2) begins at 0: fewer passes
    Y = polar(M if M_old is None else M + beta * (M - M_old))
    new = evaluate(problem, Y)
    gain = state.point.objective - new.objective
    if gain >= (0.0 if M_old is None else OVERSHOT * state.gain):
        return State(new, previous=M, age=t + 1, gain=gain)
    if M_old is None:  # the plain step cannot rise but by rounding: nothing is left to gain
        return state._replace(accepted=True)
    return State(state.point, accepted=False)
