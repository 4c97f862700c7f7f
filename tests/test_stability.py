"""Topics that are in the data come back in every replicate; those of noise do not."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.pipeline import make_pipeline

from sonmf import NMF, SONMF, BinarySONMF, simulate, stability


@pytest.fixture(scope="module")
def X():
    return simulate.continuous(2, 200, 40, 4, random_state=0)[0]


def test_the_match_has_the_largest_sum_of_all():
    rng = np.random.default_rng(0)
    A, B = rng.normal(size=(2, 5, 9))
    unit = [M / np.linalg.norm(M, axis=1, keepdims=True) for M in (A, B)]
    best = max(sum(unit[0][j] @ unit[1][place[j]] for j in range(5)) for place in permutations(range(5)))
    assert stability.matched(A, B).sum() == pytest.approx(best, abs=1e-12)


def test_order_and_length_of_topics_do_not_count_but_their_sign_does():
    A = np.random.default_rng(0).normal(size=(5, 60))
    assert stability.matched(A, 3 * A[[4, 2, 0, 1, 3]]) == pytest.approx(np.ones(5))
    assert stability.matched(A[:1], -A[:1]) == pytest.approx([-1.0])


@pytest.mark.parametrize("model", [SONMF(4), NMF(4), TruncatedSVD(4)], ids=lambda model: type(model).__name__)
def test_topics_of_the_data_come_back_and_those_of_noise_do_not(model, X):
    real = stability.bootstrap(model, X, n=4, random_state=0)
    noise = stability.bootstrap(model, np.random.default_rng(0).random(X.shape), n=4, random_state=0)
    assert real.scores.shape == noise.scores.shape == (4,)
    assert noise.scores.min() < 0.85  # non-negative topics of noise share its mean, so that even they have cosines near 0.8
    if not isinstance(model, TruncatedSVD):  # its topics are turned against those of the data
        assert real.scores.min() > 0.95
        assert not real.unstable.any()


def test_a_fitted_model_is_judged_as_it_is_and_stays_as_it_was(X):
    model = SONMF(4).fit(X)
    before = model.components_.copy()
    found = stability.bootstrap(model, X, n=3, random_state=1)
    assert found.scores == pytest.approx(stability.bootstrap(SONMF(4), X, n=3, random_state=1).scores, abs=1e-3)
    assert (model.components_ == before).all()
    model.components_ = np.linalg.qr(np.random.default_rng(0).normal(size=(40, 4)))[0].T
    assert stability.bootstrap(model, X, n=3, random_state=1).scores.max() < 0.8


def test_a_replicate_is_a_cold_fit_to_rows_drawn_with_replacement(X):
    seen = []

    class Watched(SONMF):
        def fit(self, X, y=None):
            assert not hasattr(self, "components_")
            seen.append((X, self.get_params()))
            return super().fit(X, y)

    model = Watched(4, tol=1e-7, max_iter=150, init="random", random_state=3)
    stability.bootstrap(model, X, n=2, random_state=0)
    (_, first), *again = seen
    assert len(again) == 2
    assert {row.tobytes() for rows, _ in again for row in rows} <= {row.tobytes() for row in X}
    for rows, parameters in again:
        assert rows.shape == X.shape
        assert len(np.unique(rows, axis=0)) < len(X)
        changed = {name for name, value in parameters.items() if value != first[name]}
        assert changed == {"random_state"}


def test_sparse_and_dense_documents_have_the_same_scores(X):
    X = np.where(X > 1, X, 0.0)
    dense = stability.bootstrap(SONMF(4), X, n=3, random_state=0)
    sparse = stability.bootstrap(SONMF(4), scipy.sparse.coo_array(X), n=3, random_state=0)
    assert sparse.scores == pytest.approx(dense.scores, abs=1e-6)


def test_the_seed_decides(X):
    noisy = X + np.random.default_rng(0).normal(size=X.shape)
    first, again, other = (stability.bootstrap(SONMF(6), noisy, n=2, random_state=seed).scores for seed in (0, 0, 1))
    assert (first == again).all()
    assert (first != other).any()


def test_the_interval_holds_nine_of_ten_replicates():
    cosines = np.random.default_rng(0).random((400, 3))
    found = stability.Stability.of(cosines)
    inside = (cosines >= found.low) & (cosines <= found.high)
    assert inside.mean(axis=0) == pytest.approx(0.9, abs=0.01)
    assert found.scores == pytest.approx(cosines.mean(axis=0))


def test_binary_topics_have_scores():
    X = simulate.binary(120, 30, 2, random_state=0)[0]
    assert stability.bootstrap(BinarySONMF(2, max_iter=20), X, n=2, random_state=0).scores.shape == (2,)


def test_a_verbose_model_shows_a_bar_of_replicates_and_not_of_iterations(X, capsys):
    stability.bootstrap(SONMF(2, verbose=1), X, n=2, random_state=0)
    told = capsys.readouterr().err
    assert "2/2" in told
    assert "objective" not in told


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((SONMF(2), np.eye(5), 0), "n=0 must be a whole number of at least 1"),
        ((SONMF(2), np.eye(5), "5"), "n='5' must be a whole number"),
        ((SONMF(2), np.eye(5)[0]), "X has 1 dimensions"),
        ((make_pipeline(SONMF(2)), np.eye(5)), r"bootstrap needs a model with n_components, such as .* and not Pipeline"),
        ((SONMF, np.eye(5)), "and not SONMF"),
        ((SONMF(9), np.eye(5)), "n_components=9 is more than"),
        ((SONMF(2).fit(np.random.default_rng(0).random((6, 4))), np.eye(5)), "X has 5 words, but the topics have 4"),
    ],
)
def test_what_cannot_be_judged_is_refused_in_a_sentence(arguments, words):
    with pytest.raises(ValueError, match=words):
        stability.bootstrap(*arguments)


def test_a_dask_array_is_refused_in_a_sentence():
    import dask.array as array

    with pytest.raises(ValueError, match="X is a dask Array: bootstrap needs a numpy array or a scipy sparse matrix"):
        stability.bootstrap(SONMF(2), array.ones((5, 3)))


def test_documents_with_missing_entries_are_drawn_as_others_are(X):
    holed = np.where(np.random.default_rng(0).random(X.shape) < 0.05, np.nan, X)
    whole, incomplete = (stability.bootstrap(SONMF(4), data, n=3, random_state=0) for data in (X, holed))
    assert np.allclose(whole.scores, incomplete.scores, atol=0.1)
    with pytest.raises(ValueError, match="NaN or infinity"):
        stability.bootstrap(NMF(4), holed, n=1)


def test_a_table_with_nullable_types_is_read_as_a_fit_reads_it(X):
    holed = np.where(np.random.default_rng(0).random(X.shape) < 0.05, np.nan, X)
    tables = (holed, pd.DataFrame(holed).convert_dtypes())
    array, table = (stability.bootstrap(SONMF(4), data, n=2, random_state=0).cosines for data in tables)
    assert (array == table).all()


def test_a_draw_may_miss_the_only_documents_in_which_a_word_is_observed(X):
    rare = X.astype(float)
    rare[1:, 7] = np.nan
    scores = stability.bootstrap(SONMF(3), rare, 5, random_state=0).scores
    without = stability.bootstrap(SONMF(3), np.delete(rare, 7, axis=1), 5, random_state=0).scores
    assert scores == pytest.approx(without, abs=0.05)
    first = np.eye(X.shape[1])[:3]
    for model in (SONMF(3, init=first.T), SONMF(3, fixed_components=first[:1])):
        assert stability.bootstrap(model, rare, 5, random_state=0).scores.shape == (3,)
