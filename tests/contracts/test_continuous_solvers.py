"""The laws of every solver of the continuous problem: feasible, monotone, first-order right, equal to its naive oracle."""

from __future__ import annotations

import itertools

import numpy as np
import oracles
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from matrices import problems

from sonmf import simulate, stiefel
from sonmf.engines import engine_for
from sonmf.solvers import accelerated, cayley, loop, procrustes, starts, subspace
from sonmf.solvers.problem import evaluate, least_squares

SOLVERS = {"accelerated": accelerated, "procrustes": procrustes, "cayley": cayley, "subspace": subspace}
ORACLES = {
    "procrustes": oracles.procrustes_path,
    "cayley": oracles.cayley_path,
}
STORAGE = {"dense": np.ascontiguousarray, "csr": scipy.sparse.csr_matrix}


def states(solver, X, F, iterations):
    problem = least_squares(engine_for(X))
    state = SOLVERS[solver].init_state(problem, F)
    yield state
    for _ in range(iterations):
        state = SOLVERS[solver].update(problem, state)
        yield state


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("storage", STORAGE)
@given(problem=problems())
def test_feasible_and_monotone_at_every_iterate(solver, storage, problem):
    X, F = problem
    before = np.inf
    for state in states(solver, STORAGE[storage](X), F, 12):
        F, value = state.point.F, state.point.objective
        assert np.isfinite(F).all()
        assert stiefel.residual(F) <= 1e-24
        assert value <= before
        assert np.isclose(value, oracles.objective(X, F), rtol=1e-9, atol=1e-12 * np.mean(X**2))
        before = value


@pytest.mark.parametrize("solver", SOLVERS)
@given(problem=problems())
def test_float32_data_stay_feasible_and_monotone(solver, problem):
    X, F = problem
    before = np.inf
    for state in states(solver, X.astype(np.float32), F, 8):
        assert stiefel.residual(state.point.F.astype(np.float32).astype(np.float64)) <= 1e-10
        assert state.point.objective <= before
        before = state.point.objective


@pytest.mark.parametrize("solver", ORACLES)
@pytest.mark.parametrize("scenario", [1, 2, 3])
def test_the_path_is_that_of_the_naive_oracle(solver, scenario):
    X, _, _ = simulate.continuous(scenario, 40, 30, 4, random_state=scenario)
    F = oracles.oriented(X, np.linalg.svd(X, full_matrices=False)[2][:4].T)
    expected = ORACLES[solver](X, F, 15)
    actual = [state.point.F for state in states(solver, X, F, 15)][1:]
    for step, (a, b) in enumerate(zip(actual, expected, strict=True)):
        assert np.allclose(a, b, atol=1e-7), f"iteration {step + 1}"


@pytest.mark.parametrize("scenario", [1, 2, 3])
def test_an_accelerated_step_without_momentum_is_the_exact_step(scenario):
    """At the start, and after each step that was taken back."""
    X, _, _ = simulate.continuous(scenario, 40, 30, 4, random_state=scenario)
    F = oracles.oriented(X, np.linalg.svd(X, full_matrices=False)[2][:4].T)
    plain = [(old, new) for old, new in itertools.pairwise(states("accelerated", X, F, 60)) if old.previous is None]
    assert len(plain) > 1
    for old, new in plain:
        (expected,) = oracles.procrustes_path(X, old.point.F, 1)
        assert np.allclose(new.point.F, expected, atol=1e-7)


@pytest.mark.long
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("k", [3, 20])
def test_orthonormal_after_five_thousand_iterations(solver, k):
    X, _, _ = simulate.continuous(1, 30, 20, 3, random_state=0)
    F = np.linalg.qr(np.random.default_rng(0).normal(size=(20, k)))[0]
    worst = max(stiefel.residual(state.point.F) for state in states(solver, X, F, 5000))
    assert worst <= 1e-24


@given(problem=problems(max_side=12), data=st.data())
def test_the_gradient_agrees_with_finite_differences(problem, data):
    X, F = problem
    X = X / max(np.abs(X).max(), 1e-300)
    D = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1))).normal(size=F.shape)
    h = 1e-6

    def energy(F):
        return np.sum(oracles.clipped(X, F) ** 2)

    M = evaluate(least_squares(engine_for(X)), F).M
    numerical = (energy(F + h * D) - energy(F - h * D)) / (2 * h)
    assert np.isclose(2 * np.vdot(M, D), numerical, rtol=1e-4, atol=1e-4)


@given(problem=problems())
def test_the_exact_step_is_no_worse_than_any_cayley_step(problem):
    """For fixed G the polar factor is the minimiser over F, so it bounds every other step."""
    X, F = problem
    M = X.T @ oracles.clipped(X, F)
    best = np.vdot(stiefel.polar(M), M)
    FM = F.T @ M
    curve = stiefel.CayleyCurve(F, F @ (FM + FM.T) - 2 * M, M)
    for tau in np.logspace(-12, 2, 15):
        assert np.vdot(curve.point(tau), M) <= best + 1e-9 * max(np.abs(best), 1e-300)


def test_all_solvers_end_at_the_same_optimum_where_there_is_one():
    X, _, _ = simulate.continuous(1, 80, 60, 3, random_state=0)
    ends = []
    for solver in SOLVERS.values():
        engine = engine_for(X)
        F = starts.start(engine, "svd", 3, np.random.RandomState(0))
        run = loop.run(solver, least_squares(engine), F, max_iter=5000, rule=loop.Falling(1e-13))
        ends.append(run.state.point.objective)
    assert np.ptp(ends) < 1e-6 * ends[0]


def test_a_cayley_trial_step_costs_no_pass():
    X, _, _ = simulate.continuous(1, 60, 50, 5, random_state=0)
    engine = engine_for(X)
    problem = least_squares(engine)
    state = cayley.init_state(problem, starts.uniform(engine, 5, np.random.RandomState(0)))
    passes = engine.passes
    after = cayley.update(problem, state)
    assert after.tau < cayley.TAU / 4  # several trials failed before one was taken
    assert engine.passes == passes + 1
