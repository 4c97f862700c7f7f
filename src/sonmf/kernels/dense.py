"""Kernels for a dense block: BLAS products over tiles of documents small enough to stay in cache between them.

Each thread has a share of the documents and its own M. The M of all threads are added afterwards, in order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from sonmf import threads
from sonmf.device_arrays import add_up, split_rows
from sonmf.types import Array

TILE_BYTES = 2**21
ENTRIES_WORTH_A_THREAD = 2**17


def ascent(X: Array, F: Array, threshold: float | Array) -> tuple[Array, float]:
    """``threshold`` is one number, or a column with one for each document."""
    prices = np.broadcast_to(np.asarray(threshold, X.dtype), (len(X), 1)) if np.any(threshold) else None

    def job(rows: slice) -> tuple[Array, float]:
        M, energy = np.zeros_like(F), 0.0
        for few in _few(X, rows):
            tile = X[few]
            G = tile @ F
            if prices is not None:
                G -= prices[few]
            np.maximum(G, 0, out=G)
            energy += float(np.einsum("ij,ij->", G, G, dtype=np.float64))
            M += tile.T @ G
        return M, energy

    M, energy = add_up(threads.share(job, shares(X)))
    return M, energy


def normal(X: Array, F: Array) -> Array:
    def job(rows: slice) -> tuple[Array]:
        M = np.zeros_like(F)
        for tile in _tiles(X[rows]):
            M += tile.T @ (tile @ F)
        return (M,)

    return np.asarray(add_up(threads.share(job, shares(X)))[0])


def sign_energies(X: Array, F: Array, shift: Array) -> tuple[Array, Array]:
    positive, negative = add_up(threads.share(lambda rows: energies((tile @ F for tile in _tiles(X[rows])), shift), shares(X)))
    return positive, negative


def energies(projections: Iterable[Array], shift: Array) -> tuple[Array, Array]:
    """||[g - s]+||^2 and ||[s - g]+||^2 for each column g of G and its shift s, G given a few documents at a time."""
    positive, total = np.zeros(len(shift)), np.zeros(len(shift))
    for G in projections:
        G = G - shift
        total += np.einsum("ij,ij->j", G, G, dtype=np.float64)
        np.maximum(G, 0, out=G)
        positive += np.einsum("ij,ij->j", G, G, dtype=np.float64)
    return positive, total - positive


def square(X: Array) -> float:
    return sum(float(np.einsum("ij,ij->", tile, tile, dtype=np.float64)) for tile in _tiles(X))


def column_sums(X: Array) -> Array:
    return np.asarray(X.sum(axis=0, dtype=np.float64))


def product(X: Array, F: Array) -> Array:
    G = np.empty((len(X), F.shape[1]), np.result_type(X, F))
    threads.share(lambda rows: np.matmul(X[rows], F, out=G[rows]), shares(X))
    return G


def back(X: Array, G: Array) -> Array:
    return np.asarray(add_up(threads.share(lambda rows: (X[rows].T @ G[rows],), shares(X)))[0])


def shares(X: Array) -> list[slice]:
    """The documents in one share for each thread that is worth its while."""
    return split_rows(len(X), max(1, min(threads.count(), X.size // ENTRIES_WORTH_A_THREAD)))


def _tiles(X: Array) -> Iterator[Array]:
    return (X[few] for few in _few(X, slice(0, len(X))))


def _few(X: Array, rows: slice) -> Iterator[slice]:
    """Divide documents into parts that stay in cache."""
    height = max(64, TILE_BYTES // max(1, X.shape[1] * X.itemsize))
    return (slice(start, min(start + height, rows.stop)) for start in range(rows.start, rows.stop, height))
