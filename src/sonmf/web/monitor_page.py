"""A model over time as one HTML file, which needs no network."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from sonmf.monitoring import alarm_limits
from sonmf.monitoring.alarm_limits import COLUMNS, COMPLAINTS, FORECAST, TOPICS, WORDS
from sonmf.monitoring.drift import MUCH, TOLERATED, Drift
from sonmf.monitoring.history import Period
from sonmf.monitoring.overview import Overview
from sonmf.monitoring.verdict import Verdict
from sonmf.triage.labels import label_of
from sonmf.web.standalone import standalone_html

BEDS, CUMULATIVE = "beds", "cumulative"
TITLES = {
    BEDS: "Beds: admitted and expected",
    CUMULATIVE: "Admitted less expected, added up",
    alarm_limits.CALIBRATION: "Calibration in the large",
    alarm_limits.SLOPE: "Calibration slope",
    alarm_limits.AUROC: "AUROC",
    alarm_limits.BRIER: "Brier score",
    WORDS: "Unknown words",
    FORECAST: "Drift of the forecasts",
    TOPICS: "Drift of the topics",
    COLUMNS: "Drift of the columns",
    COMPLAINTS: "Drift of the mix of complaints",
}
UNITS = {
    BEDS: "beds",
    CUMULATIVE: "beds",
    alarm_limits.CALIBRATION: "admitted less expected, of all patients",
    alarm_limits.SLOPE: "slope",
    alarm_limits.AUROC: "AUROC",
    alarm_limits.BRIER: "Brier score",
    WORDS: "of all words",
}
"""Of the axis of each chart; drifts are measured by the PSI."""
SHARES = (alarm_limits.CALIBRATION, WORDS)
POSSIBLE = {alarm_limits.AUROC: (0.0, 1.0), alarm_limits.BRIER: (0.0, 1.0)}
"""What a figure can be: limits of few patients would reach beyond it."""

Point = Mapping[str, object]
"""A figure of one period in a chart."""


def monitor_html(overview: Overview) -> str:
    """The verdict, and for each complaint a chart of every figure with its limits and a table behind it."""
    everyone = overview.verdicts[0].periods
    return standalone_html(
        "monitor.html",
        every=overview.every,
        first=overview.named(everyone[0].period),
        last=overview.named(everyone[-1].period),
        written=overview.written,
        headline=overview.headline,
        state="alarm" if overview.alarm else "well" if overview.well else "caution",
        remedies=overview.remedies,
        others=overview.others,
        windows=", ".join(map(str, overview.budget.calendar.windows)),
        sections=[_section(overview, verdict) for verdict in overview.verdicts],
    )


def _section(overview: Overview, verdict: Verdict) -> dict[str, object]:
    judged = [period for period in verdict.periods if period.figures]
    last = next((period for period in reversed(verdict.periods) if period.drift), None)
    return {
        "title": verdict.title,
        "findings": verdict.findings,
        "gist": verdict.gist,
        "state": "alarm" if verdict.alarm else "well" if verdict.well else "caution",
        "patients": sum(period.patients for period in verdict.periods),
        "judged": sum(period.judged for period in judged),
        "admitted": sum(period.admitted for period in judged),
        "expected": sum(period.expected for period in judged),
        "panels": [_panel(name, points) for name in TITLES if (points := points_of(overview, verdict, name))],
        "drift": [] if last is None else _drift(verdict, last.drift),
        "drift_period": "" if last is None else overview.named(last.period),
    }


def _panel(name: str, points: Sequence[Point]) -> dict[str, object]:
    """A chart of one measure over the periods, for the template."""
    beyond = [str(point["period"]) for point in points if point["beyond"]]
    outcome = name in (BEDS, CUMULATIVE, *alarm_limits.OUTCOMES)
    return {
        "number": name in (BEDS, CUMULATIVE),
        "name": name,
        "title": TITLES[name],
        "share": name in SHARES,
        "points": points,
        "outcome": outcome,
        "chart": {"rows": points, "share": name in SHARES, "drift": not outcome, "unit": UNITS.get(name, "PSI")},
        "gist": f"beyond its limits in {', '.join(beyond)}" if beyond else "always within its limits",
    }


def points_of(overview: Overview, verdict: Verdict, name: str) -> list[Point]:
    """The figure of each period that has it; of several drifts of a kind the one that is nearest to its limit, or beyond."""
    if name == CUMULATIVE:
        line = verdict.cumulative()
        return [_point(overview, period, off, 0.0, -reach, reach, abs(off) > reach) for period, off, reach in line]
    points = []
    for period in verdict.periods:
        drifts = [drift for drift in period.drift if drift.kind == name]
        if drifts:
            nearest = max(drifts, key=lambda drift: drift.value / drift.limit)
            numbers = nearest.value, nearest.reference, 0.0, nearest.limit, nearest.alarm
            points.append(_point(overview, period, *numbers, what_moved(nearest, verdict)))
        elif figure := period.figure(alarm_limits.CALIBRATION if name == BEDS else name):
            value, expected, low, high = figure.value, figure.expected, figure.low, figure.high
            least, most = POSSIBLE.get(name, (-math.inf, math.inf))
            if name == BEDS:
                value, expected, least, most = period.admitted, period.expected, 0, period.judged
                low, high = (period.expected + period.judged * end for end in (low, high))
            low, high = max(low, least), min(high, most)
            points.append(_point(overview, period, value, expected, low, high, verdict.beyond(period, figure)))
    return points


def _point(
    overview: Overview, period: Period, value: float, expected: float, low: float, high: float, beyond: bool, what: str = ""
) -> Point:
    when = overview.named(period.period)
    return {"period": when, "value": value, "expected": expected, "low": low, "high": high, "beyond": beyond, "what": what}


def _drift(verdict: Verdict, drifts: Sequence[Drift]) -> list[dict[str, object]]:
    """Rows by value over limit, the largest first."""
    return [
        {
            "kind": drift.kind,
            "name": what_moved(drift, verdict),
            "value": drift.value,
            "chance": drift.chance,
            "limit": drift.limit,
            "share": drift.kind in SHARES,
            "thumb": "" if drift.kind in SHARES else rule_of_thumb(drift.value),
            "state": "alarm" if drift.alarm else "more than chance" if drift.value > drift.chance else "within chance",
        }
        for drift in sorted(drifts, key=lambda drift: -drift.value / drift.limit)
    ]


def what_moved(drift: Drift, verdict: Verdict) -> str:
    """The name of a topic or a column; otherwise what there is only one of."""
    if drift.kind == COLUMNS:
        return label_of(drift.name)
    return verdict.topic_names[int(drift.name)] if drift.kind == TOPICS else drift.name or TITLES[drift.kind]


def rule_of_thumb(psi: float) -> str:
    """What the usual thresholds say of a PSI, whatever the number of patients."""
    return "little" if psi < TOLERATED else "moderate" if psi < MUCH else "large"
