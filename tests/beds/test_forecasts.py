"""Beds of those present and of those who arrive: against enumeration and simulation, and judged by the past."""

import itertools
import json

import numpy as np
import pytest
from emergency import HOUR, START, department
from hypothesis import given
from hypothesis import strategies as st

from sonmf.beds import (
    BedOptions,
    LocalHours,
    TimedPatients,
    crps,
    forecast,
    judge,
    learn_rates,
    learn_stays,
    look_ahead,
    present,
    randomised_pit,
    shares_by_hour,
    still_there,
)  # fmt: skip
from sonmf.beds.past_forecasts import beds_needed, forecast_past
from sonmf.triage import expected_admissions

YEAR = LocalHours(START, START + 400 * 24 * HOUR)
MOMENTS = st.integers(0, 100).map(lambda hours: START + hours * HOUR)


def patients(spells, p=0.5):
    arrival = np.array([START + a * HOUR for a, _ in spells], "datetime64[s]")
    departure = np.array([START + (a + length) * HOUR for a, length in spells], "datetime64[s]")
    n = len(spells)
    return TimedPatients.ordered(arrival, departure, np.full(n, p), np.ones(n), np.arange(n))


@given(st.lists(st.tuples(st.integers(0, 100), st.integers(0, 20)), max_size=30), MOMENTS, st.integers(0, 48))
def test_everyone_is_gone_present_arriving_or_later(spells, moment, hours):
    found, end = patients(spells), moment + hours * HOUR
    gone = {k for k, (a, length) in enumerate(spells) if START + (a + length) * HOUR <= moment}
    later = {k for k, (a, _) in enumerate(spells) if START + a * HOUR > end}
    coming = {k for k, (a, _) in enumerate(spells) if moment < START + a * HOUR <= end}
    there = set(present(found, moment).group)
    assert there | coming | gone | later == set(range(len(spells)))
    assert there == {k for k, (a, length) in enumerate(spells) if START + a * HOUR <= moment < START + (a + length) * HOUR}
    assert beds_needed(found, np.array([moment]), hours * HOUR).tolist() == [len(there | coming)]
    assert not beds_needed(found._replace(admitted=np.zeros(len(spells))), np.array([moment]), hours * HOUR).any()


@given(st.lists(st.floats(0, 1), max_size=7))
def test_the_beds_of_those_present_are_all_outcomes_counted(p):
    arrivals = department(3).arrival
    hours = LocalHours(START, arrivals[-1])
    there = patients([(0, 5)] * len(p))._replace(probability=np.array(p))
    found = forecast(there, learn_rates(arrivals, hours), np.full(24, 0.3), START, START + 8 * HOUR, hours)
    mass = np.zeros(len(p) + 1)
    for outcome in itertools.product([0, 1], repeat=len(p)):
        mass[sum(outcome)] += np.prod([q if o else 1 - q for q, o in zip(p, outcome, strict=True)])
    total = np.convolve(mass, found.arriving_distribution)
    np.testing.assert_allclose(found.distribution, total[: len(found.distribution)], atol=1e-11)
    beds = np.arange(len(found.distribution))
    assert found.present + found.arriving == pytest.approx(found.expected) == pytest.approx(beds @ found.distribution)
    assert found.distribution.sum() == pytest.approx(1)
    assert found.distribution[: found.low].sum() <= 0.05 < found.distribution[: found.low + 1].sum() + 1e-9
    assert found.distribution[found.high + 1 :].sum() <= 0.05 + 1e-9


def test_a_window_of_no_length_has_the_beds_of_today():
    found = look_ahead(department(4), department(4), BedOptions())
    first, today = found.everyone.lines[0], expected_admissions(found.everyone.probabilities)
    assert (first.expected, first.low, first.high) == (pytest.approx(today.expected), today.low, today.high)
    assert found.everyone.patients == today.patients


@pytest.mark.parametrize(
    "settings", [{}, {"days_differ": 0.15}, {"waits": 1.7}], ids=["poisson", "days differ", "beds are waited for"]
)
def test_where_the_law_is_right_pit_is_uniform_and_intervals_hold_what_they_promise(settings):
    found = [judge(department(8, seed=seed, **settings), 6 * HOUR, 8 * HOUR, YEAR, seed) for seed in range(3)]
    assert min(one.uniform for one in found) > 0.003
    assert np.mean([one.pit for one in found], axis=0) == pytest.approx(0.1, abs=0.06)
    for one in found:
        assert one.coverage == pytest.approx(one.promised, abs=0.045)
        assert one.crps < one.error < one.last_week_error
    assert np.mean([one.expected for one in found]) == pytest.approx(np.mean([one.observed for one in found]), rel=0.06)
    assert found[0].moments > 150


def test_a_wrong_model_is_found_out():
    found = judge(department(9, wrong=1.4), 4 * HOUR, 8 * HOUR, YEAR)
    assert found.uniform < 1e-4
    assert found.coverage < found.promised - 0.05
    assert found.pit[0] > 0.2 > found.pit[-1]
    assert found.expected > 1.2 * found.observed
    off = found.expected - found.observed
    assert f"forecasts run high by {off:.2f} beds ({off / found.observed:.0%} of those needed)" in found.bias
    assert found.bias.endswith("more than chance explains")


def test_a_right_model_is_called_biased_as_seldom_as_chance_allows():
    found = [judge(department(4, seed=seed), 8 * HOUR, 8 * HOUR, YEAR) for seed in range(20)]
    assert sum("forecasts run" in one.bias for one in found) <= 4  # 5% of 20 is one; five or more have a chance of 0.3%
    assert all(f"{one.observed:.2f} beds were needed" in one.bias for one in found)


def test_a_wrong_model_is_told_of_with_the_remedy():
    both = department(8, wrong=1.4), department(8)
    said = [" ".join(look_ahead(some, some, BedOptions(every="4h")).remarks) for some in both]
    assert "forecasts run high by" in said[0]
    assert "sonmf update" in said[0]
    assert "sonmf update" not in said[1]


def test_who_is_still_there_is_as_likely_admitted_as_of_such_patients():
    found = department(40, waits=2.0)
    stays, moments = learn_stays(found, found.arrival[-1]), found.arrival[2000::40]
    seen = [(still_there(there, at, stays).probability, there.admitted) for at in moments for there in [present(found, at)]]
    p, admitted = (np.concatenate(part) for part in zip(*seen, strict=True))
    plain = np.concatenate([present(found, at).probability for at in moments])
    assert p.mean() == pytest.approx(admitted.mean(), rel=0.03)
    assert plain.mean() < 0.85 * admitted.mean()
    for low, high in ((0.1, 0.3), (0.5, 0.7), (0.8, 0.95)):
        among = (p > low) & (p < high)
        assert admitted[among].mean() == pytest.approx(p[among].mean(), abs=0.05)


def test_stays_that_do_not_tell_change_nothing():
    found = department(6)
    alike = found._replace(departure=found.arrival + 6 * HOUR)
    there = present(alike, alike.arrival[-1])
    assert still_there(there, alike.arrival[-1], learn_stays(alike, alike.arrival[-1])).probability == pytest.approx(
        there.probability
    )
    assert learn_stays(found.only(slice(20)), found.arrival[-1]) is None


def test_forecasts_of_the_past_know_nothing_of_what_came_later():
    found = department(6)
    cut = found.only(slice(int(np.searchsorted(found.arrival, START + 25 * 24 * HOUR))))
    rest = department(6, a_day=200, wrong=0.1)
    otherwise = TimedPatients(*map(np.concatenate, zip(cut, rest.only(rest.arrival > cut.arrival[-1]), strict=True)))
    first, other = (forecast_past(one, 6 * HOUR, 8 * HOUR, YEAR, np.random.default_rng(0)) for one in (cut, otherwise))
    assert len(other) > len(first) > 30
    assert other[: len(first)].equals(first)


def test_days_whose_outcomes_are_still_to_come_are_not_judged():
    found = department(4, waits=3.0)
    open_ones = found.departure > found.arrival[-1]
    told = found._replace(admitted=np.where(open_ones, np.nan, found.admitted))
    known = found.only(found.arrival < found.arrival[open_ones][0])
    whole, part = (judge(one, 4 * HOUR, 8 * HOUR, YEAR) for one in (found, told))
    assert part.moments < whole.moments
    assert part == judge(known, 4 * HOUR, 8 * HOUR, YEAR)


def test_without_outcomes_or_days_nothing_is_judged():
    found = department(5)
    assert judge(found._replace(admitted=np.full(len(found.arrival), np.nan)), HOUR, 8 * HOUR, YEAR) is None
    assert judge(found.only(found.arrival < START + 14 * 24 * HOUR), HOUR, 8 * HOUR, YEAR) is None


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=12), st.integers(0, 20))
def test_crps_is_the_expected_error_less_half_the_spread(weights, observed):
    mass, k = np.array(weights) / sum(weights), np.arange(len(weights))
    spread = np.abs(k[:, None] - k) * mass * mass[:, None]
    assert crps(mass, observed) == pytest.approx(np.abs(k - observed) @ mass - spread.sum() / 2)


@given(st.lists(st.floats(0.01, 1), min_size=1, max_size=8))
def test_randomised_pit_fills_the_unit_interval_without_gap(weights):
    mass = np.array(weights) / sum(weights)
    ends = [(randomised_pit(mass, y, 0.0), randomised_pit(mass, y, 1.0)) for y in range(len(mass))]
    assert ends[0][0] == 0
    assert ends[-1][1] == pytest.approx(1)
    assert all(a[1] == pytest.approx(b[0]) for a, b in itertools.pairwise(ends))


def test_wards_add_up_to_the_whole_at_every_hour():
    found = look_ahead(department(5), department(5), BedOptions(every="2h", window="7h", by="ward"))
    assert {one.name for one in found.groups} == {"medicine", "surgery", "x"}
    assert [line.hours for line in found.everyone.lines] == [0, 2, 4, 6, 7]
    for k, line in enumerate(found.everyone.lines):
        for part in ("present", "arriving", "expected"):
            assert sum(getattr(one.lines[k], part) for one in found.groups) == pytest.approx(getattr(line, part))
    assert sum(one.patients for one in found.groups) == found.everyone.patients
    expected = [one.lines[-1].expected for one in found.groups]
    assert expected == sorted(expected, reverse=True)


def test_patients_who_seem_to_be_missing_are_told_of():
    found = department(6)
    assert not look_ahead(found, found, BedOptions(now="2024-02-11T23:59", every="4h")).remarks
    day = (found.arrival - START) // (24 * HOUR)
    some = found.only((day < 20) | (day > 27))
    told = look_ahead(some, some, BedOptions(every="8h")).remarks[0]
    assert told.startswith("nobody came between 2024-01-20T")
    assert "these 8 days count in the rates" in told
    told = look_ahead(found, found, BedOptions(now="2024-02-14T09:00", every="8h")).remarks[0]
    assert told.startswith("the last patient came at 2024-02-11T")
    assert "patients who are missing from the list do not count as present" in told


def test_a_year_that_is_mistyped_and_days_without_hours_are_refused():
    found = department(4)
    mistyped = found._replace(arrival=np.append(found.arrival[:-1], np.datetime64("2204-01-28T10:00:00")))
    with pytest.raises(ValueError, match=r"nobody came between 2024-01-28T.* and 2204-01-28T10:00: correct these times"):
        look_ahead(mistyped, mistyped, BedOptions())
    days = found._replace(arrival=found.arrival.astype("datetime64[D]").astype("datetime64[s]"))
    with pytest.raises(ValueError, match="the arrivals are dates without a time of day: name a column with times"):
        look_ahead(days, days, BedOptions())


def test_too_many_groups_are_refused():
    found = department(3)
    found = found._replace(group=np.arange(len(found.arrival)).astype(str))
    with pytest.raises(ValueError, match=r"by id: the column has .* values: name one with at most 50"):
        look_ahead(found, found, BedOptions(by="id"))


def test_shares_come_from_the_history_and_the_forecast_from_the_moment():
    found = department(6)
    moment = START + 30 * 24 * HOUR + 9 * HOUR
    before = found.only(found.arrival <= moment)
    told = look_ahead(found, found, BedOptions(now="2024-01-31T09:00"))
    assert told.now == "2024-01-31T09:00"
    assert told.history.arrivals == len(before.arrival)
    assert told.history.share == pytest.approx(before.probability.mean())
    rates, shares = learn_rates(before.arrival, YEAR), shares_by_hour(before.arrival, before.probability, YEAR)
    alone = forecast(present(found, moment), rates, shares, moment, moment + 8 * HOUR, YEAR).arriving
    assert told.everyone.lines[-1].arriving == pytest.approx(alone)
    assert told.remarks[0].startswith("patients who arrive after the moment of the forecast")
    assert told.remarks[0].endswith(f": {len(found.arrival) - len(before.arrival):,}")


def test_what_is_written_is_json_without_holes():
    told = look_ahead(department(5), department(5), BedOptions(zone="Europe/Berlin", every="4h", by="ward")).as_json()
    again = json.loads(json.dumps(told, allow_nan=False))
    assert again == told
    assert again["everyone"]["lines"][-1]["until"].endswith(("+01:00", "+02:00"))
    assert sum(again["everyone"]["distribution"]) == pytest.approx(1)
    assert again["judged"]["hours"][0]["hour"] == 0


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (BedOptions(window="-1h"), "window -1h: it would end before it starts"),
        (BedOptions(every="2h", window="1h"), "window 1h is shorter than every 2h"),
        (BedOptions(window="8d"), "window 8d: give at most 7d"),
        (BedOptions(every="5m"), "every 5m: give at least 15m"),
        (BedOptions(now="3/4/2024"), "now 3/4/2024: write one moment"),
        (BedOptions(now="soon"), "now soon: write one moment"),
        (
            BedOptions(now="2024-01-31T09:00+01:00"),
            "it has an offset, but no zone is given: leave the offset out, or give the zone",
        ),
        (BedOptions(zone="Mars"), "zone Mars is not known"),
        (BedOptions(stay="long"), "stay long: write a number"),
    ],
)
def test_what_cannot_be_meant_is_refused(asked, said):
    with pytest.raises(ValueError, match=said):
        asked.check()
