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


class ChartPoint(NamedTuple):
    """A figure of one period in a chart."""

    period: str
    value: float
    expected: float | None
    low: float
    high: float
    beyond: bool
    what: str = ""


class Chart(NamedTuple):
    """A chart of one measure over the periods."""

    name: str
    title: str
    share: bool
    """Whether its figures are percentages."""
    points: list[ChartPoint]


class Section(NamedTuple):
    """What there is to say about one complaint, or about all patients."""

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
    """One section for all patients, then one for each complaint."""
    budget: Budget
    files: str
    """The model and the latest patients, as a person names them."""
    written: str
    others: int
    """Lines of the history about other models."""

    @property
    def every(self) -> str:
        """How long a period is: month or week."""
        return self.calendar.every

    @property
    def alarm(self) -> bool:
        """Whether any complaint has an alarm."""
        return any(section.verdict.alarm for section in self.sections)

    @property
    def headline(self) -> str:
        """The verdict in a sentence."""
        if self.alarm:
            worst = next(section for section in self.sections if section.verdict.alarm)
            name = worst.title if worst.verdict.complaint else worst.title.lower()
            return f"Alarm, {name}: {worst.verdict.findings[0].sentence}. {self.remedies[0]}."
        judged = any(drift.kind == WORDS for period in self.sections[0].periods for drift in period.drift)
        within = "every figure is within its limits" if judged else "every figure is within its limits; drift was not judged"
        return f"All well: {self.sections[0].verdict.well}; {within}."

    @property
    def remedies(self) -> list[str]:
        """What to do, a sentence each."""
        findings = [finding for section in self.sections for finding in section.verdict.findings]
        needed = {finding.remedy for finding in findings}
        remedies = []
        if update := next((remedy for remedy in (REFIT, RECALIBRATE) if remedy in needed), ""):
            how = " --how refit" if update == REFIT else ""
            since = {finding.since for finding in findings if finding.remedy == update}
            remedies.append(f"{update}: sonmf update {self.files}{how} -o NEW_MODEL")
            if min(section.periods[0].period for section in self.sections if section.periods) < (last := max(since)):
                change = "the change" if len(since) == 1 else "the last change"
                remedies[0] += f". Give it a file with only the patients since {self.named(last)}, when {change} began"
        return remedies + ([LOOK] if LOOK in needed else [])

    def named(self, period: str) -> str:
        """A period as people say it."""
        return self.calendar.in_words(period)

    def beyond(self, period: Period, figure: Figure) -> bool:
        """Whether a figure of one period is beyond its limits by itself."""
        fitted = next(section.fitted for section in self.sections if section.verdict.complaint == period.complaint)
        reach = self.budget.limit(figure.name, period.complaint) * widening(period.judged, fitted)
        return abs(figure.score) > reach

    def panels(self, section: Section) -> list[Chart]:
        """The charts of a section that have anything to show."""
        charts = [
            Chart(
                "beds",
                "Beds: admitted and expected",
                False,
                [self._beds(period) for period in section.periods if period.figures],
            )
        ]
        for name in alarm_limits.OUTCOMES:
            points = [
                ChartPoint(
                    self.named(period.period),
                    figure.value,
                    figure.expected,
                    figure.low,
                    figure.high,
                    self.beyond(period, figure),
                )
                for period in section.periods
                if (figure := period.figure(name)) is not None
            ]
            charts.append(Chart(name, TITLES[name], name in SHARES, points))
        for kind in alarm_limits.DRIFTS:
            points = []
            for period in section.periods:
                if drifts := [drift for drift in period.drift if drift.kind == kind]:
                    most = max(drifts, key=lambda drift: drift.value / drift.limit)
                    moved = what_moved(most, section)
                    when = self.named(period.period)
                    points.append(ChartPoint(when, most.value, most.reference, 0.0, most.limit, most.alarm, moved))
            charts.append(Chart(kind, TITLES[kind], kind in SHARES, points))
        return [chart for chart in charts if chart.points]

    def _beds(self, period: Period) -> ChartPoint:
        figure = period.figures[0]
        low, high = (period.expected + period.judged * end for end in (figure.low, figure.high))
        return ChartPoint(self.named(period.period), period.admitted, period.expected, low, high, self.beyond(period, figure))


def make_overview(
    model: TriageModel, periods: Sequence[Period], calendar: Calendar, files: str, written: str, others: int = 0
) -> Overview:
    """A verdict on each complaint, and over all, from the history of a model: its periods, in the order of time."""
    budget = Budget(calendar, len(model.models_))
    sections = []
    for name in [POOLED, *sorted(model.models_)]:
        of_complaint, topics = [period for period in periods if period.complaint == name], model.by_name_[name].names
        if of_complaint:
            fitted = learned_from(model, name)
            judgement = verdict(of_complaint, budget, fitted, topics.__getitem__)
            sections.append(Section(title(name), judgement, of_complaint, fitted, topics))
    return Overview(calendar, sections, budget, files, written, others)


def what_moved(drift: Drift, section: Section) -> str:
    """The name of a topic or a column; otherwise what there is only one of."""
    if drift.kind == TOPICS:
        return section.topic_names[int(drift.name)]
    return drift.name or TITLES[drift.kind]


def rule_of_thumb(psi: float) -> str:
    """What the usual thresholds say of a PSI, whatever the number of patients."""
    return "little" if psi < TOLERATED else "moderate" if psi < MUCH else "large"
