"""Moments and clocks: as Python's own zones have them, also where the clock skips an hour or shows it twice."""

import datetime
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonmf.beds import Clock, clock, span
from sonmf.beds.clock import hour_of_week, hours_within, in_words
from sonmf.beds.options import span_in_words

ZONES = ["Europe/Berlin", "America/St_Johns", "Asia/Kolkata", "Australia/Lord_Howe", "UTC"]
SPRING, AUTUMN = datetime.datetime(2024, 3, 31), datetime.datetime(2024, 10, 27)
NEAR_A_CHANGE = st.sampled_from([SPRING, AUTUMN, datetime.datetime(2024, 4, 7), datetime.datetime(2024, 11, 3)]).flatmap(
    lambda day: st.integers(0, 2 * 24 * 3600).map(
        lambda seconds: day - datetime.timedelta(days=1) + datetime.timedelta(seconds=seconds)
    )
)
TIMES = st.one_of(NEAR_A_CHANGE, st.datetimes(datetime.datetime(1971, 1, 1), datetime.datetime(2036, 1, 1))).map(
    lambda time: time.replace(microsecond=0)
)


@given(TIMES, st.sampled_from(ZONES), st.booleans())
def test_a_local_time_is_the_moment_that_python_finds(time, zone, later):
    moment = Clock(zone).moments(np.array([time], "datetime64[s]"), later)[0]
    assert int(moment.astype(np.int64)) == time.replace(tzinfo=ZoneInfo(zone), fold=later).timestamp()


@given(TIMES, st.sampled_from(ZONES))
def test_a_moment_is_shown_as_python_shows_it(time, zone):
    moment, there = np.datetime64(time, "s"), time.replace(tzinfo=datetime.UTC).astimezone(ZoneInfo(zone))
    assert Clock(zone).local(moment) == np.datetime64(there.replace(tzinfo=None), "s")
    assert Clock(zone).written(moment) == there.isoformat(timespec="minutes")
    assert hour_of_week(Clock(zone).local(moment)) == there.weekday() * 24 + there.hour
    assert in_words(Clock(zone).written(moment)) == there.strftime("%a %-d %b %H:%M")


@given(TIMES, st.integers(1, 5 * 24 * 3600), st.integers(0, 5 * 24 * 3600), st.sampled_from([*ZONES, None]))
def test_hours_add_up_to_the_time_that_passes_and_over_any_cut(time, first, then, zone):
    clock, start = Clock(zone), np.datetime64(time, "s")
    middle, end = start + first, start + first + then
    whole = hours_within(start, end, clock)
    assert whole.sum() == pytest.approx((first + then) / 3600)
    if then:
        np.testing.assert_allclose(hours_within(start, middle, clock) + hours_within(middle, end, clock), whole, atol=1e-9)


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo"])
def test_a_departure_at_the_end_of_the_calendar_is_in_the_far_future(zone):
    end, clock = np.array(["9999-12-31T23:59:59", "NaT"], "datetime64[s]"), Clock(zone)
    for times in (clock.moments(end), clock.local(end)):
        assert times[0] > np.datetime64("9999-12-01")
        assert np.isnat(times[1])


def test_a_skipped_hour_has_no_length_and_a_repeated_one_two():
    clock = Clock("Europe/Berlin")
    for day, length in ((SPRING, 0), (AUTUMN, 2)):
        midnight, next_midnight = clock.moments(np.array([day, day + datetime.timedelta(days=1)], "datetime64[s]"))
        found = hours_within(midnight, next_midnight, clock)
        assert found[6 * 24 + 2] == length
        assert found.sum() == 23 + length


def test_local_days_begin_at_midnight_and_a_week_ago_the_clock_showed_the_same():
    clock = Clock("America/New_York")
    marks = clock.midnights(np.datetime64("2024-10-25", "s"), np.datetime64("2024-11-10", "s"))
    local = clock.local(marks)
    assert (local == local.astype("datetime64[D]")).all()
    assert len(marks) == 16
    assert (local - clock.local(clock.week_before(marks)) == np.timedelta64(7, "D")).all()


@pytest.mark.parametrize(("text", "seconds"), [("90m", 5400), ("8h", 28800), ("1.5h", 5400), (" 2 D ", 172800)])
def test_spans_are_read_and_written(text, seconds):
    assert span(text, "window") == np.timedelta64(seconds, "s")
    assert span(span_in_words(span(text, "window")), "window") == span(text, "window")


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
        Clock(zone)


def test_without_a_zone_no_data_on_zones_is_needed(monkeypatch):
    monkeypatch.setattr(clock, "ZoneInfo", lambda name: pytest.fail(f"{name} is looked up, and a small container has no zones"))
    noon = np.datetime64("2024-03-31T12:00", "s")
    assert Clock().written(noon) == "2024-03-31T12:00"
    assert Clock().local(noon) == noon
