from __future__ import annotations

import numpy as np
import pytest

from sonmf import simulate


@pytest.mark.parametrize("scenario", [1, 2, 3])
def test_scenarios_are_as_the_paper_says(scenario):
    X, F, G = simulate.continuous(scenario, 600, 500, 10, random_state=0)
    assert (X.shape, F.shape, G.shape) == ((600, 500), (500, 10), (600, 10))
    assert G.min() >= 0
    assert 1.99 < G.max() <= 2
    noise = X - G @ F.T
    if scenario == 1:
        assert F.min() >= 0
        assert 0.99 < F.max() <= 1
    if scenario == 2:
        assert X.min() == 0
        assert F.min() >= 0
        gram = F.T @ F
        assert np.array_equal(gram, np.diag(np.diag(gram)))
        noise = noise[G @ F.T > 1.5]  # where clipping does nothing
    if scenario == 3:
        assert np.allclose(F.T @ F, np.eye(10), atol=1e-12)
        assert F.min() < 0
    assert np.isclose(noise.std(), 0.3, rtol=0.03)
    assert abs(noise.mean()) < 0.01


def test_clipping_on_request_and_noise_free_data():
    assert simulate.continuous(3, 30, 20, 2, clip=True, random_state=0)[0].min() == 0
    X, F, G = simulate.continuous(1, 30, 20, 2, noise=0, random_state=0)
    assert np.allclose(X, G @ F.T)


@pytest.mark.parametrize(("arguments", "message"), [((4, 9, 9, 2), "scenario=4"), ((1, 9, 5, 6), "k=6"), ((1, 9, 5, 0), "k=0")])
def test_impossible_scenarios_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        simulate.continuous(*arguments)


def test_a_corpus_looks_like_notes():
    X = simulate.corpus(2000, 1000, random_state=0)
    assert X.shape == (2000, 1000)
    assert X.has_canonical_format
    assert np.allclose(np.sqrt(X.multiply(X).sum(axis=1)), 1)
    assert 20 < X.nnz / 2000 < 40  # distinct words in notes of about 40
    frequency = np.sort(np.bincount(X.indices, minlength=1000))[::-1]
    assert frequency[0] > 10 * frequency[200]  # Zipf


@pytest.mark.parametrize(
    "make",
    [
        lambda seed: simulate.corpus(50, 40, random_state=seed).toarray(),
        lambda seed: simulate.continuous(1, 9, 8, 2, random_state=seed)[0],
    ],
)
def test_data_repeat_with_the_seed(make):
    assert np.array_equal(make(3), make(3))
    assert not np.array_equal(make(3), make(4))
