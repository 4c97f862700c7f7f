"""Kernels for a CSR block: one compiled pass. A thread takes the topics of one tile and a share of the documents at a time.

F is packed once. A job reads its share of the documents for the topics of one tile and fills its own words x tile of M. If
there are more threads than tiles, several shares fill copies of the same tile, which are added afterwards, in order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from sonmf import threads
from sonmf.compiled import compiled
from sonmf.device_arrays import add_up, thread_slices
from sonmf.kernels import dense, lanes
from sonmf.parallel import for_each_item
from sonmf.types import Array, Matrix

ENTRIES_WORTH_A_THREAD = 10_000  # each for the topics of a tile
FAR = 4  # a row in memory takes this many times longer than one in cache
DOCUMENTS_IN_CACHE = 1024

Kernel: TypeAlias = Callable[..., None]
"""A compiled function whose items threads share."""


def ascent(X: Matrix, F: Array, threshold: float | Array) -> tuple[Array, float]:
    """``threshold`` is one number, or a column with one for each document."""
    ones, less = np.ones((1, int(lanes.lanes(F.shape[1]))), F.dtype), np.empty(X.shape[0], F.dtype)
    less[:] = -np.ravel(threshold)
    return _summed(_ascents, X, F, lanes.pack(F), ones, less)


def normal(X: Matrix, F: Array) -> Array:
    return _summed(_normals, X, F, lanes.pack(F))[0]


def back(X: Matrix, G: Array) -> Array:
    return _summed(_backs, X, G, G)[0]


def product(X: Matrix, F: Array) -> Array:
    if X.nnz < X.shape[1]:
        return np.asarray(X @ F)  # packing F would cost more than this product
    return _projected(X, slice(0, X.shape[0]), lanes.pack(F), F)


def sign_energies(X: Matrix, F: Array, shift: Array) -> tuple[Array, Array]:
    f, parts = lanes.pack(F), []
    for first in range(0, X.shape[0], step := DOCUMENTS_IN_CACHE * threads.count()):
        G = _projected(X, slice(first, min(first + step, X.shape[0])), f, F)  # so a fit compiles what its transform needs
        parts += threads.share(lambda part: dense.energies([part], shift), [G[rows] for rows in thread_slices(G)])
    positive, negative = add_up(parts) if parts else (0 * shift, 0 * shift)
    return positive, negative


def _projected(X: Matrix, documents: slice, f: Array, F: Array) -> Array:
    """XF for some documents, with F packed as f."""
    indptr = X.indptr[documents.start : documents.stop + 1]
    G, team = np.empty((len(indptr) - 1, F.shape[1]), F.dtype), _team(indptr, len(f))
    rows = _bounds(indptr, team)
    _projects(team, (len(rows) - 1) * len(f), rows, indptr, X.indices, X.data, f, G, lanes.lanes(F.shape[1]))
    return G


def square(X: Matrix) -> float:
    return float(np.einsum("i,i->", X.data, X.data, dtype=np.float64))


def column_sums(X: Matrix) -> Array:
    return np.asarray(X.sum(axis=0, dtype=np.float64)).ravel()


def _summed(kernel: Kernel, X: Matrix, F: Array, *known: Array) -> tuple[Array, float]:
    """M, words x topics like F, and the sum of what the jobs return. A job fills a tile of M for a share of the documents."""
    k, width = F.shape[1], lanes.lanes(F.shape[1])
    tiles = -(-k // int(width))
    team = _team(X.indptr, tiles)
    rows = _bounds(X.indptr, min(range(1, team + 1), key=lambda pieces: _time(X, tiles, pieces, team)))
    M = lanes.empty(X.shape[1], k, F.dtype, copies=len(rows) - 1)
    sums = np.zeros((len(rows) - 1, tiles))
    kernel(team, sums.size, rows, X.indptr, X.indices, X.data, *known, M, sums, width)
    return lanes.unpack(M, k), float(sums.sum())


def _bounds(indptr: Array, pieces: int) -> Array:
    """The bounds of shares of the documents that have about the same number of entries."""
    rows = np.searchsorted(indptr, np.linspace(indptr[0], indptr[-1], pieces + 1))
    rows[0], rows[-1] = 0, len(indptr) - 1
    return np.asarray(rows, np.int64)


def _team(indptr: Array, tiles: int) -> int:
    """The number of threads that are worth their while for these documents and so many tiles."""
    return max(1, min(threads.count(), int(indptr[-1] - indptr[0]) * tiles // ENTRIES_WORTH_A_THREAD))


def _time(X: Matrix, tiles: int, pieces: int, team: int) -> float:
    """The time of a pass whose documents are cut into so many pieces, in rows of a tile that a thread reads or writes.

    Every entry reads a row of F and writes one of M. Every word is cleared and added once for each piece, in memory that is
    in no cache.
    """
    jobs, words = tiles * pieces, FAR * X.shape[1]
    return float(-(-jobs // team) * (2 * X.nnz / pieces + words) + 2 * jobs * words / team)


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
def _clear(m, width):  # type: ignore[no-untyped-def]
    for j in range(len(m)):
        lanes.put(m, j, lanes.nothing(m, width))


@compiled
def _ascent(indptr, indices, data, f, ones, less, m, width):  # type: ignore[no-untyped-def]
    _clear(m, width)
    energy = 0.0
    for i in range(len(indptr) - 1):
        words, values = indices[indptr[i] : indptr[i + 1]], data[indptr[i] : indptr[i + 1]]
        g = lanes.positive(lanes.plus(_row(words, values, f, width), less[i], ones, 0))
        energy += lanes.square(g)
        _scatter(words, values, g, m)
    return energy


@compiled
def _normal(indptr, indices, data, f, m, width):  # type: ignore[no-untyped-def]
    _clear(m, width)
    for i in range(len(indptr) - 1):
        words, values = indices[indptr[i] : indptr[i + 1]], data[indptr[i] : indptr[i + 1]]
        _scatter(words, values, _row(words, values, f, width), m)
    return 0.0


@compiled
def _project(indptr, indices, data, f, G, width):  # type: ignore[no-untyped-def]
    g = np.empty((1, width), f.dtype)
    for i in range(len(G)):
        lanes.put(g, 0, _row(indices[indptr[i] : indptr[i + 1]], data[indptr[i] : indptr[i + 1]], f, width))
        for c in range(min(width, G.shape[1])):  # compiling the assignment of a slice would take two seconds
            G[i, c] = g[0, c]


@compiled
def _back(indptr, indices, data, G, m, width):  # type: ignore[no-untyped-def]
    _clear(m, width)
    g = np.zeros((1, width), G.dtype)
    for i in range(len(G)):
        for c in range(min(width, G.shape[1])):
            g[0, c] = G[i, c]
        words, values = indices[indptr[i] : indptr[i + 1]], data[indptr[i] : indptr[i + 1]]
        _scatter(words, values, lanes.plus(lanes.nothing(g, width), 1, g, 0), m)
    return 0.0


@for_each_item
def _ascents(item, rows, indptr, indices, data, f, ones, less, M, sums, width):  # type: ignore[no-untyped-def]
    s, t = item // len(M), item % len(M)
    documents, prices = indptr[rows[s] : rows[s + 1] + 1], less[rows[s] : rows[s + 1]]
    sums[s, t] = _ascent(documents, indices, data, f[t], ones, prices, M[t, s], width)


@for_each_item
def _normals(item, rows, indptr, indices, data, f, M, sums, width):  # type: ignore[no-untyped-def]
    s, t = item // len(M), item % len(M)
    _normal(indptr[rows[s] : rows[s + 1] + 1], indices, data, f[t], M[t, s], width)


@for_each_item
def _backs(item, rows, indptr, indices, data, G, M, sums, width):  # type: ignore[no-untyped-def]
    s, t = item // len(M), item % len(M)
    _back(indptr[rows[s] : rows[s + 1] + 1], indices, data, G[rows[s] : rows[s + 1], t * width :], M[t, s], width)


@for_each_item
def _projects(item, rows, indptr, indices, data, f, G, width):  # type: ignore[no-untyped-def]
    s, t = item // len(f), item % len(f)
    _project(indptr[rows[s] : rows[s + 1] + 1], indices, data, f[t], G[rows[s] : rows[s + 1], t * width :], width)
