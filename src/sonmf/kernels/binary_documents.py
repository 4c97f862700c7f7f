"""0/1 documents of which some entries are left out of every sum, or which have weights.

The kernels of ``bernoulli`` read them as they read a CSR block. The functions below serve the starts: there a one that is left
out is not seen, and each document counts by its weight.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

import numpy as np

from sonmf.compiled import compiled
from sonmf.kernels import csr
from sonmf.types import Array, Matrix


class LeftOut(NamedTuple):
    """Entries left out of the sums: document i leaves out ``length[i]`` words of a list, from ``first[i]`` on."""

    first: Array
    length: Array
    words: Array
    """The list, which is as long as the missing entries, or if they are held out, a shuffled vocabulary twice over."""
    watched: bool
    """Whether the fit watches their cost: they are held out. Otherwise nobody observed them."""

    def documents(self, weights: Array, n_words: int) -> Array:
        """The number of documents that leave out each word, each document counted by its weight."""
        ends, size = self.first + self.length, len(self.words) + 1
        change = np.bincount(self.first, weights, size) - np.bincount(ends, weights, size)
        return np.bincount(self.words, np.cumsum(change)[:-1], n_words)


class BinaryDocuments:
    """A block of 0/1 documents with entries left out, or with weights.

    Parameters
    ----------
    ones : CSR matrix
        Its stored entries are the ones, also those that are held out.
    left_out : LeftOut, optional
    weights : ndarray of shape (n_documents,), optional
    """

    def __init__(self, ones: Matrix, left_out: LeftOut | None = None, weights: Array | None = None) -> None:
        self.ones, self.left_out, self.weights = ones, left_out, weights
        self.indptr, self.indices = ones.indptr, ones.indices
        self.shape: tuple[int, int] = ones.shape
        self.dtype = ones.dtype

    @cached_property
    def seen(self) -> Matrix:
        """The ones that are not left out."""
        if self.left_out is None or not self.left_out.watched:
            return self.ones
        seen = self.ones.copy()
        seen.data[_held_out(seen.indptr, seen.indices, seen.shape[1], *self.left_out[:3])] = 0
        seen.eliminate_zeros()
        return seen

    def __getitem__(self, rows: Array) -> Matrix:
        """Some documents, without those that do not count."""
        return self.seen[rows if self.weights is None else rows[self.weights[rows] > 0]]


def with_weights(X: Matrix, weights: Array) -> BinaryDocuments:
    """A block of 0/1 documents that count as often as these weights say."""
    return BinaryDocuments(getattr(X, "ones", X), left_out_of(X), weights)


def left_out_of(X: Matrix) -> LeftOut | None:
    """The entries that a block of 0/1 documents leaves out."""
    return getattr(X, "left_out", None)


def weights_of(X: Matrix, rows: slice) -> Array:
    """How often each of some documents counts."""
    weights: Array | None = getattr(X, "weights", None)
    return np.ones(rows.stop - rows.start) if weights is None else weights[rows]


def normal(X: BinaryDocuments, F: Array) -> Array:
    return back(X, product(X, F))


def sign_energies(X: BinaryDocuments, F: Array, shift: Array) -> tuple[Array, Array]:
    G, w = product(X, F) - shift, _weights(X)
    return w @ np.maximum(G, 0) ** 2, w @ np.minimum(G, 0) ** 2


def column_sums(X: BinaryDocuments) -> Array:
    return np.asarray(X.seen.T @ _weights(X))


def product(X: BinaryDocuments, F: Array) -> Array:
    return csr.product(X.seen, F)


def back(X: BinaryDocuments, G: Array) -> Array:
    return csr.back(X.seen, (_weights(X)[:, None] * G).astype(G.dtype, copy=False))


def square(X: BinaryDocuments) -> float:
    return float(_weights(X) @ np.diff(X.seen.indptr))


def ascent(X: BinaryDocuments, F: Array, threshold: float | Array) -> tuple[Array, float]:
    G = np.maximum(product(X, F) - threshold, 0)
    return back(X, G), float(_weights(X) @ np.sum(G**2, axis=1))


def _weights(X: BinaryDocuments) -> Array:
    return weights_of(X, slice(0, X.shape[0]))


@compiled
def _held_out(indptr, indices, n_words, first, length, words):  # type: ignore[no-untyped-def]
    """A mask of the stored ones that are left out."""
    found, hidden = np.zeros(len(indices), np.bool_), np.zeros(n_words, np.bool_)
    for i in range(len(first)):
        window = words[first[i] : first[i] + length[i]]
        for s in range(len(window)):
            hidden[window[s]] = True
        for s in range(indptr[i], indptr[i + 1]):
            found[s] = hidden[indices[s]]
        for s in range(len(window)):
            hidden[window[s]] = False
    return found
