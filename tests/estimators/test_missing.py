"""NaN in a dense X is an entry that was not observed: the fit, its transform and its score know only the others."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import nnls

from sonmf import NMF, SONMF, LogisticNMF, SemiNMF, simulate, stiefel
from sonmf.engines.blocks import Blocks
from sonmf.stability import matched

SOLVERS = ["accelerated", "procrustes", "cayley"]
settled = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def holed(X, share, seed=0):
    """X with so large a share missing, and at least one entry of every document and word left."""
    gaps = np.random.default_rng(seed).random(X.shape) < share
    gaps[np.arange(len(X)), np.arange(len(X)) % X.shape[1]] = False
    gaps[np.arange(X.shape[1]) % len(X), np.arange(X.shape[1])] = False
    return np.where(gaps, np.nan, X), gaps


def observed_error(X, G, components):
    return np.nansum((X - G @ components) ** 2)


@pytest.fixture(scope="module")
def scenario():
    X, _, _ = simulate.continuous(1, 120, 80, 4, random_state=0)
    return X, *holed(X, 0.3)


@settled
@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("share", [0.05, 0.3, 0.7])
def test_topics_are_exact_and_the_observed_error_never_rises(solver, share):
    X, _, _ = simulate.continuous(3, 60, 40, 3, random_state=1)
    X, _ = holed(X, share)
    seen = []
    model = SONMF(3, solver=solver, tol=1e-9, max_iter=300, callback=lambda it: seen.append(stiefel.residual(it.F)) or False)
    model.fit(X)
    history = model.objective_history_
    assert max(seen) <= 1e-24
    assert np.diff(history).max(initial=0.0) <= 1e-12 * np.nanmean(X**2)
    error = observed_error(X, model.transform(X), model.components_)
    assert np.isclose(history[-1], error / np.sum(~np.isnan(X)), rtol=1e-9)
    assert np.isclose(model.reconstruction_err_, np.sqrt(error), rtol=1e-9)
    assert np.isclose(model.score(X), 1 - error / np.nansum(X**2), rtol=1e-9)


@settled
@pytest.mark.filterwarnings("ignore:n_components")
@given(st.integers(0, 2**32 - 1), st.sampled_from([0.1, 0.5, 0.9]), st.sampled_from([np.float64, np.float32]))
def test_transform_is_non_negative_least_squares_on_what_was_observed(seed, share, dtype):
    rng = np.random.default_rng(seed)
    n, p = rng.integers(2, 12), rng.integers(2, 12)
    X = holed(rng.normal(size=(n, p)), share, seed)[0].astype(dtype)
    model = SONMF(int(rng.integers(1, min(n, p) + 1)), max_iter=5).fit(X)
    G, signed = model.transform(X), model.set_params(signed=True).transform(X)
    F = model.components_.T.astype(float)
    for x, g, s in zip(X.astype(float), G, signed, strict=True):
        there = ~np.isnan(x)
        best = nnls(F[there], x[there])[1] ** 2
        assert np.sum((x[there] - F[there] @ g) ** 2) <= best + (1e-9 if dtype == np.float64 else 1e-3) * np.sum(x[there] ** 2)
        least = np.linalg.lstsq(F[there], x[there], rcond=1e-5)[0]
        assert np.allclose(F[there] @ s, F[there] @ least, atol=1e-6 if dtype == np.float64 else 2e-2)
    assert (G >= 0).all()


def test_transform_of_a_well_determined_document_is_the_one_solution(scenario):
    _, X, _ = scenario
    model = SONMF(4).fit(X)
    G, F = model.transform(X), model.components_.T
    for x, g in zip(X[:20], G, strict=False):
        there = ~np.isnan(x)
        assert np.allclose(g, nnls(F[there], x[there])[0], rtol=1e-9, atol=1e-10)


def test_fit_transform_is_fit_then_transform(scenario):
    _, X, _ = scenario
    model = SONMF(4)
    assert np.array_equal(model.fit_transform(X), model.fit(X).transform(X))


def test_held_out_entries_of_scenario_1_are_forecast_to_their_noise():
    X, _, _ = simulate.continuous(1, 500, 500, 10, random_state=0)
    seen, gaps = holed(X, 0.2)
    model = SONMF(10).fit(seen)
    forecast = model.inverse_transform(model.transform(seen))
    assert np.sqrt(np.mean((forecast - X)[gaps] ** 2)) <= 1.1 * 0.3


def test_the_fit_is_where_plain_filling_in_leads(scenario):
    """The oracle: fill in GF', take the exact step for the filled matrix, again and again."""
    _, X, gaps = scenario
    model = SONMF(4, tol=1e-13, max_iter=3000).fit(X)
    F, G = model.components_.T.copy(), model.transform(X)
    for _ in range(20):
        Z = np.where(gaps, G @ F.T, X)
        U, _, Vt = np.linalg.svd(Z.T @ G, full_matrices=False)
        F = U @ Vt
        G = np.maximum(Z @ F, 0)
    assert np.abs(F - model.components_.T).max() < 1e-4
    assert observed_error(X, G, F.T) <= model.reconstruction_err_**2 * (1 + 1e-9)


def test_what_is_missing_is_not_looked_at(scenario):
    """A fit to the observed entries cannot know what would have stood in the others."""
    X, seen, gaps = scenario
    other = np.where(gaps, X + 100, X)
    assert np.array_equal(SONMF(4).fit(seen).components_, SONMF(4).fit(np.where(gaps, np.nan, other)).components_)


def test_one_missing_entry_hardly_changes_a_fit():
    X, _, _ = simulate.continuous(3, 120, 80, 4, random_state=0)  # in scenario 1 the topics can be turned at no cost
    one = X.copy()
    one[3, 5] = np.nan
    whole, other = (SONMF(4, tol=1e-12, max_iter=2000).fit(given) for given in (X, one))
    assert matched(whole.components_, other.components_).min() > 0.999


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_scaling_changes_nothing(scenario, scale):
    _, X, _ = scenario
    a, b = SONMF(4).fit(X), SONMF(4).fit(scale * X)
    assert np.allclose(a.components_, b.components_, atol=1e-6)
    assert np.allclose(a.transform(X), b.transform(scale * X) / scale, rtol=1e-4, atol=1e-6)


@settled
@pytest.mark.parametrize("init", ["svd", "kmeans", "random"])
def test_every_start_and_a_table_with_gaps(scenario, init):
    _, X, _ = scenario
    frame = pd.DataFrame(X, columns=[f"w{j}" for j in range(X.shape[1])])
    model = SONMF(4, init=init, random_state=0).set_output(transform="pandas")
    assert list(model.fit_transform(frame).columns) == [f"sonmf{j}" for j in range(4)]


def test_blocks_agree_with_memory(scenario):
    _, X, _ = scenario
    X = np.vstack([X, np.nan_to_num(X[:30], nan=1.0)])  # the last block is complete
    cuts = [0, 40, 120, 150]
    readers = [lambda a=a, b=b: X[a:b] for a, b in pairwise(cuts)]
    blocks = Blocks(readers, np.diff(cuts).tolist(), X.shape[1], X.dtype)
    here, there = SONMF(4, tol=1e-10, max_iter=1000).fit(X), SONMF(4, tol=1e-10, max_iter=1000).fit(blocks)
    assert np.allclose(here.components_, there.components_, atol=1e-5)
    assert np.isclose(here.reconstruction_err_, there.reconstruction_err_)
    assert np.allclose(here.transform(X), there.transform(blocks), atol=1e-4)
    assert np.isclose(here.score(X), there.score(blocks))


def test_dask_agrees_with_memory(scenario, client):
    import dask.array

    _, X, _ = scenario
    here, there = SONMF(4, tol=1e-10, max_iter=1000).fit(X), SONMF(4, tol=1e-10, max_iter=1000)
    there.fit(dask.array.from_array(X, chunks=(50, 80)))
    assert np.allclose(here.components_, there.components_, atol=1e-5)
    G = there.transform(dask.array.from_array(X, chunks=(50, 80)))
    assert np.allclose(here.transform(X), np.asarray(G), atol=1e-4)


@settled
def test_partial_fit_fills_in_what_is_missing_by_its_topics(scenario):
    _, X, _ = scenario
    model = SONMF(4).fit(X[:80])
    completed = np.where(np.isnan(X[80:]), model.inverse_transform(model.transform(X[80:])), X[80:])
    other = SONMF(4).fit(X[:80]).partial_fit(completed)
    assert np.array_equal(model.partial_fit(X[80:]).components_, other.components_)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda X: X.__setitem__(7, np.nan), "document 7 of X has no observed entry, only NaN: remove it"),
        (lambda X: X.__setitem__((slice(None), 5), np.nan), "word 5 of X is observed in no document, only NaN: remove that"),
        (lambda X: X.__setitem__((3, 4), np.inf), "Input X contains infinity"),
    ],
)
def test_nothing_observed_and_infinity_are_refused_in_a_sentence(scenario, spoil, message):
    X = scenario[1].copy()
    spoil(X)
    model = SONMF(4)
    with pytest.raises(ValueError, match=message) as refusal:
        model.fit(X)
    assert len(str(refusal.value)) < 200
    assert not [name for name in vars(model) if name.endswith("_")]


def test_a_new_document_may_miss_a_word_that_no_other_new_one_has(scenario):
    _, X, _ = scenario
    model = SONMF(4).fit(X)
    few = X[:3].copy()
    few[:, 5] = np.nan
    assert np.isfinite(model.transform(few)).all()
    assert np.isfinite(model.score(few))
    with pytest.raises(ValueError, match="document 0 of X has no observed entry"):
        model.transform(np.full((1, X.shape[1]), np.nan))


@pytest.mark.parametrize("make", [NMF, SemiNMF, LogisticNMF])
def test_other_methods_refuse_missing_entries(scenario, make):
    with pytest.raises(ValueError, match="NaN"):
        make(3).fit(np.where(scenario[2], np.nan, 1.0))


def test_nan_in_a_sparse_matrix_is_refused():
    with pytest.raises(ValueError, match="contains NaN"):
        SONMF(1).fit(scipy.sparse.csr_array([[1.0, np.nan], [0.0, 1.0]]))


@settled
def test_documents_with_fewer_words_than_topics():
    rng = np.random.default_rng(0)
    X = np.full((30, 20), np.nan)
    for i in range(30):
        X[i, [i % 20, (i + 1) % 20, (i * 7 + 3) % 20]] = rng.random(3)
    model = SONMF(6, max_iter=500).fit(X)
    assert np.isfinite(model.transform(X)).all()
    assert np.diff(model.objective_history_).max() <= 1e-12


@settled
@pytest.mark.parametrize("solver", SOLVERS)
def test_sparse_documents_pay_for_their_topics_here_too(scenario, solver):
    _, X, gaps = scenario
    model = SONMF(4, sparsity=0.02, solver=solver).fit(X)
    G = model.transform(X)
    error = observed_error(X, G, model.components_)
    assert np.isclose(model.objective_history_[-1], (error + 2 * model.threshold_ * G.sum()) / np.sum(~gaps), rtol=1e-6)
    assert np.isclose(model.reconstruction_err_**2, error, rtol=1e-6)
    assert np.isclose(model.score(X), 1 - error / np.nansum(X**2), rtol=1e-6)
    assert np.diff(model.objective_history_).max(initial=0.0) <= 1e-12 * np.nanmean(X**2)
    F = model.components_.T
    for x, g in zip(X[:10], G, strict=False):  # no other g is better
        there = ~np.isnan(x)
        slope = F[there].T @ (F[there] @ g - x[there]) + model.threshold_
        assert np.allclose(slope[g > 0], 0, atol=1e-8)
        assert (slope[g == 0] >= -1e-8).all()


@pytest.mark.parametrize("dtype", [float, np.float32, int])
def test_a_masked_entry_is_a_missing_one(scenario, dtype):
    X, _, gaps = scenario
    masked = np.ma.array(np.round(9 * X).astype(dtype), mask=gaps)
    with_nan = np.where(gaps, np.nan, masked.data).astype(np.float32 if dtype is np.float32 else float)
    ours, theirs = SONMF(3).fit(masked), SONMF(3).fit(with_nan)
    assert ours.components_.dtype == with_nan.dtype
    assert np.array_equal(ours.components_, theirs.components_)
    assert np.array_equal(ours.transform(masked), theirs.transform(with_nan))
    with pytest.raises(ValueError, match="X contains NaN"):
        NMF(3).fit(abs(masked))


def test_a_document_of_a_later_block_without_any_entry_is_named_by_its_row_in_x(scenario):
    X = np.where(np.arange(120)[:, None] == 100, np.nan, scenario[0])
    for documents in (X, Blocks([lambda: X[:70], lambda: X[70:]], [70, 50], X.shape[1], X.dtype)):
        with pytest.raises(ValueError, match="document 100 of X has no observed entry"):
            SONMF(3).fit(documents)
