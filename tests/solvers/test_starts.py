from __future__ import annotations

import numpy as np
import oracles
import pytest
import scipy.sparse

from sonmf import kernels, metrics, simulate, stiefel
from sonmf.engines import engine_for
from sonmf.solvers import starts


def start(X, init, k, seed=0):
    return starts.start(engine_for(X), init, k, np.random.RandomState(seed))


@pytest.mark.parametrize("init", ["svd", "kmeans", "random"])
@pytest.mark.parametrize("scenario", [1, 2, 3])
def test_every_start_is_orthonormal_oriented_and_repeats(init, scenario):
    X, _, _ = simulate.continuous(scenario, 90, 70, 6, random_state=0)
    F = start(X, init, 6)
    assert stiefel.residual(F) <= 1e-26
    assert np.array_equal(F, oracles.oriented(X, F))
    assert np.array_equal(F, start(X, init, 6))
    assert np.array_equal(F, start(X, init, 6, seed=1)) == (init == "svd")


def test_the_users_own_start_is_oriented_too():
    X, _, _ = simulate.continuous(1, 90, 70, 6, random_state=0)
    F = start(X, "random", 6)
    assert np.allclose(start(X, -F, 6), F)


@pytest.mark.parametrize("shape", [(90, 70), (3000, 1500)], ids=["exact", "subspace iteration"])
def test_the_topics_of_a_smaller_fit_are_kept_and_the_svd_of_what_they_leave_is_added(shape):
    X = simulate.corpus(*shape, random_state=0)
    F = np.linalg.qr(np.random.default_rng(0).normal(size=(shape[1], 4)))[0]
    grown = start(X, F, 10)
    assert stiefel.residual(grown) <= 1e-26
    assert np.allclose(np.abs(grown[:, :4]), np.abs(F), atol=1e-12)
    left = X.toarray() - X @ F @ F.T
    best = np.sum(np.linalg.eigvalsh(left.T @ left)[-6:])
    assert np.sum((left @ grown[:, 4:]) ** 2) > 0.95 * best


def test_float32_data_have_the_start_of_float64_data():
    X = simulate.corpus(3000, 1500, random_state=0)
    F, single = start(X, "svd", 20), start(X.astype(np.float32), "svd", 20)
    assert stiefel.residual(single) <= 1e-26
    assert np.isclose(np.sum((X @ single) ** 2), np.sum((X @ F) ** 2), rtol=1e-4)


def test_the_sign_rule_keeps_the_energy_that_the_wrong_sign_would_drop():
    """NOTES.md: K-means + QR on scenario 1 may keep 0.3% of the energy when LAPACK returns a negative first column."""
    X, _, _ = simulate.continuous(1, 90, 70, 6, random_state=0)
    F = np.linalg.qr(np.abs(X).T @ np.random.default_rng(0).random((90, 6)))[0]
    F[:, 0] = -np.abs(F[:, 0])
    F = np.linalg.qr(F)[0]
    kept = [np.sum(oracles.clipped(X, f) ** 2) for f in (start(X, F, 6), -start(X, F, 6))]
    assert kept[0] > 10 * kept[1]


def test_the_svd_start_is_the_svd_of_small_data():
    X, _, _ = simulate.continuous(1, 90, 70, 6, random_state=0)
    assert metrics.subspace_distance(start(X, "svd", 6), np.linalg.svd(X)[2][:6].T) < 1e-16


def test_the_svd_start_of_large_data_captures_what_the_svd_does():
    X = simulate.corpus(3000, 1500, random_state=0)
    F = start(X, "svd", 20)
    captured = np.sum((X @ F) ** 2)
    best = np.sum(scipy.sparse.linalg.svds(X, 20, return_singular_vectors=False) ** 2)
    assert 0.95 * best < captured <= best * (1 + 1e-12)


@pytest.mark.parametrize("shape", [(90, 70), (3000, 1500)], ids=["exact", "subspace iteration"])
def test_a_centre_is_taken_from_every_document(shape):
    X = simulate.corpus(*shape, random_state=0)
    centre = np.asarray(X.mean(axis=0)).ravel()
    centred = X.toarray() - centre
    F = starts.start(engine_for(X), "svd", 6, np.random.RandomState(0), centre)
    assert np.array_equal(F, oracles.oriented(centred, F))
    assert np.isclose(np.sum((centred @ F) ** 2), np.sum((centred @ start(centred, "svd", 6)) ** 2), rtol=1e-6)


@pytest.mark.parametrize("k", [1, 19, 20])
def test_as_many_topics_as_words_or_documents(k):
    X = np.random.default_rng(0).random((20, 50))
    for init in ("svd", "kmeans", "random"):
        assert stiefel.residual(start(X, init, k)) <= 1e-26
        assert stiefel.residual(start(X[:, :20].T, init, k)) <= 1e-26


def test_kmeans_looks_at_a_sample_of_a_long_list(monkeypatch):
    monkeypatch.setattr(starts, "KMEANS_DOCUMENTS", 50)
    X, _, _ = simulate.continuous(2, 300, 40, 4, random_state=0)
    engine = engine_for(X)
    seen = []
    monkeypatch.setattr(engine, "documents", lambda rows: seen.append(rows) or X[rows])
    F = starts.kmeans(engine, 4, np.random.RandomState(0))
    assert len(np.unique(seen[0])) == 50
    assert stiefel.residual(F) <= 1e-26


def test_kmeans_survives_fewer_distinct_documents_than_topics():
    X = np.repeat(np.eye(3, 10), 5, axis=0)
    assert stiefel.residual(start(X, "kmeans", 6)) <= 1e-26


def test_orient_is_one_pass():
    engine = engine_for(np.random.default_rng(0).random((30, 20)))
    starts.orient(engine, np.eye(20, 3))
    assert engine.passes == 1
    assert kernels.sign_energies(engine.X, None, np.eye(20, 3), np.zeros(3))[1][1].sum() == 0
