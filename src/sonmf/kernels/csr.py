"""Kernels for a CSR block: one fused, compiled pass; the GIL is released so that threads can share the documents."""

from __future__ import annotations

import itertools
from typing import Any

import numba
import numpy as np

Array = np.ndarray[Any, Any]

NONZEROS_WORTH_A_THREAD = 20_000

compiled = numba.njit(cache=True, nogil=True, fastmath=True)


def ascent(X: Any, F: Array) -> tuple[Array, float]:
    M = np.zeros_like(F)
    return M, _ascent(X.indptr, X.indices, X.data, F, M)


def normal(X: Any, F: Array) -> Array:
    M = np.zeros_like(F)
    _normal(X.indptr, X.indices, X.data, F, M)
    return M


def sign_energies(X: Any, F: Array, shift: Array) -> tuple[Array, Array]:
    energies = np.zeros((2, F.shape[1]))
    _sign_energies(X.indptr, X.indices, X.data, F, shift, energies)
    return energies[0], energies[1]


def square(X: Any) -> float:
    return float(np.einsum("i,i->", X.data, X.data, dtype=np.float64))


def column_sums(X: Any) -> Array:
    return np.asarray(X.sum(axis=0, dtype=np.float64)).ravel()


def project(X: Any, F: Array) -> Array:
    G = np.empty((X.shape[0], F.shape[1]), F.dtype)
    _project(X.indptr, X.indices, X.data, F, G)
    return G


def back(X: Any, G: Array) -> Array:
    M = np.zeros((X.shape[1], G.shape[1]), G.dtype)
    _back(X.indptr, X.indices, X.data, G, M)
    return M


def split(X: Any, pieces: int) -> list[Any]:
    pieces = max(1, min(pieces, X.nnz // NONZEROS_WORTH_A_THREAD))
    if pieces == 1:
        return [X]
    bounds = np.searchsorted(X.indptr, np.linspace(0, X.nnz, pieces + 1))
    bounds[0], bounds[-1] = 0, X.shape[0]
    return [_rows(X, a, b) for a, b in itertools.pairwise(bounds) if b > a]


def _rows(X: Any, a: int, b: int) -> Any:
    """Documents a to b as a view; X[a:b] would copy them."""
    start, stop = X.indptr[a], X.indptr[b]
    block = type(X)((b - a, X.shape[1]), dtype=X.dtype)
    # The constructor would copy a slice much shorter than its base.
    block.data, block.indices, block.indptr = X.data[start:stop], X.indices[start:stop], X.indptr[a : b + 1] - start
    return block


@compiled
def _row(indices, data, F, g):  # type: ignore[no-untyped-def]
    """g = F'x for one document x."""
    g[:] = 0
    for s in range(len(indices)):
        x, f = data[s], F[indices[s]]
        for c in range(len(g)):
            g[c] += x * f[c]


@compiled
def _scatter(indices, data, g, M):  # type: ignore[no-untyped-def]
    """M += x g' for one document x."""
    for s in range(len(indices)):
        x, m = data[s], M[indices[s]]
        for c in range(len(g)):
            m[c] += x * g[c]


@compiled
def _ascent(indptr, indices, data, F, M):  # type: ignore[no-untyped-def]
    g, energy = np.empty(F.shape[1], F.dtype), 0.0
    for i in range(len(indptr) - 1):
        words, values = indices[indptr[i] : indptr[i + 1]], data[indptr[i] : indptr[i + 1]]
        _row(words, values, F, g)
        for c in range(len(g)):
            g[c] = max(g[c], 0)
            energy += np.float64(g[c]) * np.float64(g[c])
        _scatter(words, values, g, M)
    return energy


@compiled
def _normal(indptr, indices, data, F, M):  # type: ignore[no-untyped-def]
    g = np.empty(F.shape[1], F.dtype)
    for i in range(len(indptr) - 1):
        words, values = indices[indptr[i] : indptr[i + 1]], data[indptr[i] : indptr[i + 1]]
        _row(words, values, F, g)
        _scatter(words, values, g, M)


@compiled
def _sign_energies(indptr, indices, data, F, shift, energies):  # type: ignore[no-untyped-def]
    g = np.empty(F.shape[1], F.dtype)
    for i in range(len(indptr) - 1):
        _row(indices[indptr[i] : indptr[i + 1]], data[indptr[i] : indptr[i + 1]], F, g)
        for c in range(len(g)):
            energies[0, c] += np.float64(max(g[c] - shift[c], 0)) ** 2
            energies[1, c] += np.float64(min(g[c] - shift[c], 0)) ** 2


@compiled
def _project(indptr, indices, data, F, G):  # type: ignore[no-untyped-def]
    for i in range(len(indptr) - 1):
        _row(indices[indptr[i] : indptr[i + 1]], data[indptr[i] : indptr[i + 1]], F, G[i])


@compiled
def _back(indptr, indices, data, G, M):  # type: ignore[no-untyped-def]
    for i in range(len(indptr) - 1):
        _scatter(indices[indptr[i] : indptr[i + 1]], data[indptr[i] : indptr[i + 1]], G[i], M)
