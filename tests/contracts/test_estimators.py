"""One set of laws for all six estimators, and scikit-learn's own checks for each."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from matrices import STORAGE
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from sonmf import NMF, ONMF, SONMF, BinarySONMF, LogisticNMF, SemiNMF, simulate
from sonmf.errors import InputError
from sonmf.estimators.base import Factorization
from sonmf.estimators.matrix_inputs import IncompleteInput, input_of
from sonmf.kernels import kinds
from sonmf.kernels.incomplete import Incomplete

CONTINUOUS, BINARY = [SONMF, NMF, ONMF, SemiNMF], [BinarySONMF, LogisticNMF]
EVERY = CONTINUOUS + BINARY
quickly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # the checks allow five iterations


class _Thresholded:
    """A binary method that turns what scikit-learn's checks feed it into 0/1; nothing else is changed."""

    @classmethod
    def _checked(cls, block):
        X = Factorization._checked(block).X
        if isinstance(X, Incomplete):
            return IncompleteInput(Incomplete((X.values > 0).astype(X.dtype), X.first, X.words), kinds.INCOMPLETE).ones()
        return input_of(scipy.sparse.csr_array((X > 0).astype(X.dtype)))


class ThresholdedBinarySONMF(_Thresholded, BinarySONMF):
    pass


class ThresholdedLogisticNMF(_Thresholded, LogisticNMF):
    pass


FEEDS_OTHER_THAN_01 = [
    "check_fit_score_takes_y",
    "check_estimators_overwrite_params",
    "check_dont_overwrite_parameters",
    "check_estimators_fit_returns_self",
    "check_readonly_memmap_input",
    "check_n_features_in_after_fitting",
    "check_positive_only_tag_during_fit",
    "check_estimators_dtypes",
    "check_dtype_object",
    "check_pipeline_consistency",
    "check_estimators_nan_inf",
    "check_estimator_sparse_tag",
    "check_estimator_sparse_array",
    "check_estimator_sparse_matrix",
    "check_estimators_pickle",
    "check_f_contiguous_array_estimator",
    "check_transformer_data_not_an_array",
    "check_transformer_general",
    "check_transformer_preserve_dtypes",
    "check_transformer_n_iter",
    "check_methods_sample_order_invariance",
    "check_methods_subset_invariance",
    "check_fit2d_1sample",
    "check_fit2d_1feature",
    "check_dict_unchanged",
    "check_fit_idempotent",
    "check_fit_check_is_fitted",
    "check_n_features_in",
    "check_fit2d_predict1d",
    "check_sample_weights_pandas_series",
    "check_sample_weights_not_an_array",
    "check_sample_weights_list",
    "check_all_zero_sample_weights_error",
    "check_sample_weights_shape",
    "check_sample_weights_not_overwritten",
    "check_sample_weight_equivalence_on_dense_data",
    "check_sample_weight_equivalence_on_sparse_data",
]


def expected_failures(estimator):
    if type(estimator) in BINARY:
        return dict.fromkeys(FEEDS_OTHER_THAN_01, "feeds numbers other than 0 and 1, which this method rightly refuses")
    return {}


@quickly
@parametrize_with_checks([make(n_components=2) for make in EVERY], expected_failed_checks=expected_failures)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@quickly
@pytest.mark.long
@parametrize_with_checks([make(n_components=2) for make in (ThresholdedBinarySONMF, ThresholdedLogisticNMF)])
def test_scikit_learns_own_checks_of_binary_methods_on_what_they_can_take(estimator, check):
    check(estimator)


@pytest.fixture(scope="module", params=EVERY, ids=lambda make: make.__name__)
def case(request):
    """An estimator and data it is made for."""
    make = request.param
    if make in BINARY:
        X, _, _ = simulate.binary(60, 40, 3, random_state=0)
    else:
        X, _, _ = simulate.continuous(2, 60, 40, 3, random_state=0)
    return make(3, max_iter=30, tol=1e-3, random_state=0), X


def quiet(model, X):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return model.fit(X)


@quickly
@pytest.mark.parametrize("store", STORAGE.values(), ids=STORAGE)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_fit_transform_is_fit_then_transform_in_every_storage_and_dtype(case, store, dtype):
    model, X = case
    S = store(X.astype(dtype))
    G = clone(model).fit_transform(S)
    fitted = clone(model).fit(S)
    assert np.allclose(G, fitted.transform(S), atol=1e-5 if dtype == np.float64 else 1e-2)
    assert G.dtype == fitted.components_.dtype == dtype
    reference = clone(model).fit(X)
    assert np.isclose(fitted.score(S), reference.score(X), rtol=1e-6 if dtype == np.float64 else 1e-2)


@quickly
def test_fitted_attributes_agree_with_each_other(case):
    model, X = case
    model = clone(model).fit(X)
    assert model.components_.shape == (3, 40)
    assert model.n_iter_ == len(model.objective_history_)
    assert model.n_passes_ > model.n_iter_
    G = model.transform(X)
    if type(model) in BINARY:
        P = model.inverse_transform(G)
        assert ((P >= 0) & (P <= 1)).all()
        cost = -np.mean(np.log(np.where(X == 1, P, 1 - P)))
        assert np.isclose(model.mean_cost_, cost, rtol=1e-4)
        assert np.isclose(model.score(X), -cost, rtol=1e-4)
    else:
        error = np.linalg.norm(X - model.inverse_transform(G))
        assert np.isclose(model.reconstruction_err_, error, rtol=1e-7)
        assert np.isclose(model.score(X), 1 - error**2 / np.sum(X**2))
        assert model.reconstruction_err_**2 / X.size <= model.objective_history_[-1] * (1 + 1e-9)


@quickly
def test_the_same_bits_for_the_same_seed(case, thread_count):
    model, X = case
    a, b = (clone(model).fit(X) for _ in range(2))
    assert np.array_equal(a.components_, b.components_)


@quickly
def test_documents_are_transformed_each_for_itself(case):
    model, X = case
    model = clone(model).fit(X)
    assert np.allclose(model.transform(X)[7:9], model.transform(X[7:9]), atol=1e-5)


@quickly
def test_pandas_pipeline_and_pickle(case):
    model, X = case
    name = type(model).__name__.lower()
    frame = pd.DataFrame(X, columns=[f"w{j}" for j in range(40)])
    out = clone(model).set_output(transform="pandas").fit_transform(frame)
    assert list(out.columns) == [f"{name}{j}" for j in range(3)]
    pipeline = make_pipeline(clone(model), StandardScaler()).fit(X)
    assert np.array_equal(pickle.loads(pickle.dumps(pipeline)).transform(X), pipeline.transform(X))


@quickly
def test_the_callback_can_stop_and_no_input_is_changed(case):
    model, X = case
    before = X.copy()
    stopped = clone(model).set_params(callback=lambda it: it.iteration == 2, tol=0).fit(X)
    assert stopped.n_iter_ == 2
    assert np.array_equal(X, before)


def test_max_iter_is_a_warning_at_the_callers_line(case):
    model, X = case
    with pytest.warns(ConvergenceWarning, match="stopped at max_iter=1") as caught:
        clone(model).set_params(max_iter=1, tol=0).fit(X)
    assert caught[0].filename == __file__


@pytest.mark.parametrize("value", [np.nan, np.inf, 1j, "a"])
def test_what_is_not_a_number_is_refused_and_leaves_nothing_behind(case, value):
    model, X = case
    if value is np.nan and model.__sklearn_tags__().input_tags.allow_nan:
        value = -np.inf  # NaN is a missing entry there
    bad = X.astype(object if isinstance(value, str) else type(value))
    bad[3, 4] = value
    model = clone(model)
    with pytest.raises(ValueError, match=r"NaN|infinity|Complex|holds text, not numbers") as refusal:
        model.fit(bad)
    assert len(str(refusal.value)) < 200  # scikit-learn recommends other estimators where it finds NaN
    assert not [name for name in vars(model) if name.endswith("_")]


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        ("n_components", 41, "n_components=41.*choose n_components <= 40"),
        ("n_components", 0, "'n_components'.*Got 0"),
        ("init", "elsewhere", "'init'.*Got 'elsewhere'"),
        ("init", np.ones((4, 3)), r"init has shape \(4, 3\).*\(40, 3\)"),
        ("init", np.full((40, 3), np.nan), "init "),
        ("tol", -1, "'tol'.*Got -1"),
    ],
)
def test_a_parameter_that_cannot_be_is_named(case, parameter, value, message):
    model, X = case
    model = clone(model).set_params(**{parameter: value})
    with pytest.raises(ValueError, match=f"(?s){message}"):
        model.fit(X)
    assert not [name for name in vars(model) if name.endswith("_")]


@quickly
def test_other_words_and_no_fit_are_refused(case):
    model, X = case
    with pytest.raises(NotFittedError):
        clone(model).transform(X)
    model = clone(model).fit(X)
    with pytest.raises(ValueError, match=r"39 features.*40"):
        model.transform(X[:, 1:])
    with pytest.raises(ValueError, match=r"X has 2 columns.*n_components=3"):
        model.inverse_transform(np.ones((5, 2)))


@pytest.mark.parametrize("make", EVERY, ids=lambda make: make.__name__)
@pytest.mark.parametrize("content", ["zeros", "ones", "one row", "identity", "duplicates"])
def test_degenerate_data_give_a_finite_result(make, content):
    X = {
        "zeros": np.zeros((6, 5)),
        "ones": np.ones((6, 5)),
        "one row": np.eye(6, 5)[:1],
        "identity": np.eye(6),
        "duplicates": np.repeat(np.eye(2, 5), 3, axis=0),
    }[content]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = make(min(3, *X.shape), max_iter=20, random_state=0).fit(X)
    assert np.isfinite(model.components_).all()
    assert np.isfinite(model.transform(X)).all()
    assert np.isfinite(model.score(X))


@pytest.mark.parametrize("make", [NMF, ONMF])
def test_negative_data_are_refused_with_a_way_out(make):
    with pytest.raises(ValueError, match=r"Negative values.*lowest is -2.*clip.*SemiNMF"):
        make(1).fit(np.array([[1.0, -2.0], [0.0, 3.0]]))
    with pytest.raises(ValueError, match="non-negative"):
        make(1, init=-np.ones((2, 1))).fit(np.ones((3, 2)))


@pytest.mark.parametrize("make", BINARY)
@pytest.mark.parametrize("store", [np.asarray, scipy.sparse.csr_array])
def test_other_than_01_is_refused_with_a_way_out(make, store):
    X = np.eye(5)
    X[3, 1] = 0.5
    with pytest.raises(ValueError, match=r"only 0 and 1, but X\[3, 1\] is 0.5: binarise it"):
        make(2).fit(store(X))


@quickly
@pytest.mark.parametrize("make", BINARY)
def test_01_is_taken_as_bool_integer_float_or_sparse_with_explicit_zeros(make):
    X, _, _ = simulate.binary(30, 20, 2, random_state=0)
    explicit = scipy.sparse.csr_array(np.ones_like(X))
    explicit.data[:] = X.ravel()
    reference = make(2, max_iter=5, random_state=0).fit(X)
    for same in (X.astype(bool), X.astype(int), X.tolist(), scipy.sparse.csc_matrix(X), explicit):
        assert np.allclose(make(2, max_iter=5, random_state=0).fit(same).components_, reference.components_)
    assert explicit.nnz == X.size  # the user's matrix is left alone


@quickly
@pytest.mark.parametrize("storage", [np.ascontiguousarray, scipy.sparse.csr_array])
@pytest.mark.parametrize("make", CONTINUOUS)
def test_an_x_that_turns_nan_during_the_fit_is_an_error_and_the_last_fit_is_kept(make, storage):
    X = storage((np.random.default_rng(0).random((40, 12)) < 0.4).astype(float))
    model = make(3, max_iter=5, random_state=0).fit(X)
    before = model.components_.copy()

    def spoil(iterate):
        (X if isinstance(X, np.ndarray) else X.data).flat[0] = np.nan

    with pytest.raises(ValueError, match="X has become NaN during the fit"):
        model.set_params(callback=spoil).fit(X)
    assert np.array_equal(model.components_, before)


@pytest.mark.parametrize("name", ["n_components", "max_iter"])
@pytest.mark.parametrize("make", EVERY)
def test_true_is_not_a_number_of_topics_or_iterations(make, name):
    with pytest.raises(InputError, match=f"The '{name}' parameter of {make.__name__} must be an int .* Got True instead"):
        make(**{name: True}).fit(np.eye(12))
