"""How much each document counts: minimising the sum of w ||x - Fg||^2 is the problem of the documents sqrt(w) x."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from sonmf import kernels
from sonmf.estimators.base import Factorization
from sonmf.estimators.check import check_of
from sonmf.estimators.scaling import scaled_least_squares
from sonmf.sklearn_private import check_sample_weight, fit_context
from sonmf.solvers.problem import LeastSquares
from sonmf.types import Array


class Weighted(Factorization):
    """A method of least squares, whose documents may have weights."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        r"""Learn the topics of X.

        Parameters
        ----------
        X : {array-like, sparse matrix, sparse array} of shape (n_documents, n_words)
            Or a dask array, blocks on disk or a torch tensor: the fit then runs where they are.
        y : ignored
        sample_weight : array-like of shape (n_documents,), optional
            How often each document counts, w >= 0: the sum of w ||x - F g||\ :sup:`2` over the documents is minimised. A
            document of weight 2 counts like two copies of it, and one of weight 0 not at all. By default each counts once.

        Returns
        -------
        self
        """
        self._fit_or_nothing(X, sample_weight)
        return self


def weighted_least_squares(X: Any, sample_weight: Any) -> LeastSquares:
    """What is to be minimised: its mean is that over the weights of the observed entries."""
    if sample_weight is None:
        return _of_observed(scaled_least_squares(X), None)
    weights = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
    if not weights.any():
        raise ValueError("sample_weight is zero for every document: give at least one of them a weight above zero")
    X, weights = check_of(X).with_weight(weights)
    return _of_observed(scaled_least_squares(_times_roots(X, weights)), weights)._replace(weights=weights)


def _times_roots(X: Any, weights: Array) -> Any:
    """Each document times the root of its weight, wherever it is."""
    return check_of(X).each(_times_rows, X.dtype, X.shape[1], np.sqrt(weights)[:, None])


def _times_rows(X: Any, roots: Array) -> Any:
    return check_of(X).times_rows(roots)


def _of_observed(problem: LeastSquares, weights: Array | None) -> LeastSquares:
    n, p = problem.engine.shape
    if problem.entries == n * p:
        return problem if weights is None else problem._replace(entries=float(weights.sum()) * p)
    counts, (words,) = problem.engine.sweep(kernels.observed, None)
    if not words.all():
        raise ValueError(f"word {int(np.argmin(words))} of X is observed in no document, only NaN: remove that column")
    if weights is None:
        return problem
    return problem._replace(entries=float(weights @ np.asarray(problem.engine.gather(counts))[:, 0]))
