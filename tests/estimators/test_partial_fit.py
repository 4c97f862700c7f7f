"""Documents that arrive day by day: the exact step on a stream."""

from __future__ import annotations

import numpy as np
import oracles
import pytest
from sklearn.base import clone

from sonmf import SONMF, metrics, simulate


@pytest.fixture(scope="module", params=["text", "scenario 3"])
def X(request):
    return (
        simulate.corpus(8000, 300, random_state=0)
        if request.param == "text"
        else simulate.continuous(3, 4000, 80, 6, random_state=0)[0]
    )


def batches(X, size, seed=0):
    order = np.random.default_rng(seed).permutation(X.shape[0])
    return [X[order[i : i + size]] for i in range(0, len(order), size)]


@pytest.mark.parametrize("forgetting", [0.95, 1.0])
def test_a_stream_over_shuffled_documents_ends_within_one_percent_of_the_batch_objective(X, forgetting):
    batch, stream = SONMF(8, max_iter=1000).fit(X), SONMF(8, max_iter=1000)
    for new in batches(X, 500):
        stream.partial_fit(new, forgetting=forgetting)
    assert stream.n_documents_seen_ == X.shape[0]
    assert 1 - stream.score(X) <= 1.01 * (1 - batch.score(X))
    assert metrics.orthogonal_residual(stream.components_) <= 1e-24


@pytest.mark.parametrize("forgetting", [0.95, 1.0])
def test_so_does_one_of_many_topics_in_fifty_days(forgetting):
    X = simulate.corpus(20_000, 1000, random_state=0)
    batch, stream = SONMF(40, max_iter=1000).fit(X), SONMF(40, max_iter=1000)
    for new in batches(X, 400):
        stream.partial_fit(new, forgetting=forgetting)
    assert 1 - stream.score(X) <= 1.01 * (1 - batch.score(X))


@pytest.mark.parametrize("forgetting", [0.5, 1.0])
def test_nothing_is_lost_of_documents_that_are_gone_where_the_sketch_holds_it_all(forgetting):
    """Two words, one topic, positive documents, those of the first day all alike: nothing is clipped, the sketch is exact."""
    rng = np.random.default_rng(0)
    days = [np.outer(rng.uniform(1, 2, 10), [1, 2]), *rng.uniform(0, 1, (5, 10, 2))]
    model = SONMF(1)
    for new in days:
        model.partial_fit(new, forgetting=forgetting)
    X = np.vstack([forgetting ** (age / 2) * new for age, new in enumerate(reversed(days))])
    assert np.allclose(model.moments_[:, :1], X.T @ X @ model.components_.T, rtol=1e-10)


def test_the_stream_is_better_than_its_first_day(X):
    days = batches(X, 250)
    model = SONMF(8, max_iter=1000).fit(days[0])
    before = model.score(X)
    for new in days[1:]:
        model.partial_fit(new)
    assert model.score(X) > before


def test_without_memory_it_is_the_exact_step():
    X, _, _ = simulate.continuous(1, 60, 30, 4, random_state=0)
    model = SONMF(4, max_iter=1, tol=1e9).fit(X)
    (expected,) = oracles.procrustes_path(X, model.components_.T, 1)
    assert np.allclose(model.partial_fit(X, forgetting=0.0).components_.T, expected, atol=1e-10)


def test_a_fit_is_the_first_day_and_its_optimum_stays():
    X, _, _ = simulate.continuous(1, 60, 30, 4, random_state=0)
    fitted, first = SONMF(4, tol=1e-14, max_iter=5000).fit(X), SONMF(4, tol=1e-14, max_iter=5000).partial_fit(X)
    assert np.array_equal(fitted.components_, first.components_)
    assert np.allclose(first.partial_fit(X).components_, fitted.components_, atol=1e-5)


@pytest.mark.parametrize("sparsity", [0.0, 0.1])
def test_the_optimum_stays_where_entries_are_missing_and_topics_have_a_price(sparsity):
    X = simulate.corpus(200, 40, random_state=0).toarray()
    X[np.random.default_rng(1).random(X.shape) < 0.2] = np.nan
    model = SONMF(4, sparsity=sparsity, tol=1e-9, max_iter=5000).fit(X)
    before = model.components_
    for _ in range(5):
        model.partial_fit(X)
    assert np.allclose(model.components_, before, atol=1e-5)


def test_forgetting_follows_a_change_that_memory_resists():
    old, new = (simulate.continuous(1, 800, 40, 3, random_state=seed)[0] for seed in (1, 2))
    ends = {}
    for forgetting in (0.5, 1.0):
        model = SONMF(3, max_iter=1000).fit(old)
        for _ in range(10):
            model.partial_fit(new[:80], forgetting=forgetting)
        ends[forgetting] = model.score(new)
    assert 1 - ends[0.5] < 0.7 * (1 - ends[1.0])


@pytest.mark.parametrize("forgetting", [-0.1, 1.1, np.nan])
def test_a_factor_that_cannot_be_is_refused_and_changes_nothing(forgetting):
    X, _, _ = simulate.continuous(1, 60, 30, 4, random_state=0)
    model = SONMF(4).fit(X)
    before = clone(model).fit(X).components_
    with pytest.raises(ValueError, match=r"forgetting=.* must lie between 0"):
        model.partial_fit(X, forgetting=forgetting)
    with pytest.raises(ValueError, match="29 features"):
        model.partial_fit(X[:, 1:])
    assert np.array_equal(model.components_, before)
    assert model.n_documents_seen_ == 60
