"""Columns and figures as people read them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonmf.text.note_numbers import RANGES
from sonmf.triage.labels import in_short, label_of, rounded, signed, stated, unit_of


@pytest.mark.parametrize("name", ["heart_rate", "Heart_Rate", "arrival_mode", "esi", "systolic"])
def test_a_label_is_in_words(name):
    assert "_" not in label_of(name)
    assert label_of(name).lower() != "esi"


def test_a_column_of_the_hospital_keeps_its_name():
    assert label_of("HR") == "HR"
    assert label_of("Triage Stufe") == "Triage Stufe"


@pytest.mark.parametrize(
    ("name", "low", "high", "unit"),
    [
        ("heart_rate", 40, 130, "per minute"),
        ("temperature", 36.2, 39.0, "°C"),
        ("temperature", 97.1, 102.4, ""),
        ("saturation", 90, 99, "%"),
        ("hr", 40, 130, ""),
        ("days", 0, 9, ""),
        ("sex", None, None, ""),
    ],
)
def test_a_unit_is_told_where_the_values_can_be_in_it(name, low, high, unit):
    assert unit_of(name, low, high) == unit


@given(st.floats(-1e6, 1e6), st.integers(1, 4))
def test_nothing_is_added_with_a_sign_where_nothing_is_left(value, digits):
    text = signed(value, digits)
    assert float(text) == round(value, digits)
    assert text[0] in "+-" if float(text) else text[0] == "0"


@given(st.sampled_from(sorted(RANGES)), st.floats(1, 300))
def test_a_mean_of_whole_numbers_is_shown_whole(name, mean):
    shown = in_short(rounded(mean, name))
    assert len(shown.partition(".")[2]) <= (name in ("temperature", "glucose", "days"))
    assert abs(float(shown) - mean) <= 0.5


def test_values_are_those_that_were_given():
    assert [in_short(value) for value in (84.25, 121.0, None, "True", "left", -0.0)] == [
        "84.25", "121", "missing", "yes", "left", "0",
    ]  # fmt: skip
    assert [in_short(rounded(days, "days")) for days in (0.25, 2.5, 1826.2)] == ["0.2", "2.5", "1826"]
    assert [in_short(rounded(value, "crp")) for value in (121.75, 0.0130010, 12345.6)] == ["122", "0.013", "12346"]


@given(st.floats(-1e15, 1e15).filter(lambda value: value == 0 or abs(value) > 1e-3))
def test_no_value_has_an_exponent(value):
    assert re.fullmatch(r"-?\d+(\.\d+)?", in_short(value))
    assert float(in_short(value)) == pytest.approx(value, rel=1e-5)


def test_days_that_were_read_from_months_are_whole_in_a_list_of_patients():
    assert stated("days", 121.75) == "days since onset 122"
    assert stated("days", None) == "days since onset missing"
    assert stated("temperature", 38.44) == "temperature 38.44"
