"""A model over time, as plain data: the one object behind the terminal and the page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sonmf.monitoring.alarm_limits import Budget
from sonmf.monitoring.calendar import Calendar
from sonmf.monitoring.history import Period
from sonmf.monitoring.verdict import LOOK, RECALIBRATE, REFIT, Verdict, verdict
from sonmf.triage.inputs import POOLED
from sonmf.triage.lineage import learned_from
from sonmf.triage.model import TriageModel
from sonmf.triage.model_update import too_few_to_refit


class Overview(NamedTuple):
    """A model over time."""

    verdicts: list[Verdict]
    """The verdict on all patients, then one on each complaint."""
    budget: Budget
    remedies: list[str]
    """What to do about the alarms, a sentence each, without its full stop."""
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
    def well(self) -> bool:
        """Whether everything could be judged over all patients, and no figure of any complaint is outside its limits."""
        everyone, *complaints = self.verdicts
        return everyone.well and not any(verdict.alarm or verdict.outside for verdict in complaints)

    @property
    def headline(self) -> str:
        """The verdict in a sentence; what to do about it is in ``remedies``."""
        if self.alarm:
            worst = next(verdict for verdict in self.verdicts if verdict.alarm)
            name = worst.title if worst.complaint else worst.title.lower()
            return f"Alarm, {name}: {worst.findings[0].sentence}."
        everyone, *complaints = self.verdicts
        if self.well:
            return f"All well: {everyone.total}; every figure is within its limits."
        outside = [f"{verdict.title}: {verdict.outside}" for verdict in complaints if verdict.outside]
        within = "" if everyone.outside or outside else "every figure that could be judged is within its limits"
        clauses = [everyone.total, everyone.outside, *outside, within, everyone.not_judged]
        return f"No alarm: {'; '.join(filter(None, clauses))}."

    def named(self, period: str) -> str:
        """A period as people say it."""
        return self.budget.calendar.in_words(period)


def make_overview(
    model: TriageModel, periods: Sequence[Period], budget: Budget, files: str, written: str, others: int = 0
) -> Overview:
    """A verdict on all patients and on each complaint, from the history of a model: its periods, in order of time.

    ``files`` are the model and the latest patients as a person names them, and ``others`` counts lines about other models.
    """
    verdicts = []
    for name in [POOLED, *sorted(model.models_)]:
        if of_complaint := [period for period in periods if period.complaint == name]:
            verdicts.append(verdict(of_complaint, budget, learned_from(model, name), model.by_name_[name].direction_names))
    return Overview(verdicts, budget, remedies(verdicts, budget.calendar, files, model.min_notes), written, others)


def remedies(verdicts: Sequence[Verdict], calendar: Calendar, files: str, min_notes: int) -> list[str]:
    """What to do: recalibrate, or refit if a finding asks for it and the patients since the change are enough."""
    findings = [finding for verdict in verdicts for finding in verdict.findings]
    needed = {finding.remedy for finding in findings}
    sentences: list[str] = []
    if update := next((remedy for remedy in (REFIT, RECALIBRATE) if remedy in needed), ""):
        since = {finding.since for finding in findings if finding.remedy == update}
        last, everyone = max(since), verdicts[0].periods
        judged, admitted = (
            sum(getattr(period, field) for period in everyone if period.period >= last) for field in ("judged", "admitted")
        )
        too_few = too_few_to_refit(judged, admitted, min_notes) if update == REFIT else ""
        update, how = (REFIT, " --how refit") if update == REFIT and not too_few else (RECALIBRATE, "")
        sentences = [f"{update}: sonmf update {files}{how} -o NEW_MODEL"]
        if everyone[0].period < last:
            change = "the change" if len(since) == 1 else "the last change"
            sentences.append(f"Give it a file with only the patients since {calendar.in_words(last)}, when {change} began")
        if too_few:
            sentences.append(f"Do not refit yet: {too_few}")
    advice = [". ".join(sentences)] if sentences else []
    return advice + ([LOOK] if LOOK in needed else [])
