"""Figures of forecasts with their intervals: other ways to the same numbers."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit
from sklearn.metrics import average_precision_score, brier_score_loss, log_loss, roc_auc_score

from sonmf.triage import measures
from sonmf.triage.records import TITLES


def drawn(n, seed):
    random = np.random.default_rng(seed)
    odds = np.round(random.normal(-0.5, 1.5, n), 1)  # some are equal
    return odds, (random.random(n) < expit(odds + random.normal(0, 0.5, n))).astype(float)


def test_the_figures_are_those_of_scikit_learn():
    odds, y = drawn(300, 0)
    figures, p = measures.figures(odds, y), expit(odds)
    assert figures.auroc == pytest.approx(roc_auc_score(y, odds))
    assert figures.auprc == pytest.approx(average_precision_score(y, odds))
    assert figures.log_loss == pytest.approx(log_loss(y, p))
    assert figures.brier == pytest.approx(brier_score_loss(y, p))
    assert figures.accuracy == pytest.approx(np.mean((p > 0.5) == y))


@given(st.integers(0, 10**6))
def test_influences_add_up_to_nothing(seed):
    odds, y = drawn(80, seed)
    for statistic in measures.with_influences(odds, y).values():
        assert statistic.influences.sum() == pytest.approx(0, abs=1e-6)


def test_errors_agree_with_a_bootstrap():
    odds, y = drawn(500, 1)
    draws = [measures.with_influences(odds[i], y[i]) for i in np.random.default_rng(0).integers(0, 500, (400, 500))]
    for name, statistic in measures.with_influences(odds, y).items():
        spread = np.std([draw[name].value for draw in draws])
        assert statistic.error == pytest.approx(spread, rel=0.15), name


def test_a_mean_over_repeats_is_no_surer_than_one_of_the_same_patients():
    odds, y = drawn(400, 2)
    (once,), (often,) = (measures.subgroups(np.tile(odds, (k, 1)), y, {"all": np.zeros(400)}) for k in (1, 5))
    for name in ("admitted", "auroc", "log_loss", "calibration_slope"):
        assert getattr(often, name).error == pytest.approx(getattr(once, name).error)


@given(st.integers(0, 10**6), st.sampled_from(measures.THRESHOLDS))
def test_a_threshold_costs_what_a_count_says(seed, limit):
    odds, y = drawn(60, seed)
    (cost,) = (cost for cost in measures.thresholds(odds, y) if cost.threshold == limit)
    flagged = [chance >= limit for chance in expit(odds)]
    right = sum(1 for flag, outcome in zip(flagged, y, strict=True) if flag and outcome)
    in_vain = sum(flagged) - right
    assert cost.flagged.value * 60 == pytest.approx(sum(flagged))
    assert cost.in_vain.value * 60 == pytest.approx(in_vain)
    assert cost.missed.value * 60 == pytest.approx(y.sum() - right)
    if y.sum():
        assert cost.sensitivity.value == pytest.approx(right / y.sum())
    assert np.isnan(cost.ppv.value) if not any(flagged) else cost.ppv.value == pytest.approx(right / sum(flagged))
    price = limit / (1 - limit)
    assert cost.net_benefit.value == pytest.approx(right / 60 - price * in_vain / 60)
    assert cost.prepare_for_all == pytest.approx(y.mean() - price * (1 - y.mean()))
    for share in (cost.flagged, cost.missed, cost.in_vain):
        assert 0 <= share.low <= share.value <= share.high <= 1


def test_who_is_flagged_at_a_lower_threshold_is_more():
    odds, y = drawn(500, 3)
    costs = measures.thresholds(odds, y)
    assert [cost.threshold for cost in costs] == pytest.approx(np.arange(1, 20) / 20)
    for low, high in pairwise(costs):
        assert low.flagged.value >= high.flagged.value
        assert low.missed.value <= high.missed.value
    assert costs[-1].net_benefit.value >= costs[-1].prepare_for_all


@pytest.mark.parametrize("outcome", [0.0, 1.0])
def test_one_outcome_alone_tells_no_order(outcome):
    odds, _ = drawn(50, 4)
    figures = measures.figures(odds, np.full(50, outcome))
    assert [name for name in TITLES if np.isnan(getattr(figures, name))] == ["auroc", "auprc", "calibration_slope"]


def test_equal_forecasts_tell_no_slope_whatever_rounding_leaves():
    _, y = drawn(900, 5)
    odds = np.full(900, -1.234567) + np.random.default_rng(0).choice([0, 2e-16], 900)
    assert np.isnan(measures.with_influences(odds, y)["calibration_slope"].value)
    assert np.isnan(measures.calibration_slope(odds, y)[1])


def test_the_area_of_one_admitted_patient_is_hardly_known():
    odds, y = np.arange(1000.0), np.zeros(1000)
    y[700] = 1
    low, high = measures.out_of_fold(odds, y).intervals["auroc"]
    of_one = measures.share_of(700 / 999, 1)
    assert (low, high) == pytest.approx((of_one.low, of_one.high))
