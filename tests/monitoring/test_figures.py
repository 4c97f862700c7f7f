"""Each figure against what it would be if every forecast were right, judged by drawing outcomes from the forecasts."""

import numpy as np
import pytest
from scipy.special import ndtr
from sklearn.metrics import brier_score_loss, roc_auc_score

from sonmf.monitoring.alarm_limits import OUTCOMES
from sonmf.monitoring.figures import figures_of
from sonmf.triage.measures import probability

LIMITS = dict.fromkeys(OUTCOMES, 3.5)
DRAWS = 200


def drawn(n, seed=0, centre=-1.0, ties=False):
    random = np.random.default_rng(seed)
    odds = random.normal(centre, 1.2, n)
    odds = np.round(odds) if ties else odds
    return odds, (random.random(n) < probability(odds)).astype(float)


def by_name(odds, y, **more):
    return {one.name: one for one in figures_of(odds, y, LIMITS, **more)}


@pytest.mark.parametrize("ties", [False, True])
def test_values_are_those_of_others(ties):
    odds, y = drawn(400, ties=ties)
    found, p = by_name(odds, y), probability(odds)
    assert found["auroc"].value == pytest.approx(roc_auc_score(y, odds))
    assert found["brier"].value == pytest.approx(brier_score_loss(y, p))
    assert found["calibration"].value == pytest.approx(y.mean() - p.mean())


@pytest.mark.parametrize("ties", [False, True])
def test_expectation_and_error_are_those_of_outcomes_drawn_from_the_forecasts(ties):
    odds, _ = drawn(300, ties=ties)
    p, random = probability(odds), np.random.default_rng(1)
    draws = [by_name(odds, (random.random(300) < p).astype(float)) for _ in range(DRAWS)]
    for name in OUTCOMES:
        values = np.array([one[name].value for one in draws])
        one = draws[0][name]
        assert abs(values.mean() - one.expected) < (4 * values.std() / np.sqrt(DRAWS) if name != "slope" else 0.1)
        assert values.std() == pytest.approx(one.error, rel=0.2)
        scores = np.array([found[name].score for found in draws])
        assert abs(scores.mean()) < 0.25
        assert scores.std() == pytest.approx(1, abs=0.2)


def test_the_score_of_beds_is_that_of_the_exact_distribution():
    p = np.array([0.9, 0.5, 0.5, 0.2, 0.1, 0.05])
    odds = np.log(p / (1 - p))
    chances = np.zeros(7)
    for outcome in np.ndindex(*[2] * 6):  # every way that it may come
        chances[sum(outcome)] += np.prod(np.where(outcome, p, 1 - p))
    for admitted in range(7):
        y = (np.arange(6) < admitted).astype(float)
        (found,) = figures_of(odds, y, LIMITS)
        assert ndtr(found.score) == pytest.approx(chances[:admitted].sum() + chances[admitted] / 2)


def test_limits_hold_what_they_promise_and_widen():
    odds, y = drawn(200)
    for shift in (0, 0.5, 1, 2):  # from right to far too low
        forecasts = odds * (1 + shift) - shift
        both = zip(figures_of(forecasts, y, LIMITS), figures_of(forecasts, y, LIMITS, widening=1.5), strict=True)
        for narrow, wide in both:
            assert wide.low <= narrow.low < narrow.expected < narrow.high <= wide.high
            assert (narrow.low <= narrow.value <= narrow.high) == (abs(narrow.score) <= 3.5)


def test_few_outcomes_of_one_kind_have_no_slope_and_no_area():
    odds, _ = drawn(30)
    assert [one.name for one in figures_of(odds, (np.arange(30) < 9).astype(float), LIMITS)] == ["calibration"]
    assert [one.name for one in figures_of(odds, np.ones(30), LIMITS)] == ["calibration"]


def test_certain_forecasts_that_are_wrong_are_far_off():
    (found,) = figures_of(np.full(40, -30.0), np.r_[np.ones(5), np.zeros(35)], LIMITS)
    assert found.score > 10
    assert np.isfinite([found.value, found.low, found.high, found.error]).all()
