"""The number of topics that data were made with is found again; everything about the curve is its formula."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import TruncatedSVD

from sonmf import NMF, ONMF, SONMF, BinarySONMF, plot, select_rank, simulate
from sonmf.rank import RankChoice, RankCurve, squared_error


@pytest.mark.parametrize("scenario", [1, 2])
@pytest.mark.parametrize("truth", [3, 8])
def test_the_number_of_topics_is_found(scenario, truth):
    X = simulate.continuous(scenario, 160, 120, truth, random_state=1)[0]
    choice = select_rank(SONMF(), X, range(truth - 2, truth + 4), random_state=0)
    assert abs(choice.rank - truth) <= 1


@pytest.mark.parametrize("model", [NMF(max_iter=60), ONMF(max_iter=60), TruncatedSVD()], ids=lambda model: type(model).__name__)
def test_other_methods_have_a_number_too(model):
    X = simulate.continuous(2, 160, 120, 4, random_state=0)[0]
    before = model.get_params()
    assert abs(select_rank(model, X, range(2, 8), random_state=0).rank - 4) <= 1
    assert model.get_params() == before
    assert not hasattr(model, "components_")


def test_noise_holds_no_more_than_its_mean():
    X = np.random.default_rng(0).random((120, 100))
    assert select_rank(SONMF(), X, range(1, 8), random_state=0).rank == 1


@pytest.mark.parametrize("store", [np.asarray, scipy.sparse.csr_array])
def test_the_error_is_its_formula(store):
    rng = np.random.default_rng(0)
    A, B, C = (rng.random(shape) * (rng.random(shape) < 0.6) for shape in ((20, 15), (20, 12), (18, 15)))
    G, H = np.maximum(rng.normal(size=(18, 4)), 0), rng.normal(size=(4, 12))
    G[:, 2] = 0.0  # a topic that no document has
    forecast = B @ np.linalg.pinv(H) @ np.linalg.pinv(G) @ C
    assert squared_error(*map(store, (A, B, C)), G, H) == pytest.approx(np.sum((A - forecast) ** 2), rel=1e-10)


def test_a_matrix_without_noise_is_forecast_exactly_at_its_rank():
    rng = np.random.default_rng(0)
    X = rng.random((60, 3)) @ rng.random((3, 50))
    choice = select_rank(TruncatedSVD(algorithm="arpack"), X, range(1, 6), random_state=0)
    assert choice.rank == 3
    assert choice.curve.mean[2] < 1e-12 < choice.curve.mean[1]


def test_scaling_and_storage_change_nothing():
    X = simulate.corpus(300, 120, k=6, random_state=0)
    found = [select_rank(SONMF(), Y, (2, 6, 12), random_state=0) for Y in (X, 1e3 * X, X.toarray(), scipy.sparse.coo_array(X))]
    for other in found[1:]:
        assert other.rank == found[0].rank
        assert other.curve.errors == pytest.approx(found[0].curve.errors, rel=1e-3)


def test_the_seed_decides_the_division():
    X = simulate.corpus(200, 80, k=6, random_state=0)
    first, again, other = (select_rank(SONMF(), X, (2, 4), random_state=seed).curve.errors for seed in (0, 0, 1))
    assert (first == again).all()
    assert (first != other).all()


def curves():
    return st.lists(st.lists(st.floats(0, 1), min_size=4, max_size=4), min_size=1, max_size=6).map(
        lambda rows: RankCurve(np.arange(1, len(rows) + 1), np.array(rows).T)
    )


@given(curves())
def test_the_excess_is_that_of_paired_folds(curve):
    best = curve.best - 1
    for k in range(len(curve.ranks)):
        differences = curve.errors[:, k] - curve.errors[:, best]
        assert curve.excess[k] == pytest.approx(differences.mean(), abs=1e-12)
        assert curve.excess_error[k] == pytest.approx(differences.std(ddof=1) / 2, abs=1e-12)
    assert curve.excess.min() >= -1e-12
    assert curve.excess[best] == curve.excess_error[best] == 0


def test_what_the_folds_share_does_not_blur_the_choice():
    """Folds of very different difficulty: unpaired errors of one standard error would take the smallest rank of all."""
    level = np.array([[0.1], [0.5], [0.9], [0.3]])
    curve = RankCurve(np.array([1, 2, 3]), level + np.array([0.03, 0.0, 0.001]) + 1e-4 * np.eye(4, 3))
    assert curve.mean.std() < level.std() / 2  # the unpaired standard error is larger than any difference
    assert (curve.excess <= curve.excess_error).tolist() == [False, True, False]


def test_a_verbose_model_shows_a_bar_of_fits(capsys):
    select_rank(SONMF(verbose=1), np.random.default_rng(0).random((20, 16)), (1, 2), random_state=0)
    told = capsys.readouterr().err
    assert "8/8" in told
    assert "objective" not in told


def test_the_picture_shows_every_rank_and_marks_the_one_taken():
    curve = RankCurve(np.array([2, 5, 9]), np.array([[0.9, 0.5, 0.6], [0.8, 0.4, 0.45], [0.9, 0.5, 0.5], [0.8, 0.5, 0.6]]))
    ax = plot.rank_curve(RankChoice(5, curve))
    line, taken = ax.lines[0], ax.lines[-1]
    assert line.get_xdata().tolist() == [2, 5, 9]
    assert line.get_ydata() == pytest.approx(curve.mean)
    assert set(taken.get_xdata()) == {5}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((SONMF(), np.eye(20), []), r"ranks=\[\]: give whole numbers of topics"),
        ((SONMF(), np.eye(20), 5), "ranks=5: give whole numbers"),
        ((SONMF(), np.eye(20), [2.5]), r"ranks=\[2.5\]: give whole numbers"),
        ((SONMF(), np.eye(20), "auto"), "give whole numbers"),
        ((SONMF(), np.ones((20, 1)), [1]), r"X has the shape \(20, 1\): give at least two documents and two words"),
        ((SONMF(), np.eye(20), [0, 2]), "each at least 1"),
        ((SONMF(), np.eye(20), [2, 11]), r"ranks has 11, .* at most 10"),
        ((SONMF(), np.zeros((20, 20)), [2]), "X has only zeros"),
        ((SONMF(), np.full((20, 20), np.nan), [2]), "NaN"),
        ((BinarySONMF(), np.eye(20), [2]), "BinarySONMF has none"),
        ((SONMF(2, fixed_components=np.eye(1, 20)), np.eye(20), [2]), "fixed_components are topics over all words"),
        ((SONMF(2, init=np.eye(20, 2)), np.eye(20), [2]), "init is an array, which has a fixed number of topics"),
    ],
)
def test_what_cannot_be_chosen_is_refused_in_a_sentence(arguments, words):
    with pytest.raises(ValueError, match=words):
        select_rank(*arguments)


def test_the_callback_hears_of_every_fit():
    heard = []
    X = simulate.continuous(1, 40, 30, 3, random_state=0)[0]
    select_rank(SONMF(), X, [1, 2, 3], random_state=0, callback=lambda: heard.append(1))
    assert len(heard) == 4 * 3


def test_a_dask_array_is_refused_in_a_sentence():
    import dask.array as array

    with pytest.raises(ValueError, match="X is a dask Array: select_rank needs a numpy array or a scipy sparse matrix"):
        select_rank(SONMF(), array.ones((8, 8)), [2])
