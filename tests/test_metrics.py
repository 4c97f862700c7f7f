from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from sonmf import SONMF, metrics


@pytest.fixture
def factors():
    rng = np.random.default_rng(0)
    return rng.normal(size=(2500, 40)), rng.random((2500, 3)), rng.normal(size=(3, 40))


@pytest.mark.parametrize("store", [np.asarray, scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.coo_array])
def test_average_residual_is_its_formula(factors, store):
    X, W, H = factors
    assert np.isclose(metrics.average_residual(store(X), W, H), np.mean((X - W @ H) ** 2), rtol=1e-12)


def test_average_residual_agrees_with_a_fit(factors):
    X, _, _ = factors
    model = SONMF(5, max_iter=1000)
    W = model.fit_transform(X)
    assert np.isclose(metrics.average_residual(X, W, model.components_), model.objective_history_[-1], rtol=1e-10)


@pytest.mark.parametrize("shapes", [((3, 2), (3, 1), (1, 3)), ((3, 2), (2, 1), (1, 2)), ((3, 2), (3, 2), (1, 2))])
def test_average_residual_names_shapes_that_do_not_fit(shapes):
    with pytest.raises(ValueError, match="shapes do not fit"):
        metrics.average_residual(*(np.zeros(s) for s in shapes))


def test_orthogonal_residual():
    H = np.linalg.qr(np.random.default_rng(0).normal(size=(20, 4)))[0].T
    assert metrics.orthogonal_residual(H) < 1e-28
    assert np.isclose(metrics.orthogonal_residual(2 * H), 4 * 9)


@pytest.mark.parametrize("ranks", [(3, 3), (2, 5)])
def test_subspace_distance_is_the_norm_of_the_difference_of_projectors(ranks):
    rng = np.random.default_rng(0)
    A, B = (rng.normal(size=(15, r)) @ rng.normal(size=(r, 6)) for r in ranks)
    difference = A @ np.linalg.pinv(A, rcond=1e-10) - B @ np.linalg.pinv(B, rcond=1e-10)
    assert np.isclose(metrics.subspace_distance(A, B), np.sum(difference**2))
    assert np.isclose(metrics.subspace_distance(A, B, squared=False), np.linalg.norm(difference))
    assert metrics.subspace_distance(A, A @ rng.normal(size=(6, 6))) < 1e-20
    assert np.isclose(metrics.subspace_distance(A, B), metrics.subspace_distance(B, A))


def test_subspace_distance_needs_one_space():
    with pytest.raises(ValueError, match="A has 3 rows and B has 4"):
        metrics.subspace_distance(np.eye(3), np.eye(4))


def test_sparsity_counts_what_the_paper_calls_zero():
    assert metrics.sparsity([0, 1e-10, -1e-10, 1e-9]) == 0.75
    assert metrics.sparsity([0, 1e-10, -1e-10, 1e-9], threshold=1e-8) == 1.0
