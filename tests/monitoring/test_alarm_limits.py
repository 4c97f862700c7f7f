"""At most 5 of 100 quiet years have an alarm, whatever the number of complaints; what matters is found in two months."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from sonmf.monitoring import Budget, Calendar, Period, figures_of, verdict
from sonmf.monitoring.alarm_limits import A_YEAR, COMPLAINTS, DRIFTS, OUTCOMES, widening
from sonmf.triage.measures import probability


@given(st.integers(0, 200), st.sampled_from(["month", "week"]))
def test_no_more_than_the_chance_of_a_year_is_shared_out(complaints, every):
    budget = Budget(Calendar(every), complaints)
    shares = [budget.share(name, "") for name in (*OUTCOMES, *DRIFTS)]
    shares += [budget.share(name, "it") for name in (*OUTCOMES, *DRIFTS) if name != COMPLAINTS and complaints] * complaints
    assert sum(shares) <= A_YEAR * (1 + 1e-9)


@pytest.mark.parametrize("measure", ["calibration", "slope"])
@pytest.mark.parametrize("every", ["month", "week"])
def test_windows_of_a_quiet_year_go_beyond_a_limit_no_more_often_than_its_share(every, measure):
    """The third year after a fit: in the first there are fewer windows, and a later one is like the third."""
    calendar, years = Calendar(every), 20_000
    budget = Budget(calendar, 0)
    random, n = np.random.default_rng(0), (3 if every == "month" else 2) * calendar.a_year
    sums = np.concatenate([np.zeros((years, 1)), random.standard_normal((years, n)).cumsum(axis=1)], axis=1)
    worst = np.zeros(years)
    for end in range(n - calendar.a_year + 1, n + 1):
        for length in (*calendar.windows, end):
            worst = np.maximum(worst, np.abs(sums[:, end] - sums[:, end - length]) / np.sqrt(length))
    share = budget.share(measure, "")
    assert (worst > budget.limit(measure, "")).mean() <= share + 3 * np.sqrt(share / years)
    assert (worst > budget.limit(measure, "")).mean() > share / 2  # nor much more rarely: that would cost power


def month(budget, random, n, shift=0.0, number=0):
    odds = random.normal(-1, 1.2, n)
    p = probability(odds)
    y = (random.random(n) < np.clip(p + shift, 0, 1)).astype(float)
    limits = {name: budget.limit(name, "") for name in OUTCOMES}
    figures = figures_of(odds, y, limits)
    return Period(
        "", "month", f"{2024 + number // 12}-{number % 12 + 1:02d}", "", n, n, int(y.sum()), float(p.sum()), figures, []
    )


def test_quiet_years_have_few_alarms():
    budget, random, years = Budget(Calendar("month"), 0), np.random.default_rng(0), 25
    alarms = 0
    for _ in range(years):
        periods = [month(budget, random, 80, number=k) for k in range(12)]
        alarms += any(verdict(periods[:k], budget, 10**9).alarm for k in range(1, 13))
    assert alarms <= binom.ppf(0.999, years, A_YEAR)


@pytest.mark.parametrize("sign", [1, -1])
def test_six_points_with_500_patients_a_month_are_found_within_two_months(sign):
    budget, random = Budget(Calendar("month"), 7), np.random.default_rng(0)
    found = []
    for _ in range(40):
        periods = [month(budget, random, 500, number=k) for k in range(3)]
        periods += [month(budget, random, 500, 0.06 * sign, k) for k in (3, 4)]
        found.append([one for one in verdict(periods, budget, 20_000).findings if one.measure == "calibration"])
    assert np.mean([bool(one) for one in found]) > 0.75
    told = [one.sentence for (one,) in filter(None, found)]
    assert all(f"points {'low' if sign > 0 else 'high'} " in sentence for sentence in told)
    since = [one.since for (one,) in filter(None, found)]
    assert np.mean([one in ("2024-04", "2024-05") for one in since]) > 0.8


def test_the_error_of_the_model_itself_is_no_alarm():
    """A mean forecast that is off by what n patients of a fit leave open is not found, however many come later."""
    budget, random = Budget(Calendar("month"), 0), np.random.default_rng(0)
    fitted = 2000
    alarms = 0
    for _ in range(12):
        off = random.normal(0, np.sqrt(0.16 / fitted))
        periods = [month(budget, random, 5000, off, k) for k in range(6)]
        alarms += any(one.measure == "calibration" for one in verdict(periods, budget, fitted).findings)
    assert alarms == 0
    assert widening(0, fitted) == 1
    assert widening(3 * fitted, fitted) == 2
