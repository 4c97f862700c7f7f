"""Many steps for one pass over X: F_t+1 = BA, where A maximises h over the span of B = orth[F_t, M_t-1, M_t-2].

The pass that makes M_t = X'[XF_t]+ returns the image Z = XB too. Within the span the documents are the rows of Z. So A solves
the same problem with at most 3k words, and accelerated steps on Z find it without a pass. M_t is known only after that pass:
it widens the next span.

Where the span gains less than the exact step from M_t gains for certain, 2 tr((polar(M_t) - F_t)'M_t), that step is taken. So a
run ends only where no exact step gains anything.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonmf import kernels
from sonmf.device_arrays import to_numpy
from sonmf.engines import Local, engine_for
from sonmf.kernels import kinds
from sonmf.solvers import accelerated
from sonmf.solvers.problem import LeastSquares, LeastSquaresPoint, evaluate
from sonmf.stiefel import nearest_orthonormal
from sonmf.types import Array

STEPS = 20
SMALL = 2**28  # entries of an image that leaves a cluster for this process: a step there would cost a message to every worker
BUILD_UP = 1  # no momentum is lost between iterations
WINDOW = 3  # iterations of so many steps that together must turn every topic by little before a run has settled


class SubspaceState(NamedTuple):
    point: LeastSquaresPoint
    previous: Array
    """M of the step before; F at the start."""
    B: Array | None = None
    """An orthonormal basis that begins with F; None if there is no image to step in."""
    Z: Local = None
    """XB, where the documents are."""
    accepted: bool = True


def init_state(problem: LeastSquares, F: Array) -> SubspaceState:
    return SubspaceState(evaluate(problem, F), previous=F)


def update(problem: LeastSquares, state: SubspaceState) -> SubspaceState:
    F, M, objective, _ = state.point
    exact = problem.polar(M)
    best = None if state.B is None else _best_in_span(problem, state.B, state.Z, F.shape[1])
    if best is None or objective - best.objective < problem.mean(2 * float(np.vdot(exact - F, M))):
        Y, N = exact, F  # M lies in the span of its polar factor
    else:
        Y, N = best.F, M
    B = _widened(_widened(Y, N), state.previous)
    Z, (M_new, energy) = problem.engine.sweep(kernels.ascent_and_image, problem.roots, Y, B, problem.threshold)
    new = LeastSquaresPoint(Y, M_new, problem.mean(problem.square - float(energy)))
    if new.objective > objective:  # by rounding
        return state._replace(B=None, accepted=Y is exact)
    return SubspaceState(new, M, B, Z)


def _best_in_span(problem: LeastSquares, B: Array, Z: Local, k: int) -> LeastSquaresPoint:
    """The point F = BA after some accelerated steps on Z, which start from the first columns of B."""
    image = problem.engine.gather(Z)
    engine = engine_for(to_numpy(image) if kinds.of(image) is kinds.DASK and image.size <= SMALL else image)
    roots = None if problem.roots is None else engine.place(to_numpy(problem.engine.gather(problem.roots)))
    fixed = None if problem.fixed is None else np.eye(B.shape[1], problem.fixed.shape[1])
    within = problem._replace(engine=engine, roots=roots, fixed=fixed)
    state = accelerated.init_state(within, np.eye(B.shape[1], k))
    for _ in range(STEPS):
        state = accelerated.update(within, state)
    A = to_numpy(state.point.F)
    return state.point._replace(F=problem.restore_fixed(nearest_orthonormal(B @ A)))


def _widened(B: Array, N: Array) -> Array:
    """An orthonormal basis that begins with B, and then what N adds to its span beyond rounding."""
    N = N / np.maximum(np.linalg.norm(N, axis=0), np.finfo(N.dtype).tiny)
    U, shares, _ = np.linalg.svd(N - B @ (B.T @ N), full_matrices=False)
    U = U[:, shares > np.sqrt(np.finfo(N.dtype).eps)]
    return np.hstack([B, U - B @ (B.T @ U)])
