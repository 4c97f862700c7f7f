"""Matrices to try laws on: shapes, densities, dtypes, storage and degeneracy drawn by hypothesis."""

from __future__ import annotations

import numpy as np
import scipy.sparse
from hypothesis import strategies as st

STORAGE = {
    "dense": np.ascontiguousarray,
    "fortran": np.asfortranarray,
    "csr_matrix": scipy.sparse.csr_matrix,
    "csr_array": scipy.sparse.csr_array,
    "csc_matrix": scipy.sparse.csc_matrix,
    "csc_array": scipy.sparse.csc_array,
    "coo_array": scipy.sparse.coo_array,
}
DEGENERATE = ["none", "zero rows", "zero columns", "duplicated rows", "low rank", "constant", "zero", "negative"]


def degraded(X, how, rng):
    X = X.copy()
    if how == "zero rows":
        X[::2] = 0
    elif how == "zero columns":
        X[:, ::2] = 0
    elif how == "duplicated rows":
        X[:] = X[rng.integers(0, max(1, len(X) // 3), len(X))]
    elif how == "low rank":
        X[:] = np.outer(X[:, 0], X[0])
    elif how == "constant":
        X[:] = 3.0
    elif how == "zero":
        X[:] = 0
    elif how == "negative":
        X[:] = -np.abs(X)
    return X


@st.composite
def dense(draw, max_side=24):
    """A float64 matrix, possibly sparse, possibly degenerate."""
    n, p = draw(st.integers(1, max_side)), draw(st.integers(1, max_side))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.normal(size=(n, p)) * (rng.random((n, p)) < draw(st.sampled_from([0.1, 0.5, 1.0])))
    X = np.abs(X) if draw(st.booleans()) else X
    return degraded(X, draw(st.sampled_from(DEGENERATE)), rng) * draw(st.sampled_from([1.0, 1e-6, 1e6]))


@st.composite
def orthonormal(draw, p, k):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return np.linalg.qr(rng.normal(size=(p, k)))[0]


@st.composite
def problems(draw, max_side=24):
    """(X, F): a dense matrix and an orthonormal basis of any admissible width."""
    X = draw(dense(max_side))
    k = draw(st.integers(1, min(X.shape)))
    return X, draw(orthonormal(X.shape[1], k))
