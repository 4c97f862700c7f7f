"""The verdict on all periods together, in plain words: all well, or what has changed, since when, and what to do.

It judges the last period, the last few together, the last year, and everything since the fit.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr
from scipy.stats import poisson

from sonmf.monitoring import alarm_limits
from sonmf.monitoring.alarm_limits import Budget, widening
from sonmf.monitoring.calendar import Calendar
from sonmf.monitoring.figures import Figure
from sonmf.monitoring.history import Period
from sonmf.triage.labels import label_of
from sonmf.triage.model_report import title
from sonmf.types import Array

RECALIBRATE, REFIT = "Recalibrate the model", "Refit the model"
CHANCE = 0.05
"""The probability of so many figures outside their limits below which they no longer count as chance."""
LOOK = "Find out why the patients or their notes have changed; the page shows what has moved"


class Finding(NamedTuple):
    """One reason for an alarm.

    Examples
    --------
    >>> from sonmf.monitoring import Finding
    >>> Finding(
    ...     "calibration",
    ...     "2024-03",
    ...     "forecasts run 6.0 points low since March 2024",
    ...     "Recalibrate the model",
    ... ).since
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
    >>> from sonmf.monitoring import Budget, Calendar, Figure, Period, Verdict
    >>> figures = [
    ...     Figure(name, 0.0, 0.0, 0.01, 0.1, -0.1, 0.1)
    ...     for name in ("calibration", "slope", "auroc", "brier")
    ... ]
    >>> january = Period(
    ...     "", "month", "2024-01", "Cough", 498, 498, 97, 97.4, figures, drift=[]
    ... )
    >>> Verdict("Cough", [january], [], Budget(Calendar("month"), 1), 1200, []).not_judged
    'not judged: drift of January 2024'
    """

    complaint: str
    """The name of the complaint; empty for all patients."""
    periods: Sequence[Period]
    findings: list[Finding]
    budget: Budget
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
    def well(self) -> bool:
        """Whether everything could be judged, and no figure of any period is outside its limits."""
        return not (self.alarm or self.outside or self.not_judged)

    @property
    def gist(self) -> str:
        """The verdict in a line."""
        if self.alarm:
            more = len(self.findings) - 1
            return f"Alarm: {self.findings[0].sentence}" + (f"; and {more} more" if more else "")
        return "; ".join(filter(None, [f"{'Well' if self.well else 'No alarm'}: {self.total}", self.outside, self.not_judged]))

    @property
    def total(self) -> str:
        """How many of all patients were admitted, and how many were expected with what limits, in a sentence."""
        line, calendar = self.cumulative(), self.budget.calendar
        if not line:
            return "no outcome is known yet, or too few are"
        n, admitted = (sum(getattr(period, field) for period, *_ in line) for field in ("judged", "admitted"))
        first, last = (calendar.in_words(line[place][0].period) for place in (0, -1))
        when = f"in {last}" if len(line) == 1 else f"from {first} to {last}"
        expected, reach = admitted - line[-1][1], line[-1][2]
        limits = f"limits {max(expected - reach, 0):,.0f} to {min(expected + reach, n):,.0f}"
        return f"{admitted:,} of {n:,} patients admitted {when} where {expected:,.1f} were expected ({limits})"

    @property
    def outside(self) -> str:
        """How many figures of single periods are outside their limits, and whether chance allows it; empty for none."""
        outcomes = [(period, figure) for period in self.periods for figure in period.figures]
        drifts = [(period, kind) for period in self.periods for kind in {drift.kind for drift in period.drift}]
        beyond = sum(self.beyond(period, figure) for period, figure in outcomes)
        beyond += sum(any(drift.alarm for drift in period.drift if drift.kind == kind) for period, kind in drifts)
        if not beyond:
            return ""
        by_chance = sum(2 * ndtr(-self.budget.limit(figure.name, self.complaint)) for _, figure in outcomes)
        by_chance += sum(self.budget.chance(kind, self.complaint) for _, kind in drifts)
        counts = f"{beyond:,} of {len(outcomes) + len(drifts):,} figures"
        if poisson.sf(beyond - 1, by_chance) >= CHANCE:
            return f"{counts} outside their limits, as chance allows"
        return f"{counts} outside their limits in earlier {self.budget.calendar.every}s, more than chance allows, and none now"

    @property
    def not_judged(self) -> str:
        """What could not be judged, in how many periods; empty if everything was."""
        without = {
            "outcomes": [period for period in self.periods if not period.figures],
            "slope, AUROC and Brier score": [period for period in self.periods if len(period.figures) == 1],
            "drift": [period for period in self.periods if not period.drift],
        }
        calendar = self.budget.calendar
        missing = [
            f"{what} of {calendar.in_words(periods[0].period) if len(periods) == 1 else f'{len(periods)} {calendar.every}s'}"
            for what, periods in without.items()
            if periods
        ]
        return f"not judged: {', '.join(missing)}" if missing else ""

    def beyond(self, period: Period, figure: Figure) -> bool:
        """Whether a figure of one period is beyond its limits by itself."""
        reach = self.budget.limit(figure.name, self.complaint) * widening(period.judged, self.fitted)
        return abs(figure.score) > reach

    def cumulative(self) -> list[tuple[Period, float, float]]:
        """Each period with the number admitted since the first one less the number expected, and how far that may be off."""
        known = _with_figure(self.periods, alarm_limits.CALIBRATION)
        limit, line = self.budget.limit(alarm_limits.CALIBRATION, self.complaint), []
        patients = off = variance = 0.0
        for (period, figure), deviation in zip(known, _off_together(known, self.fitted) if known else (), strict=True):
            patients, off = patients + period.judged, off + period.admitted - period.expected
            variance += (period.judged * figure.error) ** 2
            unit = abs(off / deviation) if abs(deviation) > 1 else variance**0.5 * widening(patients, self.fitted)
            line.append((period, off, limit * unit))
        return line


def verdict(periods: Sequence[Period], budget: Budget, fitted: int, topic_names: Sequence[str] = ()) -> Verdict:
    """Whether the last periods of one complaint, or all of them together, are beyond their limits.

    Parameters
    ----------
    periods : sequence of Period
        The periods of one complaint since the fit or the last update, in order of time; at least one.
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
    >>> limits = {
    ...     name: budget.limit(name, "")
    ...     for name in ["calibration", "slope", "auroc", "brier"]
    ... }
    >>> periods = []
    >>> for month, shift in (("2024-01", 0.0), ("2024-02", 0.06), ("2024-03", 0.06)):
    ...     odds = random.normal(-1, 1, 500)
    ...     p = 1 / (1 + np.exp(-odds))
    ...     y = (random.random(500) < p + shift).astype(float)
    ...     figures = figures_of(odds, y, limits)
    ...     periods.append(
    ...         Period(
    ...             "",
    ...             "month",
    ...             month,
    ...             "",
    ...             500,
    ...             500,
    ...             int(y.sum()),
    ...             float(p.sum()),
    ...             figures,
    ...             [],
    ...         )
    ...     )
    >>> [finding.sentence for finding in verdict(periods, budget, 10_000).findings]
    ['forecasts run 7.4 points low since February 2024: 380 admitted where 306.3 were expected']
    """
    findings = [finding for name in alarm_limits.OUTCOMES if (finding := _of_outcomes(periods, name, budget, fitted))]
    for period in [period for period in periods if period.drift][-1:]:
        findings += [
            finding for kind in alarm_limits.DRIFTS if (finding := _of_drift(period, kind, budget.calendar, topic_names))
        ]
    return Verdict(periods[0].complaint, periods, findings, budget, fitted, topic_names)


def _with_figure(periods: Sequence[Period], name: str) -> list[tuple[Period, Figure]]:
    return [(period, figure) for period in periods if (figure := period.figure(name)) is not None and figure.error > 0]


def _off_together(known: Sequence[tuple[Period, Figure]], fitted: int) -> Array:
    """How far the first, the first two, the first three ... of these periods are off together, in standard deviations.

    Numbers of admissions are added up, as people read them. Other figures are averaged, each weighted by its precision.
    """
    rows = [(figure.error, figure.score, period.judged, figure.name == alarm_limits.CALIBRATION) for period, figure in known]
    errors, scores, patients, counts = np.array(rows, float).T
    weights = np.where(counts, patients * errors, 1 / errors)
    off = np.cumsum(weights * scores) / np.sqrt(np.cumsum(weights**2))
    return np.asarray(off / [widening(n, fitted) for n in np.cumsum(patients)])


def _of_outcomes(periods: Sequence[Period], name: str, budget: Budget, fitted: int) -> Finding | None:
    """What each window of the last periods shows, and all of them together."""
    known = _with_figure(periods, name)
    if not known:
        return None
    deviations = _off_together(known[::-1], fitted)
    looked = deviations[[length - 1 for length in budget.calendar.windows if length < len(known)] + [-1]]
    farthest = looked[np.argmax(np.abs(looked))]
    if abs(farthest) <= budget.limit(name, periods[0].complaint):
        return None
    window = known[-1 - int(np.argmax(deviations * np.sign(farthest))) :]  # the change is most likely to have begun there
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
    return f"{what} {how} {when}: {measure} {value:.3f} where {expected:.3f} was expected", remedy


def _of_drift(period: Period, kind: str, calendar: Calendar, topic_names: Sequence[str]) -> Finding | None:
    beyond = sorted((drift for drift in period.drift if drift.kind == kind and drift.alarm), key=lambda drift: -drift.value)
    if not beyond:
        return None
    most = beyond[0]
    name = topic_names[int(most.name)] if kind == alarm_limits.TOPICS and topic_names else most.name
    name = label_of(name) if kind == alarm_limits.COLUMNS else name
    figure = f"(PSI {most.value:.2f}, limit {most.limit:.2f})"
    if kind == alarm_limits.WORDS:
        sentence = f"the model does not know {most.value:.1%} of the words ({most.reference:.1%} in the fit)"
    elif kind in (alarm_limits.FORECAST, alarm_limits.COMPLAINTS):
        sentence = f"the mix of {kind}s has moved {figure}"
    elif len(beyond) > 1:
        sentence = f"{len(beyond)} {kind}s have moved, most {name} {figure}"
    else:
        sentence = f"the {kind} {name} has moved {figure}"
    return Finding(kind, period.period, f"{sentence} in {calendar.in_words(period.period)}", LOOK)
