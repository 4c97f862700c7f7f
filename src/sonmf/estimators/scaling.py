"""X divided by a power of two where its squares would leave the range of its numbers: exact, and undone in every result."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from sonmf.engines import engine_for
from sonmf.estimators.check import check_of
from sonmf.solvers.problem import LeastSquares, least_squares

ORDINARY = (
    1.0,
    2.0**48,
)  # ||X||^2 for which float32 is wide enough, and a step of the paper's first length neither nothing nor wild
REPRESENTABLE = 2.0**-900  # a smaller ||X||^2 has lost digits, or all of them
ENTRIES = 2.0**-24, 2.0**24  # of F, for which F'F is within float32


def scaled_least_squares(X: Any) -> LeastSquares:
    """The least squares problem of X at a scale where it can be solved, or a sentence on why its squares cannot be summed."""
    problem = least_squares(engine_for(X))
    low, high = ORDINARY
    if low <= problem.square <= high or not (exponent := _exponent(X, problem)):
        return problem
    engine = engine_for(times(X, 2.0**-exponent))
    engine.passes = problem.engine.passes
    return LeastSquares(engine, problem.square * 4.0**-exponent, problem.entries, exponent)


def _exponent(X: Any, problem: LeastSquares) -> int:
    """The power of two that brings the root mean square of X near 1, as far as one factor can."""
    if not np.isfinite(problem.square):
        raise ValueError("the squares of X overflow: scale X first, for instance by X / abs(X).max()")
    widest = int(np.finfo(problem.engine.dtype).maxexp) - 2
    if problem.square < REPRESENTABLE:
        if least_squares(engine_for(times(X, 2.0**widest))).square > 0:
            raise ValueError("the squares of X underflow: scale X first, for instance by X / abs(X).max()")
        return 0
    return int(np.clip(np.rint(np.log2(problem.scale) / 2), -widest, widest))


def exponent_of(F: Any) -> int:
    """The power of two that brings the largest entry of F near 1; 0 where it is near enough."""
    largest, (low, high) = float(np.abs(F).max(initial=0.0)), ENTRIES
    return 0 if largest == 0 or low < largest < high else int(np.frexp(largest)[1])


def times(X: Any, factor: float) -> Any:
    """X multiplied by a number, wherever it is."""
    return check_of(X).each(partial(_times, factor=factor), X.dtype, X.shape[1])


def _times(X: Any, factor: float) -> Any:
    with np.errstate(under="ignore"):
        return X * factor
