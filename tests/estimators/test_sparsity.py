"""Documents that pay for their topics: min ||X - GF'||^2 + 2 lambda sum(G)."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from sonmf import SONMF, simulate
from sonmf.engines import engine_for
from sonmf.engines.blocks import Blocks
from sonmf.solvers import starts

pytestmark = pytest.mark.filterwarnings("ignore:sparsity=.* leaves .* of the documents without any topic:UserWarning")


@pytest.fixture(scope="module")
def X():
    return simulate.corpus(400, 90, random_state=0)


def penalised(X, model, G=None):
    G = model.transform(X) if G is None else G
    return np.sum((X - G @ model.components_) ** 2) + 2 * model.threshold_ * np.sum(np.abs(G))


@pytest.mark.parametrize("solver", ["accelerated", "procrustes", "cayley", "subspace"])
@pytest.mark.parametrize("sparsity", [0.0, 0.05, 0.2])
def test_what_a_fit_reports_is_what_its_factors_say(X, solver, sparsity):
    model = SONMF(5, solver=solver, sparsity=sparsity, max_iter=2000).fit(X)
    D, G = X.toarray(), model.transform(X)
    assert np.isclose(model.threshold_, sparsity * np.sqrt(np.sum(D**2) / len(D)))
    assert np.allclose(G, np.maximum(D @ model.components_.T - model.threshold_, 0))
    assert np.isclose(model.objective_history_[-1], penalised(D, model) / D.size)
    assert np.all(np.diff(model.objective_history_) <= 1e-12 * model.objective_history_[0])
    assert np.isclose(model.reconstruction_err_, np.linalg.norm(D - G @ model.components_))
    assert np.isclose(model.score(X), 1 - np.sum((D - G @ model.components_) ** 2) / np.sum(D**2))
    assert np.allclose(model.components_ @ model.components_.T, np.eye(5), atol=1e-12)


def test_given_its_topics_no_other_amounts_cost_less(X):
    model, D, rng = SONMF(5, sparsity=0.1).fit(X), X.toarray(), np.random.default_rng(0)
    G, best = model.transform(X), penalised(D, model)
    for size in np.logspace(-4, 0, 40):
        other = np.maximum(G + size * rng.normal(size=G.shape) * (rng.random(G.shape) < 0.1), 0)
        assert penalised(D, model, other) > best


def test_more_sparsity_leaves_each_document_fewer_topics(X):
    shares = [np.mean(SONMF(5, sparsity=s).fit_transform(X) > 0) for s in (0, 0.05, 0.1, 0.2)]
    assert np.all(np.diff(shares) < 0)


def test_scaling_the_documents_scales_the_threshold_and_nothing_else(X):
    model, scaled = (SONMF(5, sparsity=0.1).fit(factor * X) for factor in (1, 2.0**40))
    assert np.isclose(scaled.threshold_, 2.0**40 * model.threshold_)
    assert np.allclose(model.components_, scaled.components_, atol=1e-8)
    assert np.isclose(scaled.score(2.0**40 * X), model.score(X))


def test_signed_features_are_not_thresholded(X):
    model = SONMF(5, sparsity=0.1, signed=True).fit(X)
    assert np.allclose(model.transform(X), X @ model.components_.T)


def test_the_start_takes_the_sign_that_keeps_more_above_the_threshold():
    """Many small positive projections outweigh few large negative ones, but none of them reaches the threshold."""
    X = np.r_[np.full(200, 0.5), np.full(10, -2.0)][:, None] * np.eye(1, 3)
    engine, f = engine_for(X), np.eye(3, 1)
    assert starts.orient(engine, f)[0, 0] == 1
    assert starts.orient(engine, f, threshold=1.0)[0, 0] == -1


def assert_the_same_topics(X, there):
    here, model = SONMF(5, sparsity=0.1).fit(X), SONMF(5, sparsity=0.1).fit(there)
    assert np.allclose(model.components_, here.components_, atol=1e-8)
    assert np.allclose(np.asarray(model.transform(there)), here.transform(X), atol=1e-7)
    assert np.isclose(model.score(there), here.score(X))


def test_the_same_topics_wherever_the_documents_are(X):
    blocks = Blocks([lambda: X[:150], lambda: X[150:]], [150, 250], X.shape[1], X.dtype)
    for there in (X.toarray(), scipy.sparse.csr_matrix(X), blocks):
        assert_the_same_topics(X, there)


def test_the_same_topics_from_a_tensor(X, torch):
    assert_the_same_topics(X, torch.tensor(X.toarray()))


def test_batches_move_the_topics_with_the_threshold_of_the_first_fit(X):
    model = SONMF(5, sparsity=0.1).fit(X)
    threshold = model.threshold_
    before = model.score(X)
    for _ in range(3):
        model.partial_fit(X)
    assert model.threshold_ == threshold
    assert model.score(X) > 0.98 * before


def test_a_threshold_above_every_document_is_refused(X):
    with pytest.raises(ValueError, match="sparsity=9 leaves every document without a topic: lower it"):
        SONMF(5, sparsity=9).fit(X)


def test_the_passes_for_the_error_without_penalty_and_for_documents_without_topic_are_counted(X):
    counts = [SONMF(5, init="svd", sparsity=s, max_iter=1, callback=lambda it: True).fit(X).n_passes_ for s in (0.0, 0.1)]
    assert counts[1] == counts[0] + 2


@pytest.mark.parametrize("blocks", [False, True])
def test_documents_without_a_topic_are_reported_and_many_of_them_are_warned_about(X, blocks, recwarn):
    given = Blocks([lambda: X[:150], lambda: X[150:]], [150, 250], X.shape[1], X.dtype) if blocks else X
    model = SONMF(5, sparsity=0.4)
    with pytest.warns(UserWarning, match=r"sparsity=0.4 leaves \d+% of the documents without any topic"):
        model.fit(given)
    assert model.topicless_share_ == pytest.approx(np.mean(model.transform(X).max(axis=1) == 0))
    assert model.topicless_share_ > 0.05
    recwarn.clear()
    assert not hasattr(model.set_params(sparsity=0).fit(X), "topicless_share_")
    assert not recwarn


@pytest.mark.filterwarnings("error")
def test_a_document_without_words_is_reported_but_sparsity_is_not_blamed_for_it(X):
    empty = scipy.sparse.vstack([X, scipy.sparse.csr_array((100, X.shape[1]))])
    assert SONMF(5, sparsity=0.01).fit(empty).topicless_share_ > 0.19


def test_a_matrix_of_zeros_has_no_topic_in_any_document():
    with pytest.warns(UserWarning, match="exceeds the rank of X"):
        assert SONMF(5, sparsity=0.01).fit(np.zeros((9, 9))).topicless_share_ == 1
