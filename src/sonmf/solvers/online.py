"""The exact step on a stream: F = polar(forgetting M + X'[XF]+) with each batch X.

M = X'[XF]+ is what earlier documents say about F. They are gone when F moves to N, so M is moved without them: inside the span
of F it rotates with F, and outside a sketch W with few columns replaces them, WW' ~ X'X,

    M <- M F'N + WW'(N - FF'N).

The sketch grows like the SVD start: Z = X'XQ for an orthonormal basis Q of W, and WW' = Z(Q'Z)^(-1)Z' (Nystroem).
"""

from __future__ import annotations

import numpy as np

from sonmf import kernels
from sonmf.engines import Engine, Kernel, Local
from sonmf.solvers.problem import LeastSquares
from sonmf.types import Array

NULL = 1e-9  # eigenvalue ratio of Q'X'XQ below which a direction carries nothing but rounding


def update(problem: LeastSquares, F: Array, memory: Array, forgetting: float) -> tuple[Array, Array]:
    """F and the memory [M, W] after the documents of the problem; the memory of a fit is M alone."""
    engine, priced = problem.engine, (problem.roots, problem.threshold)
    M, W = np.split(memory if memory.shape[1] > F.shape[1] else _begun(F, memory), [F.shape[1]], axis=1)
    N = problem.polar(forgetting * M + _swept(engine, kernels.ascent, F, *priced))
    R, Q = F.T @ N, np.linalg.qr(W)[0]
    M = forgetting * (M @ R + W @ (W.T @ (N - F @ R))) + _swept(engine, kernels.ascent, N, *priced)
    W = _sketch(Q, forgetting * (W @ (W.T @ Q)) + _swept(engine, kernels.normal, Q))
    return N, np.hstack([M, W])


def _begun(F: Array, M: Array) -> Array:
    """[M, W] with what M says about X'X, and as many columns again of faint noise, from which the sketch can grow."""
    p, k = F.shape
    W = _sketch(F, M)
    noise = np.random.default_rng(0).standard_normal((p, min(k, p - k)))
    return np.hstack([M, W, 1e-9 * np.abs(W).max(initial=1e-9) * noise])


def _sketch(Q: Array, Z: Array) -> Array:
    """W with WW' = Z(Q'Z)^(-1)Z' where Q'Z is positive, and nothing elsewhere."""
    values, V = np.linalg.eigh(Q.T @ Z + Z.T @ Q)
    kept = values > NULL * values[-1]
    return np.asarray(Z @ (V * np.sqrt(np.divide(2, values, out=np.zeros_like(values), where=kept))))


def _swept(engine: Engine, kernel: Kernel, F: Array, roots: Local = None, *shared: float) -> Array:
    """The first of the kernel's sums at F, in float64."""
    _, sums = engine.sweep(kernel, roots, F, *shared)
    return np.asarray(sums[0], np.float64)
