"""Logistic NMF of Tome et al. (2015): x ~ Bernoulli(sigma(GF')), F >= 0, G free, by gradient ascent on the likelihood.

G <- G + eta (X - sigma(GF'))F,    F <- [F + eta (X - sigma(GF'))'G]+.

The published steps are so short that topics turn for thousands of them. ``Accelerated`` takes them from points further on, as
Nesterov does, and restarts if the cost rises.
"""

from __future__ import annotations

import math
from functools import partial
from typing import NamedTuple

import numpy as np

from sonmf.device_arrays import DeviceArray
from sonmf.errors import InputError
from sonmf.kernels import bernoulli
from sonmf.solvers.problem import Bernoulli, Factors
from sonmf.types import Array


class LogisticState(NamedTuple):
    point: Factors
    ahead: tuple[Array, object]
    """The step (F, G) from here; its cost is known after the next pass."""
    accepted: bool = True


class Logistic(NamedTuple):
    """The solver with step size eta."""

    eta: float = 0.001

    def init_state(self, problem: Bernoulli, start: tuple[Array, object]) -> LogisticState:
        return self.evaluate(problem, *start)

    def update(self, problem: Bernoulli, state: LogisticState) -> LogisticState:
        return self.evaluate(problem, *state.ahead)

    def evaluate(self, problem: Bernoulli, F: Array, G: object) -> LogisticState:
        """One pass: the cost at (F, G), G's step where it lives, and F's step with the new G."""
        G_new, (cost, DG) = problem.engine.sweep(bernoulli.ascend, G, F, self.eta)
        if not math.isfinite(cost):
            raise InputError(f"eta={self.eta:g} is too long a step: the cost has grown without end; choose a smaller eta")
        F_new = np.maximum(F + self.eta * np.asarray(DG, np.float64), 0)
        return LogisticState(Factors(F, G, cost / problem.fitted), (F_new, G_new))


class AcceleratedState(NamedTuple):
    at: LogisticState
    previous: tuple[Array, object] | None = None
    """The end of the step before; None if there is nothing to extrapolate from."""
    age: int = 0
    """Accepted steps since the last restart."""
    accepted: bool = True

    @property
    def point(self) -> Factors:
        return self.at.point


class Accelerated(NamedTuple):
    """Nesterov's extrapolation of the steps of ``Logistic``, with restart."""

    eta: float = 0.001

    def init_state(self, problem: Bernoulli, start: tuple[Array, object]) -> AcceleratedState:
        return AcceleratedState(Logistic(self.eta).init_state(problem, start))

    def update(self, problem: Bernoulli, state: AcceleratedState) -> AcceleratedState:
        (F, G), previous = state.at.ahead, state.previous
        if previous is not None:
            further = partial(extrapolate, state.age / (state.age + 3))
            F, G = np.maximum(further(F, previous[0]), 0), problem.engine.each(further, G, previous[1])
        new = Logistic(self.eta).evaluate(problem, F, G)
        if previous is None or new.point.objective <= state.point.objective:
            return AcceleratedState(new, previous=state.at.ahead, age=state.age + 1)
        return AcceleratedState(state.at, accepted=False)


def extrapolate(beta: float, A: DeviceArray, previous: DeviceArray) -> DeviceArray:
    return A + beta * (A - previous)
