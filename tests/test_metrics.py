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
    with pytest.raises(ValueError, match="the shapes do not match"):
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


def naive_npmi(components, X, top):
    """Word by word, as the formula says."""
    there = np.asarray(X) != 0
    topics = []
    for f in np.asarray(components):
        words = [j for j in sorted(range(len(f)), key=lambda j: -f[j])[:top] if f[j] > 0]
        pairs = []
        for a, i in enumerate(words):
            for j in words[a + 1 :]:
                p_i, p_j, p_ij = there[:, i].mean(), there[:, j].mean(), (there[:, i] & there[:, j]).mean()
                pairs.append(-1.0 if p_ij == 0 else 0.0 if p_ij == 1 else np.log(p_ij / p_i / p_j) / -np.log(p_ij))
        if pairs:
            topics.append(np.mean(pairs))
    return np.mean(topics)


@pytest.fixture
def words():
    rng = np.random.default_rng(3)
    X = rng.poisson(0.4, (60, 12)).astype(float)
    X[:, 0], X[:, 1], X[:, 2] = 0.0, 1.0, 2.0  # in no document, and two in every document
    return rng.normal(size=(7, 12)), X


@pytest.mark.parametrize("store", [np.asarray, scipy.sparse.csr_array, scipy.sparse.csc_matrix, scipy.sparse.coo_array])
@pytest.mark.parametrize("top", [2, 5, 12])
def test_npmi_is_its_formula(words, store, top):
    components, X = words
    assert np.isclose(metrics.npmi(components, store(X), top), naive_npmi(components, X, top), rtol=1e-12)


def test_npmi_is_one_for_words_always_together_and_minus_one_for_words_never():
    occurs = scipy.sparse.csr_array(np.array([[1.0, 1, 0, 1, 1], [1, 1, 0, 0, 1], [0, 0, 1, 1, 1], [0, 0, 1, 0, 1]]))
    npmi = metrics.npmi_of_pairs(occurs)
    assert npmi[0, 1] == pytest.approx(1)
    assert npmi[0, 2] == -1
    assert npmi[0, 3] == pytest.approx(0)  # half of the notes each, a quarter both: as by chance
    assert npmi[4, 4] == 0  # in every note
    np.testing.assert_allclose(npmi, npmi.T)


def test_npmi_does_not_look_at_weights_nor_at_stored_zeros(words):
    components, X = words
    stored = scipy.sparse.csr_array(X)
    stored.data[::3] = 0.0
    assert metrics.npmi(3 * components, 5 * X) == metrics.npmi(components, X)
    assert metrics.npmi(components, stored) == metrics.npmi(components, stored.toarray())


def test_words_that_meet_by_chance_have_no_coherence():
    X = np.random.default_rng(0).random((20_000, 6)) < 0.3
    assert abs(metrics.npmi(np.ones((1, 6)), X)) < 0.01


def test_npmi_of_topics_without_two_words_is_unknown():
    assert np.isnan(metrics.npmi([[1.0, 0.0], [0.0, -1.0]], np.eye(2)))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: metrics.npmi(np.eye(3), np.eye(4)), "X has 4 words, but the topics have 3"),
        (lambda: metrics.npmi(np.eye(3), np.eye(3), top=1), "top=1 must be at least 2"),
        (lambda: metrics.npmi(np.eye(3), [["a", "b", "c"]]), "npmi needs a matrix of real numbers"),
        (lambda: metrics.npmi(np.eye(3), [[np.nan, 1, 0]]), "X contains NaN or infinity"),
        (lambda: metrics.diversity(np.eye(3), top=0), "top=0 must be at least 1"),
        (lambda: metrics.overlap(np.ones(3)), r"components has shape \(3,\)"),
        (lambda: metrics.npmi([["fever", "cough"]], np.eye(2)), "components holds no numbers: give topics x words"),
        (lambda: metrics.diversity(object()), "components holds no numbers: give topics x words"),
    ],
)
def test_what_cannot_be_measured_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_npmi_of_a_dask_array_is_refused_in_a_sentence():
    import dask.array as array

    with pytest.raises(ValueError, match="X is a dask Array: npmi needs a numpy array or a scipy sparse matrix"):
        metrics.npmi(np.eye(3), array.ones((5, 3)))


def test_diversity_falls_from_one_to_one_kth():
    assert metrics.diversity(np.eye(4)) == 1.0
    assert metrics.diversity(np.ones((4, 6))) == 0.25
    assert np.isnan(metrics.diversity(-np.eye(3)))


def test_overlap_is_zero_for_orthogonal_topics_and_one_for_copies(factors):
    H = np.linalg.qr(factors[0][:40])[0][:5]
    assert metrics.overlap(H) < 1e-15
    assert metrics.overlap(np.vstack([H, -3 * H])) == pytest.approx(1.0)
    assert metrics.overlap([[0.0, 0.0], [1.0, 1.0]]) == metrics.overlap([[2.0, 1.0]]) == 0.0
