"""What the periods say together, in plain words: all well, or what has changed since when, and what to do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sonmf.monitoring import alarm_limits
from sonmf.monitoring.alarm_limits import Budget, widening
from sonmf.monitoring.calendar import Calendar
from sonmf.monitoring.figures import Figure
from sonmf.monitoring.history import Period
from sonmf.triage.model_report import title

RECALIBRATE, REFIT = "Recalibrate the model", "Refit the model"
LOOK = "Find out why the patients or their notes have changed; the page shows what has moved"


class Finding(NamedTuple):
    """One reason for an alarm.

    Examples
    --------
    >>> from sonmf.monitoring import Finding
    >>> Finding("calibration", "2024-03", "forecasts run 6.0 points low since March 2024", "Recalibrate the model").since
    '2024-03'
    """

    measure: str
    since: str
    """The first of the periods that it is about."""
    sentence: str
    remedy: str


class Verdict(NamedTuple):
    """The verdict on one complaint, or on all patients.

    Examples
    --------
    >>> from sonmf.monitoring import Verdict
    >>> Verdict("Cough", [], [], "97 of 498 patients admitted in January 2024 where 97.4 were expected", 1200, []).gist
    'Well: 97 of 498 patients admitted in January 2024 where 97.4 were expected'
    """

    complaint: str
    """The name of the complaint; empty for all patients."""
    periods: Sequence[Period]
    findings: list[Finding]
    well: str
    """The sentence for a complaint where nothing has changed."""
    fitted: int
    """Patients that its model was fitted to, or recalibrated to."""
    topic_names: Sequence[str]

    @property
    def title(self) -> str:
        """What to call the complaint, or all patients, in a heading."""
        return title(self.complaint)

    @property
    def alarm(self) -> bool:
        """Whether anything has changed."""
        return bool(self.findings)

    @property
    def gist(self) -> str:
        """The verdict in a line."""
        if not self.alarm:
            return f"Well: {self.well}"
        more = len(self.findings) - 1
        return f"Alarm: {self.findings[0].sentence}" + (f"; and {more} more" if more else "")


def verdict(periods: Sequence[Period], budget: Budget, fitted: int, topic_names: Sequence[str] = ()) -> Verdict:
    """Whether the last periods of one complaint are beyond their limits.

    Parameters
    ----------
    periods : sequence of Period
        The periods of one complaint, in the order of time; at least one.
    budget : Budget
    fitted : int
        Patients that the model was fitted to.
    topic_names : sequence of str, optional
        What to call each topic.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.monitoring import Budget, Calendar, Period, figures_of, verdict
    >>> budget, random = Budget(Calendar("month"), complaints=0), np.random.default_rng(0)
    >>> limits = {name: budget.limit(name, "") for name in ["calibration", "slope", "auroc", "brier"]}
    >>> periods = []
    >>> for month, shift in (("2024-01", 0.0), ("2024-02", 0.06), ("2024-03", 0.06)):
    ...     odds = random.normal(-1, 1, 500)
    ...     p = 1 / (1 + np.exp(-odds))
    ...     y = (random.random(500) < p + shift).astype(float)
    ...     figures = figures_of(odds, y, limits)
    ...     periods.append(Period("", "month", month, "", 500, 500, int(y.sum()), float(p.sum()), figures, []))
    >>> [finding.sentence for finding in verdict(periods, budget, 10_000).findings]
    ['forecasts run 7.4 points low since February 2024: 380 admitted where 306.3 were expected']
    """
    findings = [finding for name in alarm_limits.OUTCOMES if (finding := _of_outcomes(periods, name, budget, fitted))]
    for period in [period for period in periods if period.drift][-1:]:
        findings += [
            finding for kind in alarm_limits.DRIFTS if (finding := _of_drift(period, kind, budget.calendar, topic_names))
        ]
    return Verdict(periods[0].complaint, periods, findings, _well(periods, budget.calendar), fitted, topic_names)


def _of_outcomes(periods: Sequence[Period], name: str, budget: Budget, fitted: int) -> Finding | None:
    """The mean deviation of the last periods, each weighted by its precision, over its error: for each window that ends now."""
    known = [(period, figure) for period in periods if (figure := period.figure(name)) is not None and figure.error > 0]
    if not known:
        return None
    newest_first = [(figure.error, figure.score, period.judged) for period, figure in reversed(known)]
    errors, scores, patients = np.array(newest_first, float).T
    off = np.cumsum(scores / errors) / np.sqrt(np.cumsum(1 / errors**2))
    wide = np.array([widening(n, fitted) for n in np.cumsum(patients)])
    windows = budget.calendar.windows
    deviations = (off / wide)[: windows[-1]]
    looked = deviations[[length - 1 for length in windows if length <= len(deviations)]]
    farthest = looked[np.argmax(np.abs(looked))]
    if abs(farthest) <= budget.limit(name, periods[0].complaint):
        return None
    window = known[-1 - int(np.argmax(np.abs(deviations))) :]  # the change is most likely to have begun there
    since = window[0][0].period
    when = f"{'in' if len(window) == 1 else 'since'} {budget.calendar.in_words(since)}"
    return Finding(name, since, *_in_words(name, farthest > 0, window, when))


def _in_words(name: str, more: bool, window: Sequence[tuple[Period, Figure]], when: str) -> tuple[str, str]:
    """What has changed as a sentence, and what to do."""
    if name == alarm_limits.CALIBRATION:
        admitted, expected, n = (
            sum(getattr(period, field) for period, _ in window) for field in ("admitted", "expected", "judged")
        )
        points = 100 * abs(admitted - expected) / n
        counts = f"{admitted:,} admitted where {expected:,.1f} were expected"
        return f"forecasts run {points:.1f} points {'low' if more else 'high'} {when}: {counts}", RECALIBRATE
    weights = np.array([1 / figure.error**2 for _, figure in window])
    value, expected = (
        float(np.average([getattr(figure, field) for _, figure in window], weights=weights)) for field in ("value", "expected")
    )
    if name == alarm_limits.SLOPE:
        how = "too timid" if more else "too extreme"
        return f"forecasts are {how} {when}: calibration slope {value:.2f} where 1 is right", RECALIBRATE
    sides = {
        alarm_limits.AUROC: ("patients are ranked", "AUROC", more),
        alarm_limits.BRIER: ("outcomes fit", "Brier score", not more),
    }
    what, measure, better = sides[name]
    how, remedy = ("better than the forecasts claim", RECALIBRATE) if better else ("worse than the forecasts claim", REFIT)
    return f"{what} {how} {when}: {measure} {value:.3f} where {expected:.3f} was to be expected", remedy


def _of_drift(period: Period, kind: str, calendar: Calendar, topic_names: Sequence[str]) -> Finding | None:
    beyond = sorted((drift for drift in period.drift if drift.kind == kind and drift.alarm), key=lambda drift: -drift.value)
    if not beyond:
        return None
    most = beyond[0]
    name = topic_names[int(most.name)] if kind == alarm_limits.TOPICS and topic_names else most.name
    figure = f"(PSI {most.value:.2f}, limit {most.limit:.2f})"
    if kind == alarm_limits.WORDS:
        sentence = f"the model does not know {most.value:.1%} of the words, {most.reference:.1%} in the fit,"
    elif kind in (alarm_limits.FORECAST, alarm_limits.COMPLAINTS):
        sentence = f"the mix of {kind}s has moved {figure}"
    elif len(beyond) > 1:
        sentence = f"{len(beyond)} {kind}s have moved, most {name} {figure}"
    else:
        sentence = f"the {kind} {name} has moved {figure}"
    return Finding(kind, period.period, f"{sentence} in {calendar.in_words(period.period)}", LOOK)


def _well(periods: Sequence[Period], calendar: Calendar) -> str:
    judged = [period for period in periods if period.figures]
    if not judged:
        return "no outcome is known yet, or of too few patients"
    n, admitted, expected = (sum(getattr(period, field) for period in judged) for field in ("judged", "admitted", "expected"))
    first, last = calendar.in_words(judged[0].period), calendar.in_words(judged[-1].period)
    when = f"in {last}" if len(judged) == 1 else f"from {first} to {last}"
    return f"{admitted:,} of {n:,} patients admitted {when} where {expected:,.1f} were expected"
