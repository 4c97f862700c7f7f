"""Moments and local hours: as Python's own zones have them, also where the clock skips an hour or shows it twice."""

import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonmf.beds import BedOptions, LocalHours, options, span
from sonmf.beds.local_hours import in_words, to_moments, written

ZONES = [*map(ZoneInfo, ["Europe/Berlin", "America/St_Johns", "Asia/Kolkata", "Australia/Lord_Howe", "UTC"]), None]
SPRING, AUTUMN = datetime.datetime(2024, 3, 31), datetime.datetime(2024, 10, 27)
NEAR_A_CHANGE = st.sampled_from([SPRING, AUTUMN, datetime.datetime(2024, 4, 7), datetime.datetime(2024, 11, 3)]).flatmap(
    lambda day: st.integers(0, 2 * 24 * 3600).map(
        lambda seconds: day - datetime.timedelta(days=1) + datetime.timedelta(seconds=seconds)
    )
)
TIMES = st.one_of(NEAR_A_CHANGE, st.datetimes(datetime.datetime(1971, 1, 1), datetime.datetime(2036, 1, 1))).map(
    lambda time: time.replace(microsecond=0)
)
HOUR = np.timedelta64(3600, "s")


def utc(time, zone, fold=0):
    """The moment of a local time by Python alone, and whether the clock shows it at all."""
    moment = time.replace(tzinfo=zone or datetime.UTC, fold=fold).astimezone(datetime.UTC)
    return moment, moment.astimezone(zone or datetime.UTC).replace(tzinfo=None) == time


@given(TIMES, st.sampled_from(ZONES), st.booleans())
def test_a_local_time_is_the_moment_that_python_finds(time, zone, later):
    moment = to_moments(np.array([time], "datetime64[s]"), zone, later)[0]
    expected, shown = utc(time, zone, int(later))
    if shown:
        assert moment == np.datetime64(expected.replace(tzinfo=None), "s")
    else:  # the clock skips it: the moment of the change, between both readings of the time
        first, second = sorted(utc(time, zone, fold)[0].replace(tzinfo=None) for fold in (0, 1))
        assert np.datetime64(first, "s") <= moment <= np.datetime64(second, "s")
        offsets = [written(moment + shift, zone)[-6:] for shift in (-1, 0)]
        assert offsets[0] != offsets[1]


@given(TIMES, st.sampled_from(ZONES))
def test_a_moment_is_shown_as_python_shows_it(time, zone):
    moment, there = np.datetime64(time, "s"), time.replace(tzinfo=datetime.UTC).astimezone(zone or datetime.UTC)
    hours = LocalHours(moment - HOUR, moment + HOUR, zone)
    assert hours.hour_of_week(np.array([moment])).tolist() == [there.weekday() * 24 + there.hour]
    assert hours.written(moment) == (there if zone else there.replace(tzinfo=None)).isoformat(timespec="minutes")
    assert in_words(hours.written(moment)) == there.strftime("%a %-d %b %Y %H:%M")


@given(TIMES, st.integers(0, 5 * 24 * 3600), st.integers(0, 5 * 24 * 3600), st.sampled_from(ZONES))
def test_hours_add_up_to_the_time_that_passes_and_over_any_cut(time, first, then, zone):
    start = np.datetime64(time, "s")
    middle, end = start + first, start + first + then
    hours = LocalHours(start, end, zone)
    whole = hours.lengths(start, end)
    assert whole.sum() == pytest.approx((first + then) / 3600)
    assert whole.min() >= 0
    np.testing.assert_allclose(hours.lengths(start, middle) + hours.lengths(middle, end), whole, atol=1e-9)


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo"])
def test_a_departure_at_the_end_of_the_calendar_is_in_the_far_future(zone):
    moments = to_moments(np.array(["9999-12-31T23:59:59", "NaT"], "datetime64[s]"), ZoneInfo(zone))
    assert moments[0] > np.datetime64("9999-12-01")
    assert np.isnat(moments[1])


def test_a_day_that_a_clock_skips_whole_is_no_defect():
    skipped = np.array(["2011-12-30T12:00"], "datetime64[s]")  # Samoa went from Thursday to Saturday
    assert abs(to_moments(skipped, ZoneInfo("Pacific/Apia"))[0] - np.datetime64("2011-12-30T10:00:00")) < 24 * HOUR


def test_a_midnight_that_comes_twice_is_no_defect():
    first, last = np.array(["2000-10-28T12:00", "2000-10-29T12:00"], "datetime64[s]")
    hours = LocalHours(first, last, ZoneInfo("America/St_Johns"))  # the clock went from 00:01 back to 23:01
    assert len(hours.midnights) in (1, 2)
    assert hours.lengths(first, last).sum() == 24


def test_a_skipped_hour_has_no_length_and_a_repeated_one_two():
    zone = ZoneInfo("Europe/Berlin")
    for day, length in ((SPRING, 0), (AUTUMN, 2)):
        midnights = to_moments(np.array([day, day + datetime.timedelta(days=1)], "datetime64[s]"), zone)
        found = LocalHours(*midnights, zone).lengths(*midnights)
        assert found[6 * 24 + 2] == length
        assert found.sum() == 23 + length


@pytest.mark.parametrize("zone", ZONES)
def test_local_days_begin_at_midnight(zone):
    first, last = np.array(["2024-10-25T12:00", "2024-11-10T12:00"], "datetime64[s]")
    midnights = LocalHours(first, last, zone).days(first, last)
    days = np.arange("2024-10-25", "2024-11-12", dtype="datetime64[D]").astype("datetime64[s]")
    expected = to_moments(days, zone)
    assert midnights.tolist() == expected[(expected >= first) & (expected < last)].tolist()
    assert LocalHours(midnights[0], last, zone).midnights[0] == midnights[0]


@pytest.mark.parametrize(("text", "seconds"), [("90m", 5400), ("8h", 28800), ("1.5h", 5400), (" 2 D ", 172800)])
def test_spans_are_read(text, seconds):
    assert span(text, "window") == np.timedelta64(seconds, "s")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("-8h", "window -8h: it would end before it starts"),
        ("8", "write a number followed by m, h or d"),
        ("eight", "such as 30m, 8h or 1d"),
        ("0h", "at least a minute"),
        ("400d", "at most a year"),
        ("9" * 5000 + "h", "write a number"),
    ],
)
def test_what_is_no_span_is_refused(text, said):
    with pytest.raises(ValueError, match=said):
        span(text, "window")


@pytest.mark.parametrize("zone", ["Nowhere", "../../etc/passwd", "Europe", "\0", "\ud800", "a" * 5000])
def test_an_unknown_zone_is_refused(zone):
    with pytest.raises(ValueError, match="is not known: give a name such as Europe/Berlin"):
        BedOptions(zone=zone).check()


def test_without_a_zone_no_data_on_zones_is_needed(monkeypatch):
    monkeypatch.setattr(
        options, "ZoneInfo", lambda name: pytest.fail(f"{name} is looked up, and a small container has no zones")
    )
    asked = BedOptions(now="2024-03-31T12:00")
    asked.check()
    assert asked.time_zone is None
    assert written(asked.moment, None) == "2024-03-31T12:00"
