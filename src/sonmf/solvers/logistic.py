"""Logistic NMF of Tome et al. (2015): x ~ Bernoulli(sigma(GF')), F >= 0, G free, by gradient ascent on the likelihood.

G <- G + eta (X - sigma(GF'))F,    F <- [F + eta (X - sigma(GF'))'G]+.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sonmf.kernels import bernoulli
from sonmf.solvers.problem import Bernoulli, Factors
from sonmf.types import Array


class State(NamedTuple):
    point: Factors
    ahead: tuple[Array, Any]
    """The step (F, G) from here; the cost of where it leads is known after the next pass."""
    accepted: bool = True


def init_state(problem: Bernoulli, start: tuple[Array, Any]) -> State:
    return evaluate(problem, *start)


def update(problem: Bernoulli, state: State) -> State:
    return evaluate(problem, *state.ahead)


def evaluate(problem: Bernoulli, F: Array, G: Any) -> State:
    """One pass: the cost at (F, G), G's step where it lives, and F's step with the new G."""
    G_new, (cost, DG) = problem.engine.sweep(bernoulli.ascend, G, F, problem.eta)
    F_new = np.maximum(F + problem.eta * np.asarray(DG, np.float64), 0)
    return State(Factors(F, G, cost / problem.fitted), (F_new, G_new))
