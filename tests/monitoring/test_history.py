"""The history only grows, holds each period once, and is read strictly."""

import pytest
from msgspec.structs import replace

from sonmf.monitoring.drift import Drift
from sonmf.monitoring.figures import Figure
from sonmf.monitoring.history import NAME, Period, extended, of_model

FIGURE = Figure("calibration", 0.0123456789, 0.0, 0.02, 0.6, -0.06, 0.06)
ONE = Period(
    "abc", "month", "2024-01", "", 500, 480, 130, 124.123456789, [FIGURE], [Drift("words", "", 0.05, 0.04, 0.06, 0.08)]
)
TWO = replace(ONE, period="2024-02")


def keep(*arguments):
    with extended(*arguments) as history:
        pass
    return history


def test_lines_are_only_added_and_none_twice(tmp_path):
    before = b""
    for new, added in (([ONE], 1), ([ONE], 0), ([TWO, ONE], 1), ([ONE, TWO], 0), ([replace(TWO, complaint="Cough")], 1)):
        kept, _ = keep(tmp_path, new, "now")
        after = (tmp_path / NAME).read_bytes()
        assert after.startswith(before)
        assert after.count(b"\n") == before.count(b"\n") + added
        before = after
    assert [(one.period, one.complaint) for one in kept] == [("2024-01", ""), ("2024-02", ""), ("2024-02", "Cough")]


def test_a_last_line_that_an_editor_left_open_is_ended_first(tmp_path):
    keep(tmp_path, [ONE], "now")
    (tmp_path / NAME).write_text((tmp_path / NAME).read_text().rstrip("\n"))
    keep(tmp_path, [TWO], "now")
    assert [period.period for period in keep(tmp_path, [], "now")[0]] == ["2024-01", "2024-02"]


def test_a_fuller_month_takes_the_place_of_an_earlier_one_and_a_lesser_one_does_not(tmp_path):
    half = replace(ONE, patients=200, judged=90, admitted=20)
    keep(tmp_path, [half], "on the 12th")
    assert [one.patients for one in keep(tmp_path, [ONE], "on the 1st")[0]] == [500]
    for less in (half, replace(ONE, patients=600, judged=0)):
        kept, fuller = keep(tmp_path, [less], "later")
        assert [one.patients for one in kept] == [one.patients for one in fuller] == [500]
    assert len((tmp_path / NAME).read_text().splitlines()) == 2


def test_figures_come_back_with_six_digits(tmp_path):
    keep(tmp_path, [ONE], "now")
    (found,) = keep(tmp_path, [], "now")[0]
    assert found.figures[0].value == 0.0123457
    assert found.expected == 124.123
    assert replace(found, figures=[], expected=0.0) == replace(ONE, figures=[], expected=0.0)


def test_models_and_lengths_are_kept_apart(tmp_path):
    others = [replace(ONE, model="def"), replace(ONE, every="week", period="2024-W01")]
    kept, _ = keep(tmp_path, [ONE, *others], "now")
    assert [one.model for one in of_model(kept, "abc", "month")] == ["abc"]


def test_a_complaint_may_have_any_character(tmp_path):
    odd = replace(ONE, complaint="pain\u2028in\x85chest")
    keep(tmp_path, [odd], "now")
    assert [one.complaint for one in keep(tmp_path, [odd], "now")[0]] == [odd.complaint]


@pytest.mark.parametrize("line", ["{", '{"period": "2024-01"}', "[]", '{"patients": NaN}', '{"a": 1, "a": 2}'])
def test_a_damaged_line_is_named(tmp_path, line):
    keep(tmp_path, [ONE], "now")
    with (tmp_path / NAME).open("a") as file:
        file.write(line + "\n")
    with pytest.raises(ValueError, match=r"history.jsonl line 2 cannot be read .*: remove that line, or name another --out"):
        keep(tmp_path, [TWO], "now")


def test_a_history_that_is_no_text_is_named(tmp_path):
    (tmp_path / NAME).write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match=r"history.jsonl is damaged \(not UTF-8\): .* name another --out"):
        keep(tmp_path, [ONE], "now")
