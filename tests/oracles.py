"""Naive dense versions, written straight from the paper's formulas; slow, and hard to get wrong."""

from __future__ import annotations

import numpy as np


def clipped(X, F):
    return np.maximum(X @ F, 0)


def objective(X, F):
    """||X - GF'||^2 / (np) with the residual matrix formed."""
    return np.mean((X - clipped(X, F) @ F.T) ** 2)


def oriented(X, F):
    """Per column the sign that keeps more energy in [XF]+."""
    P = X @ F
    keep = (np.maximum(P, 0) ** 2).sum(axis=0) >= (np.minimum(P, 0) ** 2).sum(axis=0)
    return F * np.where(keep, 1, -1)


def procrustes_factor(M):
    U, _, Vt = np.linalg.svd(M, full_matrices=False)
    return U @ Vt


def procrustes_path(X, F, iterations):
    path = []
    for _ in range(iterations):
        F = procrustes_factor(X.T @ clipped(X, F))
        path.append(F)
    return path


def accelerated_path(X, F, iterations):
    """Y = polar(M_t + t/(t+2) (M_t - M_{t-1})), restarted from polar(M_t) when the objective rises."""
    path, best, M, M_old, t = [], objective(X, F), X.T @ clipped(X, F), None, 0
    for _ in range(iterations):
        Y = procrustes_factor(M if M_old is None else M + t / (t + 2) * (M - M_old))
        if (value := objective(X, Y)) <= best:
            F, best, M_old, M, t = Y, value, M, X.T @ clipped(X, Y), t + 1
        else:
            M_old, t = None, 0
        path.append(F)
    return path


def cayley_path(X, F, iterations, tau=0.5):
    """Algorithm 1 with the p x p skew-symmetric S, its Cayley transform Q by a full inverse, and E from full residuals."""
    path, eye = [], np.eye(len(F))
    for _ in range(iterations):
        G = clipped(X, F)
        R = 2 * F @ G.T @ G - 2 * X.T @ G
        S = R @ F.T - F @ R.T
        cost = np.sum((X - G @ F.T) ** 2)
        while True:
            Y = np.linalg.inv(eye + tau / 2 * S) @ (eye - tau / 2 * S) @ F
            if cost - np.sum((X - G @ Y.T) ** 2) > 0:
                break
            tau /= 2
        F, tau = Y, 2 * tau
        path.append(F)
    return path
