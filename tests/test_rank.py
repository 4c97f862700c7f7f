"""The number of topics that data were made with is found again; everything about the curve is its formula."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.decomposition import TruncatedSVD

from sonmf import NMF, ONMF, SONMF, BinarySONMF, plot, select_rank, simulate
from sonmf.rank import RankChoice, RankCurve, squared_error
from sonmf.stability import Stability


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


def test_the_error_with_missing_entries_is_that_of_a_regression_of_each_row():
    """A row of B and a column of C by least squares on what is observed of them; the error over what is observed of A."""
    rng = np.random.default_rng(0)
    A, B, C = (np.where(rng.random(shape) < 0.2, np.nan, rng.random(shape)) for shape in ((20, 15), (20, 12), (18, 15)))
    B[3], B[4, 2:] = np.nan, np.nan  # nothing observed, and fewer words than topics
    G, H = np.maximum(rng.normal(size=(18, 4)), 0), np.linalg.qr(rng.normal(size=(12, 4)))[0].T

    def regressed(row, V):
        seen = ~np.isnan(row)
        return np.linalg.lstsq(V[seen], row[seen], rcond=1e-10)[0] if seen.any() else np.zeros(V.shape[1])

    S, T = np.array([regressed(row, H.T) for row in B]), np.array([regressed(column, G) for column in C.T])
    assert squared_error(A, B, C, G, H) == pytest.approx(np.nansum((A - S @ T.T) ** 2), rel=1e-8)


@pytest.mark.parametrize("scenario", [1, 2])
def test_the_number_of_topics_is_found_with_a_fifth_of_the_entries_missing(scenario):
    X = simulate.continuous(scenario, 160, 120, 5, random_state=1)[0]
    holed = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    assert select_rank(SONMF(), holed, range(2, 9), random_state=0).rank == 5


@pytest.mark.parametrize("table", [lambda X: pd.DataFrame(X).convert_dtypes(), lambda X: X.astype(object)])
def test_a_table_of_objects_is_read_as_a_fit_reads_it(table):
    X = simulate.continuous(1, 40, 30, 2, random_state=1)[0]
    holed = np.where(np.random.default_rng(0).random(X.shape) < 0.2, np.nan, X)
    known, found = (select_rank(SONMF(), data, [1, 2, 3], random_state=0) for data in (holed, table(holed)))
    assert (found.curve.errors == known.curve.errors).all()


def test_a_word_that_half_of_the_documents_never_have_does_not_stop_the_choice():
    X = simulate.continuous(2, 40, 30, 2, random_state=1)[0]
    X[1:, 0], X[0, 1:] = np.nan, np.nan  # three of four quarters have nothing of this word, or of this document
    assert np.isfinite(select_rank(SONMF(), X, [1, 2, 3], random_state=0).curve.errors).all()


@pytest.mark.parametrize("seed", range(4))
def test_half_of_the_words_are_always_enough_topics(seed):
    rng = np.random.default_rng(seed)
    X = rng.random((12, 12))
    X[rng.random(X.shape) < 0.6] = np.nan  # in some quarters, whole documents and words
    assert np.isfinite(select_rank(SONMF(), X, [1, 2, 6], random_state=seed).curve.errors).all()


def test_a_method_that_takes_no_missing_entries_says_so():
    X = np.random.default_rng(0).random((20, 16))
    X[2, 3] = np.nan
    with pytest.raises(ValueError, match="X contains NaN or infinity: fill or remove what is missing before select_rank"):
        select_rank(NMF(), X, [2])
    with pytest.raises(ValueError, match="infinity"):
        select_rank(SONMF(), np.where(np.isnan(X), np.inf, X), [2])


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


@pytest.fixture(scope="module")
def both():
    """Both curves of data with four topics."""
    X = simulate.continuous(2, 160, 60, 4, random_state=0)[0]
    return X, select_rank(SONMF(), X, [2, 4, 6, 9], bootstrap=3, random_state=0)


def test_topics_come_back_up_to_the_number_that_the_data_hold(both):
    _, choice = both
    assert choice.rank == choice.for_reading == 4
    assert choice.share_back[:2].tolist() == [1, 1]
    assert choice.share_back[3] < 0.9
    assert [len(found.scores) for found in choice.stability] == [2, 4, 6, 9]
    assert {len(found.cosines) for found in choice.stability} == {3}
    assert choice.stability[1].scores.min() > 0.8


def test_the_curve_of_errors_is_the_same_without_the_bootstrap(both):
    X, choice = both
    alone = select_rank(SONMF(), X, [2, 4, 6, 9], random_state=0)
    assert (alone.curve.errors == choice.curve.errors).all()
    assert alone.rank == choice.rank
    assert alone.for_reading is None
    assert "For reading" not in str(alone)


def stable(*counts, n=10):
    """For each (k, how many come back), the record of n draws."""
    return tuple(Stability.of(np.tile(np.where(np.arange(k) < back, 0.95, 0.3), (n, 1))) for k, back in counts)


def falling(ranks):
    """A curve whose every rank is better than the one before."""
    return RankCurve(np.array(ranks), np.linspace(0.9, 0.4, len(ranks)) + 0.01 * np.eye(4, len(ranks)))


@pytest.mark.parametrize(
    ("counts", "number", "sentence"),
    [
        (
            ((5, 5), (10, 9), (20, 6)),
            10,
            "For reading take 10 topics: the largest number tried of which at least nine in ten came",
        ),
        (((5, 5), (10, 8), (20, 18)), 20, "again (10 times). It is the largest number tried: the search ended at its edge"),
        (((1, 1), (10, 8), (20, 17)), 1, "For reading take 1 topic:"),
        (
            ((5, 1), (10, 2), (20, 3)),
            None,
            "For reading take none of these numbers: even of 5 topics, only 1 topic came back. Try",
        ),
        (((1, 0), (10, 2), (20, 3)), None, "For reading take none of these numbers: even of 1 topic, none came back."),
    ],
)
def test_two_sentences_and_both_curves_say_which_number_is_for_what(counts, number, sentence):
    ranks = [k for k, _ in counts]
    choice = RankChoice(20, falling(ranks), stable(*counts))
    forecast, reading, _, *curves = str(choice).split("\n")
    assert choice.for_reading == number
    assert forecast.startswith("For forecasts take 20 topics: the fewest that forecast unseen words")
    assert forecast.endswith("It is the largest number tried: the search ended at its edge, so try more.")
    assert sentence in reading
    assert [line.split() for line in curves] == [
        [f"{k}", f"{error:.4f}", f"{back}", "of", f"{k}"] for (k, back), error in zip(counts, choice.curve.mean, strict=True)
    ]


def test_one_draw_is_not_one_times():
    one = stable((5, 5), n=1)
    assert "when the documents were drawn again (once).\n" in str(RankChoice(5, falling([5]), one))
    assert "drawn from these (once)" in str(one[0])


def test_a_choice_within_the_numbers_tried_does_not_speak_of_an_edge():
    assert "edge" in str(RankChoice(20, falling([5, 10, 20])))
    assert "edge" not in str(RankChoice(10, falling([5, 10, 20])))
    assert "edge" not in str(RankChoice(20, falling([20])))


def test_numbers_that_forecast_no_better_than_no_topics_say_so():
    noise = np.random.default_rng(0).standard_normal((100, 50))
    choice = select_rank(SONMF(), noise, [2, 4], random_state=0)
    assert choice.curve.mean.min() > 1
    assert str(choice).endswith("No number tried forecasts better than no topics at all: X may be noise.")


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


def test_the_picture_shows_how_many_come_back_beside_the_errors():
    choice = RankChoice(20, falling([5, 10, 20]), stable((5, 5), (10, 9), (20, 6)))
    ax = plot.rank_curve(choice)
    share = next(other for other in ax.figure.axes if other is not ax)
    assert share.lines[0].get_ydata() == pytest.approx([1, 0.9, 0.3])
    assert share.lines[0].get_xdata().tolist() == [5, 10, 20]
    texts = [text.get_text() for text in ax.get_legend().get_texts()]
    assert texts == ["for forecasts: 20", "for reading: 10"]


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
        ((KMeans(), np.eye(20), [2]), r"select_rank needs a model with n_components, such as SONMF\(10\), and not KMeans"),
        ((BinarySONMF(), np.eye(20), [2]), "BinarySONMF has none"),
        ((SONMF(2, fixed_components=np.eye(1, 20)), np.eye(20), [2]), "fixed_components are topics over all words"),
        ((SONMF(2, init=np.eye(20, 2)), np.eye(20), [2]), "init is an array, which has a fixed number of topics"),
    ],
)
def test_what_cannot_be_chosen_is_refused_in_a_sentence(arguments, words):
    with pytest.raises(ValueError, match=words):
        select_rank(*arguments)


@pytest.mark.parametrize("draws", [0, 2])
def test_the_callback_hears_of_every_fit(draws):
    heard = []
    X = simulate.continuous(1, 40, 30, 3, random_state=0)[0]
    select_rank(SONMF(), X, [1, 2, 3], bootstrap=draws, random_state=0, callback=lambda: heard.append(1))
    assert len(heard) == (4 + draws) * 3


@pytest.mark.parametrize("draws", [-1, 2.5, "10", True])
def test_draws_are_a_whole_number(draws):
    with pytest.raises(ValueError, match=r"bootstrap=.* must be a whole number"):
        select_rank(SONMF(), np.eye(20), [2], bootstrap=draws)


def test_a_dask_array_is_refused_in_a_sentence():
    import dask.array as array

    with pytest.raises(ValueError, match="X is a dask Array: select_rank needs a numpy array or a scipy sparse matrix"):
        select_rank(SONMF(), array.ones((8, 8)), [2])
