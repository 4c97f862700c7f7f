"""min over w, b of sum(log(1 + e^m) - y m) + lambda ||w||_1, m = Zw + b, for falling lambdas, each from the solution before.

Newton's quadratic model of the loss is minimised one coefficient at a time (Friedman, Hastie and Tibshirani, 2010). Only the
features that the strong rule lets pass are visited, and the others are checked afterwards. Should a model overshoot, the bound
1/4 on the curvature takes its place: the objective never rises.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse

from sonmf.compiled import compiled
from sonmf.types import Array, Matrix

SETTLED = 1e-13  # mean fall of the objective below which a solution is taken
NEARLY = 1e-10  # the same for a solution that only judges: within 2e-5 of the smallest objective, and half the cycles
LEAST_WEIGHT = 1e-5  # of a patient whose outcome is nearly certain
ROUNDING = 1e-12  # at the largest lambda no feature may enter for it
ROUNDS, CYCLES = 100, 1000


def path(Z: Matrix, y: Array, lambdas: Array, start: Array | None = None, settled: float = SETTLED) -> tuple[Array, Array]:
    """Intercepts and coefficients for each lambda (on the mean loss), the first from ``start``, intercept first."""
    if start is None:
        start = np.zeros(1 + Z.shape[1])
        start[0] = np.log(y.mean() / (1 - y.mean()))
    penalties = (1 + ROUNDING) * len(y) * np.asarray(lambdas, float)
    solutions = _path(*_columns(Z), np.asarray(y, float), penalties, np.asarray(start, float), settled)
    return solutions[:, 0], solutions[:, 1:]


def _columns(Z: Matrix) -> tuple[Array, Array, Array]:
    """Values, rows and where each column begins; a dense matrix has no rows to name."""
    if scipy.sparse.issparse(Z):
        Z = scipy.sparse.csc_array(Z)
        return Z.data.astype(float), Z.indices.astype(np.int32), Z.indptr.astype(np.int64)
    return np.asarray(Z, float).T.ravel(), np.empty(0, np.int32), np.arange(Z.shape[1] + 1, dtype=np.int64) * len(Z)


@compiled
def _path(values, rows, begins, y, penalties, start, settled):  # type: ignore[no-untyped-def]
    solutions = np.empty((len(penalties), len(start)))
    w = start.copy()
    m = _log_odds(values, rows, begins, w, len(y))
    slope = _slopes(values, rows, begins, y, m)
    before = max(penalties[0], np.abs(slope).max()) if len(slope) else penalties[0]
    used = w[1:] != 0
    for step in range(len(penalties)):
        at = penalties[step]
        for j in range(len(slope)):
            used[j] = used[j] or abs(slope[j]) >= 2 * at - before  # the strong rule
        complete = False
        while not complete:
            m = _solve(values, rows, begins, y, at, w, m, np.flatnonzero(used), settled)
            slope = _slopes(values, rows, begins, y, m)
            complete = True
            for j in range(len(slope)):
                if not used[j] and abs(slope[j]) > at:
                    used[j], complete = True, False
        for j in range(len(slope)):
            used[j] = w[1 + j] != 0
        solutions[step], before = w, at
    return solutions


@compiled
def _solve(values, rows, begins, y, at, w, m, used, settled):  # type: ignore[no-untyped-def]
    """Newton rounds over the features used; changes w in place and returns the log-odds."""
    n = len(y)
    objective = _objective(y, m, at, w)
    bounded = False
    r, weight, curvature = np.empty(n), np.empty(n), np.empty(len(used))
    for _ in range(ROUNDS):
        for i in range(n):
            p = 1 / (1 + np.exp(-m[i]))
            r[i] = y[i] - p
            weight[i] = 0.25 if bounded else max(p * (1 - p), LEAST_WEIGHT)
        for s in range(len(used)):
            curvature[s] = _square(values, rows, begins, used[s], weight)
        old = w.copy()
        _minimise(values, rows, begins, at, w, used, curvature, weight, r, settled)
        new = np.empty(n)
        for i in range(n):
            new[i] = m[i] + (y[i] - 1 / (1 + np.exp(-m[i])) - r[i]) / weight[i]
        fall = objective - _objective(y, new, at, w)
        if fall < 0 and not bounded:
            w[:], bounded = old, True
            continue
        if fall > 0:
            m, objective = new, objective - fall
        else:
            w[:] = old
        if fall <= settled * n:
            break
    return m


@compiled
def _minimise(values, rows, begins, at, w, used, curvature, weight, r, settled):  # type: ignore[no-untyped-def]
    """The quadratic model by cycles over its coefficients; r becomes its residual times the weights."""
    n, total = len(r), weight.sum()
    for _ in range(CYCLES):
        change = r.sum() / total
        w[0] += change
        for i in range(n):
            r[i] -= change * weight[i]
        largest = total * change * change
        for s in range(len(used)):
            j, v = used[s], curvature[s]
            if v <= 0:
                continue
            pull = _along(values, rows, begins, j, r) + v * w[1 + j]
            new = np.sign(pull) * max(abs(pull) - at, 0.0) / v
            change = new - w[1 + j]
            if change != 0:
                w[1 + j] = new
                _subtract(values, rows, begins, j, change, weight, r)
                largest = max(largest, v * change * change)
        if largest <= settled * n:
            break


@compiled
def _objective(y, m, at, w):  # type: ignore[no-untyped-def]
    total = at * np.abs(w[1:]).sum()
    for i in range(len(y)):
        total += max(m[i], 0.0) + np.log1p(np.exp(-abs(m[i]))) - y[i] * m[i]
    return total


@compiled
def _log_odds(values, rows, begins, w, n):  # type: ignore[no-untyped-def]
    m, ones = np.full(n, w[0]), np.ones(n)
    for j in range(len(begins) - 1):
        if w[1 + j] != 0:
            _subtract(values, rows, begins, j, -w[1 + j], ones, m)
    return m


@compiled
def _slopes(values, rows, begins, y, m):  # type: ignore[no-untyped-def]
    """Z'(y - sigma(m))."""
    r = y - 1 / (1 + np.exp(-m))
    products = np.empty(len(begins) - 1)
    for j in range(len(products)):
        products[j] = _along(values, rows, begins, j, r)
    return products


@compiled
def _along(values, rows, begins, j, r):  # type: ignore[no-untyped-def]
    """z_j'r."""
    total = 0.0
    if len(rows) == 0:
        column = values[begins[j] : begins[j + 1]]
        for i in range(len(r)):
            total += column[i] * r[i]
    else:
        for s in range(begins[j], begins[j + 1]):
            total += values[s] * r[rows[s]]
    return total


@compiled
def _subtract(values, rows, begins, j, change, weight, r):  # type: ignore[no-untyped-def]
    """r <- r - change * weight * z_j."""
    if len(rows) == 0:
        column = values[begins[j] : begins[j + 1]]
        for i in range(len(r)):
            r[i] -= change * weight[i] * column[i]
    else:
        for s in range(begins[j], begins[j + 1]):
            r[rows[s]] -= change * weight[rows[s]] * values[s]


@compiled
def _square(values, rows, begins, j, weight):  # type: ignore[no-untyped-def]
    """sum of weight * z_j^2."""
    total = 0.0
    if len(rows) == 0:
        column = values[begins[j] : begins[j + 1]]
        for i in range(len(weight)):
            total += weight[i] * column[i] * column[i]
    else:
        for s in range(begins[j], begins[j + 1]):
            total += weight[rows[s]] * values[s] * values[s]
    return total
