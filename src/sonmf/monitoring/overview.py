"""A model over time, as plain data: the one object behind the terminal and the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sonmf.monitoring import alarm_limits
from sonmf.monitoring.alarm_limits import COLUMNS, COMPLAINTS, FORECAST, TOPICS, WORDS, Budget, widening
from sonmf.monitoring.calendar import Calendar
from sonmf.monitoring.drift import MUCH, TOLERATED, Drift
from sonmf.monitoring.figures import Figure
from sonmf.monitoring.history import Period
from sonmf.monitoring.verdict import LOOK, RECALIBRATE, REFIT, Verdict, verdict
from sonmf.triage.inputs import POOLED
from sonmf.triage.lineage import learned_from
from sonmf.triage.model import TriageModel
from sonmf.triage.model_report import title

TITLES = {
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
SHARES = (alarm_limits.CALIBRATION, WORDS)


class Point(NamedTuple):
    """A figure of one period in a chart."""

    period: str
    value: float
    expected: float | None
    low: float
    high: float
    beyond: bool
    what: str = ""


class Panel(NamedTuple):
    """A chart."""

    name: str
    title: str
    share: bool
    """Whether its figures are percentages."""
    points: list[Point]


class Section(NamedTuple):
    """One complaint, or all patients."""

    title: str
    verdict: Verdict
    periods: list[Period]
    fitted: int
    """Patients that its model was fitted to, or recalibrated to."""
    topic_names: list[str]


class Overview(NamedTuple):
    """A model over time."""

    calendar: Calendar
    sections: list[Section]
    """All patients first."""
    budget: Budget
    files: str
    """The model and the latest patients, as a person names them."""
    written: str
    others: int
    """Lines of the history about other models."""

    @property
    def every(self) -> str:
        """Month or week."""
        return self.calendar.every

    @property
    def alarm(self) -> bool:
        """Whether any complaint has one."""
        return any(one.verdict.alarm for one in self.sections)

    @property
    def headline(self) -> str:
        """The verdict in a sentence."""
        if self.alarm:
            worst = next(one for one in self.sections if one.verdict.alarm)
            name = worst.title if worst.verdict.complaint else worst.title.lower()
            return f"Alarm, {name}: {worst.verdict.findings[0].sentence}. {self.remedies[0]}."
        judged = any(drift.kind == WORDS for one in self.sections[0].periods for drift in one.drift)
        within = "every figure is within its limits" if judged else "every figure is within its limits; drift was not judged"
        return f"All well: {self.sections[0].verdict.well}; {within}."

    @property
    def remedies(self) -> list[str]:
        """What to do, a sentence each."""
        findings = [(one, finding) for one in self.sections for finding in one.verdict.findings]
        asked = {finding.remedy for _, finding in findings}
        found = []
        if update := next((remedy for remedy in (REFIT, RECALIBRATE) if remedy in asked), ""):
            how = " --how refit" if update == REFIT else ""
            since = {finding.since for _, finding in findings if finding.remedy == update}
            found.append(f"{update}: sonmf update {self.files}{how} -o NEW_MODEL")
            if min(one.periods[0].period for one in self.sections if one.periods) < (last := max(since)):
                change = "the change" if len(since) == 1 else "the last change"
                found[0] += f". Give it a file with only the patients since {self.named(last)}, when {change} began"
        return found + ([LOOK] if LOOK in asked else [])

    def named(self, period: str) -> str:
        """A period as people say it."""
        return self.calendar.in_words(period)

    def beyond(self, one: Period, figure: Figure) -> bool:
        """Whether a figure of one period is beyond its limits by itself."""
        fitted = next(section.fitted for section in self.sections if section.verdict.complaint == one.complaint)
        reach = self.budget.limit(figure.name, one.complaint) * widening(one.judged, fitted)
        return abs(figure.score) > reach

    def panels(self, section: Section) -> list[Panel]:
        """The charts of a section that have anything to show."""
        found = [
            Panel("beds", "Beds: admitted and expected", False, [self._beds(one) for one in section.periods if one.figures])
        ]
        for name in alarm_limits.OUTCOMES:
            points = [
                Point(self.named(one.period), figure.value, figure.expected, figure.low, figure.high, self.beyond(one, figure))
                for one in section.periods
                if (figure := one.figure(name)) is not None
            ]
            found.append(Panel(name, TITLES[name], name in SHARES, points))
        for kind in alarm_limits.DRIFTS:
            points = []
            for one in section.periods:
                if drifts := [drift for drift in one.drift if drift.kind == kind]:
                    most = max(drifts, key=lambda drift: drift.value / drift.limit)
                    moved = what_moved(most, section)
                    when = self.named(one.period)
                    points.append(Point(when, most.value, most.reference, 0.0, most.limit, most.alarm, moved))
            found.append(Panel(kind, TITLES[kind], kind in SHARES, points))
        return [panel for panel in found if panel.points]

    def _beds(self, one: Period) -> Point:
        figure = one.figures[0]
        low, high = (one.expected + one.judged * end for end in (figure.low, figure.high))
        return Point(self.named(one.period), one.admitted, one.expected, low, high, self.beyond(one, figure))


def make_overview(
    model: TriageModel, periods: Sequence[Period], calendar: Calendar, files: str, written: str, others: int = 0
) -> Overview:
    """A verdict on each complaint, and over all, from the history of a model: its periods, in the order of time."""
    budget = Budget(calendar, len(model.models_))
    sections = []
    for name in [POOLED, *sorted(model.models_)]:
        mine, one = [period for period in periods if period.complaint == name], model.by_name_[name]
        if mine:
            fitted = learned_from(model, name)
            found = verdict(mine, budget, fitted, one.names.__getitem__)
            sections.append(Section(title(name), found, mine, fitted, one.names))
    return Overview(calendar, sections, budget, files, written, others)


def what_moved(one: Drift, section: Section) -> str:
    """The name of a topic or a column; otherwise what there is only one of."""
    if one.kind == TOPICS:
        return section.topic_names[int(one.name)]
    return one.name or TITLES[one.kind]


def rule_of_thumb(psi: float) -> str:
    """What the usual thresholds say of a PSI, whatever the number of patients."""
    return "little" if psi < TOLERATED else "moderate" if psi < MUCH else "large"
