"""One definition of the calibration slope: the outcome on the calibrated log-odds, over patients that it has not seen."""

import numpy as np
import pytest
from msgspec.structs import asdict

from sonmf.datasets import make_triage_notes
from sonmf.triage import TriageModel, classifier, evaluate, measures
from sonmf.triage.evaluation_results import weighted_mean
from sonmf.triage.records import TITLES


@pytest.fixture(scope="module")
def notes():
    return make_triage_notes(700, complaints=["Stroke"], random_state=0)


@pytest.fixture(scope="module")
def model(notes):
    return TriageModel(12).fit(notes["note"], notes["disposition"])


def test_a_fit_an_evaluation_and_new_patients_agree_on_the_slope(notes, model):
    fit = asdict(model.pooled_model_.record.out_of_fold)
    rows = evaluate(notes["note"], notes["disposition"], methods=["sonmf"], n_topics=12, folds=3, processes=1).summary()
    (judged,) = (row for row in rows if row["inputs"] == "notes + columns")  # what a model has
    new = make_triage_notes(2500, complaints=["Stroke"], random_state=1)
    odds, y = model.log_odds(new["note"]), (new["disposition"] == "admitted").to_numpy(float)
    slopes = [
        (one["calibration_slope"], one["calibration_slope_error"]) for one in (fit, judged, asdict(measures.figures(odds, y)))
    ]
    for one, error in slopes:
        for other, its_error in slopes:
            assert abs(one - other) < 3 * np.hypot(error, its_error)


def test_the_slope_is_not_that_of_the_sigmoid_on_its_own_patients(model):
    figures = model.pooled_model_.record.out_of_fold
    assert abs(figures.calibration_slope - 1) > 0.005  # a sigmoid judged on what it was fitted to gives 1 + 1/n or so


def test_figures_of_one_number_of_topics_are_those_of_the_model(model):
    (row,), judged = model.pooled_model_.record.by_topics, model.pooled_model_.record.out_of_fold
    assert {name: getattr(row, name) for name in TITLES} == {name: getattr(judged, name) for name in TITLES}


def test_patients_do_not_choose_the_number_of_topics_they_are_judged_with(notes):
    """Where the outcomes are noise, the best of several numbers is best by chance alone, and must not be told as its worth."""
    outcomes = notes["disposition"].sample(frac=1, random_state=0).to_numpy()
    record = TriageModel([1, 2, 4, 8], measurements=False).fit(notes["note"], outcomes).pooled_model_.record
    best = min(record.by_topics, key=lambda row: row.log_loss)
    assert record.out_of_fold.log_loss > best.log_loss


def test_each_fold_is_forecast_by_what_is_best_on_the_others():
    fold = np.array([0, 1, 0, 1])
    a = classifier.HeldOut(np.array([1.0, 2, 3, 4]), np.array([0.5, 0.6]), fold)
    b = classifier.HeldOut(-a.odds, np.array([0.6, 0.5]), fold)
    assert classifier.best_without_each_fold([a, b]).tolist() == [1, -2, 3, -4]


def test_the_error_of_a_slope_is_its_spread_over_samples():
    random = np.random.default_rng(0)
    odds = random.normal(0, 1.5, (200, 400))
    y = (random.random(odds.shape) < measures.probability(0.8 * odds)).astype(float)
    slopes, errors = np.array([measures.calibration_slope(*one) for one in zip(odds, y, strict=True)]).T
    assert slopes.mean() == pytest.approx(0.8, abs=0.03)
    assert errors.mean() == pytest.approx(slopes.std(ddof=1), rel=0.15)


def test_folds_weighted_by_precision_give_the_slope_of_all_patients():
    random = np.random.default_rng(0)
    odds = random.normal(0, 1, (100, 5, 80))
    y = (random.random(odds.shape) < measures.probability(odds)).astype(float)
    far, plain = [], []
    for sample, outcome in zip(odds, y, strict=True):
        slopes, errors = np.array([measures.calibration_slope(*fold) for fold in zip(sample, outcome, strict=True)]).T
        whole = classifier.logistic_line(sample.ravel(), outcome.ravel())[0]
        far.append(weighted_mean(slopes, errors**-2)[0] - whole)
        plain.append(slopes.mean() - whole)
    assert abs(np.mean(far)) < np.mean(plain) / 2
    assert abs(np.mean(far)) < 0.03


def test_equal_weights_give_the_usual_mean_and_error():
    values = np.random.default_rng(0).normal(size=7)
    mean, error = weighted_mean(values, np.full(7, 3.0))
    assert mean == pytest.approx(values.mean())
    assert error == pytest.approx(values.std(ddof=1) / np.sqrt(7))
    assert weighted_mean(values[:1], np.ones(1)) == (values[0], 0.0)


@pytest.mark.parametrize("odds", [np.zeros(50), np.arange(50.0)], ids=["constant", "separated"])
def test_a_slope_that_cannot_be_told_has_no_small_error(odds):
    _, error = measures.calibration_slope(odds, (np.arange(50) > 24).astype(float))
    assert np.isnan(error) or error > 1
