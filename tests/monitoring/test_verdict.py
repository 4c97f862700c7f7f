"""What the periods say, in words, and about the right ones."""

import numpy as np
import pytest
from msgspec.structs import replace

from sonmf.monitoring import Budget, Calendar, Drift, Figure, Period, figures_of, verdict
from sonmf.monitoring.alarm_limits import OUTCOMES
from sonmf.monitoring.overview import remedies

BUDGET = Budget(Calendar("month"), 0)
QUIET = Figure("calibration", 0.0, 0.0, 0.02, 0.0, -0.07, 0.07)


def period(month, *figures, drift=(), judged=500, admitted=130, expected=130.0):
    return Period("", "month", f"2024-{month:02d}", "", 500, judged, admitted, expected, list(figures), list(drift))


def off(score, name="calibration", value=0.1, expected=0.0):
    return Figure(name, value, expected, 0.02, score, -0.07, 0.07)


def sentences(*periods, fitted=10**6):
    return [one.sentence for one in verdict(periods, BUDGET, fitted, ["lungs", "legs"]).findings]


def whole(month, *figures, **more):
    """A month in which everything is judged."""
    rest = [replace(QUIET, name=name, value=1.0) for name in ("slope", "auroc", "brier")]
    return period(month, *(figures or [QUIET]), *rest, drift=[Drift("words", "", 0.04, 0.04, 0.06, 0.08)], **more)


def test_nothing_is_said_of_quiet_months():
    found = verdict([whole(k) for k in (1, 2)], BUDGET, 1000)
    assert found.well
    counts = "260 of 1,000 patients admitted from January 2024 to February 2024 where 260.0 were expected"
    assert found.gist == f"Well: {counts} (limits 193 to 327)"


def test_what_is_not_judged_is_not_called_well():
    found = verdict([whole(1), period(2, QUIET), period(3, judged=0), whole(4)], BUDGET, 1000)
    assert not found.alarm
    assert found.gist.startswith("No alarm: 390 of 1,500 patients admitted")
    said = "not judged: outcomes of March 2024, slope, AUROC and Brier score of February 2024, drift of 2 months"
    assert found.gist.endswith(f"; {said}")


@pytest.mark.parametrize(
    ("months", "starred", "said"),
    [
        (12, 0, ""),
        (12, 1, "1 of 60 figures outside their limits in earlier months, more than chance allows, and none now"),
        (120, 1, "1 of 600 figures outside their limits, as chance allows"),
    ],
)
def test_figures_that_were_outside_their_limits_are_counted_and_not_called_well(months, starred, said):
    """A hundred and twenty quiet months have a figure beyond 3.36 standard deviations in about one of fifteen cases."""
    quiet = [replace(whole(1), period=f"{2024 + k // 12}-{k % 12 + 1:02d}") for k in range(months - starred)]
    found = verdict([*[whole(1, off(4, value=0.08))] * starred, *quiet], BUDGET, 10**6)
    assert not found.alarm
    assert found.outside == said
    assert found.gist.startswith("No alarm: " if starred else "Well: ")
    assert found.gist.endswith(said)


def slow(months, admitted, expected, n=62):
    """Months of n patients, each with a few more admissions than expected, from exact distributions."""
    odds = np.full(n, np.log(expected / (n - expected)))
    for k in range(months):
        here = (admitted * (k + 1)) // months - (admitted * k) // months
        figures = figures_of(odds, (np.arange(n) < here).astype(float), dict.fromkeys(OUTCOMES, 3.4))
        name = f"{2024 + k // 12}-{k % 12 + 1:02d}"
        yield Period("", "month", name, "", n, n, here, float(expected), figures, [])


def test_a_total_that_is_far_off_is_an_alarm_though_each_month_is_quiet():
    """391 admitted where 314.6 were expected in 24 months: 4.8 standard deviations, 3.8 with the error of the model."""
    periods = list(slow(24, 391, 314.6 / 24))
    found = verdict(periods, BUDGET, 2500)
    assert all(not found.beyond(one, figure) for one in periods for figure in one.figures)
    assert not any(verdict(periods[:k], BUDGET, 2500).alarm for k in range(1, 13))
    (finding,) = found.findings
    assert (finding.measure, finding.remedy) == ("calibration", "Recalibrate the model")
    assert "points low since January 2024: 391 admitted where 314.6 were expected" in finding.sentence
    line = found.cumulative()
    assert line[-1][1] == pytest.approx(391 - 314.6)
    assert [abs(off) > reach for _, off, reach in line][-1]
    assert not verdict(list(slow(24, 315, 314.6 / 24)), BUDGET, 2500).alarm


def test_the_line_of_totals_is_beyond_its_limits_where_all_months_together_are():
    periods = list(slow(24, 391, 314.6 / 24))
    found = verdict(periods, BUDGET, 2500)
    for k, (one, off, reach) in enumerate(found.cumulative(), 1):
        n, p = 62 * k, 314.6 / 24 / 62
        sd = np.sqrt(n * p * (1 - p) * (1 + n / 2500))
        assert one is periods[k - 1]
        assert off == pytest.approx(sum(period.admitted - period.expected for period in periods[:k]))
        assert reach == pytest.approx(BUDGET.limit("calibration", "") * sd, rel=0.05)


@pytest.mark.parametrize(
    ("figure", "said"),
    [
        (off(5), "forecasts run 4.0 points low in March 2024: 150 admitted where 130.0 were expected"),
        (off(-5, "slope", 0.6, 1.0), "forecasts are too extreme in March 2024: calibration slope 0.60 where 1 is right"),
        (off(5, "slope", 1.6, 1.0), "forecasts are too timid in March 2024: calibration slope 1.60 where 1 is right"),
        (
            off(-5, "auroc", 0.7, 0.8),
            "patients are ranked worse than the forecasts claim in March 2024: AUROC 0.700 where 0.800 was expected",
        ),
        (
            off(5, "brier", 0.2, 0.1),
            "outcomes fit worse than the forecasts claim in March 2024: Brier score 0.200 where 0.100 was expected",
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
        "the model does not know 8.1% of the words (4.2% in the fit) in January 2024",
        "2 topics have moved, most legs (PSI 1.30, limit 0.20) in January 2024",
        "the column age has moved (PSI 0.50, limit 0.20) in January 2024",
    ]
    assert sentences(*months, period(3, drift=[replace(words, value=0.06)])) == []


@pytest.mark.parametrize(
    ("judged", "admitted", "advice"),
    [
        (500, 150, "Refit the model: sonmf update m.sonmf new.csv --how refit -o NEW_MODEL"),
        (102, 22, "Recalibrate the model: sonmf update m.sonmf new.csv -o NEW_MODEL"),
        (500, 60, "Recalibrate the model: sonmf update m.sonmf new.csv -o NEW_MODEL"),
    ],
)
def test_a_refit_is_advised_only_with_enough_patients_since_the_change(judged, admitted, advice):
    worse = off(-6, "auroc", 0.7, 0.8)
    months = [period(1, replace(worse, score=0.0)), period(2, worse, judged=judged, admitted=admitted)]
    found = verdict(months, BUDGET, 10**6)
    assert [finding.remedy for finding in found.findings] == ["Refit the model"]
    (said,) = remedies([found], BUDGET.calendar, "m.sonmf new.csv", min_notes=200)
    assert said.startswith(f"{advice}. Give it a file with only the patients since February 2024, when the change began")
    few = "Do not refit yet: a refit needs at least 200 patients, 100 of either outcome"
    assert (f"{few}, and there are {judged}, of them {admitted}" in said) == (" --how refit" not in advice)
