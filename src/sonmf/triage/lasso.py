"""min over w, b of mean(log(1 + e^m) - y m) + lambda ||w||_1, m = Zw + b: the whole path in lambda.

Features are standardised within each fold, the folds share one grid of lambdas, and every solution is judged by its duality
gap: with q in [0, 1], sum(q - y) = 0 and |Z'(q - y)| <= n lambda, the mean entropy of q bounds the minimum from below.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from sklearn.model_selection import StratifiedKFold

from sonmf.threads import Array
from sonmf.triage import coordinate_descent

LAMBDAS = 100
SMALLEST = 1e-3  # of the largest, as glmnet's
PIECE = 10  # lambdas solved between two looks at the held-out loss
PATIENCE = 10  # lambdas past the best one before the path ends


class Path(NamedTuple):
    """Solutions for falling lambdas on the scale of the features given, and what the folds say about each."""

    lambdas: Array
    intercepts: Array
    coefficients: Array
    loss: Array
    """Mean held-out log loss over the folds."""
    loss_error: Array
    """Its standard error."""
    held_out: Array
    """For each document and lambda, the log-odds from the fold that did not see it."""
    gap: float
    """Largest duality gap of the path."""

    def choose(self, rule: str) -> int:
        """``"min"``: the smallest held-out loss; ``"1se"``: the largest lambda within one standard error of it."""
        best = int(np.argmin(self.loss))
        if rule == "min":
            return best
        return int(np.flatnonzero(self.loss <= self.loss[best] + self.loss_error[best])[0])


class Scaled(NamedTuple):
    """Features with unit variance (and mean 0 where they are dense), with the numbers that undo it."""

    Z: Any
    centre: Array
    scale: Array

    def undo(self, intercepts: Array, coefficients: Array) -> tuple[Array, Array]:
        """The same solutions for the features as they were."""
        w = coefficients / self.scale
        return intercepts - w @ self.centre, w


def fit_path(features: Any, y: Array, *, folds: int = 5, random_state: int = 0) -> Path:
    """The path on all documents and, in step with it, on each fold; it ends soon after the held-out loss has turned."""
    splits = list(StratifiedKFold(folds, shuffle=True, random_state=random_state).split(y, y))
    whole = standardised(features)
    parts = [standardised(features[train]) for train, _ in splits]
    grid = largest_lambda(whole.Z, y) * np.geomspace(1, SMALLEST, LAMBDAS)
    walkers = [_Walker(whole, y), *(_Walker(part, y[train]) for part, (train, _) in zip(parts, splits, strict=True))]
    held_out = np.empty((len(y), 0))
    losses = np.empty((folds, 0))
    for piece in np.array_split(grid, LAMBDAS // PIECE):
        for walker in walkers:
            walker.walk(piece)
        scores = np.empty((len(y), len(piece)))
        for walker, (_, test) in zip(walkers[1:], splits, strict=True):
            scores[test] = walker.score(features[test], len(piece))
        held_out = np.hstack([held_out, scores])
        losses = np.hstack([losses, [log_losses(scores[test], y[test]) for _, test in splits]])
        if losses.mean(axis=0).argmin() < losses.shape[1] - PATIENCE:
            break
    lambdas = grid[: losses.shape[1]]
    intercepts, coefficients = whole.undo(*walkers[0].path())
    gap = max(duality_gap(whole.Z, y, w, b, at) for b, w, at in zip(*walkers[0].path(), lambdas, strict=True))
    error = losses.std(axis=0, ddof=1) / np.sqrt(folds)
    return Path(lambdas, intercepts, coefficients, losses.mean(axis=0), error, held_out, gap)


class _Walker:
    """One path, solved piece by piece from where the last piece ended."""

    def __init__(self, scaled: Scaled, y: Array) -> None:
        self.scaled, self.y = scaled, y
        self.intercepts: list[Array] = []
        self.coefficients: list[Array] = []

    def walk(self, lambdas: Array) -> None:
        start = np.append(self.intercepts[-1][-1], self.coefficients[-1][-1]) if self.intercepts else None
        intercepts, coefficients = coordinate_descent.path(self.scaled.Z, self.y, lambdas, start)
        self.intercepts.append(intercepts)
        self.coefficients.append(coefficients)

    def path(self) -> tuple[Array, Array]:
        return np.concatenate(self.intercepts), np.concatenate(self.coefficients)

    def score(self, features: Any, last: int) -> Array:
        intercepts, w = self.scaled.undo(*(values[-last:] for values in self.path()))
        return np.asarray(features @ w.T + intercepts)


def standardised(features: Any) -> Scaled:
    """A constant feature stays 0 and can have no effect; sparse ones are scaled but not centred."""
    mean = np.asarray(features.mean(axis=0)).ravel()
    if scipy.sparse.issparse(features):
        square = np.asarray(features.multiply(features).mean(axis=0)).ravel()
        scale = without_zeros(np.sqrt(np.maximum(square - mean**2, 0)))
        return Scaled(scipy.sparse.csr_array(features.multiply(1 / scale)), np.zeros(len(scale)), scale)
    scale = without_zeros(features.std(axis=0))
    return Scaled((features - mean) / scale, mean, scale)


def without_zeros(scale: Array) -> Array:
    """Infinity in place of zero, so that a constant feature has no effect."""
    return np.where(scale > 1e-12 * max(scale.max(initial=0), 1e-300), scale, np.inf)


def largest_lambda(Z: Any, y: Array) -> float:
    """The smallest lambda at which no feature is used."""
    return max(float(np.abs(Z.T @ (y - y.mean())).max()) / len(y), 1e-12)


def log_losses(log_odds: Array, y: Array) -> Array:
    """Mean log loss of each column."""
    return np.asarray((np.logaddexp(0, log_odds) - y[:, None] * log_odds).mean(axis=0))


def duality_gap(Z: Any, y: Array, w: Array, b: float, at: float) -> float:
    """How far the objective at (w, b) is above its minimum, at most."""
    m = np.asarray(Z @ w + b)
    primal = float(np.mean(np.logaddexp(0, m) - y * m) + at * np.abs(w).sum())
    r = y - 1 / (1 + np.exp(-m))
    above, below = r[r > 0].sum(), -r[r < 0].sum()
    r *= np.where(r > 0, min(above, below) / above, min(above, below) / below)  # now it sums to zero
    r *= min(1.0, at * len(y) / max(float(np.abs(Z.T @ r).max()), 1e-300))
    q = np.clip(np.abs(r), 1e-300, 1 - 1e-16)  # |y - q| has the entropy of q
    return primal + float(np.mean(q * np.log(q) + (1 - q) * np.log1p(-q)))
