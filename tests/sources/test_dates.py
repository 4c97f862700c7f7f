"""Dates as people write them: right whatever the spelling, and refused where a day could be a month."""

from __future__ import annotations

import datetime
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonmf.sources import TableError
from sonmf.sources.dates import column_and_order, parse_times, read_times

TIMES = st.datetimes(datetime.datetime(1970, 1, 1), datetime.datetime(2068, 12, 31)).map(
    lambda time: time.replace(microsecond=0)
)
CLOCKED = [
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%SZ",
    "%Y/%m/%d %H:%M:%S",
    "%d.%m.%Y %H:%M:%S",
    "%d-%b-%Y %H:%M:%S",
    "%d.%m.%y %I:%M:%S %p",
]
DAYS = ["%Y-%m-%d", "%Y%m%d", "%d.%m.%Y", "%d%b%Y", "%d-%B-%Y", "%b %d, %Y", "%B %d %Y"]


def seconds(times):
    return np.array(times, "datetime64[s]").tolist()


@given(st.lists(TIMES, min_size=1, max_size=5), st.sampled_from(CLOCKED))
def test_what_strftime_writes_is_read(times, spelling):
    assert parse_times([time.strftime(spelling) for time in times], "t", "f").tolist() == seconds(times)


@given(st.lists(TIMES, min_size=1, max_size=5), st.sampled_from(DAYS))
def test_days_are_midnights(times, spelling):
    days = [datetime.datetime.combine(time.date(), datetime.time()) for time in times]
    assert parse_times([time.strftime(spelling) for time in times], "t", "f").tolist() == seconds(days)


@given(st.lists(TIMES, min_size=1, max_size=6), st.sampled_from("/-"), st.booleans())
def test_an_order_is_found_from_all_rows_or_asked_for(times, mark, day_first):
    spelling = f"%d{mark}%m{mark}%Y" if day_first else f"%m{mark}%d{mark}%Y"
    order = "day-first" if day_first else "month-first"
    texts = [time.strftime(spelling) for time in times]
    days = seconds([datetime.datetime.combine(time.date(), datetime.time()) for time in times])
    assert parse_times(texts, "t", "f", order).tolist() == days
    if any(time.day > 12 for time in times) or all(time.day == time.month for time in times):
        assert parse_times(texts, "t", "f").tolist() == days
    else:
        with pytest.raises(
            TableError,
            match=r"f column 't': no row shows whether .* comes first: give --time t:day-first or t:month-first",
        ):
            parse_times(texts, "t", "f")


def test_dates_of_libraries_and_missing_ones():
    when = datetime.datetime(2024, 3, 31, 14, 5)
    values = [when, np.datetime64(when), when.date(), 20240331, 20240331.0]
    found = parse_times([*values, None, float("nan"), pd.NaT, " "], "t", "f")
    assert found[:2].tolist() == [when] * 2
    assert (found[2:5] == np.datetime64("2024-03-31")).all()
    assert np.isnat(found[5:]).all()


ZONES = ["Europe/Berlin", "America/St_Johns", "Asia/Kolkata", "UTC"]


@given(st.lists(TIMES, min_size=1, max_size=5), st.sampled_from(ZONES))
def test_an_instant_is_the_same_in_text_and_in_parquet_whatever_its_zone(times, zone):
    instants = [pd.Timestamp(time, tz="UTC").tz_convert(zone) for time in times]
    texts = [one.isoformat() for one in instants]
    for values in (instants, texts, [one.to_pydatetime() for one in instants]):
        found = read_times([*values, None], "t", "f")
        assert found.instants
        assert found.values[:-1].tolist() == seconds(times)


def test_times_without_a_zone_are_those_of_the_clock_on_the_wall():
    assert not read_times(["2024-03-31 02:30", pd.Timestamp("2024-03-31 02:30"), "2024-03-31"], "t", "f").instants
    assert not read_times([None], "t", "f").instants


@pytest.mark.parametrize("other", ["2024-03-31 02:30+02:00", "2024-03-31 02:30Z", pd.Timestamp("2024-03-31", tz="UTC")])
def test_times_with_a_zone_beside_others_without_are_refused(other):
    with pytest.raises(TableError, match=r"f column 't' has times with a zone \(row 3\) and times without \(row 1\): "):
        parse_times(["2024-03-31 02:30", None, other], "t", "f")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (
            ["2024-01-01", "yesterday"],
            r"ed\.csv row 2, column 'arrival': a text of 9 letters is not a date: write it as in 2024-03-31",
        ),
        (["12"], "a value such as 99 is not a date"),
        (["31.02.2024"], "row 1, column 'arrival': a value such as 99.99.9999 is not a day of the calendar"),
        (["1.13.2024"], "is not a day of the calendar"),
        (["0001-01-01 00:00:00"], "is not a day of the calendar: correct it, or leave it empty"),
        (["1 Foo 2024"], "is not a date"),
        (["13/01/2024", "01/13/2024"], r"has days first \(row 1\) and months first \(row 2\)"),
        (["pt fell at home and was found by her daughter"], "column 'arrival': a text of 45 letters is not a date"),
        (["44 yo m chest pain"], "column 'arrival': a text of 18 letters is not a date"),
    ],
)
def test_what_is_no_date_is_refused_with_its_row(values, said):
    with pytest.raises(TableError, match=said):
        parse_times(values, "arrival", "ed.csv")


def test_an_order_may_stand_behind_the_name():
    assert column_and_order("arrival:day-first") == ("arrival", "day-first")
    assert column_and_order("time: local") == ("time: local", None)


def test_a_missing_value_of_any_kind_is_no_time():
    assert np.isnat(parse_times([None, pd.NA, pd.NaT, np.nan, " "], "arrival", "ed.csv")).all()


def test_a_day_of_no_order_is_named_as_such():
    with pytest.raises(TableError, match="row 2, column 'arrival': a value such as 99/99/9999 is not a day of the calendar"):
        parse_times(["1/1/2024", "13/14/2024"], "arrival", "ed.csv")


@given(st.lists(st.text("QXZ0123456789/-:. ", min_size=1), min_size=1, max_size=4))
def test_no_message_quotes_a_cell(cells):
    """A time column may be named wrongly: ``--time surname``."""
    try:
        parse_times(cells, "t", "f")
    except TableError as error:
        said = str(error).split(": write it as in")[0]
        assert not any(letter in said for letter in "QXZ")
        assert set(re.findall("[0-9]+", re.sub(r"row [0-9]+|of [0-9,]+ letter", "", said))) <= {"9" * k for k in range(21)}
