"""Rates by hour and weekday, the thinning of arrivals, and what a change of the clock does to them: nothing."""

from zoneinfo import ZoneInfo

import numpy as np
import pytest
from emergency import BY_HOUR, BY_WEEKDAY, START, department
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import nbinom, poisson

from sonmf.beds import LocalHours, expected_between, learn_rates, negative_binomial, shares_by_hour

ALL = np.ones(24)
TRUTH = np.outer(BY_WEEKDAY, BY_HOUR).ravel() * 50 / 24


def rates_of(arrivals, zone=None):
    """Rates, and the local hours of these arrivals."""
    hours = LocalHours(arrivals[0], arrivals[-1], zone)
    return learn_rates(arrivals, hours), hours


def test_rates_come_near_the_truth_with_few_weeks_and_nearer_with_many():
    errors = [np.abs(rates_of(department(weeks).arrival)[0].hourly - TRUTH).mean() for weeks in (3, 50)]
    few, _ = rates_of(department(3).arrival)
    alone = np.abs(few.seen / few.hours - TRUTH).mean()
    assert errors[0] < alone / 1.5  # each hour of the week by itself
    assert errors[1] < errors[0] / 2


def test_an_hour_of_one_weekday_speaks_for_itself_once_it_is_seen_often():
    extra = START + np.arange(40) * np.timedelta64(7, "D") + np.timedelta64(3 * 24 + 4, "h")  # Thursday nights
    busy = np.concatenate([extra + np.timedelta64(60 * k, "s") for k in range(8)])
    rates, _ = rates_of(np.sort(np.concatenate([department(40).arrival, busy])))
    assert rates.hourly[3 * 24 + 4] == pytest.approx(TRUTH[3 * 24 + 4] + 8, rel=0.25)


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe"])
def test_constant_arrivals_have_constant_rates_through_changes_of_the_clock(zone):
    arrivals = np.arange("2024-01-01", "2024-12-31", np.timedelta64(600, "s"), dtype="datetime64[s]")
    rates, hours = rates_of(arrivals, ZoneInfo(zone))
    np.testing.assert_allclose(rates.hourly, 6, rtol=0.02)
    offsets = np.array([hours.written(moment)[-6:] for moment in arrivals])
    changes = arrivals[1:][offsets[1:] != offsets[:-1]]
    assert len(changes) == 2
    for at in changes:
        mean, _ = expected_between(rates, at - np.timedelta64(4, "h"), at + np.timedelta64(4, "h"), hours, ALL)
        assert mean == pytest.approx(48, rel=0.02)


@pytest.mark.parametrize("days", [0.5, 13.9])
def test_less_than_two_weeks_are_refused(days):
    arrivals = START + np.linspace(0, days * 86400, 50).astype("timedelta64[s]")
    with pytest.raises(ValueError, match=rf"the history has {days} days .* need two weeks: give patients of more weeks"):
        rates_of(arrivals)
    with pytest.raises(ValueError, match="the history has no arrival"):
        learn_rates(arrivals[:0], LocalHours(arrivals[0], arrivals[-1]))


def test_days_that_differ_are_told_from_those_that_do_not():
    same, other = (rates_of(department(40, days_differ=sd).arrival)[0].days_differ for sd in (0.0, 0.3))
    assert same < 0.005
    assert np.sqrt(other) == pytest.approx(0.3, rel=0.25)


@given(st.floats(0.05, 80), st.floats(1e-4, 2))
def test_the_distribution_is_negative_binomial_or_poisson(mean, spread):
    mass = negative_binomial(mean, spread)
    k = np.arange(len(mass))
    np.testing.assert_allclose(mass, nbinom(1 / spread, 1 / (1 + mean * spread)).pmf(k), atol=1e-6)
    certain = negative_binomial(mean, 0.0)
    np.testing.assert_allclose(certain, poisson(mean).pmf(np.arange(len(certain))), atol=1e-5)
    assert negative_binomial(0.0, spread)[0] == 1


@given(st.floats(0.5, 12), st.floats(0.01, 0.5), st.lists(st.floats(0, 1), min_size=1, max_size=5))
def test_arrivals_of_whom_each_needs_a_bed_by_a_chance_from_a_mix_are_thinned_by_its_mean(mean, spread, mix):
    """Summed over the number of arrivals n: each is a draw from the mix, so that n of them have the n-th power of its law."""
    arrivals, share = negative_binomial(mean, spread), float(np.mean(mix))
    power, mass = np.ones(1), np.zeros(len(arrivals))
    for chance in arrivals:
        mass[: len(power)] += chance * power
        power = np.convolve(power, [1 - share, share])[: len(arrivals)]
    thinned = negative_binomial(mean * share, spread)
    size = min(len(mass), len(thinned))
    np.testing.assert_allclose(thinned[:size], mass[:size], atol=1e-6)


def test_shares_add_up_over_wards_and_follow_the_hour():
    found = department(20)
    hours = LocalHours(found.arrival[0], found.arrival[-1])
    parts = [
        shares_by_hour(found.arrival, found.probability * (found.group == name), hours) for name in ("medicine", "surgery", "x")
    ]
    whole = shares_by_hour(found.arrival, found.probability, hours)
    np.testing.assert_allclose(np.sum(parts, axis=0), whole)
    nights = (found.arrival - found.arrival.astype("datetime64[D]")) / np.timedelta64(1, "h") < 6
    sicker = shares_by_hour(found.arrival, np.where(nights, 0.8, 0.2), hours)
    assert sicker[:6].min() > 0.5 > 0.25 > sicker[6:].max()


def test_days_that_differ_even_out_in_a_window_of_many():
    truth, days = 0.3, np.timedelta64(86_400, "s")
    found, _ = rates_of(department(20, a_day=100, days_differ=0.3).arrival)
    monday = START + 20 * 7 * days
    surely = found._replace(seen=1e9 * found.seen, hours=1e9 * found.hours)  # rates without doubt
    for n in (1, 2, 7):
        random = np.random.default_rng(n)
        means = found.hourly.reshape(7, 24).sum(axis=1)[:n]
        drawn = random.poisson(means * random.gamma(1 / truth**2, truth**2, (40_000, n))).sum(axis=1)
        end = monday + n * days
        mean, spread = expected_between(surely._replace(days_differ=truth**2), monday, end, LocalHours(monday, end), ALL)
        assert mean * (1 + spread * mean) == pytest.approx(drawn.var(), rel=0.05)
