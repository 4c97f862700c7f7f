"""The Stiefel manifold {F : F'F = I}: pure formulas, no data and no iteration over it."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from sonmf.tall import beside, doubled, gram, home, product, shrunk
from sonmf.threads import Array

PROMISED = 1e-24  # ||F'F - I||^2 in float64
ORTHONORMAL = {8: PROMISED / 2, 4: 5e-11}  # ||F'F - I||^2 that needs no correction, by bytes a number
REPRESENTABLE = 1e-200, 1e200  # M'M beyond these would under- or overflow
DEFICIENT = 1e-9  # eigenvalue ratio of M'M below which (M'M)^(-1/2) is too inaccurate to use
NULL = 1e-13  # singular value ratio of M below which a direction carries nothing but rounding
SAFETY = 2.5  # most of ||F'F - I|| / (eps cond(M'M)) seen was 1.8
CHOLESKY = 1e-4  # pivot of the scaled M'M below which its Cholesky factor is too inaccurate to use


def residual(F: Any) -> float:
    """||F'F - I||_F^2, the paper's orthogonal residual."""
    error = gram(F) - np.eye(F.shape[1])
    return float(np.vdot(error, error))


def polar(M: Any) -> Any:
    """The orthonormal F that maximises tr(F'M): M (M'M)^(-1/2), or UV' from the SVD of M where that is inaccurate.

    Where M loses rank the maximiser is not unique; the SVD then completes the basis. M'M squares the condition of M, so it is
    formed in float64 whatever the type of M, which is that of F.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        S = gram(doubled(M))
    low, high = REPRESENTABLE
    if not low < np.max(np.diag(S)) < high:
        scale = float(abs(M).max())
        return polar(M / scale) if scale > 0 else beside(np.eye(*M.shape), M)
    values, vectors = np.linalg.eigh(S)
    if values[0] <= DEFICIENT * values[-1]:
        return _polar_by_svd(M)
    R = product(vectors / np.sqrt(values), vectors.T)
    R = product(R, 1.5 * np.eye(len(R)) - product(product(R, S), R) / 2)  # Newton's step halves what rounding did to R
    F = product(M, R)
    return F if _orthonormal(F, values) else corrected(F)


def _orthonormal(F: Any, values: Array) -> bool:
    """Whether M (M'M)^(-1/2) needs no correction, M'M having these eigenvalues: rounding leaves ||F'F - I|| ~ eps cond(M'M)."""
    return bool(F.itemsize == 8 and SAFETY * np.finfo(np.float64).eps * values[-1] <= PROMISED**0.5 * values[0])


def corrected(F: Any) -> Any:
    """The nearest orthonormal matrix by Newton-Schulz, F <- F (3I - F'F) / 2, until only rounding is left of ||F'F - I||^2."""
    tolerance = ORTHONORMAL[F.itemsize]
    for _ in range(8):
        E = gram(F)
        E -= np.eye(len(E), dtype=E.dtype)
        size = float(np.vdot(E, E))
        if size <= tolerance:
            break
        if size > 0.1:  # too far for the iteration, which needs ||F'F - I|| < 1
            return _polar_by_svd(F)
        if size**2 < tolerance:  # a correction squares the error: this is the last, and so small that single precision will do
            return shrunk(F, (E / 2).astype(np.float32))
        F = shrunk(F, E / 2)
    return F


def basis(Z: Any) -> Any:
    """An orthonormal basis of the columns of Z, half as dear as the polar factor and good to single precision.

    Cholesky QR: Z R^(-1) with R'R = Z'Z, columns scaled first; the polar factor where Z'Z is nearly singular.
    """
    S = gram(doubled(Z))
    length = np.sqrt(np.diag(S))
    try:
        R = np.linalg.cholesky(S / np.outer(length, length), upper=True)
    except np.linalg.LinAlgError:
        return polar(Z)
    if not np.min(np.diag(R)) > CHOLESKY:
        return polar(Z)
    inverse = scipy.linalg.solve_triangular(R * length, np.eye(len(R)), check_finite=False)
    return product(Z, inverse)


def _polar_by_svd(M: Any) -> Any:
    U, _, Vt = scipy.linalg.svd(home(M), full_matrices=False, check_finite=False, lapack_driver="gesvd")
    return corrected(beside(U @ Vt, M))


def rank(M: Array) -> int:
    """The number of singular values of M above 1e-13 of the largest."""
    values = scipy.linalg.svdvals(M.astype(np.float64), check_finite=False)
    return int(np.sum(values > NULL * values[0])) if values[0] > 0 else 0


class CayleyCurve:
    """Y(tau) = (I + tau/2 S)^(-1) (I - tau/2 S) F with S = RF' - FR': the curve of eq. (final) of the paper.

    S lives in the span of F and R. In an orthonormal basis [F, Q] of it, with R = FA + QB, it is the 2k x 2k matrix
    [[A - A', -B'], [B, 0]], whose Cayley transform is orthogonal and solvable for every tau; the Sherman-Morrison-Woodbury
    form loses its digits, and then its inverse, when tau R is large. ``gain`` touches neither X nor F.
    """

    def __init__(self, F: Array, R: Array, M: Array) -> None:
        A = F.T @ R
        Q, B = np.linalg.qr(R - F @ A)
        self.basis = np.hstack([F, Q])
        self.S = np.block([[A - A.T, -B.T], [B, np.zeros_like(A)]])
        self.M = self.basis.T @ M

    def _coordinates(self, tau: float) -> Array:
        """Y(tau) in the basis [F, Q]."""
        eye, half, k = np.eye(len(self.S)), tau / 2 * self.S, len(self.S) // 2
        return np.asarray(np.linalg.solve(eye + half, (eye - half)[:, :k]))

    def gain(self, tau: float) -> float:
        """tr((Y(tau) - F)'M)."""
        Y = self._coordinates(tau)
        return float(np.vdot(self.M, Y - np.eye(*Y.shape)))

    def point(self, tau: float) -> Any:
        """Y(tau), orthonormal to rounding whatever tau."""
        return corrected(self.basis @ self._coordinates(tau))
