"""The reduced problem: with F'F = I the best G is [XF]+, and ||X - GF'||^2 = ||X||^2 - ||[XF]+||^2.

So continuous SONMF maximises the convex function h(F) = ||[XF]+||^2 over the Stiefel manifold. One pass over X yields h(F)
and half its gradient, M = X'[XF]+, which is everything the three solvers of this problem need.

With a penalty 2 lambda sum(G) for documents of many topics all this holds with [XF - lambda]+ in place of [XF]+: the best G,
the penalised objective ||X||^2 - ||G||^2, and M = X'G. The error alone is ||X||^2 - 2 tr(F'M) + ||G||^2.
"""

from __future__ import annotations

from typing import NamedTuple

from sonmf import kernels
from sonmf.solvers.problem import LeastSquares
from sonmf.types import Array


class Point(NamedTuple):
    """An orthonormal F and what one pass over X says about it."""

    F: Array
    M: Array
    objective: float
    held_out: None = None

    @property
    def cost(self) -> float:
        """The penalised objective: ``error`` takes a pass."""
        return self.objective


def evaluate(problem: LeastSquares, F: Array) -> Point:
    """One pass: M = X'G and the mean objective at F, with G = [XF - lambda]+ (eq. G update)."""
    _, (M, energy) = problem.engine.sweep(kernels.ascent, None, F, problem.threshold)
    # The difference cancels; a rise below 1e-12 ||X||^2 is rounding.
    return Point(F, M, problem.mean(problem.square - float(energy)))


def error(problem: LeastSquares, point: Point) -> float:
    """The mean of (X - GF')^2: the objective without its penalty, which takes a pass where there is one."""
    if not problem.threshold:
        return point.objective
    _, (explained,) = problem.engine.sweep(kernels.explained, None, point.F, False, problem.threshold)
    return problem.mean(problem.square - float(explained))
