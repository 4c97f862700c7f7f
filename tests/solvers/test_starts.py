from __future__ import annotations

import numpy as np
import oracles
import pytest
import scipy.sparse

from sonmf import kernels, metrics, simulate, stiefel
from sonmf.engines import engine_for
from sonmf.solvers import starts
from sonmf.solvers.problem import least_squares


def start(X, init, k, seed=0):
    return starts.start(engine_for(X), init, k, np.random.RandomState(seed))


@pytest.mark.parametrize("init", ["varimax", "svd", "kmeans", "random"])
@pytest.mark.parametrize("scenario", [1, 2, 3])
def test_every_start_is_orthonormal_oriented_and_repeats(init, scenario):
    X, _, _ = simulate.continuous(scenario, 90, 70, 6, random_state=0)
    F = start(X, init, 6)
    assert stiefel.residual(F) <= 1e-26
    assert np.array_equal(F, oracles.oriented(X, F))
    assert np.array_equal(F, start(X, init, 6))
    assert np.array_equal(F, start(X, init, 6, seed=1)) == (init in ("svd", "varimax"))


def test_varimax_turns_the_singular_vectors_towards_groups_of_documents():
    """Each document has one topic and a little of the others: the right rotation leaves hardly anything negative."""
    rng = np.random.default_rng(0)
    F = np.linalg.qr(rng.normal(size=(70, 6)))[0]
    X = (np.eye(6)[rng.integers(6, size=400)] + rng.uniform(0, 0.3, (400, 6))) @ F.T
    V, R = start(X, "svd", 6), start(X, "varimax", 6)
    assert np.allclose(V @ (V.T @ R), R)
    assert np.sum(oracles.clipped(X, R) ** 2) > 0.99 * np.sum(X**2)
    assert np.sum(oracles.clipped(X, V) ** 2) < 0.9 * np.sum(X**2)
    assert np.max(R.T @ F, axis=1).min() > 0.95


def test_varimax_maximises_kaisers_criterion():
    """The variance of the squared entries of LR, the rows of L at unit length, beats that of many other rotations."""
    X = simulate.corpus(400, 60, random_state=0)
    V = starts.svd(engine_for(X), 4)
    L = X @ V
    L /= np.linalg.norm(L, axis=1, keepdims=True)

    def criterion(R):
        return np.sum(np.var((L @ R) ** 2, axis=0))

    best = criterion(starts.varimax(engine_for(X), V))
    rng = np.random.default_rng(0)
    assert all(criterion(np.linalg.qr(rng.normal(size=(4, 4)))[0]) < best for _ in range(300))


@pytest.mark.usefixtures("thread_count")
def test_varimax_takes_the_steps_of_its_definition():
    """R = polar(L'B) with B the gradient of the criterion, with weights, where the documents are shared out."""
    rng = np.random.default_rng(0)
    X, w = rng.random((2500, 50)), rng.random(2500)
    V = np.linalg.qr(rng.normal(size=(50, 40)))[0]
    L, R = X @ V, np.eye(40)
    L /= np.linalg.norm(L, axis=1, keepdims=True)
    w /= w.sum()
    for _ in range(starts.VARIMAX_STEPS):
        A = L @ R
        left, _, right = np.linalg.svd(L.T @ (w[:, None] * A * (A**2 - w @ A**2)))
        R = left @ right
    found = starts.varimax(engine_for(X), V, w)
    assert np.allclose(np.max(found.T @ R, axis=1), 1, atol=1e-9)  # the same columns, in another order


@pytest.mark.parametrize("init", ["varimax", "svd", "random"])
def test_several_starts_are_the_named_one_and_turns_of_it_or_new_draws(init):
    X = simulate.corpus(300, 60, random_state=0)
    first, *others = starts.several(least_squares(engine_for(X)), init, 5, 3, np.random.RandomState(0))
    assert np.array_equal(first, start(X, init, 5))
    for F in others:
        assert stiefel.residual(F) <= 1e-26
        assert np.array_equal(F, oracles.oriented(X, F))
        assert np.abs(F.T @ first).max() < 0.999
    within = [np.allclose(first @ (first.T @ F), F) for F in others]
    assert within == ([False, False] if init == "random" else [True, False])  # a rotation, then a draw


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
    X = simulate.corpus(1000, 600, random_state=0)
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
