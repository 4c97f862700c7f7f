"""The Stiefel manifold {F : F'F = I}: pure formulas, no data and no iteration over it."""

from __future__ import annotations

import numpy as np
import scipy.linalg
import scipy.special

from sonmf.device_arrays import DeviceArray, gram, inverses, like, product, shrink, to_float64, to_numpy
from sonmf.threads import count
from sonmf.types import Array

PROMISED = 1e-24  # ||F'F - I||^2 in float64
ORTHONORMAL = {8: PROMISED / 2, 4: 5e-11}  # ||F'F - I||^2 that needs no correction, by bytes per number
REPRESENTABLE = 1e-200, 1e200  # M'M beyond these would under- or overflow
DEFICIENT = 1e-9  # eigenvalue ratio of M'M below which (M'M)^(-1/2) is too inaccurate
NULL = 1e-13  # singular value ratio of M below which a direction carries nothing but rounding
SAFETY = 2.5  # the largest ||F'F - I|| / (eps cond(M'M)) seen was 1.8
WORTH_FRACTIONS, SMALLEST = 8, 32  # threads and topics from which the root by fractions is faster
FRACTIONS, SPECTRUM, NEWTON_STEPS, POWER_STEPS = 16, 1e-5, 4, 5
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
    # Rounding leaves ||F'F - I|| ~ eps cond(M'M).
    return F if F.itemsize == 8 and SAFETY * np.finfo(np.float64).eps * condition <= PROMISED**0.5 else nearest_orthonormal(F)


def _inverse_root(S: Array) -> tuple[Array, float] | None:
    """S^(-1/2) and the condition of S; None if S is so nearly singular that the root would be too inaccurate."""
    if count() >= WORTH_FRACTIONS and len(S) >= SMALLEST and (found := _root_by_fractions(S)) is not None:
        R, condition = found  # an estimate, at times too low, of a root without a last Newton step: allow for more rounding
        return R, condition * len(S) / SMALLEST
    values, vectors = np.linalg.eigh(S)
    if values[0] <= DEFICIENT * values[-1]:
        return None
    R = product(vectors / np.sqrt(values), vectors.T)
    R = product(R, 1.5 * np.eye(len(R)) - product(product(R, S), R) / 2)  # Newton's step halves what rounding did to R
    return R, float(values[-1] / values[0])


def _root_by_fractions(S: Array) -> tuple[Array, float] | None:
    """S^(-1/2) as a sum of w (S + tI)^(-1), all of them at once, then by Newton-Schulz to the last digit.

    Slower than the eigenvectors of S on one thread, but no part of it is serial. None if Newton-Schulz does not converge.
    """
    high = float(np.linalg.norm(S))
    R = inverses(S, *_fractions(high))
    if R is None:
        return None
    Y, tolerance = product(S, R), len(S) * 1e-16
    for _ in range(NEWTON_STEPS):
        E = product(R, Y)
        E *= -0.5
        E.flat[:: len(E) + 1] += 0.5
        R = R + product(E, R)
        if np.vdot(E, E) <= tolerance:  # a step squares the error
            return R, _largest(S) * _largest(R) ** 2
        Y = Y + product(Y, E)
    return None


def _fractions(high: float) -> tuple[Array, Array]:
    """Shifts t and weights w with x^(-1/2) ~ sum of w / (x + t) for x from high / 10^5 to high, to 10^-9 of it.

    The integral of (2 / pi) / (x + u^2) over u, by the trapezoidal rule in an elliptic variable (Hale, Higham, Trefethen 2008).
    """
    low, period = SPECTRUM * high, scipy.special.ellipkm1(SPECTRUM)
    sn, cn, dn, _ = scipy.special.ellipj((np.arange(FRACTIONS) + 0.5) / FRACTIONS * period, 1 - SPECTRUM)
    return low * (sn / cn) ** 2, 2 * period / (np.pi * FRACTIONS) * np.sqrt(low) * dn / cn**2


def _largest(A: Array) -> float:
    """The largest eigenvalue of a positive A, at worst a third too low: the power method from its longest column."""
    v = A[np.argmax(np.einsum("ij,ij->i", A, A))]
    for _ in range(POWER_STEPS):
        v = A @ (v / np.linalg.norm(v))
    return float(np.linalg.norm(v))


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
