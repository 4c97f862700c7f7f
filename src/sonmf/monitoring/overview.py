"""A model over time, as plain data: the one object behind the terminal and the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sonmf.monitoring.alarm_limits import WORDS, Budget, widening
from sonmf.monitoring.figures import Figure
from sonmf.monitoring.history import Period
from sonmf.monitoring.verdict import LOOK, RECALIBRATE, REFIT, Verdict, verdict
from sonmf.triage.inputs import POOLED
from sonmf.triage.lineage import learned_from
from sonmf.triage.model import TriageModel


class Overview(NamedTuple):
    """A model over time."""

    verdicts: list[Verdict]
    """The verdict on all patients, then one on each complaint."""
    budget: Budget
    files: str
    """The model and the latest patients, as a person names them."""
    written: str
    others: int
    """Lines of the history about other models."""

    @property
    def every(self) -> str:
        """How long a period is: month or week."""
        return self.budget.calendar.every

    @property
    def alarm(self) -> bool:
        """Whether any complaint has an alarm."""
        return any(verdict.alarm for verdict in self.verdicts)

    @property
    def headline(self) -> str:
        """The verdict in a sentence."""
        if self.alarm:
            worst = next(verdict for verdict in self.verdicts if verdict.alarm)
            name = worst.title if worst.complaint else worst.title.lower()
            return f"Alarm, {name}: {worst.findings[0].sentence}. {self.remedies[0]}."
        everyone = self.verdicts[0]
        judged = any(drift.kind == WORDS for period in everyone.periods for drift in period.drift)
        within = "every figure is within its limits" if judged else "every figure is within its limits; drift was not judged"
        return f"All well: {everyone.well}; {within}."

    @property
    def remedies(self) -> list[str]:
        """What to do, a sentence each."""
        findings = [finding for verdict in self.verdicts for finding in verdict.findings]
        needed = {finding.remedy for finding in findings}
        remedies = []
        if update := next((remedy for remedy in (REFIT, RECALIBRATE) if remedy in needed), ""):
            how = " --how refit" if update == REFIT else ""
            since = {finding.since for finding in findings if finding.remedy == update}
            remedies.append(f"{update}: sonmf update {self.files}{how} -o NEW_MODEL")
            if min(verdict.periods[0].period for verdict in self.verdicts if verdict.periods) < (last := max(since)):
                change = "the change" if len(since) == 1 else "the last change"
                remedies[0] += f". Give it a file with only the patients since {self.named(last)}, when {change} began"
        return remedies + ([LOOK] if LOOK in needed else [])

    def named(self, period: str) -> str:
        """A period as people say it."""
        return self.budget.calendar.in_words(period)

    def beyond(self, period: Period, figure: Figure) -> bool:
        """Whether a figure of one period is beyond its limits by itself."""
        fitted = next(verdict.fitted for verdict in self.verdicts if verdict.complaint == period.complaint)
        reach = self.budget.limit(figure.name, period.complaint) * widening(period.judged, fitted)
        return abs(figure.score) > reach


def make_overview(
    model: TriageModel, periods: Sequence[Period], budget: Budget, files: str, written: str, others: int = 0
) -> Overview:
    """A verdict on each complaint, and over all, from the history of a model: its periods, in the order of time."""
    verdicts = []
    for name in [POOLED, *sorted(model.models_)]:
        if of_complaint := [period for period in periods if period.complaint == name]:
            verdicts.append(verdict(of_complaint, budget, learned_from(model, name), model.by_name_[name].names))
    return Overview(verdicts, budget, files, written, others)
