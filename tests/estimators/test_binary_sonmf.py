from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from sonmf import BinarySONMF, metrics, simulate
from sonmf.engines import engine_for
from sonmf.solvers import binary_starts
from sonmf.solvers.problem import count as counted

quickly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def X():
    return simulate.binary(150, 100, 4, random_state=0)[0]


def truth(seed=0):
    X, F, G = simulate.binary(150, 100, 4, random_state=seed)
    return X, G @ F.T


@pytest.mark.parametrize("intercept", [True, False])
def test_it_finds_probabilities_nearer_the_truth_than_the_data_are(intercept):
    X, theta = truth()
    P = 1 / (1 + np.exp(-theta))
    model = BinarySONMF(4, intercept=intercept, max_iter=500)
    found = model.inverse_transform(model.fit_transform(X))
    assert metrics.probability_distance(found, P) < 0.5 * metrics.probability_distance(np.full_like(P, X.mean()), P)
    assert model.cost_history_[-1] < metrics.mean_bernoulli_cost(X, theta)


def test_histories_and_the_penalty(X):
    model = BinarySONMF(4, alpha=0.1).fit(X)
    assert (np.diff(model.objective_history_) <= 0).all()
    assert (model.objective_history_ > model.cost_history_).all()
    assert not hasattr(model, "validation_history_")
    free = BinarySONMF(4, alpha=0.0, max_iter=500, tol=0.05).fit(X)
    assert np.array_equal(free.objective_history_, free.cost_history_)
    assert np.isclose(free.mean_cost_, free.cost_history_[-1])
    assert free.mean_cost_ < model.mean_cost_


def test_more_ridge_gives_smaller_amounts(X):
    sizes = [np.linalg.norm(BinarySONMF(4, alpha=a, max_iter=500).fit_transform(X)) for a in (0.01, 0.1, 1.0)]
    assert sizes == sorted(sizes, reverse=True)


def test_held_out_entries_stop_a_fit_that_over_fits():
    X, _, _ = simulate.binary(100, 80, 4, random_state=1)
    model = BinarySONMF(20, alpha=0.0, validation_fraction=0.1, random_state=0, max_iter=500).fit(X)
    history = model.validation_history_
    assert len(history) == model.n_iter_ < 500
    assert history.argmin() == len(history) - 6  # five iterations without a lower value, then stop
    free = BinarySONMF(20, alpha=0.0, max_iter=100, tol=0, callback=lambda it: it.iteration == 100).fit(X)
    assert model.cost_history_[-1] > free.cost_history_[-1]
    model.set_params(validation_fraction=None, alpha=0.1).fit(X)
    assert not hasattr(model, "validation_history_")


@pytest.mark.parametrize("intercept", [True, False])
def test_held_out_entries_are_not_seen_by_the_start(intercept):
    """On coin flips nothing can predict an entry that was not seen: its cost is at least log 2, but for chance."""
    X = (np.random.default_rng(0).random((200, 150)) < 0.5).astype(float)
    model = BinarySONMF(20, intercept=intercept, validation_fraction=0.1, random_state=0, max_iter=500).fit(X)
    assert model.validation_history_.min() > np.log(2) - 0.005
    assert model.mean_cost_ < np.log(2) - 0.05  # while the entries it sees are fitted


@pytest.mark.parametrize("fraction", [0.01, 0.25, 0.95])
def test_the_ones_held_out_are_missing_from_what_the_start_sees(fraction):
    rng = np.random.RandomState(0)
    X = scipy.sparse.csr_array((rng.random_sample((30, 20)) < 0.4).astype(float))
    documents = binary_starts.hold_out(X, fraction, rng)
    first, length, words, _ = documents.left_out
    hidden = np.zeros(X.shape, bool)
    for i in range(30):
        hidden[i, words[first[i] : first[i] + length[i]]] = True
    assert (hidden.sum(axis=1) == max(1, round(fraction * 20))).all()
    assert np.array_equal(documents.seen.toarray(), np.where(hidden, 0, X.toarray()))
    assert np.array_equal(counted(engine_for(documents)).seen, (~hidden).sum(axis=0))


def test_a_word_that_is_always_there_may_be_held_out():
    X, _, _ = simulate.binary(40, 20, 2, random_state=0)
    X[:, :5], X[:, 5:8] = 1, 0
    model = BinarySONMF(2, validation_fraction=0.3, random_state=0, max_iter=500).fit(X)
    assert np.isfinite(model.intercept_).all()
    assert np.isfinite(model.validation_history_).all()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"validation_fraction": 0.999}, "would hold out all 100 words"),
        ({"validation_fraction": 1.0}, "'validation_fraction'"),
        ({"solver": "newton", "validation_fraction": 0.1}, "needs solver='mm'"),
        ({"alpha": -1}, "'alpha'"),
        ({"eta": 0}, "'eta'"),
    ],
)
def test_impossible_parameters_are_named(X, parameters, message):
    with pytest.raises(ValueError, match=message):
        BinarySONMF(4, **parameters).fit(X)


@quickly
def test_signed_features_are_the_projection(X):
    model = BinarySONMF(4, signed=True)
    assert np.allclose(model.fit_transform(X), X @ model.components_.T)
    assert np.allclose(model.transform(scipy.sparse.csr_array(X)), X @ model.components_.T)


@quickly
def test_the_papers_method_returns_the_g_of_its_fit(X):
    """newton with alpha=0 is regularised by stopping early, so solving for G afterwards would undo it."""
    model = BinarySONMF(4, solver="newton", alpha=0.0, intercept=False, eta=0.01, max_iter=50)
    G = model.fit_transform(X)
    assert np.isclose(metrics.mean_bernoulli_cost(X, G @ model.components_), model.cost_history_[-1])
    assert np.isclose(model.mean_cost_, model.cost_history_[-1])
    assert np.array_equal(model.intercept_, np.zeros(100))


@quickly
def test_larger_newton_steps_are_faster(X):
    """Section 8.4 of the paper."""
    ends = [BinarySONMF(4, solver="newton", alpha=0.0, eta=eta, max_iter=30).fit(X).cost_history_[-1] for eta in (0.01, 0.05)]
    assert ends[1] < ends[0]


def test_words_that_are_always_or_never_there():
    X, _, _ = simulate.binary(60, 20, 2, random_state=0)
    X[:, 0], X[:, 1], X[0], X[1] = 0, 1, 0, 1
    model = BinarySONMF(2, max_iter=500).fit(X)
    P = model.inverse_transform(model.transform(X))
    assert P[2:, 0].max() < 0.2
    assert P[2:, 1].min() > 0.8


def test_a_rare_word_alone_moves_the_intercept_not_the_topics():
    """Without topics in the data the intercept explains everything there is."""
    rng = np.random.default_rng(0)
    rate = rng.uniform(0.02, 0.3, 30)
    X = (rng.random((2000, 30)) < rate).astype(float)
    model = BinarySONMF(1, alpha=1.0).fit(X)
    assert np.allclose(1 / (1 + np.exp(-model.intercept_)), X.mean(axis=0), atol=0.03)


@quickly
def test_threads_do_not_change_the_answer():
    import numba

    X = simulate.corpus(2000, 300, random_state=0)
    X.data[:] = 1
    before, ends = numba.get_num_threads(), []
    for count in {1, numba.config.NUMBA_NUM_THREADS}:
        numba.set_num_threads(count)
        ends.append(BinarySONMF(4, max_iter=20, validation_fraction=0.05, random_state=0).fit(X).objective_history_[-1])
    numba.set_num_threads(before)
    assert np.ptp(ends) < 1e-9
