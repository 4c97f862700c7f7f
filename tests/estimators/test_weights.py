"""A weight says how often a document counts: twice like two copies, zero like none."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse
import sklearn
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from sonmf import NMF, SONMF, simulate
from sonmf.engines.blocks import Blocks
from sonmf.estimators.sonmf import SOLVERS

MODELS = [
    SONMF(3, tol=0, max_iter=60),
    SONMF(3, solver="cayley", tol=0, max_iter=60),
    SONMF(3, fixed_components=np.eye(1, 40), tol=0, max_iter=60),
    *(SONMF(3, sparsity=0.1, solver=solver, tol=0, max_iter=60) for solver in SOLVERS),
    SONMF(3, sparsity=0.2, fixed_components=np.eye(1, 40), n_init=3, random_state=0, tol=0, max_iter=60),
    NMF(3, init="svd", tol=1e-10, max_iter=50),
]
pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore:Sparse CSR tensor support is in beta"),
    pytest.mark.filterwarnings("ignore:sparsity=.* leaves .* of the documents without any topic:UserWarning"),
]


def holed(X):
    return np.where(np.random.default_rng(3).random(X.shape) < 0.2, np.nan, X)


FORMS = {"dense": np.asarray, "sparse": scipy.sparse.csr_array, "missing": holed}


@pytest.fixture(scope="module")
def case():
    X, _, _ = simulate.continuous(2, 60, 40, 3, random_state=0)
    return X, np.random.default_rng(0).integers(0, 4, 60).astype(float)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_whole_weight_is_so_many_copies(case, model, form):
    if form == "missing" and (isinstance(model, NMF) or model.solver == "subspace"):
        pytest.skip("NMF and the subspace solver take no missing entries")
    X, w = FORMS[form](case[0]), case[1]
    times = np.repeat(np.arange(60), w.astype(int))
    by_weight, by_copies = clone(model).fit(X, sample_weight=w), clone(model).fit(X[times])
    assert np.allclose(by_weight.components_, by_copies.components_, atol=1e-5)
    assert np.isclose(getattr(by_weight, "threshold_", 0), getattr(by_copies, "threshold_", 0), rtol=1e-12)
    assert np.isclose(getattr(by_weight, "topicless_share_", 0), getattr(by_copies, "topicless_share_", 0), rtol=1e-12)
    assert np.isclose(by_weight.reconstruction_err_, by_copies.reconstruction_err_, rtol=1e-6)
    assert np.isclose(by_weight.objective_history_[-1], by_copies.objective_history_[-1], rtol=1e-6)
    assert np.allclose(by_weight.transform(X), by_copies.transform(X), atol=1e-4)


@pytest.mark.parametrize("sparsity", [0.0, 0.1])
@pytest.mark.parametrize("form", FORMS)
def test_weight_zero_is_a_document_left_out_to_the_bit(case, form, sparsity):
    X, w = FORMS[form](case[0]), (case[1] > 0).astype(float)
    left_out, removed = SONMF(3, sparsity=sparsity).fit(X, sample_weight=w), SONMF(3, sparsity=sparsity).fit(X[w > 0])
    assert np.array_equal(left_out.components_, removed.components_)
    assert left_out.n_documents_seen_ == removed.n_documents_seen_ == w.sum()


def test_documents_without_weight_do_not_make_room_for_topics(case):
    with pytest.raises(ValueError, match="n_samples=2"):
        SONMF(3).fit(case[0], sample_weight=np.r_[1, 1, np.zeros(58)])


def test_the_error_is_the_weighted_one(case):
    X, w = case[0], np.random.default_rng(1).random(60)
    model = SONMF(3)
    G = model.fit_transform(X, sample_weight=w)
    errors = np.sum((X - G @ model.components_) ** 2, axis=1)
    assert np.isclose(model.reconstruction_err_**2, w @ errors)
    assert np.isclose(model.objective_history_[-1], w @ errors / (w.sum() * 40))
    assert np.array_equal(G, model.transform(X))
    assert np.diff(model.objective_history_).max() <= 0


def test_with_sparse_documents_the_penalty_is_weighted_too(case):
    X, w = case[0], np.random.default_rng(1).random(60)
    model = SONMF(3, sparsity=0.2)
    G = model.fit_transform(X, sample_weight=w)
    assert np.isclose(model.threshold_, 0.2 * np.sqrt(w @ np.sum(X**2, axis=1) / w.sum()))
    errors = np.sum((X - G @ model.components_) ** 2, axis=1)
    assert np.isclose(model.reconstruction_err_**2, w @ errors)
    assert np.isclose(model.objective_history_[-1], w @ (errors + 2 * model.threshold_ * G.sum(axis=1)) / (w.sum() * 40))
    assert np.diff(model.objective_history_).max() <= 0


@pytest.mark.parametrize("sparsity", [0.0, 0.1])
@pytest.mark.parametrize("form", FORMS)
def test_blocks_agree_with_memory(case, form, sparsity):
    X, w = FORMS[form](case[0]), case[1]
    readers = [lambda a=a, b=b: X[a:b] for a, b in pairwise([0, 25, 60])]
    here, there = (SONMF(3, sparsity=sparsity, tol=1e-12, max_iter=3000) for _ in range(2))
    here.fit(X, sample_weight=w)
    there.fit(Blocks(readers, [25, 35], 40, X.dtype), sample_weight=w)
    assert np.allclose(here.components_, there.components_, atol=1e-6)
    assert np.isclose(here.reconstruction_err_, there.reconstruction_err_)


@pytest.mark.parametrize("sparsity", [0.0, 0.1])
def test_dask_agrees_with_memory(case, client, sparsity):
    import dask.array

    X, w = case
    lazy = dask.array.from_array(holed(X), chunks=(25, 40))
    here = SONMF(3, sparsity=sparsity, tol=1e-12, max_iter=3000).fit(holed(X), sample_weight=w)
    there = SONMF(3, sparsity=sparsity, tol=1e-12, max_iter=3000).fit(lazy, sample_weight=w)
    assert np.allclose(here.components_, there.components_, atol=1e-6)
    assert np.isclose(here.reconstruction_err_, there.reconstruction_err_)


@pytest.mark.parametrize("sparsity", [0.0, 0.1])
@pytest.mark.parametrize("sparse", [False, True])
def test_torch_agrees_with_memory(case, sparse, torch, sparsity):
    X, w = case
    tensor = torch.tensor(X).to_sparse() if sparse else torch.tensor(X)
    here, there = (SONMF(3, sparsity=sparsity).fit(documents, sample_weight=w) for documents in (X, tensor))
    assert np.allclose(here.components_, there.components_, atol=1e-5)


@pytest.mark.parametrize("sparsity", [0.0, 0.1])
def test_partial_fit_counts_weights_too(case, sparsity):
    X, w = case
    times = np.repeat(np.arange(60), w.astype(int))
    models = [SONMF(3, sparsity=sparsity, tol=1e-12, max_iter=2000).fit(X) for _ in range(2)]
    models[0].partial_fit(X, sample_weight=w)
    models[1].partial_fit(X[times])
    assert np.allclose(models[0].components_, models[1].components_, atol=1e-8)


def test_metadata_are_routed(case):
    X, w = case
    with sklearn.config_context(enable_metadata_routing=True):
        model = SONMF(3).set_fit_request(sample_weight=True)
        routed = make_pipeline(model).fit(X, sample_weight=w)[-1]
    assert np.array_equal(routed.components_, SONMF(3).fit(X, sample_weight=w).components_)


@pytest.mark.parametrize(
    ("weights", "message"),
    [(np.zeros(60), "zero"), (-np.ones(60), "[Nn]egative"), (np.ones(5), "5"), ([np.nan] * 60, "NaN")],
)
def test_weights_that_cannot_be_are_refused(case, weights, message):
    model = SONMF(3)
    with pytest.raises(ValueError, match=message):
        model.fit(case[0], sample_weight=weights)
    assert not [name for name in vars(model) if name.endswith("_")]
