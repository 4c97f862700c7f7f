"""Kernels for a CSR block: one fused, compiled pass; the GIL is released so that threads can share the documents."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from sonmf.kernels import dense, lanes
from sonmf.kernels.compiled import compiled

Array = np.ndarray[Any, Any]

NONZEROS_WORTH_A_THREAD = 20_000
TILE_DOCUMENTS = 1024


def ascent(X: Any, F: Array) -> tuple[Array, float]:
    M, f = _accumulators(X, F), lanes.pack(F)
    energy = _ascent(X.indptr, X.indices, X.data, f, M, lanes.lanes(F.shape[1]))
    return lanes.unpack(M, F.shape[1]), energy


def normal(X: Any, F: Array) -> Array:
    M, f = _accumulators(X, F), lanes.pack(F)
    _normal(X.indptr, X.indices, X.data, f, M, lanes.lanes(F.shape[1]))
    return lanes.unpack(M, F.shape[1])


def sign_energies(X: Any, F: Array, shift: Array) -> tuple[Array, Array]:
    return dense.energies(_projections(X, F), shift)


def square(X: Any) -> float:
    return float(np.einsum("i,i->", X.data, X.data, dtype=np.float64))


def column_sums(X: Any) -> Array:
    return np.asarray(X.sum(axis=0, dtype=np.float64)).ravel()


def project(X: Any, F: Array) -> Array:
    if X.nnz < X.shape[1]:
        return np.asarray(X @ F)  # to pack F would cost more than this product
    G = np.empty((X.shape[0], F.shape[1]), F.dtype)
    _project(X.indptr, X.indices, X.data, lanes.pack(F), G, lanes.lanes(F.shape[1]))
    return G


def _projections(X: Any, F: Array) -> Iterator[Array]:
    """XF, a few documents at a time, by the kernel of ``project``: the start of a fit compiles what its transform needs."""
    f, width = lanes.pack(F), lanes.lanes(F.shape[1])
    for first in range(0, X.shape[0], TILE_DOCUMENTS):
        indptr = X.indptr[first : first + TILE_DOCUMENTS + 1]
        G = np.empty((len(indptr) - 1, F.shape[1]), F.dtype)
        _project(indptr, X.indices, X.data, f, G, width)
        yield G


def back(X: Any, G: Array) -> Array:
    M = _accumulators(X, G)
    _back(X.indptr, X.indices, X.data, G, M, lanes.lanes(G.shape[1]))
    return lanes.unpack(M, G.shape[1])


def _accumulators(X: Any, F: Array) -> Array:
    return lanes.zeros(X.shape[1], F.shape[1], F.dtype)


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
def _row(indices, data, f, width):  # type: ignore[no-untyped-def]
    """g = F'x for one document x and the topics of one tile."""
    g = lanes.nothing(f, width)
    for s in range(len(indices)):
        g = lanes.plus(g, data[s], f, indices[s])
    return g


@compiled
def _scatter(indices, data, g, m):  # type: ignore[no-untyped-def]
    """M += x g' for one document x and the topics of one tile."""
    for s in range(len(indices)):
        lanes.add(m, indices[s], data[s], g)


@compiled
def _ascent(indptr, indices, data, F, M, width):  # type: ignore[no-untyped-def]
    energy = 0.0
    for t in range(len(F)):
        for i in range(len(indptr) - 1):
            words, values = indices[indptr[i] : indptr[i + 1]], data[indptr[i] : indptr[i + 1]]
            g = lanes.positive(_row(words, values, F[t], width))
            energy += lanes.square(g)
            _scatter(words, values, g, M[t])
    return energy


@compiled
def _normal(indptr, indices, data, F, M, width):  # type: ignore[no-untyped-def]
    for t in range(len(F)):
        for i in range(len(indptr) - 1):
            words, values = indices[indptr[i] : indptr[i + 1]], data[indptr[i] : indptr[i + 1]]
            _scatter(words, values, _row(words, values, F[t], width), M[t])


@compiled
def _project(indptr, indices, data, F, G, width):  # type: ignore[no-untyped-def]
    g = np.empty((1, len(width)), F.dtype)
    for t in range(len(F)):
        first = t * len(width)
        for i in range(len(G)):
            lanes.put(g, 0, _row(indices[indptr[i] : indptr[i + 1]], data[indptr[i] : indptr[i + 1]], F[t], width))
            for c in range(min(len(width), G.shape[1] - first)):  # to compile the assignment of a slice takes two seconds
                G[i, first + c] = g[0, c]


@compiled
def _back(indptr, indices, data, G, M, width):  # type: ignore[no-untyped-def]
    g = np.zeros((1, len(width)), G.dtype)
    for t in range(len(M)):
        first = t * len(width)
        for i in range(len(G)):
            for c in range(min(len(width), G.shape[1] - first)):
                g[0, c] = G[i, first + c]
            words, values = indices[indptr[i] : indptr[i + 1]], data[indptr[i] : indptr[i + 1]]
            _scatter(words, values, lanes.plus(lanes.nothing(g, width), 1, g, 0), M[t])
