from __future__ import annotations

import numpy as np
import pytest

from sonmf import simulate


@pytest.mark.parametrize("scenario", [1, 2, 3])
def test_scenarios_are_as_the_authors_draw_them(scenario):
    X, F, G = simulate.continuous(scenario, 600, 500, 30, random_state=0)
    assert (X.shape, F.shape, G.shape) == ((600, 500), (500, 30), (600, 30))
    assert G.min() >= 0
    assert 1.99 < G.max() <= 2
    if scenario == 1:
        assert F.min() >= 0
        assert 0.99 < F.max() <= 1
    if scenario == 2:
        words, topics = np.nonzero(F)
        assert np.array_equal(words, np.arange(500))
        assert np.array_equal(topics, words % 30)
        assert 1.9 < F.max() <= 2
        assert F[480:].max() <= 1  # 500 = 16 x 30 + 20: the last block is cut
    if scenario == 3:
        lengths = np.linalg.norm(F, axis=0)
        assert np.allclose((F / lengths).T @ (F / lengths), np.eye(30), atol=1e-12)
        assert lengths.max() <= 1
        assert 0.35 < lengths.mean() < 0.65  # Unif(0, 1)
        assert F.min() < 0
    assert (X.min() < 0) == (scenario == 3)
    noise = (X - G @ F.T)[G @ F.T > 1.5] if scenario == 2 else X - G @ F.T  # where clipping does nothing
    assert np.isclose(noise.std(), 0.3, rtol=0.03)
    assert abs(noise.mean()) < 0.01


def test_clipping_can_be_chosen_and_noise_left_out():
    assert simulate.continuous(3, 30, 20, 2, clip=True, random_state=0)[0].min() == 0
    assert simulate.continuous(2, 30, 20, 2, clip=False, random_state=0)[0].min() < 0
    X, F, G = simulate.continuous(1, 30, 20, 2, noise=0, random_state=0)
    assert np.allclose(X, G @ F.T)


def test_binary_noise_is_inside_the_logit():
    X, theta, F, G = simulate.binary_with_log_odds(400, 300, 5, random_state=0)
    assert np.isclose((theta - G @ F.T).std(), 0.1, rtol=0.02)
    assert set(np.unique(X)) == {0.0, 1.0}
    for ours, plain in zip((X, F, G), simulate.binary(400, 300, 5, random_state=0), strict=True):
        assert np.array_equal(ours, plain)
    probability = 1 / (1 + np.exp(-theta))
    score = (X - probability).sum(axis=0) / np.sqrt((probability * (1 - probability)).sum(axis=0))
    assert np.isclose(score.std(), 1, atol=0.15)  # Bernoulli, word by word
    assert abs(score.mean()) < 0.2


@pytest.mark.parametrize(("arguments", "message"), [((4, 9, 9, 2), "scenario=4"), ((1, 9, 5, 6), "k=6"), ((1, 9, 5, 0), "k=0")])
def test_impossible_scenarios_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        simulate.continuous(*arguments)


def test_impossible_binary_data_are_refused():
    with pytest.raises(ValueError, match="k=6"):
        simulate.binary(9, 5, 6)


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
        lambda seed: simulate.binary(9, 8, 2, random_state=seed)[0],
    ],
)
def test_data_repeat_with_the_seed(make):
    assert np.array_equal(make(3), make(3))
    assert not np.array_equal(make(3), make(4))
