"""The laws of the binary solvers: monotone where they promise it, feasible, equal to naive oracles."""

from __future__ import annotations

import numpy as np
import oracles
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from sonmf import LogisticNMF, simulate, stiefel
from sonmf.engines import engine_for
from sonmf.errors import InputError
from sonmf.kernels.binary_documents import BinaryDocuments
from sonmf.solvers import binary_starts, logistic, majoriser, newton
from sonmf.solvers.problem import Bernoulli, count


def begin(X, k, intercept, init="svd"):
    engine = engine_for(X if isinstance(X, BinaryDocuments) else scipy.sparse.csr_array(X))
    F, mu, G = binary_starts.start(engine, init, k, np.random.RandomState(0), intercept=intercept)
    return engine, F, mu, G


def majoriser_states(X, k, iterations, *, alpha, intercept, fraction=None):
    if fraction is not None:
        X = binary_starts.hold_out(scipy.sparse.csr_array(X), fraction, np.random.RandomState(0))
    engine, F, mu, G = begin(X, k, intercept)
    codes = binary_starts.majoriser_codes(engine, G)
    problem = Bernoulli(engine, alpha, intercept, count(engine))
    state = majoriser.init_state(problem, (F, mu, codes))
    yield state
    for _ in range(iterations):
        state = majoriser.update(problem, state)
        yield state


@st.composite
def zero_one(draw):
    n, p = draw(st.integers(2, 25)), draw(st.integers(2, 25))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = (rng.random((n, p)) < draw(st.sampled_from([0.0, 0.05, 0.5, 0.95, 1.0]))).astype(float)
    X[0], X[:, -1] = draw(st.sampled_from([0, 1])), draw(st.sampled_from([0, 1]))
    return X


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("alpha", [0.0, 0.01])
@given(X=zero_one(), data=st.data())
def test_the_majoriser_is_monotone_and_feasible(intercept, alpha, X, data):
    k = data.draw(st.integers(1, min(X.shape)))
    fraction = data.draw(st.sampled_from([None, 0.2]))
    before = np.inf
    for state in majoriser_states(X, k, 12, alpha=alpha, intercept=intercept, fraction=fraction):
        point = state.point
        assert np.isfinite(point.objective)
        assert point.objective <= before
        assert stiefel.residual(point.F) <= 1e-24
        assert (point.G.G >= 0).all()
        before = point.objective
    if fraction is None:
        G = point.G.G
        assert np.isclose(point.cost, oracles.bernoulli_cost(X, point.mu + G @ point.F.T), rtol=1e-9)
        assert np.isclose(point.objective, point.cost + alpha * np.sum(G**2) / X.size, rtol=1e-9)


@pytest.mark.parametrize("intercept", [True, False])
def test_the_first_steps_are_those_of_the_naive_majoriser(intercept):
    """The first two steps have no momentum (beta = 0, then a plain image), so they are the plain map."""
    X, _, _ = simulate.binary(40, 30, 3, random_state=0)
    _, F, mu, G = begin(X, 3, intercept)
    expected = oracles.majoriser_path(X, F, mu, G, 0.01, intercept, 1)[0]
    _, state = majoriser_states(X, 3, 1, alpha=0.01, intercept=intercept)
    for actual, wanted in zip((state.point.F, state.point.mu, state.point.G.G), expected, strict=True):
        assert np.allclose(actual, wanted, atol=1e-10)


@pytest.mark.parametrize("intercept", [True, False])
def test_momentum_ends_no_higher_than_the_plain_majoriser(intercept):
    X, _, _ = simulate.binary(60, 50, 3, random_state=1)
    _, F, mu, G = begin(X, 3, intercept)
    F, mu, G = oracles.majoriser_path(X, F, mu, G, 0.01, intercept, 300)[-1]
    plain = oracles.bernoulli_cost(X, mu + G @ F.T) + 0.01 * np.sum(G**2) / X.size
    *_, state = majoriser_states(X, 3, 100, alpha=0.01, intercept=intercept)
    assert state.point.objective <= plain + 1e-6


def test_newton_follows_algorithm_2():
    X, _, _ = simulate.binary(40, 30, 3, random_state=0)
    engine, F, mu, G = begin(X, 3, False)
    expected = oracles.newton_path(X, F, G, 0.05, 10)
    problem, solver = Bernoulli(engine), newton.Newton(eta=0.05)
    state = solver.init_state(problem, (F, mu, G))
    for F, G in expected:
        state = solver.update(problem, state)
        assert np.allclose(state.point.F, F, atol=1e-7)
        assert np.allclose(state.point.G, G, atol=1e-7)
        assert np.isclose(state.point.cost, oracles.bernoulli_cost(X, G @ F.T))
        assert stiefel.residual(state.point.F) <= 1e-24


def test_newton_with_an_intercept_and_a_ridge_lowers_the_penalised_cost():
    X, _, _ = simulate.binary(60, 40, 3, random_state=0)
    engine, F, mu, G = begin(X, 3, True)
    problem, solver = Bernoulli(engine, alpha=0.01, intercept=True), newton.Newton()
    values = [(state := solver.init_state(problem, (F, mu, G))).point.objective]
    for _ in range(20):
        state = solver.update(problem, state)
        values.append(state.point.objective)
    assert (np.diff(values) < 0).all()
    assert not np.allclose(state.point.mu, mu)


def test_logistic_nmf_follows_its_paper():
    X, _, _ = simulate.binary(40, 30, 3, random_state=0)
    rng = np.random.default_rng(0)
    F, G = rng.random((30, 3)), rng.normal(size=(40, 3))
    engine = engine_for(scipy.sparse.csr_array(X))
    problem, solver = Bernoulli(engine), logistic.Logistic(eta=0.01)
    state = solver.init_state(problem, (F, engine.place(G)))
    assert np.isclose(state.point.objective, oracles.bernoulli_cost(X, G @ F.T))
    expected = oracles.logistic_path(X, F, G, 0.01, 10)
    for F, G in expected:
        state = solver.update(problem, state)
        assert np.allclose(state.point.F, F, atol=1e-10)
        assert np.allclose(state.point.G, G, atol=1e-10)
        assert np.isclose(state.point.objective, oracles.bernoulli_cost(X, G @ F.T))


def test_accelerated_logistic_nmf_takes_the_published_steps_from_further_on():
    """It never raises the cost, is lower after as many steps, and its first two steps are the published ones."""
    X, _, _ = simulate.binary(60, 40, 3, random_state=0)
    rng = np.random.default_rng(0)
    F, G = rng.random((40, 3)), rng.normal(size=(60, 3))
    engine = engine_for(scipy.sparse.csr_array(X))
    problem, values = Bernoulli(engine), []
    for solver in (logistic.Logistic(0.01), logistic.Accelerated(0.01)):
        state = solver.init_state(problem, (F, engine.place(G)))
        costs = [state.point.objective]
        for _ in range(200):
            state = solver.update(problem, state)
            costs.append(state.point.objective)
        values.append(np.array(costs))
        assert state.point.F.min() >= 0
    plain, fast = values
    assert np.array_equal(plain[:2], fast[:2])
    assert (np.diff(fast) <= 1e-12).all()
    assert fast[-1] < plain[-1]


@pytest.mark.filterwarnings("ignore:overflow:RuntimeWarning")
def test_a_step_so_long_that_the_cost_has_no_end_is_refused():
    X, _, _ = simulate.binary(60, 40, 3, random_state=0)
    with pytest.raises(InputError, match="eta=10 is too long a step"):
        LogisticNMF(3, eta=10.0, random_state=0).fit(X)


@pytest.mark.parametrize("density", [0.0, 1.0])
def test_a_constant_matrix_has_a_start(density):
    _, F, mu, _ = begin(np.full((6, 5), density), 3, True)
    assert np.isfinite(mu).all()
    assert stiefel.residual(F) <= 1e-24
