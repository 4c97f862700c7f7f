"""Algorithm 2 of the paper: a coordinate-wise Newton step for G, a Cayley line search for F.

    D1 = (sigma(theta) - X)F,   D2 = (sigma(theta)(1 - sigma(theta)))F^2,   G <- [G - eta D1 / D2]+,   R = (sigma(theta) - X)'G.

The listing leaves some points open, which are settled as in ``cayley``: E = C(F, G) - C(Y(tau), G) with the new G; F = Y(tau)
at the tau that was tested, and tau doubles for the next iteration; tau starts at 2 and carries over. Every trial evaluates the
cost, one pass over X. With an intercept, mu first takes its own majoriser step, mu <- mu + 4 mean(X - sigma(theta)).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonmf.kernels import bernoulli
from sonmf.solvers.majoriser import BernoulliPoint
from sonmf.solvers.problem import Bernoulli, LineSearchState
from sonmf.stiefel import CayleyCurve
from sonmf.types import Array

TAU = 2.0
HALVINGS = 50


class Newton(NamedTuple):
    """The solver with step size eta."""

    eta: float = 0.05

    def init_state(self, problem: Bernoulli, start: tuple[Array, Array, object]) -> LineSearchState[BernoulliPoint]:
        F, mu, G = start
        _, costs = problem.engine.sweep(bernoulli.evaluate, G, F, mu)
        return LineSearchState(at(problem, F, mu, G, *costs), TAU)

    def bound(self, before: float, with_new_codes: float) -> float:
        """The cost below which the step of F must end, from C(F, G before) and C(F, G new)."""
        return with_new_codes

    def update(self, problem: Bernoulli, state: LineSearchState[BernoulliPoint]) -> LineSearchState[BernoulliPoint]:
        F, mu, G, tau = state.point.F, state.point.mu, state.point.G, state.tau
        sweep = problem.engine.sweep
        if problem.intercept:
            _, (_, _, d) = sweep(bernoulli.gradients, G, F, mu)
            mu = mu + 4 * d / problem.documents
        G, _ = sweep(bernoulli.newton, G, F, mu, self.eta, problem.alpha)
        _, (cost, DG, _) = sweep(bernoulli.gradients, G, F, mu)
        R = -np.asarray(DG, np.float64)
        curve = CayleyCurve(F, R, -R)
        bound = self.bound(state.point.cost * problem.fitted, cost)
        for _ in range(HALVINGS):
            Y = curve.point(tau)
            _, (trial, square) = sweep(bernoulli.evaluate, G, Y, mu)
            if bound - trial > 0:
                return LineSearchState(at(problem, Y, mu, G, trial, square), 2 * tau)
            tau /= 2
        return LineSearchState(at(problem, F, mu, G, cost, square), tau)


def at(problem: Bernoulli, F: Array, mu: Array, G: object, cost: float, square: float) -> BernoulliPoint:
    return BernoulliPoint(F, mu, G, (cost + problem.alpha * square) / problem.fitted, cost / problem.fitted, None)
