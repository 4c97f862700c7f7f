"""Logistic NMF of Tome et al. (2015): x ~ Bernoulli(sigma(GF')), F >= 0, G free, by gradient ascent on the likelihood.

G <- G + eta (X - sigma(GF'))F,    F <- [F + eta (X - sigma(GF'))'G]+.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

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
        return self._evaluate(problem, *start)

    def update(self, problem: Bernoulli, state: LogisticState) -> LogisticState:
        return self._evaluate(problem, *state.ahead)

    def _evaluate(self, problem: Bernoulli, F: Array, G: object) -> LogisticState:
        """One pass: the cost at (F, G), G's step where it lives, and F's step with the new G."""
        G_new, (cost, DG) = problem.engine.sweep(bernoulli.ascend, G, F, self.eta)
        F_new = np.maximum(F + self.eta * np.asarray(DG, np.float64), 0)
        return LogisticState(Factors(F, G, cost / problem.fitted), (F_new, G_new))
