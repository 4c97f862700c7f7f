"""The figures of one period, each beside its expected value if every forecast is right: y_i = 1 with probability p_i.

If other patients come, the expected values change too. So only what the model says about these patients is judged.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from scipy.special import ndtr, ndtri
from sklearn.metrics import roc_auc_score

from sonmf.monitoring.alarm_limits import AUROC, BRIER, CALIBRATION, SLOPE
from sonmf.triage import measures
from sonmf.triage.admission_count import distribution
from sonmf.triage.classifier import varies
from sonmf.triage.inputs import FEWEST
from sonmf.triage.recalibration import intercept_for
from sonmf.triage.strict_json import NumberOrNaN
from sonmf.types import Array

EXACT = 1e-12  # tails of a distribution that are known to several digits


class Figure(Struct, frozen=True):
    """A measure of one period.

    Examples
    --------
    >>> from sonmf.monitoring import Figure
    >>> Figure(
    ...     "auroc", value=0.71, expected=0.78, error=0.02, score=-3.5, low=0.70, high=0.86
    ... ).score
    -3.5
    """

    name: str
    value: NumberOrNaN
    expected: NumberOrNaN
    """The value to expect if every forecast were right."""
    error: NumberOrNaN
    """The standard deviation of the value if every forecast were right."""
    score: NumberOrNaN
    """How far the value is from the expected one, as a standard normal variable would be."""
    low: NumberOrNaN
    """The lower limit of one period alone."""
    high: NumberOrNaN
    """The upper limit of one period alone."""


def figures_of(log_odds: Array, y: Array, limits: dict[str, float], widening: float = 1.0) -> list[Figure]:
    """Calibration in the large, and with ten patients of either outcome calibration slope, AUROC and Brier score.

    Parameters
    ----------
    log_odds : ndarray of shape (n_patients,)
        Forecasts.
    y : ndarray of shape (n_patients,)
        1 for an admitted patient, else 0.
    limits : dict of str to float
        For each measure, standard deviations that it may be off.
    widening : float, default=1
        Factor of the limits, for what the model does not know about itself.

    Returns
    -------
    list of Figure

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.monitoring import figures_of
    >>> random = np.random.default_rng(3)
    >>> odds = random.normal(-1, 1, 500)
    >>> y = (random.random(500) < 1 / (1 + np.exp(-odds))).astype(float)
    >>> for figure in figures_of(
    ...     odds, y, dict.fromkeys(["calibration", "slope", "auroc", "brier"], 3.5)
    ... ):
    ...     print(
    ...         figure.name,
    ...         round(figure.value, 3),
    ...         "expected",
    ...         round(figure.expected, 3),
    ...         "score",
    ...         round(figure.score, 1),
    ...     )
    calibration 0.001 expected 0.0 score 0.0
    slope 0.95 expected 1.0 score -0.4
    auroc 0.737 expected 0.739 score -0.1
    brier 0.184 expected 0.182 score 0.4
    """
    p = measures.probability(log_odds)
    figures = [calibration(p, y, limits[CALIBRATION], widening)]
    if min(y.sum(), len(y) - y.sum()) >= FEWEST and varies(log_odds):
        figures += [
            _slope(log_odds, p, y, limits[SLOPE] * widening),
            _figure(AUROC, *_auroc(log_odds, p, y), limits[AUROC] * widening),
            _figure(BRIER, *_brier(p, y), limits[BRIER] * widening),
        ]
    return figures


def calibration(p: Array, y: Array, limit: float, widening: float) -> Figure:
    """(observed - expected) / patients, from the exact Poisson-binomial distribution of the number admitted."""
    n, observed, expected, error = len(p), int(y.sum()), float(p.sum()), float(np.sqrt(p @ (1 - p)))
    mass = distribution(p)
    upto = np.cumsum(mass)
    middle = float(upto[observed] - mass[observed] / 2)  # half of the probability of what came (Lancaster's mid-P)
    exact = EXACT < middle < 1 - EXACT
    score = float(ndtri(middle)) if exact else (observed - expected) / max(error, EXACT)
    ends = np.minimum(np.searchsorted(upto, [ndtr(-limit), ndtr(limit)]), n)
    low, high = (expected + widening * (float(end) - expected) for end in ends)
    return Figure(
        CALIBRATION,
        (observed - expected) / n,
        0.0,
        error / n,
        score,
        (max(low, 0.0) - expected) / n,
        (min(high, n) - expected) / n,
    )


def _figure(name: str, value: float, expected: float, error: float, reach: float) -> Figure:
    score = (value - expected) / max(error, EXACT)
    return Figure(name, value, expected, error, score, expected - reach * error, expected + reach * error)


def _slope(log_odds: Array, p: Array, y: Array, reach: float) -> Figure:
    """The slope of the outcome on the log-odds (Cox 1958), with its error if the forecasts are right.

    Its score is that of Rao's test of a slope of 1 with any offset, because the estimate itself is skewed with few patients.
    The estimate is beyond its limits exactly when the score is.
    """
    value, error = measures.calibration_slope(log_odds, y)[0], measures.slope_information(log_odds, p) ** -0.5
    right = measures.probability(log_odds + intercept_for(log_odds, y))
    score = float((y - right) @ log_odds) * measures.slope_information(log_odds, right) ** -0.5
    unit = abs(value - 1) / abs(score) if abs(score) > 1 else error
    return Figure(SLOPE, value, 1.0, error, score, 1 - reach * unit, 1 + reach * unit)


def _brier(p: Array, y: Array) -> tuple[float, float, float]:
    """Mean (p - y)^2, with Spiegelhalter's moments (1986)."""
    variance = float(((1 - 2 * p) ** 2) @ (p * (1 - p)))
    return float(np.mean((p - y) ** 2)), float(np.mean(p * (1 - p))), variance**0.5 / len(p)


def _auroc(log_odds: Array, p: Array, y: Array) -> tuple[float, float, float]:
    """The AUROC, and its expected value if the forecasts are right (van Klaveren et al. 2016), with error by the delta method.

    A = N / D with N = sum over pairs of p_i (1 - p_j) [odds_i > odds_j], ties by half, and D the same over all pairs.
    """
    order, place = np.unique(log_odds, return_inverse=True)
    admitted, others = (np.bincount(place, weights, len(order)) for weights in (p, 1 - p))
    below = (np.cumsum(others) - others / 2)[place] - (1 - p) / 2  # the others under each patient, without itself
    above = (admitted.sum() - np.cumsum(admitted) + admitted / 2)[place] - p / 2
    pairs = float(p.sum() * (1 - p).sum() - p @ (1 - p))
    expected = float(p @ below) / pairs
    slopes = below - above - expected * ((1 - p).sum() - (1 - p) - (p.sum() - p))
    return float(roc_auc_score(y, log_odds)), expected, float(np.sqrt(slopes**2 @ (p * (1 - p)))) / pairs
