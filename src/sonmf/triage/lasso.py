"""min over w, b of mean(log(1 + e^m) - y m) + lambda ||w||_1, m = Zw + b: the whole path in lambda.

Features are standardised within each fold, the folds share one grid of lambdas, and every solution is judged by its duality
gap: with q in [0, 1], sum(q - y) = 0 and |Z'(q - y)| <= n lambda, the mean entropy of q bounds the minimum from below.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
import scipy.sparse
from scipy.special import expit
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold

from sonmf import threads
from sonmf.errors import InputError
from sonmf.triage import coordinate_descent
from sonmf.types import Array, Matrix

LAMBDAS = 100
SMALLEST = 1e-3  # of the largest; glmnet goes to 1e-4 where there are more patients than features, in longer steps
PIECE = 10  # lambdas solved between two looks at the held-out loss
PATIENCE = 10  # lambdas past the best one before the path ends
CONSTANT = 1e-12  # of the largest standard deviation: what varies less is constant
EVERY = 4  # of the lambdas is tried within each fold: neighbours forecast nearly alike
FOLDS = 5


class Path(NamedTuple):
    """Solutions for falling lambdas on the scale of the features given, and what the folds say about each."""

    lambdas: Array
    intercepts: Array
    coefficients: Array
    loss: Array
    """Mean held-out log loss over the folds."""
    loss_error: Array
    """The standard error of the mean held-out log loss."""
    fold: Array
    """The number of the fold that each document is in."""
    held_out: Array
    """The log-odds of each document for each lambda, from the path without its fold."""
    held_out_intercepts: Array
    """The log-odds of a document without features for each fold and lambda, from the path without the fold."""
    gap: float
    """Largest duality gap of the path."""

    def choose(self, rule: str) -> int:
        """Place of the lambda that the rule takes."""
        return choose(self.loss, self.loss_error, rule)


def choose(loss: Array, error: Array, rule: str) -> int:
    """``"min"``: the smallest held-out loss; ``"1se"``: the largest lambda within one standard error of it."""
    best = int(np.argmin(loss))
    return best if rule == "min" else int(np.flatnonzero(loss <= loss[best] + error[best])[0])


class Scaled(NamedTuple):
    """Features with unit variance (and mean 0 if they are dense), and the numbers that undo the scaling."""

    Z: Matrix
    centre: Array
    scale: Array

    def undo(self, intercepts: Array, coefficients: Array) -> tuple[Array, Array]:
        """The solutions for the features before they were standardised."""
        w = per_scale(coefficients, self.scale)
        return intercepts - w @ self.centre, w


def fold_numbers(y: Array, person: Array | None = None, folds: int = FOLDS, random_state: int = 0) -> Array:
    """The fold of each document, with about the same share of each outcome; documents of one person are in one fold."""
    if person is not None and (patients := len(np.unique(person))) < folds:
        raise InputError(
            f"--patient: the number of patients in {len(y):,} rows is {patients}, and must be at least {folds}: "
            "name the column that identifies a patient"
        )
    splitter = StratifiedKFold if person is None else StratifiedGroupKFold
    fold = np.empty(len(y), int)
    for number, (_, test) in enumerate(splitter(folds, shuffle=True, random_state=random_state).split(y, y, person)):
        fold[test] = number
    return fold


def fit_path(features: Matrix, y: Array, *, folds: int | Array = FOLDS, random_state: int = 0) -> Path:
    """The path on all documents and, in step with it, on each fold; it ends soon after the held-out loss has turned.

    ``folds`` is how many there are, or the fold of each document.
    """
    fold = folds if isinstance(folds, np.ndarray) else fold_numbers(y, None, folds, random_state)
    whole = standardise(features)
    grid = largest_lambda(whole.Z, y) * np.geomspace(1, SMALLEST, LAMBDAS)
    walkers = [_Walker(whole, y, coordinate_descent.SETTLED)]
    walkers += [_Walker(standardise(features[fold != f]), y[fold != f]) for f in range(fold.max() + 1)]
    held_out = np.empty((len(y), 0))
    for piece in np.array_split(grid, LAMBDAS // PIECE):
        threads.share(lambda walker: walker.walk(piece), walkers)  # noqa: B023  done before the next piece
        scores = np.empty((len(y), len(piece)))
        for f, walker in enumerate(walkers[1:]):
            scores[fold == f] = walker.score(features[fold == f], len(piece))
        held_out = np.hstack([held_out, scores])
        loss, error = fold_losses(held_out, y, fold)
        if loss.argmin() < len(loss) - PATIENCE:
            break
    lambdas = grid[: len(loss)]
    intercepts, coefficients = whole.undo(*walkers[0].path())
    gap = max(duality_gap(whole.Z, y, w, b, at) for b, w, at in zip(*walkers[0].path(), lambdas, strict=True))
    none = np.array([walker.scaled.undo(*walker.path())[0] for walker in walkers[1:]])
    return Path(lambdas, intercepts, coefficients, loss, error, fold, held_out, none, gap)


def scores_within(features: Matrix, y: Array, path: Path) -> Array:
    """What a fit without fold f knows: at (f, document, lambda) the log-odds from the path without f and the document's fold.

    A path without f and g serves both: it scores g for the fit without f, and f for the fit without g. At the documents of f
    itself there is NaN. Of the lambdas of the path there is one of every ``EVERY``.
    """
    lambdas = path.lambdas[::EVERY]
    folds = int(path.fold.max()) + 1
    scores = np.full((folds, len(y), len(lambdas)), np.nan)

    def walk(pair: tuple[int, int]) -> None:
        f, g = pair
        seen = (path.fold != f) & (path.fold != g)
        walker = _Walker(standardise(features[seen]), y[seen])
        for place, at in enumerate(lambdas):
            walker.walk(np.array([at]), near=(path.intercepts[place * EVERY], path.coefficients[place * EVERY]))
        for without, scored in ((f, g), (g, f)):
            scores[without, path.fold == scored] = walker.score(features[path.fold == scored], len(lambdas))

    threads.share(walk, combinations(range(folds), 2))
    return scores


def fold_losses(scores: Array, y: Array, fold: Array) -> tuple[Array, Array]:
    """Mean log loss over the folds for each column of held-out scores, and its standard error."""
    losses = np.array([log_losses(scores[fold == f], y[fold == f]) for f in np.unique(fold)])
    return losses.mean(axis=0), losses.std(axis=0, ddof=1) / np.sqrt(len(losses))


class _Walker:
    """One path, solved piece by piece: each piece begins where the last one ended."""

    def __init__(self, scaled: Scaled, y: Array, settled: float = coordinate_descent.NEARLY) -> None:
        self.scaled, self.y, self.settled = scaled, y, settled
        self.intercepts: list[Array] = []
        self.coefficients: list[Array] = []

    def walk(self, lambdas: Array, near: tuple[float, Array] | None = None) -> None:
        """Continue, or begin at a near solution, which is given on the scale of the original features."""
        start = np.append(self.intercepts[-1][-1], self.coefficients[-1][-1]) if self.intercepts else None
        if near is not None:
            start = np.append(near[0] + near[1] @ self.scaled.centre, near[1] * self.scaled.scale)
        intercepts, coefficients = coordinate_descent.path(self.scaled.Z, self.y, lambdas, start, self.settled)
        self.intercepts.append(intercepts)
        self.coefficients.append(coefficients)

    def path(self) -> tuple[Array, Array]:
        return np.concatenate(self.intercepts), np.concatenate(self.coefficients)

    def score(self, features: Matrix, last: int) -> Array:
        """Log-odds of documents for the last few lambdas."""
        intercepts, w = self.scaled.undo(*(values[-last:] for values in self.path()))
        return np.asarray(features @ w.T + intercepts)


def standardise(features: Matrix) -> Scaled:
    """A constant feature stays 0 and can have no effect; sparse ones are scaled but not centred."""
    mean = np.asarray(features.mean(axis=0)).ravel()
    if scipy.sparse.issparse(features):
        square = np.asarray(features.multiply(features).mean(axis=0)).ravel()
        scale = without_rounding(np.sqrt(np.maximum(square - mean**2, 0)))
        return Scaled(scipy.sparse.csr_array(features.multiply(per_scale(1.0, scale))), np.zeros(len(scale)), scale)
    scale = without_rounding(features.std(axis=0))
    return Scaled(per_scale(features - mean, scale), mean, scale)


def without_rounding(scale: Array) -> Array:
    """Standard deviations of features, 0 for a constant one, also where rounding made it a little more."""
    return np.where(scale > CONSTANT * max(scale.max(initial=0), 1e-300), scale, 0.0)


def per_scale(values: Array | float, scale: Array) -> Array:
    """values / scale; 0 where the scale is 0, so that a constant feature has no effect."""
    return values / np.where(scale > 0, scale, np.inf)


def largest_lambda(Z: Matrix, y: Array) -> float:
    """The smallest lambda at which no feature is used."""
    return max(float(np.abs(Z.T @ (y - y.mean())).max(initial=0)) / len(y), 1e-12)


def log_losses(log_odds: Array, y: Array) -> Array:
    """Mean log loss of each column."""
    return np.asarray((np.logaddexp(0, log_odds) - y[:, None] * log_odds).mean(axis=0))


def duality_gap(Z: Matrix, y: Array, w: Array, b: float, at: float) -> float:
    """How far the objective at (w, b) is above its minimum, at most."""
    m = np.asarray(Z @ w + b)
    primal = float(np.mean(np.logaddexp(0, m) - y * m) + at * np.abs(w).sum())
    r = y - expit(m)
    above, below = r[r > 0].sum(), -r[r < 0].sum()
    r *= np.where(r > 0, min(above, below) / above, min(above, below) / below)  # now it sums to zero
    r *= min(1.0, at * len(y) / max(float(np.abs(Z.T @ r).max(initial=0)), 1e-300))
    q = np.clip(np.abs(r), 1e-300, 1 - 1e-16)  # |y - q| has the entropy of q
    return primal + float(np.mean(q * np.log(q) + (1 - q) * np.log1p(-q)))
