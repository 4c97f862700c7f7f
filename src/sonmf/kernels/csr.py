"""Kernels for a CSR block: one compiled pass. A thread takes the topics of one tile and a share of the documents at a time.

F is packed once. A job reads its share of the documents for the topics of one tile and fills its own words x tile of M. If
there are more threads than tiles, several shares fill copies of the same tile, which are added afterwards, in order.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import TypeAlias

import numpy as np

from sonmf import threads
from sonmf.compiled import compiled
from sonmf.device_arrays import add_up
from sonmf.kernels import dense, lanes
from sonmf.parallel import for_each_item, leader, run_together
from sonmf.types import Array, Matrix

ENTRIES_WORTH_A_THREAD = 10_000  # each for the topics of a tile
FAR = 4  # a row in memory takes this many times longer than one in cache
DOCUMENTS_IN_CACHE = 1024

Lead: TypeAlias = Callable[..., object]
"""A compiled function that ``run_together`` runs."""


def ascent(X: Matrix, F: Array, threshold: float) -> tuple[Array, float]:
    less = np.full((1, len(lanes.lanes(F.shape[1]))), -threshold, F.dtype)
    return _summed(_ascents, X, F, lanes.pack(F), less)


def normal(X: Matrix, F: Array) -> Array:
    return _summed(_normals, X, F, lanes.pack(F))[0]


def back(X: Matrix, G: Array) -> Array:
    return _summed(_backs, X, G, G)[0]


def project(X: Matrix, F: Array) -> Array:
    if X.nnz < X.shape[1]:
        return np.asarray(X @ F)  # packing F would cost more than this product
    return _projected(X, slice(0, X.shape[0]), lanes.pack(F), F)


def sign_energies(X: Matrix, F: Array, shift: Array) -> tuple[Array, Array]:
    f = lanes.pack(F)
    positive, negative = add_up(threads.share(lambda rows: dense.energies(_projections(X, rows, f, F), shift), shares(X)))
    return positive, negative


def _projections(X: Matrix, rows: slice, f: Array, F: Array) -> Iterator[Array]:
    """XF, a few documents at a time, by the kernel of ``project``: so the start of a fit compiles what its transform needs."""
    for first in range(rows.start, rows.stop, DOCUMENTS_IN_CACHE):
        yield _projected(X, slice(first, min(first + DOCUMENTS_IN_CACHE, rows.stop)), f, F)


def _projected(X: Matrix, rows: slice, f: Array, F: Array) -> Array:
    """XF for some documents, with F packed as f."""
    indptr, G = X.indptr[rows.start : rows.stop + 1], np.empty((rows.stop - rows.start, F.shape[1]), F.dtype)
    team = _team(indptr, len(f))
    run_together(_projects, team, _bounds(indptr, team), indptr, X.indices, X.data, f, G, lanes.lanes(F.shape[1]))
    return G


def square(X: Matrix) -> float:
    return float(np.einsum("i,i->", X.data, X.data, dtype=np.float64))


def column_sums(X: Matrix) -> Array:
    return np.asarray(X.sum(axis=0, dtype=np.float64)).ravel()


def _summed(lead: Lead, X: Matrix, F: Array, *known: Array) -> tuple[Array, float]:
    """M, words x topics like F, and the sum of what the jobs return. A job fills a tile of M for a share of the documents."""
    k, width = F.shape[1], lanes.lanes(F.shape[1])
    tiles = -(-k // len(width))
    team = _team(X.indptr, tiles)
    rows = _bounds(X.indptr, min(range(1, team + 1), key=lambda pieces: _time(X, tiles, pieces, team)))
    M = lanes.empty(X.shape[1], k, F.dtype, copies=len(rows) - 1)
    sums = np.zeros((len(rows) - 1, tiles))
    run_together(lead, team, rows, X.indptr, X.indices, X.data, *known, M, sums, width)
    return lanes.unpack(M, k), float(sums.sum())


def shares(X: Matrix) -> list[slice]:
    """The documents in one share for each thread that is worth its while, with about the same number of entries."""
    return [slice(a, b) for a, b in itertools.pairwise(_bounds(X.indptr, _team(X.indptr, 1)).tolist())]


def _bounds(indptr: Array, pieces: int) -> Array:
    """Where shares of the documents with about the same number of entries begin and end."""
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
def _ascent(indptr, indices, data, f, less, m, width):  # type: ignore[no-untyped-def]
    _clear(m, width)
    energy = 0.0
    for i in range(len(indptr) - 1):
        words, values = indices[indptr[i] : indptr[i + 1]], data[indptr[i] : indptr[i + 1]]
        g = lanes.positive(lanes.plus(_row(words, values, f, width), 1, less, 0))
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
    g = np.empty((1, len(width)), f.dtype)
    for i in range(len(G)):
        lanes.put(g, 0, _row(indices[indptr[i] : indptr[i + 1]], data[indptr[i] : indptr[i + 1]], f, width))
        for c in range(min(len(width), G.shape[1])):  # compiling the assignment of a slice would take two seconds
            G[i, c] = g[0, c]


@compiled
def _back(indptr, indices, data, G, m, width):  # type: ignore[no-untyped-def]
    _clear(m, width)
    g = np.zeros((1, len(width)), G.dtype)
    for i in range(len(G)):
        for c in range(min(len(width), G.shape[1])):
            g[0, c] = G[i, c]
        words, values = indices[indptr[i] : indptr[i + 1]], data[indptr[i] : indptr[i + 1]]
        _scatter(words, values, lanes.plus(lanes.nothing(g, width), 1, g, 0), m)
    return 0.0


@for_each_item
def _ascent_share(item, rows, indptr, indices, data, f, less, M, sums, width):  # type: ignore[no-untyped-def]
    s, t = item // len(M), item % len(M)
    sums[s, t] = _ascent(indptr[rows[s] : rows[s + 1] + 1], indices, data, f[t], less, M[t, s], width)


@leader
def _ascents(board, rows, indptr, indices, data, f, less, M, sums, width):  # type: ignore[no-untyped-def]
    _ascent_share(board, sums.size, (rows, indptr, indices, data, f, less, M, sums, width))


@for_each_item
def _normal_share(item, rows, indptr, indices, data, f, M, sums, width):  # type: ignore[no-untyped-def]
    s, t = item // len(M), item % len(M)
    _normal(indptr[rows[s] : rows[s + 1] + 1], indices, data, f[t], M[t, s], width)


@leader
def _normals(board, rows, indptr, indices, data, f, M, sums, width):  # type: ignore[no-untyped-def]
    _normal_share(board, sums.size, (rows, indptr, indices, data, f, M, sums, width))


@for_each_item
def _back_share(item, rows, indptr, indices, data, G, M, sums, width):  # type: ignore[no-untyped-def]
    s, t = item // len(M), item % len(M)
    some = G[rows[s] : rows[s + 1], t * len(width) :]
    _back(indptr[rows[s] : rows[s + 1] + 1], indices, data, some, M[t, s], width)


@leader
def _backs(board, rows, indptr, indices, data, G, M, sums, width):  # type: ignore[no-untyped-def]
    _back_share(board, sums.size, (rows, indptr, indices, data, G, M, sums, width))


@for_each_item
def _project_share(item, rows, indptr, indices, data, f, G, width):  # type: ignore[no-untyped-def]
    s, t = item // len(f), item % len(f)
    some = G[rows[s] : rows[s + 1], t * len(width) :]
    _project(indptr[rows[s] : rows[s + 1] + 1], indices, data, f[t], some, width)


@leader
def _projects(board, rows, indptr, indices, data, f, G, width):  # type: ignore[no-untyped-def]
    _project_share(board, (len(rows) - 1) * len(f), (rows, indptr, indices, data, f, G, width))
