"""Scaling X by a power of two scales the results, to the last bit, wherever the numbers of X can be written down."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from sonmf import NMF, ONMF, SONMF, SemiNMF, simulate
from sonmf.engines.blocks import Blocks

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
X = simulate.continuous(2, 60, 40, 3, random_state=0)[0]
EXPONENTS = {np.float64: [-400, -100, 60, 400], np.float32: [-100, -40, 60, 110]}
CASES = [(dtype, exponent) for dtype, exponents in EXPONENTS.items() for exponent in exponents]
METHODS = [SONMF, NMF, ONMF, SemiNMF]


def plain(A):
    return A


@pytest.mark.parametrize(("dtype", "exponent"), CASES)
@pytest.mark.parametrize("store", [plain, scipy.sparse.csr_array, lambda A: Blocks([lambda: A], [60], 40, A.dtype)])
@pytest.mark.parametrize("make", [SONMF, NMF, SemiNMF])
def test_powers_of_two_change_nothing_but_the_scale(make, store, dtype, exponent):
    here, there = store(X.astype(dtype)), store(np.ldexp(X.astype(dtype), exponent))
    model, scaled = (make(3, max_iter=15, random_state=0) for _ in range(2))
    G, H = model.fit_transform(here), scaled.fit_transform(there)
    grows = make is SemiNMF
    assert np.array_equal(scaled.components_, np.ldexp(model.components_, exponent if grows else 0))
    assert np.array_equal(H, np.ldexp(G, 0 if grows else exponent))
    assert np.array_equal(scaled.objective_history_, model.objective_history_ * 4.0**exponent)
    assert scaled.reconstruction_err_ == np.ldexp(model.reconstruction_err_, exponent)
    assert (scaled.n_iter_, scaled.n_passes_) == (model.n_iter_, model.n_passes_)
    assert scaled.score(there) == model.score(here)


@pytest.mark.parametrize("make", METHODS)
@pytest.mark.parametrize("factor", [1e18, 1e30, 1e-30])
def test_large_and_small_single_precision_is_explained_as_well(make, factor):
    Y = (factor * X).astype(np.float32)
    model = make(3, random_state=0).fit(Y)
    assert np.isfinite(model.components_).all()
    assert np.isfinite(model.transform(Y)).all()
    assert model.score(Y) > 0.9


@pytest.mark.parametrize("factor", [1e-7, 1e7])
def test_the_papers_line_search_does_not_stop_at_the_start(factor):
    model, scaled = (SONMF(3, solver="cayley").fit(Y) for Y in (X, factor * X))
    assert np.isclose(model.score(X), scaled.score(factor * X), atol=1e-4)
    assert scaled.n_iter_ > 10


def test_a_callback_sees_the_objective_of_the_data_given():
    seen = []
    Y = np.ldexp(X.astype(np.float32), 80)
    model = SONMF(3, callback=lambda it: seen.append(it.objective)).fit(Y)
    assert seen == list(model.objective_history_)
    assert np.isclose(seen[-1] * X.size, model.reconstruction_err_**2)


@pytest.mark.parametrize("exponent", [-100, 100])
def test_days_of_large_numbers_are_learned_as_those_of_small_ones(exponent):
    batches = np.array_split(simulate.corpus(900, 60, random_state=0).toarray(), 3)
    models = [SONMF(4), SONMF(4)]
    for batch in batches:
        models[0].partial_fit(batch.astype(np.float32))
        models[1].partial_fit(np.ldexp(batch.astype(np.float32), exponent))
    assert np.allclose(models[0].components_, models[1].components_, atol=1e-6)
    growth = np.array([4.0**exponent] * 4 + [2.0**exponent] * 8)
    assert np.allclose(models[1].moments_ / growth, models[0].moments_, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("make", METHODS)
@pytest.mark.parametrize(("factor", "word"), [(1e160, "overflow"), (1e-170, "underflow"), (5e-324, "underflow")])
def test_squares_that_cannot_be_written_down_are_refused(make, factor, word):
    fitted = make(2, max_iter=2, random_state=0).fit(X)
    for door in (make(2).fit, fitted.score):
        with pytest.raises(ValueError, match=f"the squares of X {word}: scale X first, for instance by X / abs"):
            door(np.ones((4, 40)) * factor)


@pytest.mark.parametrize("make", METHODS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.filterwarnings("ignore:n_components")
def test_nothing_but_zeros_is_no_underflow(make, dtype):
    assert make(2).fit(np.zeros((5, 4), dtype)).score(np.zeros((5, 4), dtype)) == 1


def test_a_projection_that_single_precision_cannot_hold_is_refused():
    model = SONMF(1).fit(np.ones((4, 40), np.float32))
    for Y in (np.full((2, 40), 3e38, np.float32), scipy.sparse.csr_array(np.full((2, 40), 3e38, np.float32))):
        with pytest.raises(ValueError, match="leaves the range of float32: scale X first"):
            model.transform(Y)
    topics_of_eight = SemiNMF(1).fit(np.full((4, 40), 8, np.float32))
    with pytest.raises(ValueError, match="leaves the range of float32"):
        topics_of_eight.inverse_transform(np.full((2, 1), 3e38, np.float32))
