"""Kernels for a CSR block: one fused, compiled pass, shared out among threads as tiles of topics times shares of documents.

F is packed once. A job reads its share of the documents for the topics of one tile and fills its own words x tile of M. Only
where there are more threads than tiles do several shares fill the same tile; these are added afterwards, in order.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sonmf import threads
from sonmf.compiled import compiled
from sonmf.kernels import dense, lanes
from sonmf.tall import WORTH_A_THREAD, added

Array = np.ndarray[Any, Any]

ENTRIES_WORTH_A_THREAD = 50_000  # each with the topics of a tile
WAKE = 5_000  # rows of a tile that a thread could read or write while another one wakes up
DOCUMENTS_IN_CACHE = 1024


def ascent(X: Any, F: Array, threshold: float) -> tuple[Array, float]:
    f, width = lanes.pack(F), lanes.lanes(F.shape[1])
    less = np.full((1, len(width)), -threshold, F.dtype)
    return _summed(X, F, lambda rows, t, m: _ascent(*_entries(X, rows), f[t], less, m, width))


def normal(X: Any, F: Array) -> Array:
    f, width = lanes.pack(F), lanes.lanes(F.shape[1])
    return _summed(X, F, lambda rows, t, m: _normal(*_entries(X, rows), f[t], m, width))[0]


def back(X: Any, G: Array) -> Array:
    width = lanes.lanes(G.shape[1])
    return _summed(X, G, lambda rows, t, m: _back(*_entries(X, rows), G[rows, t * len(width) :], m, width))[0]


def project(X: Any, F: Array) -> Array:
    if X.nnz < X.shape[1]:
        return np.asarray(X @ F)  # to pack F would cost more than this product
    f, width = lanes.pack(F), lanes.lanes(F.shape[1])
    G = np.empty((X.shape[0], F.shape[1]), F.dtype)

    def job(item: tuple[slice, int]) -> None:
        rows, t = item
        _project(*_entries(X, rows), f[t], G[rows, t * len(width) :], width)

    threads.share(job, itertools.product(shares(X), range(len(f))))
    return G


def sign_energies(X: Any, F: Array, shift: Array) -> tuple[Array, Array]:
    f = lanes.pack(F)
    positive, negative = added(threads.share(lambda rows: dense.energies(_projections(X, rows, F, f), shift), shares(X)))
    return positive, negative


def _projections(X: Any, rows: slice, F: Array, f: list[Array]) -> Iterator[Array]:
    """XF, a few documents at a time, by the kernel of ``project``: the start of a fit compiles what its transform needs."""
    width = lanes.lanes(F.shape[1])
    for first in range(rows.start, rows.stop, DOCUMENTS_IN_CACHE):
        few = slice(first, min(first + DOCUMENTS_IN_CACHE, rows.stop))
        G = np.empty((few.stop - few.start, F.shape[1]), F.dtype)
        for t in range(len(f)):
            _project(*_entries(X, few), f[t], G[:, t * len(width) :], width)
        yield G


def square(X: Any) -> float:
    return float(np.einsum("i,i->", X.data, X.data, dtype=np.float64))


def column_sums(X: Any) -> Array:
    return np.asarray(X.sum(axis=0, dtype=np.float64)).ravel()


def _summed(X: Any, F: Array, job: Callable[[slice, int, Array], float]) -> tuple[Array, float]:
    """M, words x topics like F, and the sum of what the jobs return: one job fills a tile of M for a share of the documents."""
    k = F.shape[1]
    rows = shares(X, k)
    M = lanes.empty(X.shape[1], k, F.dtype, copies=len(rows))
    items = itertools.product(range(len(rows)), range(len(M)))
    sums = threads.share(lambda item: job(rows[item[0]], item[1], M[item[1]][item[0]]), items, _team(X, len(M)))
    return lanes.unpack(M, k), sum(sums)


def shares(X: Any, columns: int | None = None) -> list[slice]:
    """Documents shared out by their entries: a share for each thread worth one, or as many as make M soonest."""
    tiles = 1 if columns is None else -(-columns // len(lanes.lanes(columns)))
    most = _team(X, tiles)
    pieces = most if columns is None else min(range(1, most + 1), key=lambda pieces: _time(X, columns, tiles, pieces, most))
    bounds = np.searchsorted(X.indptr, np.linspace(0, X.nnz, pieces + 1)).tolist() if pieces > 1 else [0, 0]
    bounds[0], bounds[-1] = 0, X.shape[0]
    return [slice(a, b) for a, b in itertools.pairwise(bounds) if b > a or pieces == 1]


def _team(X: Any, tiles: int) -> int:
    """How many threads are worth their while for so many tiles."""
    return max(1, min(threads.count(), int(X.nnz) * tiles // ENTRIES_WORTH_A_THREAD))


def _time(X: Any, columns: int, tiles: int, pieces: int, team: int) -> float:
    """The time of a pass whose documents are cut into so many pieces, in rows of a tile that a thread reads or writes.

    Every entry reads a row of F and writes one of M. Every word is cleared once for each piece, and read and added once.
    """
    jobs, words = tiles * pieces, X.shape[1]
    fill = -(-jobs // team) * (2 * X.nnz / pieces + words)
    add = 2 * jobs * words / min(team, max(1, words * columns // WORTH_A_THREAD))
    return float(fill + add + WAKE * min(team, jobs))


def _entries(X: Any, rows: slice) -> tuple[Array, Array, Array]:
    """Where some documents begin and end, and what they point into."""
    return X.indptr[rows.start : rows.stop + 1], X.indices, X.data


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
        for c in range(min(len(width), G.shape[1])):  # to compile the assignment of a slice takes two seconds
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
