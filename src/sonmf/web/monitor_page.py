"""A model over time as one HTML file, which needs no network."""

from __future__ import annotations

from collections.abc import Sequence

from sonmf.monitoring.alarm_limits import OUTCOMES
from sonmf.monitoring.drift import Drift
from sonmf.monitoring.overview import SHARES, Chart, Overview, Section, rule_of_thumb, what_moved
from sonmf.web.standalone import standalone_html

BEDS = "beds"


def monitor_html(found: Overview) -> str:
    """The verdict, and for each complaint a chart of every figure with its limits and a table behind it."""
    everyone = found.sections[0].periods
    return standalone_html(
        "monitor.html",
        every=found.every,
        first=found.named(everyone[0].period),
        last=found.named(everyone[-1].period),
        written=found.written,
        headline=found.headline,
        alarm=found.alarm,
        remedies=found.remedies,
        others=found.others,
        windows=", ".join(map(str, found.calendar.windows)),
        sections=[_section(found, one) for one in found.sections],
    )


def _section(found: Overview, one: Section) -> dict[str, object]:
    judged = [period for period in one.periods if period.figures]
    last = next((period for period in reversed(one.periods) if period.drift), None)
    return {
        "title": one.title,
        "findings": [finding._asdict() for finding in one.verdict.findings],
        "gist": one.verdict.gist,
        "patients": sum(period.patients for period in one.periods),
        "judged": sum(period.judged for period in judged),
        "admitted": sum(period.admitted for period in judged),
        "expected": sum(period.expected for period in judged),
        "panels": [_panel(panel) for panel in found.panels(one)],
        "drift": [] if last is None else _drift(one, last.drift),
        "drift_period": "" if last is None else found.named(last.period),
    }


def _panel(panel: Chart) -> dict[str, object]:
    points = [point._asdict() for point in panel.points]
    beyond = [point.period for point in panel.points if point.beyond]
    return {
        **panel._asdict(),
        "points": points,
        "outcome": panel.name in (BEDS, *OUTCOMES),
        "chart": {"rows": points, "share": panel.share, "drift": panel.name not in (BEDS, *OUTCOMES)},
        "gist": f"beyond its limits in {', '.join(beyond)}" if beyond else "always within its limits",
    }


def _drift(section: Section, found: Sequence[Drift]) -> list[dict[str, object]]:
    """Rows by value over limit, the largest first."""
    return [
        {
            "kind": one.kind,
            "name": what_moved(one, section),
            "value": one.value,
            "chance": one.chance,
            "limit": one.limit,
            "share": one.kind in SHARES,
            "thumb": "" if one.kind in SHARES else rule_of_thumb(one.value),
            "state": "alarm" if one.alarm else "more than chance" if one.value > one.chance else "within chance",
        }
        for one in sorted(found, key=lambda one: -one.value / one.limit)
    ]
