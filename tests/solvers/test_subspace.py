from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from matrices import problems

from sonmf import SONMF, simulate
from sonmf.engines import engine_for
from sonmf.errors import InputError
from sonmf.solvers import accelerated, subspace
from sonmf.solvers.problem import least_squares


@pytest.fixture(scope="module")
def X():
    return simulate.corpus(600, 120, random_state=0)


@given(problem=problems())
def test_every_step_gains_what_the_exact_step_gains_for_certain(problem):
    X, F = problem
    problem = least_squares(engine_for(X))
    state = subspace.init_state(problem, F)
    for _ in range(8):
        F, M, objective, _ = state.point
        certain = problem.mean(2 * np.vdot(problem.polar(M) - F, M))
        state = subspace.update(problem, state)
        assert state.point.objective <= objective - certain + 1e-12 * problem.scale or not state.accepted


@pytest.mark.parametrize("options", [{}, {"sparsity": 0.05}, {"fixed_components": np.eye(120)[:2]}])
def test_it_ends_where_the_accelerated_solver_ends_in_fewer_passes(X, options):
    ends = [SONMF(6, solver=solver, tol=1e-7, max_iter=5000, **options).fit(X) for solver in ("accelerated", "subspace")]
    cosines = np.sum(ends[0].components_ * ends[1].components_, axis=1)
    assert cosines.min() > 1 - 1e-6
    assert ends[1].n_passes_ < 0.75 * ends[0].n_passes_


def test_the_steps_inside_the_span_read_no_document(X, monkeypatch):
    taken = []
    monkeypatch.setattr(subspace.accelerated, "update", lambda *a, step=accelerated.update: taken.append(1) or step(*a))
    problem = least_squares(engine_for(X))
    state = subspace.init_state(problem, np.linalg.qr(np.random.default_rng(0).normal(size=(120, 6)))[0])
    before = problem.engine.passes
    for _ in range(4):
        state = subspace.update(problem, state)
    assert len(taken) == 3 * subspace.STEPS  # the first update has no image yet
    assert problem.engine.passes == before + 4


@pytest.mark.parametrize("weights", [None, np.arange(1.0, 41)])
def test_missing_entries_are_refused(weights):
    X = np.random.default_rng(0).random((40, 30))
    X[3, 4] = np.nan
    with pytest.raises(
        InputError, match="solver='subspace' needs every entry of X, and some are NaN: use solver='accelerated'"
    ):
        SONMF(3, solver="subspace").fit(X, sample_weight=weights)
