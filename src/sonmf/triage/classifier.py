"""log-odds = intercept + features @ effects: an L1 logistic regression, calibrated by one sigmoid on out-of-fold scores.

Platt's sigmoid sigma(slope * score + offset) keeps the log-odds linear in the features, so that they can be explained exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from sonmf.triage import lasso
from sonmf.types import Array, Matrix


class Classifier(NamedTuple):
    """The calibrated classifier and how it was chosen."""

    intercept: float
    effects: Array
    slope: float
    offset: float
    rule: str
    chosen: int
    """Place of the chosen lambda on the path."""
    path: lasso.Path

    def log_odds(self, features: Matrix) -> Array:
        """The log-odds for new features."""
        return np.asarray(features @ self.effects + self.intercept)


def fit(features: Matrix, y: Array, rule: str = "min", folds: int | Array = lasso.FOLDS) -> Classifier:
    """Path, choice of lambda, sigmoid; ``folds`` as for ``lasso.fit_path``."""
    path = lasso.fit_path(features, y, folds=folds)
    chosen = path.choose(rule)
    scores = path.held_out[:, chosen]
    slope, offset = platt(scores, y)
    return Classifier(
        intercept=slope * float(path.intercepts[chosen]) + offset,
        effects=slope * path.coefficients[chosen],
        slope=slope,
        offset=offset,
        rule=rule,
        chosen=chosen,
        path=path,
    )


class HeldOut(NamedTuple):
    """Forecasts for the documents of each fold by a fit without it, and how well that fit did on the other folds."""

    odds: Array
    """Calibrated log-odds of each document from the fit that has not seen its fold."""
    losses: Array
    """The mean log loss of the fit without each fold, by cross-validation among the other folds."""
    fold: Array
    """The number of each document's fold."""


def held_out(features: Matrix, y: Array, known: Array, fitted: Classifier) -> HeldOut:
    """Forecasts by fits that have not seen the fold of a document: path, choice of lambda and sigmoid.

    A document that is not ``known`` has only the features of its columns: its intercept is the base rate of the other folds.
    """
    path = fitted.path
    within = lasso.scores_within(features, y, path)
    odds, losses = np.empty(len(y)), np.empty(len(within))
    for f, scores in enumerate(within):
        out, seen = path.fold == f, path.fold != f
        chosen = lasso.choose(*lasso.fold_losses(scores[seen], y[seen], path.fold[seen]), fitted.rule)
        slope, offset = platt(scores[seen, chosen], y[seen])
        losses[f] = _loss(slope * scores[seen, chosen] + offset, y[seen]) / seen.sum()
        at = chosen * lasso.EVERY
        odds[out] = slope * path.held_out[out, at] + offset
        odds[out & ~known] += base_log_odds(y[seen]) - (slope * path.held_out_intercepts[f, at] + offset)
    return HeldOut(odds, losses, path.fold)


def best_without_each_fold(tried: Sequence[HeldOut]) -> Array:
    """Log-odds of each document by the classifier that is best on the other folds: its own fold has no say.

    The smallest loss over all folds would look better than it is, because its own documents chose it.
    """
    best = np.argmin([of_fit.losses for of_fit in tried], axis=0)
    return np.asarray(np.choose(best[tried[0].fold], [of_fit.odds for of_fit in tried]))


def is_better(own: Array, other: Array, y: Array) -> bool:
    """Whether forecasts have a smaller log loss than others by more than one standard error of the paired difference.

    Without this margin chance decides too often, and choosing is then no better for new patients than not choosing.
    """
    gains = _losses(other, y) - _losses(own, y)
    return bool(gains.mean() > gains.std(ddof=1) / np.sqrt(len(gains)))


def better_without_each_fold(own: Array, other: Array, y: Array, fold: Array) -> Array:
    """Log-odds of each document by ``own`` if that is better on the other folds, else by ``other``."""
    odds = own.copy()
    for f in np.unique(fold):
        seen = fold != f
        if not is_better(own[seen], other[seen], y[seen]):
            odds[~seen] = other[~seen]
    return odds


def base_log_odds(y: Array) -> float:
    """The log-odds of the share of admissions."""
    return float(np.log(y.mean() / (1 - y.mean())))


def platt(scores: Array, y: Array) -> tuple[float, float]:
    """Slope and offset by maximum likelihood on Platt's smoothed targets; useless scores get slope 0 and the base rate."""
    positive = y.sum()
    target = np.where(y > 0, (positive + 1) / (positive + 2), 1 / (len(y) - positive + 2))
    slope, offset = logistic_line(scores, target)
    if not slope > 0:
        return 0.0, base_log_odds(y)
    return slope, offset


def varies(scores: Array) -> bool:
    """Whether scores differ by more than rounding, so that a slope on them can be told."""
    return bool(np.std(scores) > 1e-9)


def logistic_line(scores: Array, target: Array) -> tuple[float, float]:
    """The logistic regression of targets in [0, 1] on one score, by Newton's method with halved steps."""
    if not varies(scores):
        return 0.0, 0.0
    spread = float(scores.std())
    A = np.column_stack([(scores - scores.mean()) / spread, np.ones(len(scores))])
    w = np.zeros(2)
    for _ in range(100):
        m = A @ w
        p = expit(m)
        gradient = A.T @ (p - target)
        step = np.linalg.solve((A * (p * (1 - p) + 1e-12)[:, None]).T @ A, gradient)
        length = 1.0
        while _loss(A @ (w - length * step), target) > _loss(m, target) + 1e-12 and length > 1e-6:
            length /= 2
        w -= length * step
        if np.abs(gradient).max() < 1e-9 * len(scores):
            break
    return float(w[0] / spread), float(w[1] - w[0] * scores.mean() / spread)


def _losses(m: Array, target: Array) -> Array:
    return np.asarray(np.logaddexp(0, m) - target * m)


def _loss(m: Array, target: Array) -> float:
    return float(np.sum(_losses(m, target)))
