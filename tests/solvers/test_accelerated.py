from __future__ import annotations

import numpy as np
import pytest

from sonmf import SONMF, simulate
from sonmf.engines import engine_for
from sonmf.solvers import accelerated, starts
from sonmf.solvers.problem import least_squares


def test_a_step_that_hardly_gains_is_taken_back_and_followed_by_the_plain_step():
    X, _, _ = simulate.continuous(1, 60, 50, 5, random_state=0)
    problem = least_squares(engine_for(X))
    state = accelerated.init_state(problem, starts.uniform(problem.engine, 5, np.random.RandomState(0)))
    state = accelerated.update(problem, state)
    greedy = accelerated.update(problem, state._replace(gain=1e6))
    assert not greedy.accepted
    assert greedy.point is state.point
    plain = accelerated.update(problem, greedy)
    assert plain.accepted
    assert plain.point.objective < state.point.objective


@pytest.mark.parametrize("k", [10, pytest.param(50, marks=pytest.mark.long)])
def test_a_default_fit_does_not_stop_at_the_turning_point_of_its_momentum(k):
    """At K = 10 the fifth step of this fit lowers the objective by less than tol, 3e-3 above where the run ends."""
    X = simulate.corpus(4000, 2000, random_state=0)
    end = SONMF(k, tol=1e-9, max_iter=300).fit(X).objective_history_[-1]
    assert SONMF(k).fit(X).objective_history_[-1] < end * (1 + 1e-3)
