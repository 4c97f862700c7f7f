"""log-odds -> intercept + slope * log-odds: what new patients say of a forecast that was fitted to others.

How much of it to change is decided by a closed test, as in Vergouwe et al., "A closed testing procedure to select an
appropriate method for updating prediction models", Statistics in Medicine 36 (2017), doi:10.1002/sim.7179.
"""

from __future__ import annotations

from typing import Annotated, Self

import numpy as np
from msgspec import Meta, Struct
from scipy.optimize import brentq
from scipy.special import expit
from scipy.stats import chi2

from sonmf.triage.classifier import logistic_line
from sonmf.triage.columns import LARGEST
from sonmf.triage.lasso import FOLDS, fold_numbers
from sonmf.triage.strict_json import Bounded
from sonmf.types import Array

LEVEL = 0.05
"""The probability that a forecast which is right is changed."""
FARTHEST = 100.0  # the largest shift of log-odds that is tried
SAME = 1e-9  # spread of log-odds that tell no slope


class Line(Struct, frozen=True, forbid_unknown_fields=True):
    """What a recalibration does to log-odds; in a model file its slope is above 0."""

    intercept: Bounded
    slope: Annotated[float, Meta(gt=0, le=LARGEST)]

    def of(self, log_odds: Array | float) -> Array:
        """The log-odds after the recalibration."""
        return np.asarray(self.intercept + self.slope * log_odds)

    def after(self, first: Self) -> Line:
        """The line that does what ``first`` and then this one do."""
        return Line(self.intercept + self.slope * first.intercept, self.slope * first.slope)


UNCHANGED = Line(0.0, 1.0)


def closed_test(log_odds: Array, y: Array) -> Line:
    """No change, another intercept, or another intercept and slope: the smallest change that the outcomes do not reject.

    Two likelihood ratio tests: intercept and slope against no change (2 degrees of freedom), and if that is rejected, against
    the intercept alone (1). A forecast that is right is changed with probability ``LEVEL``, whichever of the two steps is
    taken. The model was not fitted to these patients, and both outcomes must occur. The slope is negative if the forecasts
    are the wrong way round.

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.triage.recalibration import closed_test
    >>> random = np.random.default_rng(0)
    >>> odds = random.normal(size=4000)
    >>> as_forecast, more = (
    ...     random.random(4000) < 1 / (1 + np.exp(-odds - shift)) for shift in (0, 1)
    ... )
    >>> closed_test(odds, as_forecast.astype(float))
    Line(intercept=0.0, slope=1.0)
    >>> found = closed_test(odds, more.astype(float))
    >>> round(found.intercept, 1), found.slope
    (1.0, 1.0)
    """
    shift = Line(intercept_for(log_odds, y), 1.0)
    flat = not np.std(log_odds) > SAME
    both = shift if flat else Line(*reversed(logistic_line(log_odds, y)))
    unchanged, shifted, both_changed = (_loss(line.of(log_odds), y) for line in (UNCHANGED, shift, both))
    if chi2.sf(2 * (unchanged - both_changed), 1 if flat else 2) > LEVEL:
        return UNCHANGED
    return shift if chi2.sf(2 * (shifted - both_changed), 1) > LEVEL else both


def held_out(log_odds: Array, y: Array, person: Array | None = None) -> Array:
    """Log-odds of each patient after a recalibration to the patients of the other folds: what it is worth to new ones."""
    after, fold = np.empty(len(y)), fold_numbers(y, person, FOLDS)
    for number in range(FOLDS):
        out = fold == number
        after[out] = closed_test(log_odds[~out], y[~out]).of(log_odds[out])
    return after


def intercept_for(log_odds: Array, y: Array) -> float:
    """The shift of the log-odds after which as many admissions are forecast as there were."""
    total = y.sum()
    return float(brentq(lambda shift: expit(log_odds + shift).sum() - total, -FARTHEST, FARTHEST, xtol=1e-13))


def _loss(log_odds: Array, y: Array) -> float:
    return float(np.sum(np.logaddexp(0, log_odds) - y * log_odds))
