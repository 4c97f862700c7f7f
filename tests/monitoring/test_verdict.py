"""What the periods say, in words, and about the right ones."""

import pytest
from msgspec.structs import replace

from sonmf.monitoring import Budget, Calendar, Drift, Figure, Period, verdict

BUDGET = Budget(Calendar("month"), 0)
QUIET = Figure("calibration", 0.0, 0.0, 0.02, 0.0, -0.07, 0.07)


def period(month, *figures, drift=(), judged=500, admitted=130, expected=130.0):
    return Period("", "month", f"2024-{month:02d}", "", 500, judged, admitted, expected, list(figures), list(drift))


def off(score, name="calibration", value=0.1, expected=0.0):
    return Figure(name, value, expected, 0.02, score, -0.07, 0.07)


def sentences(*periods, fitted=10**6):
    return [one.sentence for one in verdict(periods, BUDGET, fitted, ["lungs", "legs"]).findings]


def test_nothing_is_said_of_quiet_months():
    found = verdict([period(k, QUIET) for k in (1, 2)], BUDGET, 1000)
    assert not found.alarm
    assert found.gist == "Well: 260 of 1,000 patients admitted from January 2024 to February 2024 where 260.0 were expected"


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        (off(5), "forecasts run 4.0 points low in March 2024: 150 admitted where 130.0 were expected"),
        (off(-5, "slope", 0.6, 1.0), "forecasts are too extreme in March 2024: calibration slope 0.60 where 1 is right"),
        (off(5, "slope", 1.6, 1.0), "forecasts are too timid in March 2024: calibration slope 1.60 where 1 is right"),
        (
            off(-5, "auroc", 0.7, 0.8),
            "patients are ranked worse than the forecasts claim in March 2024: AUROC 0.700 where 0.800 was to be expected",
        ),
        (
            off(5, "brier", 0.2, 0.1),
            "outcomes fit worse than the forecasts claim in March 2024: Brier score 0.200 where 0.100 was to be expected",
        ),
    ],
)
def test_a_month_that_is_off_is_named(figure, said):
    quiet = [period(k, replace(figure, score=0.0)) for k in (1, 2)]
    assert sentences(*quiet, period(3, figure, admitted=150)) == [said]


def test_small_changes_add_up_and_the_first_month_of_them_is_named():
    months = [period(k, QUIET) for k in range(1, 7)] + [period(k, off(2.2), admitted=140) for k in (7, 8, 9)]
    assert sentences(*months[:7]) == []
    assert sentences(*months) == ["forecasts run 2.0 points low since July 2024: 420 admitted where 390.0 were expected"]


def test_a_month_that_was_off_is_history_once_later_ones_are_well():
    assert sentences(period(1, off(5)))
    assert sentences(period(1, off(5)), *[period(k, QUIET) for k in range(2, 9)]) == []


def test_few_patients_of_the_fit_make_the_same_score_less_sure():
    assert sentences(period(1, off(3.6)), fitted=10**6)
    assert sentences(period(1, off(3.6)), fitted=500) == []


def test_drift_is_that_of_the_latest_period_that_tells():
    words = Drift("words", "", 0.081, 0.042, 0.05, 0.07)
    topics = [Drift("topic", str(k), 0.3 + k, 0, 0.05, 0.2) for k in (0, 1)]
    column = Drift("column", "age", 0.5, 0, 0.1, 0.2)
    months = [period(1, drift=[words, *topics, column, Drift("forecast", "", 0.1, 0, 0.05, 0.2)]), period(2)]
    assert sentences(*months) == [
        "the model does not know 8.1% of the words, 4.2% in the fit, in January 2024",
        "2 topics have moved, most legs (PSI 1.30, limit 0.20) in January 2024",
        "the column age has moved (PSI 0.50, limit 0.20) in January 2024",
    ]
    assert sentences(*months, period(3, drift=[replace(words, value=0.06)])) == []
