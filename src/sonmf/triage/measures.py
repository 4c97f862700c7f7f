"""How good a list of forecasts was: figures with their intervals, and the curves behind them.

A figure of n patients is nearly a mean of n terms, its influences, so that its standard error is sqrt(sum of influences^2), and
that of the difference of two figures on the same patients sqrt(sum of (difference of the influences)^2). For AUROC this is
DeLong, DeLong and Clarke-Pearson, "Comparing the areas under two or more correlated receiver operating characteristic curves",
Biometrics 44 (1988); for the calibration slope the sandwich estimator; for AUPRC the derivative by the weight of a patient. No
bootstrap is drawn, so that the answer takes no time and is the same each time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from msgspec.structs import asdict
from numpy.typing import ArrayLike
from scipy.special import expit
from scipy.stats import norm, rankdata
from sklearn.metrics import roc_curve

from sonmf.triage.classifier import logistic_line, varies
from sonmf.triage.columns import is_missing
from sonmf.triage.records import TITLES, Bin, Difference, Estimate, Figures, OutOfFold, Subgroup, Threshold
from sonmf.triage.subgroups import UNKNOWN, in_order
from sonmf.types import Array

BINS = 10
FALSE_ALARMS = np.linspace(0, 1, 101)
BIN_EDGES = np.linspace(0, 1, 21)
THRESHOLDS = [round(0.05 * step, 2) for step in range(1, 20)]
"""Forecasts from which on a ward may prepare for a patient."""
SHARES = ("accuracy", "auroc", "auprc")
"""The figures whose values lie between 0 and 1."""
TYPICAL = (0.1, 0.2, 0.5, 0.8)  # forecasts for which calibration is put into words
SMALLEST = 10  # patients of a group that is shown: those of a smaller one could be re-identified
FARTHEST = float(norm.ppf(0.975))  # standard errors on either side of a 95% interval
NAN = float("nan")
COMPARED = {
    **{name: TITLES[name] for name in ("auroc", "log_loss", "brier", "calibration_slope")},
    "calibration_in_the_large": "forecast - admitted",
}
"""The figures in which two models are compared, as people call them; the last is the mean forecast less the share admitted."""


class Statistic(NamedTuple):
    """A figure of some patients, and how much each of them moves it; the squares of these add up to its variance."""

    value: float
    influences: Array

    @property
    def error(self) -> float:
        """The standard error of the figure."""
        return float(np.sqrt(np.sum(self.influences**2)))

    def estimate(self) -> Estimate:
        """The figure with the interval that a mean has."""
        reach = FARTHEST * self.error
        return Estimate(self.value, self.error, self.value - reach, self.value + reach)

    def share(self, n: float) -> Estimate:
        """A figure from 0 to 1 with Wilson's interval, which stays there; ``n`` patients can move it."""
        spread, error = self.value * (1 - self.value), self.error
        size = spread / error**2 if error > 0 and spread > 0 else n
        shift = FARTHEST**2 / size if size > 0 else NAN
        centre = (self.value + shift / 2) / (1 + shift)
        reach = np.sqrt(shift * spread + shift**2 / 4) / (1 + shift)
        low, high = min(self.value, max(0.0, float(centre - reach))), max(self.value, min(1.0, float(centre + reach)))
        return Estimate(self.value, error, low, high)


def share_of(share: float, n: int) -> Estimate:
    """A share that was seen among ``n`` patients, with Wilson's interval."""
    return Statistic(share, np.array([np.sqrt(share * (1 - share) / n)])).share(n)


def weighted_sum(figures: Iterable[tuple[float, Array, Statistic]], patients: int) -> Statistic:
    """The sum of weight x figure, where each figure is about the patients in these places of all ``patients``."""
    value, influences = 0.0, np.zeros(patients)
    for weight, places, figure in figures:
        value += weight * figure.value
        influences[places] += weight * figure.influences
    return Statistic(value, influences)


def average(figures: Sequence[Statistic]) -> Statistic:
    """The mean of several figures of the same patients."""
    return Statistic(
        float(np.mean([figure.value for figure in figures])), np.mean([figure.influences for figure in figures], axis=0)
    )


def figures(log_odds: Array, y: Array) -> Figures:
    """Accuracy, AUROC, AUPRC, log loss, Brier score and calibration slope with its error; NaN where one class is missing."""
    of_all = with_influences(log_odds, y)
    both = 0 < y.sum() < len(y)
    error = calibration_slope(log_odds, y)[1] if both else NAN
    return Figures(
        accuracy=of_all["accuracy"].value,
        auroc=of_all["auroc"].value,
        auprc=of_all["auprc"].value,
        log_loss=of_all["log_loss"].value,
        brier=of_all["brier"].value,
        calibration_slope=of_all["calibration_slope"].value,
        calibration_slope_error=error,
    )


def out_of_fold(log_odds: Array, y: Array) -> OutOfFold:
    """The figures with their intervals, the ROC curve, and what thresholds cost."""
    estimates = {name: interval(name, figure, y) for name, figure in with_influences(log_odds, y).items() if name in TITLES}
    return OutOfFold(
        **asdict(figures(log_odds, y)),
        intervals={name: (estimate.low, estimate.high) for name, estimate in estimates.items()},
        roc=roc(log_odds, y),
        thresholds=thresholds(log_odds, y),
    )


def interval(name: str, figure: Statistic, y: Array) -> Estimate:
    """A figure by name with its interval; no more patients move a rank than those of the rarer outcome."""
    if name not in SHARES:
        return figure.estimate()
    return figure.share(len(y) if name == "accuracy" else fewer(y))


def fewer(y: Array) -> int:
    """The number of patients of the rarer outcome."""
    return min(int(y.sum()), len(y) - int(y.sum()))


def with_influences(log_odds: Array, y: Array) -> dict[str, Statistic]:
    """The figures of ``figures`` by name, and the mean forecast less the share admitted."""
    p = probability(log_odds)
    ranks = 0 < y.sum() < len(y)
    unknown = Statistic(NAN, np.full(len(y), NAN))
    return {
        "accuracy": mean((p > 0.5) == (y > 0.5)),
        "auroc": _area(log_odds, y) if ranks else unknown,
        "auprc": _precision(log_odds, y) if ranks else unknown,
        "log_loss": mean(losses(log_odds, y)),
        "brier": mean((p - y) ** 2),
        "calibration_slope": _slope(log_odds, y) if ranks else unknown,
        "calibration_in_the_large": mean(p - y),
    }


def differences(a: Array, b: Array, y: Array) -> list[Difference]:
    """The difference of every figure that is compared, from the log-odds of the same patients by either model."""
    of_a, of_b = with_influences(a, y), with_influences(b, y)
    return [difference(name, of_a[name], of_b[name], y) for name in COMPARED]


def difference(name: str, a: Statistic, b: Statistic, y: Array, complaint: str = "") -> Difference:
    """The difference of one figure of the same patients, b - a."""
    estimate = Statistic(b.value - a.value, b.influences - a.influences).estimate()
    return Difference(
        complaint=complaint,
        patients=len(y),
        admitted=int(y.sum()),
        name=name,
        a=a.value,
        b=b.value,
        difference=estimate.value,
        low=estimate.low,
        high=estimate.high,
    )


def losses(log_odds: Array, y: Array) -> Array:
    """The log loss of each patient."""
    return np.asarray(np.logaddexp(0, log_odds) - y * log_odds)


def mean(values: Array) -> Statistic:
    """The mean of a value of each patient."""
    n, centre = len(values), float(np.mean(values))
    return Statistic(centre, (values - centre) / np.sqrt(n * (n - 1)) if n > 1 else np.full(n, NAN))


def ratio(above: Array, below: Array) -> Statistic:
    """The sum of one value of the patients over the sum of another."""
    total = float(below.sum())
    if not total:
        return Statistic(NAN, np.full(len(below), NAN))
    value = float(above.sum()) / total
    return Statistic(value, (above - value * below) / total)


def _area(log_odds: Array, y: Array) -> Statistic:
    """The share of the patients of the other outcome that each is on the right side of: DeLong's placements."""
    yes = y > 0
    m, n = int(yes.sum()), int((~yes).sum())
    ranks, placed = rankdata(log_odds), np.empty(len(y))
    placed[yes] = (ranks[yes] - rankdata(log_odds[yes])) / n
    placed[~yes] = 1 - (ranks[~yes] - rankdata(log_odds[~yes])) / m
    area = float(placed[yes].mean())
    few = min(m, n) < 2  # no spread can be told from one patient
    return Statistic(area, np.full(len(y), NAN) if few else (placed - area) / np.sqrt(np.where(yes, m * (m - 1), n * (n - 1))))


def _precision(log_odds: Array, y: Array) -> Statistic:
    """The mean, over the admitted, of the share admitted among those who are forecast at least as much."""
    values, place = np.unique(-log_odds, return_inverse=True)
    yes, all_at = np.bincount(place, y, len(values)), np.bincount(place, minlength=len(values))
    above, ahead = np.cumsum(yes), np.cumsum(all_at)
    admitted = above[-1]
    value = float(yes @ (above / ahead) / admitted)
    gain, loss = (np.cumsum((yes * part / ahead**2)[::-1])[::-1] for part in (ahead - above, above))
    influences = np.where(y > 0, (above / ahead)[place] - value + gain[place], -loss[place]) / admitted
    return Statistic(value, influences)


def _slope(log_odds: Array, y: Array) -> Statistic:
    """The slope of the outcome on the log-odds; NaN where they are all the same."""
    slope, offset = logistic_line(log_odds, y)
    p = probability(slope * log_odds + offset)
    weight = p * (1 - p)
    centred = log_odds - np.average(log_odds, weights=weight) if weight.any() else np.zeros(len(y))
    information = float(weight @ centred**2)
    if not (varies(log_odds) and information > 0):
        return Statistic(NAN, np.full(len(y), NAN))
    return Statistic(slope, centred * (y - p) / information)


def calibration_slope(log_odds: Array, y: Array) -> tuple[float, float]:
    """The slope of the outcome on the log-odds in a logistic regression, 1 if 30% means 30%, and its standard error."""
    slope, offset = logistic_line(log_odds, y)
    information = slope_information(log_odds, probability(slope * log_odds + offset))
    return slope, information**-0.5 if information > 0 else NAN


def slope_information(log_odds: Array, p: Array) -> float:
    """Fisher information about a slope on the log-odds where the intercept is not known either; 0 where they are all alike."""
    weight = p * (1 - p)
    if not (varies(log_odds) and weight.any()):
        return 0.0
    return float(weight @ (log_odds - np.average(log_odds, weights=weight)) ** 2)


def probability(log_odds: ArrayLike) -> Array:
    """sigma(log-odds)."""
    return np.asarray(expit(log_odds))


def roc(log_odds: Array, y: Array) -> list[float]:
    """Share of admitted patients found, at each share of false alarms in FALSE_ALARMS."""
    false, true, _ = roc_curve(y, log_odds)
    return [round(float(value), 5) for value in np.interp(FALSE_ALARMS, false, true)]


def reliability(p: Array, y: Array) -> list[Bin]:
    """Tenths of the patients by forecast: how many, the mean forecast, the share admitted."""
    order = np.argsort(p, kind="stable")
    return [Bin(len(part), float(p[part].mean()), float(y[part].mean())) for part in np.array_split(order, BINS) if len(part)]


def calibration_in_words(groups: Sequence[Bin]) -> list[str]:
    """Sentences on forecasts from low to high: of 100 patients with such a forecast, how many were admitted."""
    known = [group for group in groups if group.n >= SMALLEST]
    nearest = {min(known, key=lambda group: abs(group.forecast - typical)): None for typical in TYPICAL} if known else {}
    return [
        f"Of 100 patients with a forecast of {one.forecast:.0%}, {100 * one.admitted:.0f} were admitted." for one in nearest
    ]


def sums_in_bins(p: Array, y: Array) -> Array:
    """Patients, sum of forecasts, sum of admissions in bins of equal width, which add up over folds."""
    place = np.clip(np.digitize(p, BIN_EDGES) - 1, 0, len(BIN_EDGES) - 2)
    size = len(BIN_EDGES) - 1
    return np.column_stack([np.bincount(place, weights, size) for weights in (np.ones(len(p)), p, y)])


def subgroups(log_odds: Array, y: Array, columns: Mapping[str, Array]) -> list[Subgroup]:
    """Figures for each value of each column that has at least ``SMALLEST`` patients.

    The log-odds have a row for each time that all patients were forecast; figures are means over these.
    """
    rows = []
    for column, values in columns.items():
        named = np.asarray([UNKNOWN if is_missing(value) else str(value) for value in values], object)
        for value in in_order(set(named)):
            member = named == value
            if member.sum() >= SMALLEST:
                rows.append(_subgroup(column, value, np.atleast_2d(log_odds)[:, member], y[member]))
    return rows


def _subgroup(column: str, value: str, log_odds: Array, y: Array) -> Subgroup:
    n = len(y)
    times = [with_influences(odds, y) for odds in log_odds]
    auroc, loss, slope = (average([time[name] for time in times]) for name in ("auroc", "log_loss", "calibration_slope"))
    return Subgroup(
        column=column,
        value=value,
        n=n,
        admitted=mean(y).share(n),
        forecast=float(probability(log_odds).mean()),
        auroc=interval("auroc", auroc, y),
        log_loss=loss.estimate(),
        calibration_slope=slope.estimate(),
    )


def thresholds(log_odds: Array, y: Array) -> list[Threshold]:
    """What it costs to prepare for every patient who is forecast at least so much; the log-odds as for ``subgroups``."""
    return [_threshold(limit, probability(np.atleast_2d(log_odds)) >= limit, y) for limit in THRESHOLDS]


def _threshold(limit: float, flagged: Array, y: Array) -> Threshold:
    """Net benefit is that of Vickers and Elkin, "Decision curve analysis", Medical Decision Making 26 (2006)."""
    n, price = len(y), limit / (1 - limit)

    def over_times(figure: Array) -> Statistic:
        return average([mean(values) for values in figure])

    return Threshold(
        threshold=limit,
        flagged=over_times(flagged).share(n),
        missed=over_times(~flagged * y).share(n),
        in_vain=over_times(flagged * (1 - y)).share(n),
        sensitivity=average([ratio(row * y, y) for row in flagged]).share(y.sum()),
        ppv=average([ratio(row * y, row.astype(float)) for row in flagged]).share(flagged.sum() / len(flagged)),
        net_benefit=over_times(flagged * (y - price * (1 - y))).estimate(),
        prepare_for_all=float(np.mean(y - price * (1 - y))),
    )
