"""0/1 data with missing entries, and documents that count more than once: the cost is that of what was observed."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse
import sklearn
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from sonmf import BinarySONMF, simulate, stability, stiefel
from sonmf.engines.blocks import Blocks

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
MODELS = [
    BinarySONMF(3, tol=0, max_iter=400),
    BinarySONMF(3, intercept=False, tol=0, max_iter=400),
    BinarySONMF(3, solver="newton", max_iter=40),
    BinarySONMF(3, solver="newton", intercept=False, alpha=0.0, max_iter=40),
]
FORMS = {"dense": np.asarray, "sparse": scipy.sparse.csr_array, "missing": lambda X: holed(X)}


def holed(X, share=0.2, seed=3):
    return np.where(np.random.default_rng(seed).random(X.shape) < share, np.nan, X)


def observed_costs(model, X, G):
    """The cost of each document on what was observed of it."""
    theta = model.intercept_ + G @ model.components_
    return np.nansum(np.logaddexp(0, theta) - X * theta, axis=1)


@pytest.fixture(scope="module")
def X():
    return simulate.binary(90, 60, 3, random_state=0)[0]


@pytest.fixture(scope="module")
def weights():
    return np.random.default_rng(0).integers(0, 4, 90).astype(float)


# ---- missing entries ----


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_objective_cost_and_score_are_those_of_the_observed_entries(model, X):
    model, X = clone(model), holed(X)
    seen = []
    G = model.set_params(callback=lambda it: seen.append(stiefel.residual(it.F)) and None).fit_transform(X)
    entries = np.sum(~np.isnan(X))
    cost = observed_costs(model, X, G).sum()
    assert max(seen) <= 1e-24
    assert np.isclose(model.mean_cost_, cost / entries)
    if model.solver == "mm":
        assert (np.diff(model.objective_history_) <= 0).all()
        assert np.isclose(model.objective_history_[-1], (cost + model.alpha * np.sum(G**2)) / entries, rtol=1e-6)
    if model.alpha:
        assert np.isclose(model.score(X), -model.mean_cost_, rtol=1e-6)
        assert np.allclose(model.transform(X), G, atol=1e-4)


@pytest.mark.parametrize("signed", [False, True])
def test_nan_nowhere_and_ones_of_a_word_that_is_cut_away_change_nothing(X, signed):
    """A document whose last words are missing has the amounts of one without these words."""
    model = BinarySONMF(3, signed=signed).fit(X)
    assert np.array_equal(model.transform(X), model.transform(scipy.sparse.csr_array(X)))
    cut = BinarySONMF(3).fit(X)
    short = X.copy()
    short[:, 50:] = np.nan
    G = cut.transform(short)
    cut.components_, cut.intercept_, cut.n_features_in_ = cut.components_[:, :50], cut.intercept_[:50], 50
    assert np.allclose(G, cut.transform(X[:, :50]), atol=1e-5)


def test_a_signed_projection_has_probabilities_where_nothing_was_observed(X):
    model, holes = BinarySONMF(3).fit(X), holed(X)
    filled = np.where(np.isnan(holes), model.inverse_transform(model.transform(holes)), holes)
    assert np.allclose(model.set_params(signed=True).transform(holes), filled @ model.components_.T)


def test_entries_that_nobody_observed_are_forecast_by_the_topics_of_the_others():
    """Three groups of documents, each with words of its own."""
    theta = -1.5 + 3.5 * np.kron(np.eye(3), np.ones((100, 20)))
    P = 1 / (1 + np.exp(-theta))
    X = (np.random.default_rng(0).random(P.shape) < P).astype(float)
    holes = holed(X)
    model = BinarySONMF(2).fit(holes)  # and the intercept
    forecast = model.inverse_transform(model.transform(holes))
    frequency = np.broadcast_to(np.nanmean(holes, axis=0), X.shape)
    hidden = np.isnan(holes)
    assert np.square(forecast - P)[hidden].mean() < 0.1 * np.square(frequency - P)[hidden].mean()


def test_a_one_that_is_missing_is_not_a_zero():
    """Words whose ones are hidden as often as their zeros keep their frequency."""
    rng = np.random.default_rng(0)
    X = (rng.random((3000, 30)) < 0.5).astype(float)
    X[rng.random(X.shape) < 0.5] = np.nan
    model = BinarySONMF(1, alpha=10.0).fit(X)
    assert np.allclose(1 / (1 + np.exp(-model.intercept_)), 0.5, atol=0.04)


def test_what_cannot_be_fitted_is_refused_in_a_sentence(X):
    X = holed(X)
    with pytest.raises(ValueError, match="validation_fraction needs X without missing entries"):
        BinarySONMF(3, validation_fraction=0.1).fit(X)
    nobody, empty, other = X.copy(), X.copy(), X.copy()
    nobody[:, 5], empty[7], other[0, 0] = np.nan, np.nan, 2
    for spoiled, message in [
        (nobody, "word 5 of X is observed in no document, only NaN: remove that column"),
        (empty, "document 7 of X has no observed entry, only NaN: remove it"),
        (other, r"X must contain only 0 and 1, but X\[0, 0\] is 2"),
        (np.where(np.isnan(X), np.inf, X), "infinity"),
        (scipy.sparse.csr_array(X), "NaN"),
    ]:
        with pytest.raises(ValueError, match=message):
            BinarySONMF(3).fit(spoiled)


@pytest.mark.parametrize("seed", range(5))
def test_a_word_that_nobody_observed_is_refused_whatever_the_weights(seed, X):
    nobody = X.copy()
    nobody[:, 5] = np.nan
    with pytest.raises(ValueError, match="word 5 of X is observed in no document"):
        BinarySONMF(3).fit(nobody, sample_weight=np.random.default_rng(seed).random(len(X)))


def test_documents_may_be_scored_by_the_words_that_they_have(X):
    model, part = BinarySONMF(3).fit(X), X[:20].copy()
    part[:, 5] = np.nan
    probabilities = model.inverse_transform(model.transform(part))
    cost = -np.nanmean(part * np.log(probabilities) + (1 - part) * np.log1p(-probabilities))
    assert model.score(part) == pytest.approx(-cost, rel=1e-6)


def test_the_bootstrap_takes_missing_entries_here_too(X):
    assert stability.bootstrap(BinarySONMF(2), holed(X), n=2, random_state=0).scores.shape == (2,)


# ---- weights ----


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_a_whole_weight_is_so_many_copies(model, form, X, weights):
    X = FORMS[form](X)
    times = np.repeat(np.arange(90), weights.astype(int))
    by_weight, by_copies = clone(model).fit(X, sample_weight=weights), clone(model).fit(X[times])
    assert np.allclose(by_weight.components_, by_copies.components_, atol=1e-5)
    assert np.allclose(by_weight.intercept_, by_copies.intercept_, atol=1e-4)
    assert np.isclose(by_weight.mean_cost_, by_copies.mean_cost_, rtol=1e-6)
    assert np.isclose(by_weight.objective_history_[-1], by_copies.objective_history_[-1], rtol=1e-6)
    assert np.allclose(by_weight.transform(X), by_copies.transform(X), atol=1e-3)


def test_the_objective_is_the_weighted_one(X):
    X, w = holed(X), np.random.default_rng(1).random(90)
    model = BinarySONMF(3)
    G = model.fit_transform(X, sample_weight=w)
    costs, entries = observed_costs(model, X, G), w @ np.sum(~np.isnan(X), axis=1)
    assert np.isclose(model.mean_cost_, w @ costs / entries)
    assert np.isclose(model.objective_history_[-1], w @ (costs + 0.01 * np.sum(G**2, axis=1)) / entries, rtol=1e-5)
    assert np.allclose(G, model.transform(X), atol=1e-4)
    assert (np.diff(model.objective_history_) <= 0).all()


@pytest.mark.parametrize("init", ["svd", "kmeans"])
def test_a_weight_of_zero_is_a_document_left_out(X, weights, init):
    w = (weights > 0).astype(float)
    model = BinarySONMF(3, init=init, random_state=0)
    left_out, removed = clone(model).fit(X, sample_weight=w), clone(model).fit(X[w > 0])
    assert np.allclose(left_out.components_, removed.components_, atol=1e-6)
    assert clone(model).fit_transform(X, sample_weight=w).shape == (90, 3)
    with pytest.raises(ValueError, match="n_samples=2"):
        BinarySONMF(3).fit(X, sample_weight=np.r_[1, 1, np.zeros(88)])


def test_weights_of_one_change_nothing(X):
    weighted, plain = BinarySONMF(3).fit(X, sample_weight=np.ones(90)), BinarySONMF(3).fit(X)
    assert np.allclose(weighted.components_, plain.components_, atol=1e-9)


def test_held_out_entries_are_weighted_too(X, weights):
    model = BinarySONMF(3, validation_fraction=0.1, random_state=0).fit(X, sample_weight=weights)
    assert np.isfinite(model.validation_history_).all()
    assert np.isclose(
        model.mean_cost_, weights @ observed_costs(model, X, model.transform(X)) / (weights.sum() * 60), rtol=1e-6
    )


def blocks(X):
    return Blocks([lambda a=a, b=b: X[a:b] for a, b in pairwise([0, 25, 90])], [25, 65], 60, X.dtype)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("form", FORMS)
def test_blocks_agree_with_memory(form, weighted, X, weights):
    X = FORMS[form](X)
    here, there = (clone(MODELS[0]).fit(data, sample_weight=weights if weighted else None) for data in (X, blocks(X)))
    assert np.allclose(here.components_, there.components_, atol=1e-5)
    assert np.isclose(here.mean_cost_, there.mean_cost_)
    assert np.isclose(here.score(X), there.score(blocks(X)))
    signed = [np.asarray(model.set_params(signed=True).transform(data)) for model, data in ((here, X), (there, blocks(X)))]
    assert np.allclose(*signed, atol=1e-4)


def test_dask_agrees_with_memory(client, X, weights):
    import dask.array

    lazy = dask.array.from_array(holed(X), chunks=(25, 60))
    here, there = clone(MODELS[0]).fit(holed(X), sample_weight=weights), clone(MODELS[0]).fit(lazy, sample_weight=weights)
    assert np.allclose(here.components_, there.components_, atol=1e-5)
    assert np.isclose(here.mean_cost_, there.mean_cost_)


def test_torch_tensors_take_no_weights(torch, X):
    with pytest.raises(ValueError, match=r"sample_weight of BinarySONMF does not run on torch tensors: give X\.cpu"):
        BinarySONMF(3).fit(torch.tensor(X), sample_weight=np.ones(90))


def test_metadata_are_routed(X, weights):
    with sklearn.config_context(enable_metadata_routing=True):
        model = BinarySONMF(3).set_fit_request(sample_weight=True)
        routed = make_pipeline(model).fit(X, sample_weight=weights)[-1]
    assert np.array_equal(routed.components_, BinarySONMF(3).fit(X, sample_weight=weights).components_)


@pytest.mark.parametrize(("given", "message"), [(np.zeros(90), "zero"), (-np.ones(90), "[Nn]egative"), (np.ones(5), "5")])
def test_weights_that_cannot_be_are_refused(given, message, X):
    model = BinarySONMF(3)
    with pytest.raises(ValueError, match=message):
        model.fit(X, sample_weight=given)
    assert not [name for name in vars(model) if name.endswith("_")]
