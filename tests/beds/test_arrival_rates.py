"""Rates by hour and weekday, the thinning of arrivals, and what a change of the clock does to them: nothing."""

import numpy as np
import pytest
from emergency import BY_HOUR, BY_WEEKDAY, START, department
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import nbinom, poisson

from sonmf.beds import Clock, expected_between, learn_rates, shares_by_hour
from sonmf.beds.arrival_rates import ExpectedCount

TRUTH = np.outer(BY_WEEKDAY, BY_HOUR).ravel() * 50 / 24


def test_rates_come_near_the_truth_with_few_weeks_and_nearer_with_many():
    errors = [np.abs(learn_rates(department(weeks).arrival, Clock()).hourly - TRUTH).mean() for weeks in (3, 50)]
    alone = [np.abs(rates.seen / rates.hours - TRUTH).mean() for rates in [learn_rates(department(3).arrival, Clock())]]
    assert errors[0] < alone[0] / 1.5  # each hour of the week by itself
    assert errors[1] < errors[0] / 2


def test_an_hour_of_one_weekday_speaks_for_itself_once_it_is_seen_often():
    extra = START + np.arange(40) * np.timedelta64(7, "D") + np.timedelta64(3 * 24 + 4, "h")  # Thursday nights
    busy = np.concatenate([extra + np.timedelta64(60 * k, "s") for k in range(8)])
    rates = learn_rates(np.sort(np.concatenate([department(40).arrival, busy])), Clock())
    assert rates.hourly[3 * 24 + 4] == pytest.approx(TRUTH[3 * 24 + 4] + 8, rel=0.25)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"])
def test_constant_arrivals_have_constant_rates_through_changes_of_the_clock(zone):
    arrivals = np.arange("2024-01-01", "2024-12-31", np.timedelta64(600, "s"), dtype="datetime64[s]")
    rates = learn_rates(arrivals, Clock(zone))
    np.testing.assert_allclose(rates.hourly, 6, rtol=0.02)
    offsets = Clock(zone).local(arrivals) - arrivals
    changes = arrivals[1:][np.diff(offsets) != np.timedelta64(0)]
    assert len(changes) == 2
    for at in changes:
        found = expected_between(rates, at - np.timedelta64(4, "h"), at + np.timedelta64(4, "h"), Clock(zone))
        assert found.mean == pytest.approx(48, rel=0.02)


@pytest.mark.parametrize("days", [0.5, 13.9])
def test_less_than_two_weeks_are_refused(days):
    arrivals = START + np.linspace(0, days * 86400, 50).astype("timedelta64[s]")
    with pytest.raises(ValueError, match=rf"the history has {days} days .* need two weeks: give patients of more weeks"):
        learn_rates(arrivals, Clock())
    with pytest.raises(ValueError, match="the history has no arrival"):
        learn_rates(arrivals[:0], Clock())


def test_days_that_differ_are_told_from_those_that_do_not():
    same, other = (learn_rates(department(40, days_differ=sd).arrival, Clock()).days_differ for sd in (0.0, 0.3))
    assert same < 0.005
    assert np.sqrt(other) == pytest.approx(0.3, rel=0.25)


@given(st.floats(0.05, 80), st.floats(1e-4, 2))
def test_the_distribution_is_negative_binomial_or_poisson(mean, spread):
    mass = ExpectedCount(mean, spread).mass()
    k = np.arange(len(mass))
    np.testing.assert_allclose(mass, nbinom(1 / spread, 1 / (1 + mean * spread)).pmf(k), atol=1e-6)
    np.testing.assert_allclose(
        ExpectedCount(mean, 0.0).mass(), poisson(mean).pmf(np.arange(len(ExpectedCount(mean, 0.0).mass()))), atol=1e-9
    )
    assert ExpectedCount(0.0, spread).mass()[0] == 1


@given(st.floats(0.5, 12), st.floats(0.01, 0.5), st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_arrivals_of_whom_each_needs_a_bed_by_a_chance_from_a_mix_are_thinned_by_its_mean(mean, spread, mix):
    """Summed over the number of arrivals n: each is a draw from the mix, so that n of them have the n-th power of its law."""
    arrivals, share = ExpectedCount(mean, spread).mass(), float(np.mean(mix))
    power, mass = np.ones(1), np.zeros(len(arrivals))
    for chance in arrivals:
        mass[: len(power)] += chance * power
        power = np.convolve(power, [1 - share, share])[: len(arrivals)]
    thinned = ExpectedCount(mean * share, spread).mass()
    size = min(len(mass), len(thinned))
    np.testing.assert_allclose(thinned[:size], mass[:size], atol=1e-6)


def test_shares_add_up_over_wards_and_follow_the_hour():
    found = department(20)
    parts = [
        shares_by_hour(found.arrival, found.probability * (found.group == name), Clock())
        for name in ("medicine", "surgery", "x")
    ]
    whole = shares_by_hour(found.arrival, found.probability, Clock())
    np.testing.assert_allclose(np.sum(parts, axis=0), whole)
    nights = (found.arrival - found.arrival.astype("datetime64[D]")) / np.timedelta64(1, "h") < 6
    sicker = shares_by_hour(found.arrival, np.where(nights, 0.8, 0.2), Clock())
    assert sicker[:6].min() > 0.5 > 0.25 > sicker[6:].max()


def test_days_that_differ_even_out_in_a_window_of_many():
    truth, found, days = (
        0.3,
        learn_rates(department(20, a_day=100, days_differ=0.3).arrival, Clock()),
        np.timedelta64(86_400, "s"),
    )
    monday = START + 20 * 7 * days
    surely = found._replace(seen=1e9 * found.seen, hours=1e9 * found.hours)  # rates without doubt
    for n in (1, 2, 7):
        random = np.random.default_rng(n)
        means = found.hourly.reshape(7, 24).sum(axis=1)[:n]
        drawn = random.poisson(means * random.gamma(1 / truth**2, truth**2, (40_000, n))).sum(axis=1)
        expected = expected_between(surely._replace(days_differ=truth**2), monday, monday + n * days, Clock())
        assert expected.mean * (1 + expected.spread * expected.mean) == pytest.approx(drawn.var(), rel=0.05)
