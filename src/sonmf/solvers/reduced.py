"""The reduced problem: with F'F = I the best G is [XF]+, and ||X - GF'||^2 = ||X||^2 - ||[XF]+||^2.

So continuous SONMF maximises the convex function h(F) = ||[XF]+||^2 over the Stiefel manifold. One pass over X yields h(F)
and half its gradient, M = X'[XF]+, which is everything the three solvers of this problem need.
"""

from __future__ import annotations

from typing import NamedTuple

from sonmf import kernels
from sonmf.solvers.problem import LeastSquares
from sonmf.threads import Array


class Point(NamedTuple):
    """An orthonormal F and what one pass over X says about it."""

    F: Array
    M: Array
    objective: float


def evaluate(problem: LeastSquares, F: Array) -> Point:
    """One pass: M = X'G and the mean objective at F, with G = [XF]+ (eq. G update)."""
    _, (M, energy) = problem.engine.sweep(kernels.ascent, None, F)
    # The difference cancels; a rise below 1e-12 ||X||^2 is rounding.
    return Point(F, M, problem.mean(problem.square - float(energy)))
