"""How far a figure may be off before it is an alarm: at most 5 in 100 years without a change have an alarm.

In a year many figures are looked at: each measure, of each complaint and of all patients, in each period, in windows of several
periods, and in all periods since the fit. They share the chance of 5% (Bonferroni's inequality, which holds however they depend
on each other). Three fifths go to the calibration over all patients, the measure that beds depend on most.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from scipy.special import ndtri

from sonmf.monitoring.calendar import Calendar

A_YEAR = 0.05
"""The chance of an alarm in a year in which nothing has changed."""
CALIBRATION, SLOPE, AUROC, BRIER = OUTCOMES = ("calibration", "slope", "auroc", "brier")
WORDS, FORECAST, TOPICS, COLUMNS, COMPLAINTS = DRIFTS = ("words", "forecast", "topic", "column", "complaint")


class Budget(NamedTuple):
    """The chance of a false alarm that each look at a figure may have.

    Examples
    --------
    >>> from sonmf.monitoring import Budget, Calendar
    >>> budget = Budget(Calendar("month"), complaints=7)
    >>> (
    ...     round(budget.limit("calibration", ""), 2),
    ...     round(budget.limit("calibration", "Cough"), 2),
    ... )
    (3.36, 4.69)
    >>> measures = [
    ...     "calibration",
    ...     "slope",
    ...     "auroc",
    ...     "brier",
    ...     "words",
    ...     "forecast",
    ...     "topic",
    ...     "column",
    ...     "complaint",
    ... ]
    >>> round(sum(budget.share(measure, "") for measure in measures), 6)
    0.04
    """

    calendar: Calendar
    complaints: int
    """Number of complaints that have a model of their own."""

    def share(self, measure: str, complaint: str) -> float:
        """A measure's part of the yearly chance: 3/5 for calibration over all patients, 1/5 for the rest, 1/5 by complaint."""
        if measure == CALIBRATION and not complaint:
            return A_YEAR * 3 / 5
        fifths = (1 if self.complaints else 2) if not complaint else 1 / self.complaints
        return A_YEAR * fifths / 5 / (len(OUTCOMES) + len(DRIFTS) - 1)

    def limit(self, measure: str, complaint: str) -> float:
        """How many standard deviations a figure of outcomes may be off, in either direction, in any window of any period."""
        return _limit(self.share(measure, complaint), self.calendar.a_year * (len(self.calendar.windows) + 1))

    def chance(self, measure: str, complaint: str, parts: int = 1) -> float:
        """The chance of a false alarm of one look at drift; each period looks at ``parts`` parts, such as topics."""
        return self.share(measure, complaint) / self.calendar.a_year / max(parts, 1)


@cache
def _limit(chance: float, looks: int) -> float:
    """The limit that chance alone exceeds in this share of years, if a figure is looked at so many times a year.

    Windows that end in the same period have patients in common, and so have those that end in the next one: the looks count as
    0.27 x limit - 0.375 times as many, at most, as simulation shows for limits from 3 to 4.5 standard deviations.
    """
    limit = 4.0
    for _ in range(20):
        counted = min(0.27 * limit - 0.375, 1.0) * looks
        limit = float(-ndtri(chance / counted / 2))
    return limit


def widening(patients: float, fitted: int) -> float:
    """sqrt(1 + patients / patients of the fit): the model is itself an estimate, no nearer to the truth than its data allow."""
    return float((1 + patients / fitted) ** 0.5)
