"""Logistic NMF of Tome et al. (2015): x ~ Bernoulli(sigma(GF')), F >= 0, G free, by gradient ascent on the likelihood.

G <- G + eta (X - sigma(GF'))F,    F <- [F + eta (X - sigma(GF'))'G]+.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sonmf.kernels import bernoulli
from sonmf.solvers.problem import Bernoulli, Factors
from sonmf.threads import Array


class State(NamedTuple):
    point: Factors
    F_next: Array
    """The step from here; the cost of where it leads is known after the next pass."""
    accepted: bool = True


def init_state(problem: Bernoulli, start: tuple[Array, Any]) -> State:
    F, G = start
    return evaluate(problem, F, G)


def update(problem: Bernoulli, state: State) -> State:
    return evaluate(problem, state.F_next, state.point.G)


def evaluate(problem: Bernoulli, F: Array, G: Any) -> State:
    """One pass: the cost at (F, G), G's step where it lives, and F's step with the new G."""
    G, (cost, DG) = problem.engine.sweep(bernoulli.ascend, G, F, problem.eta)
    F_next = np.maximum(F + problem.eta * np.asarray(DG, np.float64), 0)
    return State(Factors(F, G, cost / problem.fitted), F_next)
