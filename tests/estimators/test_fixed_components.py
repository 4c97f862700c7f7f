"""Topics that are given stay; the others are the best that are orthogonal to them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from sonmf import SONMF, simulate, stiefel
from sonmf.stiefel import polar, polar_with_fixed

SOLVERS = ["accelerated", "procrustes", "cayley", "subspace"]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def X():
    return simulate.continuous(3, 120, 50, 5, random_state=0)[0]


def topics(m, p=50, seed=0):
    return np.linalg.qr(np.random.default_rng(seed).normal(size=(p, m)))[0].T


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("init", ["varimax", "svd", "random", "kmeans"])
@pytest.mark.parametrize("m", [1, 3, 5])
def test_they_stay_and_the_objective_never_rises(X, solver, init, m):
    given_topics, seen = topics(m), []
    model = SONMF(5, solver=solver, init=init, fixed_components=given_topics, random_state=0)
    model.set_params(
        callback=lambda it: seen.append((stiefel.residual(it.F), np.abs(it.F[:, :m].T - given_topics).max())) and False
    )
    model.fit(X)
    assert np.max(seen, axis=0)[0] <= 1e-24
    assert np.max(seen, axis=0)[1] <= 1e-14
    assert np.diff(model.objective_history_).max(initial=0.0) <= 1e-12 * np.mean(X**2)
    G = np.maximum(X @ model.components_.T, 0)
    assert np.isclose(model.reconstruction_err_, np.linalg.norm(X - G @ model.components_))


@pytest.mark.parametrize("solver", SOLVERS)
def test_given_its_own_topics_a_fit_ends_where_it_was(X, solver):
    free = SONMF(5, tol=1e-13, max_iter=5000).fit(X)
    kept = SONMF(5, solver=solver, fixed_components=free.components_[:2], tol=1e-13, max_iter=5000).fit(X)
    cosines = free.components_[2:] @ kept.components_[2:].T
    assert np.isclose(kept.reconstruction_err_, free.reconstruction_err_, rtol=1e-7)
    assert np.allclose(np.sort(np.abs(cosines).max(axis=1)), 1, atol=1e-4)


def test_length_is_brought_to_one_and_the_sign_is_kept(X):
    model = SONMF(3, fixed_components=[-7 * topics(1)[0]]).fit(X)
    assert np.allclose(model.components_[0], -topics(1)[0], atol=1e-14)


def test_what_they_explain_is_left_to_them(X):
    """With the first k - 1 topics given, the last one solves the problem of X without them."""
    given_topics = topics(4)
    model = SONMF(5, fixed_components=given_topics, tol=1e-13, max_iter=5000).fit(X)
    away = X - X @ given_topics.T @ given_topics
    alone = SONMF(1, tol=1e-13, max_iter=5000).fit(away)
    assert abs(alone.components_[0] @ model.components_[4]) > 1 - 1e-6


def test_sparse_missing_and_a_stream_of_batches(X):
    given_topics = topics(2)
    positive = np.maximum(X, 0)
    dense, sparse = (SONMF(4, fixed_components=given_topics).fit(A) for A in (positive, scipy.sparse.csr_array(positive)))
    assert np.allclose(dense.components_, sparse.components_, atol=1e-6)
    holed = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    model = SONMF(4, fixed_components=given_topics).fit(holed)
    assert np.allclose(model.components_[:2], given_topics, atol=1e-14)
    model.partial_fit(holed[:40])
    assert np.allclose(model.components_[:2], given_topics, atol=1e-14)
    assert stiefel.residual(model.components_.T) <= 1e-24


def test_torch_agrees_with_memory(X, torch):
    here, there = (SONMF(4, fixed_components=topics(2)).fit(A) for A in (X, torch.tensor(X)))
    assert np.allclose(here.components_, there.components_, atol=1e-6)


@pytest.mark.parametrize("init", ["varimax", "random"])
def test_starts_that_race_all_have_them(X, init):
    one, best = (SONMF(5, init=init, n_init=n, fixed_components=topics(2), random_state=0).fit(X) for n in (1, 4))
    assert np.allclose(best.components_[:2], topics(2), atol=1e-14)
    assert best.objective_history_[-1] <= one.objective_history_[-1] * (1 + 1e-12)


def test_the_init_beside_them(X):
    start = topics(4, seed=1).T
    model = SONMF(4, fixed_components=topics(2), init=start, max_iter=1, tol=0).fit(X)
    assert np.allclose(model.components_[:2], topics(2), atol=1e-14)


@given(st.integers(0, 2**32 - 1), st.integers(0, 3))
def test_no_other_orthonormal_matrix_beside_them_has_a_larger_trace(seed, rank):
    """Also where M has lost rank, or lies in the span of what is given."""
    rng = np.random.default_rng(seed)
    p, m, k = 9, int(rng.integers(1, 4)), int(rng.integers(4, 7))
    C = np.linalg.qr(rng.normal(size=(p, m)))[0]
    M = rng.normal(size=(p, rank)) @ rng.normal(size=(rank, k)) + C @ rng.normal(size=(m, k))
    F = polar_with_fixed(C, M)
    assert np.array_equal(F[:, :m], C)
    assert stiefel.residual(F) <= 1e-24
    other = np.hstack([C, polar(rng.normal(size=(p, k - m)) @ np.eye(k - m))])
    other[:, m:] = np.linalg.qr(other)[0][:, m:]
    assert np.vdot(F[:, m:], M[:, m:]) >= np.vdot(other[:, m:], M[:, m:]) - 1e-9
