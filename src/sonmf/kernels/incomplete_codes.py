"""The kernels that compute G if entries are missing: each document is fitted on its own observed entries."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sonmf import threads
from sonmf.kernels import dense
from sonmf.kernels.incomplete import Incomplete, equations, nonnegative, singular, tiles
from sonmf.kernels.incomplete import fill_missing as fill
from sonmf.types import Array


def clip(X: Incomplete, local: None, F: Array, floor: float = 0.0, threshold: float = 0.0) -> tuple[Array, tuple[()]]:
    """Local G = argmin over G >= 0 of the error on the observed entries."""
    return np.maximum(_each(X, F, lambda few: nonnegative(X, few, F, threshold)[0]), floor), ()


def project(X: Incomplete, local: None, F: Array) -> tuple[Array, tuple[()]]:
    """Local G = argmin of the error on the observed entries, of either sign; the shortest if there are several."""

    def solve(few: slice) -> Array:
        b, A = equations(X, few, F)
        return np.asarray((np.linalg.pinv(A, rcond=singular(F), hermitian=True) @ b[:, :, None])[:, :, 0])

    return _each(X, F, solve), ()


def explained(X: Incomplete, local: None, F: Array, signed: bool, threshold: float) -> tuple[None, tuple[float]]:
    """Sum ||X||^2 - ||X - GF'||^2 over the observed entries."""
    G = project(X, None, F)[0] if signed else clip(X, None, F, 0.0, threshold)[0]
    total = 0.0
    for few in tiles(X, slice(0, len(G)), F.shape[1]):
        b, A = equations(X, few, F)
        total += float(np.vdot(2 * b - np.einsum("iab,ib->ia", A, G[few]), G[few]))
    return None, (total,)


def count_observed(X: Incomplete, local: None) -> tuple[Array, tuple[Array]]:
    """Local the number of observed entries of each document, as a column ; sum their number for each word."""
    n, p = X.shape
    return p - X.missing[:, None], (n - np.bincount(X.words, minlength=p).astype(np.float64),)


def fill_missing(X: Incomplete, F: Array) -> Array:
    """The block with GF' in place of missing entries."""
    F = F.astype(X.dtype, copy=False)
    return fill(X, clip(X, None, F)[0] @ F.T)


def _each(X: Incomplete, F: Array, codes: Callable[[slice], Array]) -> Array:
    G = np.empty((X.shape[0], F.shape[1]), X.dtype)

    def job(rows: slice) -> None:
        for few in tiles(X, rows, F.shape[1]):
            G[few] = codes(few)

    threads.share(job, dense.shares(X.values))
    return G
