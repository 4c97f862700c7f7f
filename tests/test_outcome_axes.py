"""Axes made from an outcome: against loops over documents, honest for the documents that made them, linear and orthonormal."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from sonmf import SONMF, OutcomeAxes
from sonmf.errors import InputError
from sonmf.outcome_axes import OCCURRENCES

CROSS_FITTED = dict.fromkeys(
    ("check_transformer_general", "check_transformer_data_not_an_array"),
    "fit_transform scores a document on axes made without it, so that it differs from fit and transform, as it should",
)


@parametrize_with_checks([OutcomeAxes(random_state=0)], expected_failed_checks=lambda _: CROSS_FITTED)
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


@pytest.fixture
def notes():
    """Documents of 60 words, of which word 3 speaks for the outcome and word 4 against it; word 5 for it, more quietly."""
    rng = np.random.default_rng(0)
    X = (rng.random((600, 60)) < 0.15) * rng.gamma(2.0, 1.0, (600, 60))
    log_odds = 2.0 * (X[:, 3] > 0) - 2.0 * (X[:, 4] > 0) + 0.6 * (X[:, 5] > 0)
    return X, (rng.random(600) < 1 / (1 + np.exp(-log_odds))).astype(int)


def by_loops(X, y, shrinkage):
    """The first axis as the formula has it, word by word."""
    n, d = len(y), []
    for word in X.T:
        association = sum(x * (outcome - sum(y) / n) for x, outcome in zip(word, y, strict=True))
        d.append(association / np.sqrt(n * np.var(word) + shrinkage))
    return np.array(d) / np.sqrt(sum(value**2 for value in d))


def beside(basis, d):
    """A direction without its part in the plane of the basis, with unit length."""
    d = d - basis @ np.linalg.lstsq(basis, d, rcond=None)[0] if basis.size else d
    return d / np.linalg.norm(d)


def test_the_first_axis_is_the_formula(notes):
    X, y = notes
    shrinkage = OCCURRENCES * np.mean(X[X > 0] ** 2)
    assert np.allclose(OutcomeAxes(1).fit(X, y).components_[0], by_loops(X, y, shrinkage))


@pytest.mark.parametrize("topics", [0, 3])
def test_the_second_axis_is_the_formula_for_what_topics_and_scores_without_each_fold_leave(notes, topics):
    X, y = notes
    basis = np.linalg.qr(np.random.default_rng(1).standard_normal((60, topics)))[0]
    fold = np.arange(len(y)) % 4
    shrinkage = OCCURRENCES * np.mean(X[X > 0] ** 2)
    scores = np.empty(len(y))
    for f in range(4):
        scores[fold == f] = X[fold == f] @ beside(basis, by_loops(X[fold != f], y[fold != f], shrinkage))
    scores = np.column_stack([scores, X @ basis])
    scores /= scores.std(axis=0)
    left = y - LogisticRegression().fit(scores, y).predict_proba(scores)[:, 1]
    first, second = OutcomeAxes(2, folds=fold, orthogonal_to=basis.T if topics else None).fit(X, y).components_
    expected = beside(np.column_stack([basis, first]), by_loops(X, left, shrinkage))
    assert np.allclose(second, expected, atol=1e-3)  # the logistic regression's own tolerance


def test_a_document_is_scored_by_axes_that_other_folds_made(notes):
    X, y = notes
    fold = np.arange(len(y)) % 5
    scores = OutcomeAxes(2, folds=fold).fit_transform(X, y)
    changed = y.copy()
    changed[fold == 1] = 1 - changed[fold == 1]
    assert np.array_equal(OutcomeAxes(2, folds=fold).fit_transform(X, changed)[fold == 1], scores[fold == 1])
    assert not np.allclose(OutcomeAxes(2, folds=fold).fit_transform(X, changed)[fold == 2], scores[fold == 2])
    alone = np.array([[0, 1, 2, 3, 4].index(f) for f in fold])[fold != 1]
    others = OutcomeAxes(2, folds=alone).fit(X[fold != 1], y[fold != 1])
    assert np.abs(others.transform(X[fold == 1]) - scores[fold == 1]).max() < 0.02 * scores.std()  # but for the shrinkage


@pytest.mark.parametrize("n_axes", [1, 2, 3])
def test_axes_are_orthonormal_also_to_topics(notes, n_axes):
    X, y = notes
    topics = SONMF(4).fit(X).components_
    axes = OutcomeAxes(n_axes, orthogonal_to=topics, random_state=0).fit(X, y).components_
    together = np.vstack([topics, axes])
    assert np.abs(together @ together.T - np.eye(4 + n_axes)).max() < 1e-12
    mixed = np.random.default_rng(1).standard_normal((4, 4)) @ topics  # the same plane, no longer orthonormal
    assert np.allclose(OutcomeAxes(n_axes, orthogonal_to=mixed, random_state=0).fit(X, y).components_, axes, atol=0.01)


def test_sparse_dense_scale_labels_and_order_of_words_do_not_matter(notes):
    X, y = notes
    expected = OutcomeAxes(2, random_state=0).fit_transform(X, y)
    sparse = scipy.sparse.csr_array(X)
    assert np.allclose(OutcomeAxes(2, random_state=0).fit_transform(sparse, y), expected)
    assert np.allclose(OutcomeAxes(2, random_state=0).fit_transform(sparse * 1e6, np.where(y, "bed", "home")), -1e6 * expected)
    words = np.random.default_rng(2).permutation(60)
    shuffled = OutcomeAxes(2, random_state=0).fit(X[:, words], y)
    assert np.allclose(shuffled.transform(X[:, words]), OutcomeAxes(2, random_state=0).fit(X, y).transform(X))
    single = OutcomeAxes(2, random_state=0).fit_transform(sparse.astype(np.float32), y)
    assert np.allclose(single, expected, atol=1e-4)


def test_words_that_decide_lead_both_sides_and_new_documents_are_told_apart(notes):
    X, y = notes
    axes = OutcomeAxes(2, random_state=0).fit(X[:400], y[:400])
    assert (axes.components_[0].argmax(), axes.components_[0].argmin()) == (3, 4)
    assert roc_auc_score(y[400:], axes.transform(X[400:])[:, 0]) > 0.65


def test_shuffled_outcomes_are_not_forecast_by_cross_fitted_scores():
    rng = np.random.default_rng(3)
    here = rng.random((400, 1000)) < 0.02
    X = scipy.sparse.csr_array(np.where(here, rng.random(here.shape), 0.0))  # more words than documents: easy to learn by heart
    honest, learnt = [], []
    for seed in range(8):
        y = np.random.default_rng(seed).permutation(np.arange(400) % 2)
        axes = OutcomeAxes(2, random_state=seed)
        honest.append(roc_auc_score(y, axes.fit_transform(X, y)[:, 0]))
        learnt.append(roc_auc_score(y, axes.transform(X)[:, 0]))
    assert np.mean(learnt) > 0.9
    assert abs(np.mean(honest) - 0.5) < 0.04


def test_a_number_is_an_outcome_too(notes):
    X, _ = notes
    rng = np.random.default_rng(4)
    days = 3 + 2 * X[:, 3] - X[:, 4] + rng.standard_normal(len(X))
    axes = OutcomeAxes(2, random_state=0)
    scores = axes.fit_transform(X, days)
    assert axes.outcomes_ is None
    assert (axes.components_[0].argmax(), axes.components_[0].argmin()) == (3, 4)
    assert np.corrcoef(scores[:, 0], days)[0, 1] > 0.7


def test_a_word_of_a_single_document_says_less_than_one_of_many():
    rng = np.random.default_rng(5)
    y = np.arange(200) % 2
    X = (rng.random((200, 20)) < 0.3).astype(float)
    X[:, 0] = 0
    X[1, 0] = 1  # one document, and its outcome is 1
    X[:, 1] = np.where(rng.random(200) < 0.85, y, 1 - y)
    axis = OutcomeAxes(1).fit(X, y).components_[0]
    assert axis.argmax() == 1
    assert abs(axis[0]) < 0.1 * axis[1]


@pytest.mark.parametrize(
    ("parameters", "y", "message"),
    [
        ({}, np.zeros(40), "y has one value only"),
        ({}, np.array(["a", "b", "c", "d"] * 10), "y has 4 values that are not numbers"),
        ({"folds": 2}, np.arange(40) % 2, "2 folds are too few for n_axes=2"),
        ({"folds": np.zeros(3)}, np.arange(40) % 2, "folds has 3 entries, but X has 40 documents"),
        ({"orthogonal_to": np.eye(3)}, np.arange(40) % 2, "orthogonal_to has the shape .3, 3., but X has 5 words"),
        ({"n_axes": 0}, np.arange(40) % 2, "n_axes"),
    ],
)
def test_what_cannot_be_an_axis_is_refused_in_a_sentence(parameters, y, message):
    X = np.random.default_rng(6).random((40, 5))
    with pytest.raises(InputError, match=message):
        OutcomeAxes(**parameters).fit(X, y)


def test_nothing_left_to_explain_is_a_row_of_zeros():
    X = np.random.default_rng(7).random((50, 2))
    axes = OutcomeAxes(3, random_state=0).fit(X, np.arange(50) % 2)
    assert np.allclose(axes.components_ @ axes.components_.T, np.diag([1, 1, 0]))


def test_a_topic_on_which_all_documents_score_the_same_does_not_matter(notes):
    X, y = notes
    X = np.column_stack([X, 7 - X.sum(axis=1) / 10])
    constant = np.append(np.full(60, 0.1), 1.0)  # every document scores 7
    first, second = OutcomeAxes(2, orthogonal_to=[constant], random_state=0).fit(X, y).components_
    assert np.linalg.norm(second) == pytest.approx(1)
    assert abs(first @ second) < 1e-12
