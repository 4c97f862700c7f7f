"""Binary SONMF by majorisation: log(1 + e^theta) has curvature at most 1/4, so with Z = theta + 4 (X - sigma(theta))

    cost(theta') <= cost(theta) + (||Z - theta'||^2 - ||Z - theta||^2) / 8,

and lowering the right side lowers the cost, with no step size. At theta = mu + GF' the minimiser over G >= 0 is
G' = [(Z - mu)F]+ / (1 + 8 alpha) = [G + 4DF]+ / (1 + 8 alpha) with D = X - sigma(theta); then, jointly over F and mu, F' is
the polar factor of the column-centred Z'G' and mu' = mean(Z) - F' mean(G'). One evaluation of D serves both steps.

The map is accelerated like the continuous one: extrapolate what the images are made of, and restart if the objective worsens or
hardly falls. Momentum is nearly full at once, so that after a restart a slow step means slow topics and not a slow beginning.
"""

from __future__ import annotations

from typing import NamedTuple

from sonmf.device_arrays import DeviceArray
from sonmf.kernels import bernoulli
from sonmf.solvers.problem import Bernoulli
from sonmf.stiefel import polar
from sonmf.types import Array

BUILD_UP = 30  # steps grow for long after one of the few restarts
OVERSHOT = 0.05  # an extrapolated step that gains less than this share of the last gain has gone too far


class BernoulliPoint(NamedTuple):
    """The point at which the cost was evaluated."""

    F: Array
    mu: Array
    G: object
    objective: float
    cost: float
    held_out: float | None


class Image(NamedTuple):
    """What the next F and mu are made from: F = polar(M), mu = offset - F mean."""

    M: Array
    offset: Array
    mean: Array


class MajoriserState(NamedTuple):
    point: BernoulliPoint
    image: Image
    previous: Image | None = None
    age: int = 0
    """Accepted steps since the last restart."""
    gain: float = 0.0
    """The fall of the objective in the last accepted step."""
    accepted: bool = True


def init_state(problem: Bernoulli, start: tuple[Array, Array, object]) -> MajoriserState:
    F, mu, codes = start
    return MajoriserState(*evaluate(problem, codes, problem.engine.near(F), problem.engine.near(mu), 0.0))


def update(problem: Bernoulli, state: MajoriserState) -> MajoriserState:
    t = state.age
    beta = 0.0 if state.previous is None else (t + 8) / (t + 9)
    M, offset, mean = state.image if state.previous is None else extrapolate(state.image, state.previous, beta)
    F = polar(M)
    mu = offset - F @ mean if problem.intercept else state.point.mu
    point, image = evaluate(problem, state.point.G, F, mu, beta)
    gain = state.point.objective - point.objective
    if gain >= (0.0 if state.previous is None else OVERSHOT * state.gain):
        return MajoriserState(point, image, previous=state.image, age=t + 1, gain=gain)
    if state.previous is None:  # the plain step can raise the objective only by rounding: it has converged
        return state._replace(accepted=True)
    return MajoriserState(state.point, state.image, accepted=False)


def extrapolate(image: Image, previous: Image, beta: float) -> Image:
    return Image(*(new + beta * (new - old) for new, old in zip(image, previous, strict=True)))


def evaluate(problem: Bernoulli, codes: object, F: DeviceArray, mu: DeviceArray, beta: float) -> tuple[BernoulliPoint, Image]:
    """One pass: the cost at (G, F, mu), with G extrapolated by beta where it is, and the image of that point."""
    codes, (cost, left_out, square, DG, d, GG, g, g_new) = problem.engine.sweep(
        bernoulli.majorise, codes, F, mu, beta, problem.alpha
    )
    n = problem.documents
    mean = g_new / n if problem.intercept else 0 * g_new
    # Z'G' centred = F (G'G' - (G'1) mean') + 4 (D'G' - (D'1) mean'): mu cancels.
    M = F @ (GG - g[:, None] * mean) + 4 * (DG - d[:, None] * mean)
    offset = mu + F @ (g / n) + 4 * d / n
    objective = (cost + problem.alpha * square) / problem.fitted
    held = left_out / problem.held_out if problem.held_out else None
    return BernoulliPoint(F, mu, codes, objective, cost / problem.fitted, held), Image(M, offset, mean)
