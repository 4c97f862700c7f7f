"""SONMF as a user meets it: scikit-learn's own checks, its laws, its manners with bad input."""

from __future__ import annotations

import warnings

import numpy as np
import oracles
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from matrices import STORAGE, dense
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline

from sonmf import SONMF, metrics, simulate

SOLVERS = ["accelerated", "procrustes", "cayley", "subspace"]


@pytest.fixture(scope="module")
def X():
    return simulate.continuous(1, 120, 80, 5, random_state=0)[0]


def quiet(model, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return model.fit(X)


class TestLaws:
    @pytest.mark.parametrize("solver", SOLVERS)
    @given(X=dense(), data=st.data())
    def test_any_matrix_gives_a_finite_orthonormal_result(self, solver, X, data):
        k = data.draw(st.integers(1, min(X.shape)))
        store = STORAGE[data.draw(st.sampled_from(sorted(STORAGE)))]
        init = data.draw(st.sampled_from(["svd", "kmeans", "random"]))
        model = quiet(SONMF(k, solver=solver, init=init, max_iter=15, random_state=0), store(X))
        G = model.transform(store(X))
        assert metrics.orthogonal_residual(model.components_) <= 1e-24
        assert np.isfinite(G).all()
        assert G.min(initial=0) >= 0
        assert len(model.objective_history_) == model.n_iter_
        assert (np.diff(model.objective_history_) <= 0).all()
        true = np.linalg.norm(X - G @ model.components_)
        assert np.isclose(model.reconstruction_err_, true, rtol=1e-6, atol=1e-7 * np.linalg.norm(X))

    @given(X=dense(), data=st.data())
    def test_storage_does_not_matter(self, X, data):
        k = data.draw(st.integers(1, min(X.shape)))
        reference = quiet(SONMF(k, max_iter=5), X)
        for store in STORAGE.values():
            model = quiet(SONMF(k, max_iter=5), store(X))
            assert np.allclose(
                model.objective_history_[0], reference.objective_history_[0], rtol=1e-6, atol=1e-9 * np.mean(X**2)
            )

    def test_integers_become_float64(self):
        assert SONMF(2).fit_transform(np.arange(12).reshape(4, 3) % 5).dtype == np.float64

    def test_scaling_the_data_changes_nothing_but_the_scale(self):
        X = simulate.continuous(2, 120, 80, 5, random_state=0)[0]
        model, scaled = SONMF(5).fit(X), SONMF(5).fit(2.0**-17 * X)  # a power of two, so that rounding is the same
        assert model.n_iter_ == scaled.n_iter_
        assert np.allclose(model.components_, scaled.components_, atol=1e-8)
        assert np.isclose(scaled.reconstruction_err_, 2.0**-17 * model.reconstruction_err_)

    def test_shuffling_the_documents_changes_nothing(self, X):
        order = np.random.default_rng(0).permutation(len(X))
        model, shuffled = SONMF(5).fit(X), SONMF(5).fit(X[order])
        assert np.allclose(model.components_, shuffled.components_, atol=1e-6)

    def test_the_same_bits_on_the_same_machine(self, thread_count):
        X = simulate.corpus(3000, 800, random_state=0)
        for init in ("varimax", "svd", "kmeans", "random"):
            a, b = (SONMF(6, init=init, random_state=3).fit(X) for _ in range(2))
            assert np.array_equal(a.components_, b.components_)

    def test_threads_do_not_change_the_answer(self):
        import numba

        X, before, ends = simulate.corpus(3000, 800, random_state=0), numba.get_num_threads(), []
        for count in {1, numba.config.NUMBA_NUM_THREADS}:
            numba.set_num_threads(count)
            ends.append(SONMF(6, max_iter=1000).fit(X).reconstruction_err_)
        numba.set_num_threads(before)
        assert np.ptp(ends) < 1e-6 * ends[0]

    def test_float32_ends_where_float64_does(self, X):
        double, single = SONMF(5).fit(X), SONMF(5).fit(X.astype(np.float32))
        assert metrics.orthogonal_residual(single.components_) <= 1e-10
        assert np.isclose(single.reconstruction_err_, double.reconstruction_err_, rtol=1e-3)

    def test_a_random_start_ends_where_the_svd_start_does(self, X):
        """The paper calls its method very sensitive to the start; the exact step is not."""
        svd, random = SONMF(5).fit(X), SONMF(5, init="random", random_state=0, max_iter=500).fit(X)
        assert np.isclose(svd.objective_history_[-1], random.objective_history_[-1], atol=1e-3)

    def test_a_fit_from_its_own_end_stays_there(self, X):
        model = SONMF(5, tol=1e-12, max_iter=5000).fit(X)
        again = SONMF(5, init=model.components_.T).fit(X)
        assert again.n_iter_ <= 2
        assert np.isclose(again.reconstruction_err_, model.reconstruction_err_, rtol=1e-9)

    def test_one_pass_an_iteration(self, X):
        for solver in SOLVERS:
            fit = [quiet(SONMF(5, solver=solver, init="svd", max_iter=m, tol=0), X) for m in (1, 4)]
            assert fit[1].n_passes_ - fit[0].n_passes_ == fit[1].n_iter_ - fit[0].n_iter_ == 3


class TestManners:
    def test_signed_features_and_the_way_back(self, X):
        model = SONMF(5).fit(X)
        signed = clone(model).set_params(signed=True).fit(X)
        assert np.allclose(signed.transform(X), X @ model.components_.T)
        assert np.allclose(model.transform(X), oracles.clipped(X, model.components_.T))
        assert np.allclose(model.inverse_transform(model.transform(X)), model.transform(X) @ model.components_)

    @pytest.mark.parametrize("signed", [False, True])
    def test_score_is_the_share_explained(self, X, signed):
        model = SONMF(5, signed=signed).fit(X)
        residual = np.sum((X - model.inverse_transform(model.transform(X))) ** 2)
        assert np.isclose(model.score(X), 1 - residual / np.sum(X**2))
        assert model.score(np.zeros((2, 80))) == 1.0

    def test_pandas_in_pandas_out(self, X):
        frame = pd.DataFrame(X, columns=[f"w{j}" for j in range(80)])
        model = SONMF(3).set_output(transform="pandas")
        out = model.fit_transform(frame)
        assert list(out.columns) == list(model.get_feature_names_out()) == ["sonmf0", "sonmf1", "sonmf2"]
        assert list(model.feature_names_in_) == list(frame.columns)
        with pytest.raises(ValueError, match="feature names"):
            model.transform(frame.rename(columns={"w0": "other"}))

    def test_pipeline_and_grid_search(self, X):
        y = (X @ np.linalg.svd(X)[2][2] > 0).astype(int)
        search = GridSearchCV(
            make_pipeline(SONMF(signed=True, max_iter=1000), LogisticRegression()), {"sonmf__n_components": [1, 6]}, cv=3
        )
        assert search.fit(X, y).best_params_ == {"sonmf__n_components": 6}
        assert search.best_score_ > 0.8

    def test_a_warning_says_when_k_exceeds_the_rank(self):
        rng = np.random.default_rng(0)
        X = rng.random((30, 3)) @ rng.random((3, 20))
        with pytest.warns(UserWarning, match=r"n_components=5 exceeds the rank of X \(about 3\)") as caught:
            SONMF(5).fit(X)
        assert caught[0].filename == __file__

    def test_no_warning_at_full_rank(self):
        X = np.random.default_rng(0).normal(size=(30, 12))
        assert SONMF(12, max_iter=1000).fit(X).components_.shape == (12, 12)

    def test_the_users_matrix_is_left_alone(self):
        X = scipy.sparse.csr_array((np.ones(4), np.array([1, 1, 0, 2]), np.array([0, 2, 4])), shape=(2, 3))
        data = X.data.copy()
        model = SONMF(1).fit(X)
        assert np.array_equal(X.data, data)
        assert np.allclose(model.components_, SONMF(1).fit(X.toarray()).components_)  # duplicates count once, as their sum

    @pytest.mark.parametrize("init", ["svd", "kmeans", "random"])
    def test_64_bit_indices_are_taken(self, init):
        X = simulate.corpus(60, 40, random_state=0)
        wide = X.copy()
        wide.indices, wide.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
        a, b = (SONMF(3, init=init, random_state=0).fit(S) for S in (X, wide))
        assert wide.indices.dtype == np.int64
        assert np.array_equal(a.components_, b.components_)


def array(*shape):
    return np.random.default_rng(0).random(shape)


def with_value(value):
    X = array(6, 5)
    X[2, 3] = value
    return X


class TestBadInput:
    @pytest.mark.parametrize(
        ("parameters", "X", "message"),
        [
            ({}, with_value(np.inf), "infinity"),
            ({}, scipy.sparse.csr_matrix(with_value(np.nan)), "NaN"),
            ({}, array(6, 5) + 1j, "Complex"),
            ({}, np.empty((0, 5)), "0 sample"),
            ({}, np.empty((5, 0)), "0 feature"),
            ({}, array(6), "1D array"),
            ({}, np.array([["a", "b"], ["c", "d"]]), "X holds text, not numbers: give NotesVectorizer"),
            ({}, ["chest pain", "cough"], "X holds text, not numbers: give NotesVectorizer"),
            ({}, 1e200 * array(6, 5), "overflow.*scale X"),
            ({"n_components": 0}, array(6, 5), "'n_components'.*Got 0"),
            ({"n_components": 2.5}, array(6, 5), "'n_components'.*Got 2.5"),
            ({"n_components": 6}, array(6, 5), "n_components=6.*choose n_components <= 5"),
            ({"n_components": 6}, array(5, 6), "n_components=6.*choose n_components <= 5"),
            ({"solver": "newton"}, array(6, 5), "'solver'.*Got 'newton'"),
            ({"init": "nndsvd"}, array(6, 5), "'init'.*Got 'nndsvd'"),
            ({"init": np.eye(4, 2)}, array(6, 5), r"init has shape \(4, 2\).*\(5, 2\)"),
            ({"init": np.ones((5, 2))}, array(6, 5), r"init is not orthonormal.*np.linalg.qr"),
            ({"init": np.full((5, 2), np.nan)}, array(6, 5), "init is not orthonormal"),
            ({"fixed_components": np.eye(2, 4)}, array(6, 5), r"fixed_components has the shape \(2, 4\), but X has 5 words"),
            ({"fixed_components": np.eye(3, 5)}, array(6, 5), "3 topics, but n_components=2"),
            ({"fixed_components": np.ones((2, 5))}, array(6, 5), r"0 and 1 are not orthogonal \(cosine 1\).*np.linalg.qr"),
            ({"fixed_components": np.zeros((1, 5))}, array(6, 5), "no row of zeros"),
            ({"fixed_components": np.full((1, 5), np.nan)}, array(6, 5), "must be finite"),
            ({"max_iter": 0}, array(6, 5), "'max_iter'.*Got 0"),
            ({"tol": -1.0}, array(6, 5), "'tol'.*Got -1.0"),
            ({"callback": 3}, array(6, 5), "'callback'.*Got 3"),
        ],
    )
    def test_a_value_error_names_what_and_leaves_nothing_behind(self, parameters, X, message):
        model = SONMF(**{"n_components": 2} | parameters)
        with pytest.raises(ValueError, match=f"(?s){message}"):
            model.fit(X)
        assert not [name for name in vars(model) if name.endswith("_")]

    def test_a_failed_refit_keeps_the_last_good_fit(self, X):
        model = SONMF(5).fit(X)
        before = vars(model).copy()
        with pytest.raises(ValueError, match="infinity"):
            model.fit(with_value(np.inf))
        assert vars(model) == before

    def test_an_interrupted_fit_leaves_nothing_behind(self, X):
        def interrupt(iterate):
            raise KeyboardInterrupt

        model = SONMF(5, callback=interrupt)
        with pytest.raises(KeyboardInterrupt):
            model.fit(X)
        assert not [name for name in vars(model) if name.endswith("_")]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "parameters",
    [{}, {"init": "random"}, {"init": "kmeans"}, {"sparsity": 0.05}, {"solver": "subspace"}, {"max_iter": 5}],
    ids=str,
)
@pytest.mark.filterwarnings("ignore:SONMF stopped at max_iter", "ignore:sparsity=.* leaves .* without any topic")
def test_more_starts_never_end_higher_than_the_first(parameters, seed):
    X = simulate.corpus(200, 80, random_state=seed)
    one, more = (SONMF(12, n_init=n, random_state=seed, **parameters).fit(X).objective_history_[-1] for n in (1, 4))
    assert more <= one * (1 + 1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_so_it_is_with_missing_entries(seed):
    X = simulate.continuous(3, 80, 40, 8, random_state=seed)[0]
    X[np.random.default_rng(seed).random(X.shape) < 0.2] = np.nan
    one, more = (SONMF(8, n_init=n, random_state=seed).fit(X).objective_history_[-1] for n in (1, 4))
    assert more <= one * (1 + 1e-12)
