"""The Stiefel manifold {F : F'F = I}: pure formulas, no data and no iteration over it."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from sonmf.device_arrays import DeviceArray, gram, like, product, shrink, to_float64, to_numpy
from sonmf.types import Array

PROMISED = 1e-24  # ||F'F - I||^2 in float64
ORTHONORMAL = {8: PROMISED / 2, 4: 5e-11}  # ||F'F - I||^2 that needs no correction, by bytes per number
REPRESENTABLE = 1e-200, 1e200  # M'M beyond these would under- or overflow
DEFICIENT = 1e-9  # eigenvalue ratio of M'M below which (M'M)^(-1/2) is too inaccurate
NULL = 1e-13  # singular value ratio of M below which a direction carries nothing but rounding
SAFETY, FEW = 2.5, 16  # ||F'F - I|| / (eps cond(M'M)) was at most 1.8 for few topics, but 21 for 256 of them and 27 for 400
CHOLESKY = 1e-4  # pivot of the scaled M'M below which its Cholesky factor is too inaccurate


def residual(F: DeviceArray) -> float:
    """||F'F - I||_F^2, the paper's orthogonal residual."""
    error = gram(F) - np.eye(F.shape[1])
    return float(np.vdot(error, error))


def polar(M: DeviceArray) -> DeviceArray:
    """The orthonormal F that maximises tr(F'M): M (M'M)^(-1/2), or UV' from the SVD of M if that is inaccurate.

    If M is rank deficient the maximiser is not unique; the SVD then completes the basis. M'M squares the condition of M, so
    it is formed in float64 whatever the type of M. F has the type of M.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        S = gram(to_float64(M))
    low, high = REPRESENTABLE
    if not low < np.max(np.diag(S)) < high:
        scale = float(abs(M).max())
        return polar(M / scale) if scale > 0 else like(np.eye(*M.shape), M)
    root = _inverse_root(S)
    if root is None:
        return _polar_by_svd(M)
    R, condition = root
    F = product(M, R)
    # Rounding leaves ||F'F - I|| ~ eps cond(M'M), and more for many topics.
    error = SAFETY * max(1.0, len(S) / FEW) * np.finfo(np.float64).eps * condition
    return F if F.itemsize == 8 and error <= PROMISED**0.5 else nearest_orthonormal(F)


def _inverse_root(S: Array) -> tuple[Array, float] | None:
    """S^(-1/2) and the condition of S; None if S is so nearly singular that the root would be too inaccurate."""
    values, vectors = np.linalg.eigh(S)
    if values[0] <= DEFICIENT * values[-1]:
        return None
    R = product(vectors / np.sqrt(values), vectors.T)
    R = product(R, 1.5 * np.eye(len(R)) - product(product(R, S), R) / 2)  # Newton's step halves what rounding did to R
    return R, float(values[-1] / values[0])


def nearest_orthonormal(F: DeviceArray) -> DeviceArray:
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
        if size**2 < tolerance:  # a correction squares the error: this is the last, and single precision is enough for it
            return shrink(F, (E / 2).astype(np.float32))
        F = shrink(F, E / 2)
    return F


def basis(Z: DeviceArray) -> DeviceArray:
    """An orthonormal basis of the columns of Z, to single precision. It costs half as much as the polar factor.

    Cholesky QR: Z R^(-1) with R'R = Z'Z, columns scaled first; the polar factor if Z'Z is nearly singular.
    """
    S = gram(to_float64(Z))
    length = np.sqrt(np.diag(S))
    try:
        R = np.linalg.cholesky(S / np.outer(length, length), upper=True)
    except np.linalg.LinAlgError:
        return polar(Z)
    if not np.min(np.diag(R)) > CHOLESKY:
        return polar(Z)
    inverse = scipy.linalg.solve_triangular(R * length, np.eye(len(R)), check_finite=False)
    return product(Z, inverse)


def _polar_by_svd(M: DeviceArray) -> DeviceArray:
    U, _, Vt = scipy.linalg.svd(to_numpy(M), full_matrices=False, check_finite=False, lapack_driver="gesvd")
    return nearest_orthonormal(like(U @ Vt, M))


def polar_with_fixed(C: Array, M: DeviceArray) -> DeviceArray:
    """The orthonormal F = [C, Y] that maximises tr(F'M): Y is the polar factor of the other columns of (I - CC')M.

    It is read from the polar factor of [sC, (I - CC')M_Y], which is [C, Y] since its two parts are orthogonal. So if M_Y is
    rank deficient, the columns that complete the basis are orthogonal to C too. s has the size of M_Y, to keep the condition.
    """
    E, m = free_part(C, M), C.shape[1]
    if m == E.shape[1]:
        return like(C, M)
    s = float(np.sqrt(np.trace(gram(to_float64(E))) / (E.shape[1] - m)))
    E[:, :m] = like((s if s > 0 else 1.0) * C, M)
    return restore_fixed(C, polar(E))


def free_part(C: Array, M: DeviceArray) -> DeviceArray:
    """[0, (I - CC')M_Y]: the part of M that can move F = [C, Y] while C stays fixed."""
    C = like(C, M)
    for _ in range(2):  # once leaves rounding of the size of M
        M = M - product(C, to_numpy(C.T @ M))
    M[:, : C.shape[1]] = 0
    return M


def restore_fixed(C: Array, F: DeviceArray) -> DeviceArray:
    """F with its first columns, which equal C up to rounding, set to C exactly."""
    F[:, : C.shape[1]] = like(C, F)
    return F


def rank(M: Array) -> int:
    """The number of singular values of M above 1e-13 of the largest."""
    with np.errstate(over="ignore", invalid="ignore"):
        S = gram(M.astype(np.float64, copy=False))
    if np.isfinite(S).all() and (squares := np.linalg.eigvalsh(S))[0] > DEFICIENT * squares[-1]:
        return int(M.shape[1])  # full rank is certain, and the singular values of M would take longer
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

    def point(self, tau: float) -> DeviceArray:
        """Y(tau), orthonormal to rounding for every tau."""
        return nearest_orthonormal(self.basis @ self._coordinates(tau))
