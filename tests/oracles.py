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


def sigmoid(theta):
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-theta))


def bernoulli_cost(X, theta):
    return np.mean(np.logaddexp(0, theta) - X * theta)


def majoriser_path(X, F, mu, G, alpha, intercept, iterations):
    """The plain majoriser step with Z formed in full: G, then F and mu jointly, all from one Z."""
    path = []
    for _ in range(iterations):
        theta = mu + G @ F.T
        Z = theta + 4 * (X - sigmoid(theta))
        G = np.maximum((Z - mu) @ F, 0) / (1 + 8 * alpha)
        if intercept:
            F = procrustes_factor((Z - Z.mean(axis=0)).T @ (G - G.mean(axis=0)))
            mu = Z.mean(axis=0) - F @ G.mean(axis=0)
        else:
            F = procrustes_factor(Z.T @ G)
        path.append((F, mu, G))
    return path


def newton_path(X, F, G, eta, iterations, tau=2.0):
    """Algorithm 2 without an intercept, with P and the p x p Cayley transform formed in full."""
    path, eye = [], np.eye(len(F))
    for _ in range(iterations):
        P = sigmoid(G @ F.T)
        D1, D2 = (P - X) @ F, (P * (1 - P)) @ F**2
        G = np.maximum(G - eta * D1 / D2, 0)
        R = (sigmoid(G @ F.T) - X).T @ G
        S = R @ F.T - F @ R.T
        while True:
            Y = np.linalg.inv(eye + tau / 2 * S) @ (eye - tau / 2 * S) @ F
            if bernoulli_cost(X, G @ F.T) - bernoulli_cost(X, G @ Y.T) > 0:
                break
            tau /= 2
        F, tau = Y, 2 * tau
        path.append((F, G))
    return path


def logistic_path(X, F, G, eta, iterations):
    path = []
    for _ in range(iterations):
        G = G + eta * (X - sigmoid(G @ F.T)) @ F
        F = np.maximum(F + eta * (X - sigmoid(G @ F.T)).T @ G, 0)
        path.append((F, G))
    return path


def orthogonal_path(X, F, G, iterations, tiny=1e-16):
    """ONMF with the residual matrix X - sum over i != j of g_i f_i' formed for every column."""
    F, G, path, k = F.copy(), G.copy(), [], F.shape[1]
    for _ in range(iterations):
        for j in range(k):
            rest = X - np.delete(G, j, 1) @ np.delete(F, j, 1).T
            G[:, j] = np.maximum(rest @ F[:, j], tiny) / (F[:, j] @ F[:, j])
        for j in range(k):
            h = (X - np.delete(G, j, 1) @ np.delete(F, j, 1).T).T @ G[:, j]
            r = np.delete(F, j, 1).sum(axis=1)
            f = np.maximum(h - (r @ h) / (r @ r) * r if k > 1 else h, tiny)
            F[:, j] = f / np.linalg.norm(f)
        path.append((F.copy(), G.copy()))
    return path


def semi_path(X, G, iterations):
    """Semi-NMF entry by entry."""
    path = []
    F = X.T @ G @ np.linalg.inv(G.T @ G)
    for _ in range(iterations):
        A, B, old = X @ F, F.T @ F, G
        G = np.empty_like(old)
        for i, j in np.ndindex(G.shape):
            up = max(A[i, j], 0) + sum(old[i, m] * max(-B[m, j], 0) for m in range(len(B)))
            down = max(-A[i, j], 0) + sum(old[i, m] * max(B[m, j], 0) for m in range(len(B)))
            G[i, j] = old[i, j] * np.sqrt(up / down)
        F = X.T @ G @ np.linalg.inv(G.T @ G)
        path.append((F, G))
    return path
