"""The least squares problem of an X with weights, at a scale at which it can be solved.

Weights: minimising the sum of w ||x - Fg||^2 is the problem of the documents sqrt(w) x. Scale: if the squares of X would leave
the range of its numbers, X is divided by a power of two, which is exact, and every result is multiplied by it again.
"""

from __future__ import annotations

from functools import partial
from typing import Self

import numpy as np
from numpy.typing import ArrayLike

from sonmf import kernels
from sonmf.errors import InputError
from sonmf.estimators.base import Factorization
from sonmf.estimators.matrix_inputs import Input
from sonmf.sklearn_private import check_sample_weight, fit_context
from sonmf.solvers.problem import LeastSquares, least_squares, require_observed
from sonmf.types import Array, Matrix

# ||X||^2 for which float32 is wide enough, and the first step of the paper's line search neither vanishes nor explodes
ORDINARY = 1.0, 2.0**48
REPRESENTABLE = 2.0**-900  # a smaller ||X||^2 has lost digits, or all of them
ENTRIES = 2.0**-24, 2.0**24  # of F, for which F'F is within float32


class Weighted(Factorization):
    """A method whose documents may have weights."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: object = None, sample_weight: ArrayLike | None = None) -> Self:
        """Learn the topics of X.

        Parameters
        ----------
        X : {array-like, sparse matrix, sparse array} of shape (n_documents, n_words)
            Or a dask array, blocks on disk or a torch tensor: the fit then runs where they are.
        y : ignored
        sample_weight : array-like of shape (n_documents,), optional
            How often each document counts, w >= 0: the sum over the documents of w times the cost of each is minimised. A
            document of weight 2 counts like two copies of it, and one of weight 0 not at all. By default each counts once.

        Returns
        -------
        self
        """
        self._fit_or_restore(X, sample_weight)
        return self


def check_weights(X: Input, sample_weight: ArrayLike) -> Array:
    """The weights in float64, or an InputError unless there is one for each document, and one above zero."""
    weights: Array = check_sample_weight(sample_weight, X.X, dtype=np.float64, ensure_non_negative=True)
    if not weights.any():
        raise InputError("sample_weight is zero for every document: give at least one of them a weight above zero")
    return weights


def weighted_least_squares(X: Input, sample_weight: ArrayLike | None) -> LeastSquares:
    """The problem of X with a weight for each document. Its mean is taken over the weights of the observed entries."""
    if sample_weight is None:
        return _count_observed(scaled_least_squares(X), None)
    X, weights = X.drop_zero_weights(check_weights(X, sample_weight))
    weighted = X.times_rows(np.sqrt(weights)[:, None])
    return _count_observed(scaled_least_squares(weighted), weights)._replace(weights=weights)


def _count_observed(problem: LeastSquares, weights: Array | None) -> LeastSquares:
    """The problem with the number of observed entries, each counted by the weight of its document."""
    n, p = problem.engine.shape
    if problem.entries == n * p:
        return problem if weights is None else problem._replace(entries=float(weights.sum()) * p)
    counts, (words,) = problem.engine.sweep(kernels.count_observed, None)
    require_observed(np.asarray(words), n)
    if weights is None:
        return problem
    return problem._replace(entries=float(weights @ np.asarray(problem.engine.gather(counts))[:, 0]))


def scaled_least_squares(X: Input) -> LeastSquares:
    """The problem of X at a scale at which it can be solved, or an InputError if the squares of X cannot be summed."""
    problem = least_squares(X.engine())
    low, high = ORDINARY
    if low <= problem.square <= high or not (exponent := _exponent(X, problem)):
        return problem
    engine = _times(X, 2.0**-exponent).engine()
    engine.passes = problem.engine.passes
    return LeastSquares(engine, problem.square * 4.0**-exponent, problem.entries, exponent)


def _exponent(X: Input, problem: LeastSquares) -> int:
    """The power of two that brings the root mean square of X near 1, as far as one factor can."""
    if not np.isfinite(problem.square):
        raise InputError("the squares of X overflow: scale X first, for instance by X / abs(X).max()")
    widest = int(np.finfo(problem.engine.dtype).maxexp) - 2
    if problem.square < REPRESENTABLE:
        if least_squares(_times(X, 2.0**widest).engine()).square > 0:
            raise InputError("the squares of X underflow: scale X first, for instance by X / abs(X).max()")
        return 0
    return int(np.clip(np.rint(np.log2(problem.scale) / 2), -widest, widest))


def exponent_of(F: Array) -> int:
    """The power of two that brings the largest entry of F near 1; 0 if it is near enough."""
    largest, (low, high) = float(np.abs(F).max(initial=0.0)), ENTRIES
    return 0 if largest == 0 or low < largest < high else int(np.frexp(largest)[1])


def _times(X: Input, factor: float) -> Input:
    """X multiplied by a number, wherever X is."""
    return X.map_blocks(partial(_times_block, factor=factor), X.dtype, X.shape[1])


def _times_block(X: Matrix, factor: float) -> Matrix:
    with np.errstate(under="ignore"):
        return X * factor
