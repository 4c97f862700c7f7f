"""How good a list of forecasts was: one number each, and the curves behind them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from msgspec.structs import asdict
from numpy.typing import ArrayLike
from scipy.special import expit
from sklearn.metrics import average_precision_score, roc_auc_score, roc_curve

from sonmf.triage.classifier import logistic_line
from sonmf.triage.records import Bin, Figures, Subgroup
from sonmf.types import Array

BINS = 10
FALSE_ALARMS = np.linspace(0, 1, 101)
BIN_EDGES = np.linspace(0, 1, 21)


def figures(log_odds: Array, y: Array) -> Figures:
    """Accuracy, AUROC, AUPRC, log loss, Brier score and calibration slope with its error; NaN where one class is missing."""
    both = 0 < y.sum() < len(y)
    slope, error = calibration_slope(log_odds, y) if both else (float("nan"), float("nan"))
    return Figures(**_without_slope(log_odds, y), calibration_slope=slope, calibration_slope_error=error)


def _without_slope(log_odds: Array, y: Array) -> dict[str, float]:
    p = probability(log_odds)
    both = 0 < y.sum() < len(y)
    return {
        "accuracy": float(np.mean((p > 0.5) == (y > 0.5))),
        "auroc": float(roc_auc_score(y, log_odds)) if both else float("nan"),
        "auprc": float(average_precision_score(y, log_odds)) if both else float("nan"),
        "log_loss": float(np.mean(np.logaddexp(0, log_odds) - y * log_odds)),
        "brier": float(np.mean((p - y) ** 2)),
    }


def bootstrap(log_odds: Array, y: Array, seed: int, draws: int = 200) -> dict[str, list[float]]:
    """Figures of patients drawn again with replacement, by name; those drawn without both outcomes are drawn again."""
    random = np.random.default_rng(seed)
    rows: list[dict[str, float]] = []
    while len(rows) < draws:
        drawn = random.integers(0, len(y), len(y))
        if 0 < y[drawn].sum() < len(y):
            rows.append(_without_slope(log_odds[drawn], y[drawn]))
    return {name: [row[name] for row in rows] for name in rows[0]}


def calibration_slope(log_odds: Array, y: Array) -> tuple[float, float]:
    """The slope of the outcome on the log-odds in a logistic regression, 1 if 30% means 30%, and its standard error."""
    slope, offset = logistic_line(log_odds, y)
    information = slope_information(log_odds, probability(slope * log_odds + offset))
    return slope, information**-0.5 if information > 0 else float("nan")


def slope_information(log_odds: Array, p: Array) -> float:
    """Fisher information about a slope on the log-odds where the intercept is not known either."""
    weight = p * (1 - p)
    return float(weight @ (log_odds - np.average(log_odds, weights=weight)) ** 2) if weight.any() else 0.0


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


def sums_in_bins(p: Array, y: Array) -> list[list[float]]:
    """Patients, sum of forecasts, sum of admissions in bins of equal width, which add up over folds."""
    place = np.clip(np.digitize(p, BIN_EDGES) - 1, 0, len(BIN_EDGES) - 2)
    size = len(BIN_EDGES) - 1
    columns = [np.bincount(place, weights, size) for weights in (np.ones(len(p)), p, y)]
    return np.column_stack(columns).round(6).tolist()  # type: ignore[no-any-return]


def subgroups(log_odds: Array, y: Array, columns: Mapping[str, Array], smallest: int = 20) -> list[Subgroup]:
    """Figures for each value of each column; groups under ``smallest`` are left out: their patients could be re-identified."""
    rows = []
    for column, values in columns.items():
        values = np.asarray([str(value) for value in values], object)
        for value in sorted(set(values)):
            member = values == value
            if member.sum() >= smallest:
                odds, outcome = log_odds[member], y[member]
                rates = {"admitted": float(outcome.mean()), "forecast": float(probability(odds).mean())}
                judged = asdict(figures(odds, outcome))
                rows.append(Subgroup(column=column, value=value, n=int(member.sum()), **rates, **judged))
    return rows
