"""NMF, ONMF and SemiNMF against their papers: peers, naive loops, monotone where promised."""

from __future__ import annotations

import numpy as np
import oracles
import pytest
import scipy.sparse
from sklearn.decomposition import non_negative_factorization

from sonmf import NMF, SemiNMF, metrics, simulate
from sonmf.engines import engine_for
from sonmf.solvers import multiplicative, orthogonal, semi, starts
from sonmf.solvers.alternating import Accelerated
from sonmf.solvers.problem import least_squares

STORAGE = {"dense": np.ascontiguousarray, "csr": scipy.sparse.csr_array}


def states(solver, X, F, G, iterations):
    engine = engine_for(X)
    problem = least_squares(engine)
    state = solver.init_state(problem, (F, engine.place(G)))
    yield state
    for _ in range(iterations):
        state = solver.update(problem, state)
        yield state


def data(scenario=2, n=40, p=30, k=4, seed=0):
    X, _, _ = simulate.continuous(scenario, n, p, k, clip=True, random_state=seed)
    rng = np.random.default_rng(seed)
    return X, rng.random((p, k)), rng.random((n, k))


@pytest.mark.parametrize("storage", STORAGE)
@pytest.mark.parametrize("scenario", [1, 2, 3])
def test_nmf_is_scikit_learns_multiplicative_solver(storage, scenario):
    X, F, _ = data(scenario, 120, 80, 5)
    G = np.maximum(X @ F, 1e-10)
    W, H, _ = non_negative_factorization(
        X, W=G.copy(), H=F.T.copy(), n_components=5, init="custom", solver="mu", max_iter=200, tol=0
    )
    *_, state = states(multiplicative, STORAGE[storage](X), F, G, 200)
    assert np.isclose(state.point.objective, metrics.average_residual(X, W, H), rtol=1e-6)


@pytest.mark.parametrize("storage", STORAGE)
@pytest.mark.parametrize("k", [1, 4])
def test_onmf_is_its_naive_version(storage, k):
    X, F, G = data(k=k)
    expected = oracles.orthogonal_path(X, F, G, 8)
    actual = list(states(orthogonal, STORAGE[storage](X), F, G, 8))[1:]
    for state, (F, G) in zip(actual, expected, strict=True):
        assert np.allclose(state.point.F, F, atol=1e-8)
        assert np.allclose(state.point.G, G, atol=1e-8)
        assert np.isclose(state.point.objective, metrics.average_residual(X, G, F.T), rtol=1e-8)


@pytest.mark.parametrize("storage", STORAGE)
def test_semi_nmf_is_its_naive_version(storage):
    X, F, G = data(3)
    X = X - 0.5
    expected = oracles.semi_path(X, G, 8)
    actual = list(states(semi, STORAGE[storage](X), F, G, 8))[1:]
    for state, (F, G) in zip(actual, expected, strict=True):
        assert np.allclose(state.point.F, F, atol=1e-8)
        assert np.allclose(state.point.G, G, atol=1e-8)


MONOTONE = [multiplicative, semi, Accelerated(multiplicative), Accelerated(semi)]


@pytest.mark.parametrize("solver", MONOTONE, ids=["NMF", "SemiNMF", "NMF accelerated", "SemiNMF accelerated"])
@pytest.mark.parametrize("scenario", [1, 2, 3])
def test_the_objective_never_rises_where_the_method_promises_it(solver, scenario):
    X, F, G = data(scenario, 60, 50, 6)
    values = [state.point.objective for state in states(solver, X, F, G, 100)]
    assert (np.diff(values) <= 1e-12 * np.mean(X**2)).all()


def ended(solver, X, F, G, iterations=20_000):
    """The last state before the objective has stopped falling."""
    before = None
    for state in states(solver, X, F, G, iterations):
        if before is not None and state.accepted and 0 <= before.point.objective - state.point.objective <= 1e-15:
            return state
        before = state
    raise AssertionError("the objective still falls")


@pytest.mark.parametrize("published", [multiplicative, semi], ids=["NMF", "SemiNMF"])
def test_an_accelerated_method_has_the_fixed_points_of_the_published_one(published):
    """Where the accelerated run ends, the published update stays; and where that stays, the accelerated run does."""
    X, F, G = data(1, 60, 50, 3)
    end = ended(Accelerated(published), X, F, G).point
    for solver in (published, Accelerated(published)):
        *_, state = states(solver, X, end.F, end.G, 20)
        assert np.allclose(state.point.F, end.F, atol=1e-5 * abs(end.F).max())


@pytest.mark.parametrize("published", [multiplicative, semi], ids=["NMF", "SemiNMF"])
def test_an_accelerated_method_is_lower_after_as_many_passes(published):
    X, _, _ = simulate.continuous(1, 200, 100, 8, clip=True, random_state=0)
    F, G = np.random.default_rng(1).random((100, 8)), np.random.default_rng(2).random((200, 8))
    *_, plain = states(published, X, F, G, 200)
    *_, fast = states(Accelerated(published), X, F, G, 200)
    assert fast.point.objective < plain.point.objective


def test_onmf_is_nearly_orthogonal_on_data_made_for_it():
    X, _, _ = simulate.continuous(2, 200, 100, 5, random_state=0)
    engine = engine_for(X)
    F = starts.clipped_svd(engine, 5)
    *_, state = states(orthogonal, X, F, np.maximum(X @ F, 1e-10), 100)
    assert metrics.orthogonal_residual(state.point.F.T) < 0.05
    assert np.allclose(np.linalg.norm(state.point.F, axis=0), 1)


@pytest.mark.parametrize("sign", [False, True], ids=["non-negative", "mixed sign"])
def test_the_svd_start_of_semi_nmf_is_a_global_optimum_where_one_is_possible(sign):
    """Gillis and Kumar: with a positive vector in the document space, Semi-NMF reaches the best rank-k approximation."""
    rng = np.random.default_rng(0)
    X = rng.random((60, 3)) @ rng.normal(size=(3, 40)) + 0.05 * rng.normal(size=(60, 40)) if sign else rng.random((60, 40))
    model = SemiNMF(3, init="svd").fit(X)
    best = np.linalg.norm(np.linalg.svd(X, compute_uv=False)[3:])
    assert np.isclose(model.reconstruction_err_, best, rtol=1e-6)


def test_the_svd_start_of_semi_nmf_survives_where_none_is_possible():
    X = np.random.default_rng(0).normal(size=(60, 40))
    model = SemiNMF(3, init="svd", max_iter=1000).fit(X)
    assert np.isfinite(model.components_).all()
    assert model.reconstruction_err_ < np.linalg.norm(X)


def test_zeros_do_not_lock_nmf():
    """A start with zeros is lifted to 1e-10, so the multiplicative update can still leave them."""
    X, F, _ = data(1)
    F[:, 0] = 0
    assert NMF(4, init=F, max_iter=5000, tol=1e-4).fit(X).components_[0].max() > 1e-3
