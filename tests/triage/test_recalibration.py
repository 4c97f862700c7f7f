"""How much of a forecast new outcomes change, against likelihoods found in another way and against what is drawn."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import astuple
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import chi2

from sonmf.triage.recalibration import LEVEL, UNCHANGED, Line, closed_test, held_out


def drawn(n, seed, line=UNCHANGED):
    """Log-odds, and outcomes whose true log-odds are those after the line."""
    random = np.random.default_rng(seed)
    odds = random.normal(0.3, 1.2, n)
    return odds, (random.random(n) < expit(line.of(odds))).astype(float)


def loss(line, odds, y):
    p = expit(line[0] + line[1] * odds)
    return -np.sum(y * np.log(p) + (1 - y) * np.log(1 - p))


def test_a_forecast_that_is_right_is_changed_as_often_as_the_level_says():
    changed = sum(closed_test(*drawn(400, seed)) != UNCHANGED for seed in range(600))
    assert abs(changed / 600 - LEVEL) < 3.5 * np.sqrt(LEVEL * (1 - LEVEL) / 600)


@pytest.mark.parametrize("true", [Line(0.8, 1.0), Line(-0.6, 1.0), Line(0.4, 0.5), Line(0.0, 1.8)])
def test_what_was_built_in_is_recovered(true):
    found = closed_test(*drawn(20_000, 3, true))
    assert np.allclose(astuple(found), astuple(true), atol=0.1)
    assert (found.slope == 1) == (true.slope == 1)  # at this seed: the second step of the test is right


@given(st.integers(0, 10_000), st.floats(-1, 1), st.floats(0.3, 2))
def test_the_choice_is_that_of_naive_likelihoods(seed, intercept, slope):
    odds, y = drawn(300, seed, Line(intercept, slope))
    both = minimize(loss, (0.0, 1.0), (odds, y), tol=1e-9)
    shift = minimize(lambda a: loss((a[0], 1.0), odds, y), [0.0], tol=1e-9)
    p_all = chi2.sf(2 * (loss((0.0, 1.0), odds, y) - both.fun), 2)
    p_slope = chi2.sf(2 * (shift.fun - both.fun), 1)
    expected = UNCHANGED if p_all > LEVEL else Line(shift.x[0], 1.0) if p_slope > LEVEL else Line(*both.x)
    assert np.allclose(astuple(closed_test(odds, y)), astuple(expected), atol=1e-4)


def test_as_many_are_forecast_as_came():
    odds, y = drawn(3000, 1, Line(0.9, 1.0))
    assert expit(closed_test(odds, y).of(odds)).sum() == pytest.approx(y.sum(), abs=1e-6)


def test_forecasts_that_are_all_the_same_get_another_intercept_alone():
    y = (np.arange(200) % 4 == 0).astype(float)
    assert astuple(closed_test(np.full(200, 1.0), y)) == pytest.approx((np.log(1 / 3) - 1, 1.0))
    assert closed_test(np.full(200, np.log(1 / 3)), y) == UNCHANGED


def test_a_patient_has_no_part_in_the_recalibration_that_forecasts_it():
    odds, y = drawn(300, 5, Line(1.0, 1.0))
    before = held_out(odds, y)
    i = int(np.flatnonzero(y == 1)[0])
    moved = odds.copy()
    moved[i] += 3.0
    after = held_out(moved, y)
    same_fold = [j for j in range(300) if abs(after[j] - before[j]) < 1e-12]
    assert 50 <= len(same_fold) <= 60  # the fold of the patient that was moved, without it
    assert (after[i] - before[i]) / 3.0 == pytest.approx(closed_slope(before, odds, same_fold))


def test_a_person_has_no_part_in_the_recalibration_that_forecasts_it():
    odds, y = drawn(300, 5, Line(1.0, 1.0))
    twice = np.tile(odds, 2), np.tile(y, 2), np.tile(np.arange(300), 2)
    first, second = np.split(held_out(*twice), 2)
    assert np.array_equal(first, second)  # both rows by the same line, which neither has moved
    assert not np.array_equal(*np.split(held_out(*twice[:2]), 2))


def closed_slope(found, odds, rows):
    """Of the line that these patients were forecast by."""
    return np.polyfit(odds[rows], found[rows], 1)[0]


@given(*[st.floats(-3, 3) for _ in range(5)])
def test_lines_compose(a, b, c, d, x):
    assert np.allclose(Line(a, b).after(Line(c, d)).of(x), Line(a, b).of(Line(c, d).of(x)))
