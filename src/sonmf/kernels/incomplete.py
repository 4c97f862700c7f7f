"""Kernels for a dense block with missing entries: G is fitted to the observed entries, and GF' fills in the missing ones.

With O the observed and U the missing words of a document x, its amounts are, since F'F = I,

    g = argmin over g >= 0 of ||x_O - F_O g||^2,    F_O'F_O = I - F_U'F_U.

The filled-in document is z = x on O and Fg on U. The error on the observed entries is never above the error on Z, and equal to
it at the F that made Z. So a step on F that lowers ||Z - GF'||^2 lowers it too, and the exact step polar(Z'G) never raises it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from sonmf import device_arrays, threads
from sonmf.compiled import compiled
from sonmf.errors import EntryError
from sonmf.kernels import dense, least_squares
from sonmf.types import Array


class Incomplete:
    """A block of documents with missing entries.

    Parameters
    ----------
    values : ndarray of shape (n_documents, n_words)
        Zero where an entry is missing.
    first, words : ndarray of int
        Document i misses words[first[i]:first[i + 1]], in order.
    """

    def __init__(self, values: Array, first: Array, words: Array) -> None:
        self.values, self.first, self.words = values, first, words
        self.shape: tuple[int, int] = values.shape
        self.dtype = values.dtype
        self.entries = values.size - len(words)
        """The number of observed entries."""

    def __mul__(self, factor: float | Array) -> Incomplete:
        """The documents multiplied by a number, or each by its own."""
        return Incomplete(self.values * factor, self.first, self.words)

    def __getitem__(self, rows: Array) -> Array:
        """Some documents, with their missing entries filled in."""
        return np.asarray(with_means(self)[rows])

    @property
    def missing(self) -> Array:
        """The number of missing entries of each document."""
        return np.diff(self.first)


def mark_missing(X: Array) -> Array | Incomplete:
    """X itself, or if it has NaN the block that knows which entries are missing."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(X.sum()) or not (gaps := np.isnan(X)).any():
            return X
    if (empty := gaps.all(axis=1)).any():
        message = "document {row} of X has no observed entry, only NaN: remove it"
        raise EntryError(message, int(empty.argmax()), 0, np.nan)
    documents, words = np.nonzero(gaps)
    first = np.searchsorted(documents, np.arange(len(X) + 1))
    return Incomplete(np.where(gaps, X.dtype.type(0), X), first, words.astype(np.int32))


def fill(X: Incomplete, replacement: Array) -> Array:
    """The block with entries of a replacement, n_documents x n_words, where its own are missing."""
    documents, out = np.repeat(np.arange(len(X.values)), X.missing), X.values.copy()
    out[documents, X.words] = replacement[documents, X.words]
    return out


def with_means(X: Incomplete) -> Array:
    """The block with the mean of a document in place of its missing entries."""
    means = X.values.sum(axis=1) / (X.shape[1] - X.missing)
    return fill(X, np.broadcast_to(means[:, None], X.shape))


# ---- kernels for a start: missing entries are filled in by the mean of the document ----


def normal(X: Incomplete, F: Array) -> Array:
    return dense.normal(with_means(X), F)


def sign_energies(X: Incomplete, F: Array, shift: Array) -> tuple[Array, Array]:
    return dense.sign_energies(with_means(X), F, shift)


def column_sums(X: Incomplete) -> Array:
    return dense.column_sums(with_means(X))


def product(X: Incomplete, F: Array) -> Array:
    return dense.product(with_means(X), F)


def back(X: Incomplete, G: Array) -> Array:
    return dense.back(with_means(X), G)


# ---- kernels for the iteration: only observed entries count ----


def square(X: Incomplete) -> float:
    return dense.square(X.values)


def ascent(X: Incomplete, F: Array, threshold: float | Array) -> tuple[Array, float]:
    """M = Z'G, and how much of ||X||^2 the topics explain, less their price.

    ``threshold`` is one number, or a column with one for each document.
    """
    prices = np.broadcast_to(threshold, (X.shape[0], 1))

    def job(rows: slice) -> tuple[Array, float]:
        M, explained = np.zeros_like(F), 0.0
        for few in _tiles(X, rows, F.shape[1]):
            G, explained_here = _nonnegative(X, few, F, prices[few])
            M += X.values[few].T @ G
            _add_filled(M, G, F, *_gaps(X, few))
            explained += explained_here
        return M, explained

    M, explained = device_arrays.add_up(threads.share(job, dense.shares(X.values)))
    return M, explained


# ---- kernels that compute G: each document is fitted on its own observed entries ----


def clip(X: Incomplete, roots: Array | None, F: Array, floor: float = 0.0, threshold: float = 0.0) -> tuple[Array, tuple[()]]:
    """Local G = argmin over G >= 0 of the error on the observed entries."""
    prices = np.broadcast_to(threshold if roots is None else roots * threshold, (X.shape[0], 1))
    return np.maximum(_solve_tiles(X, F, lambda few: _nonnegative(X, few, F, prices[few])[0]), floor), ()


def project(X: Incomplete, local: None, F: Array) -> tuple[Array, tuple[()]]:
    """Local G = argmin of the error on the observed entries, of either sign; the shortest if there are several."""

    def solve(few: slice) -> Array:
        b, A = _equations(X, few, F)
        return np.asarray((np.linalg.pinv(A, rcond=_singular(F), hermitian=True) @ b[:, :, None])[:, :, 0])

    return _solve_tiles(X, F, solve), ()


def explained(X: Incomplete, roots: Array | None, F: Array, signed: bool, threshold: float) -> tuple[None, tuple[float]]:
    """Sum ||X||^2 - ||X - GF'||^2 over the observed entries."""
    G = project(X, None, F)[0] if signed else clip(X, roots, F, 0.0, threshold)[0]
    total = 0.0
    for few in _tiles(X, slice(0, len(G)), F.shape[1]):
        b, A = _equations(X, few, F)
        total += float(np.vdot(2 * b - np.einsum("iab,ib->ia", A, G[few]), G[few]))
    return None, (total,)


def count_observed(X: Incomplete, local: None) -> tuple[Array, tuple[Array]]:
    """Local the number of observed entries of each document, as a column ; sum their number for each word."""
    n, p = X.shape
    return p - X.missing[:, None], (n - np.bincount(X.words, minlength=p).astype(np.float64),)


def fill_missing(X: Incomplete, F: Array, threshold: float) -> Array:
    """The block with GF' in place of missing entries."""
    F = F.astype(X.dtype, copy=False)
    return fill(X, clip(X, None, F, 0.0, threshold)[0] @ F.T)


def _solve_tiles(X: Incomplete, F: Array, codes: Callable[[slice], Array]) -> Array:
    G = np.empty((X.shape[0], F.shape[1]), X.dtype)

    def job(rows: slice) -> None:
        for few in _tiles(X, rows, F.shape[1]):
            G[few] = codes(few)

    threads.share(job, dense.shares(X.values))
    return G


# ---- the least squares problem of each document ----


def _nonnegative(X: Incomplete, few: slice, F: Array, prices: Array) -> tuple[Array, float]:
    """The best G >= 0 for a few documents, and how much of their squares it explains, less 2 sum(prices G)."""
    G, A = _equations(X, few, F)
    G -= prices
    explained = _solve(G, A, _singular(F))
    return G.astype(F.dtype, copy=False), explained


def _equations(X: Incomplete, few: slice, F: Array) -> tuple[Array, Array]:
    """F_O'x_O and F_O'F_O of each of a few documents, in float64: their condition is the square of that of F_O."""
    k, F = F.shape[1], F.astype(np.float64, copy=False)
    A = np.zeros((few.stop - few.start, k, k))
    _grams(A, F, *_gaps(X, few))
    return X.values[few].astype(np.float64, copy=False) @ F, A


def _singular(F: Array) -> float:
    """Eigenvalues of F_O'F_O below this are rounding of F; the largest possible one is 1."""
    return 1000 * float(np.finfo(F.dtype).eps)


def _tiles(X: Incomplete, rows: slice, k: int) -> Iterator[slice]:
    """A few documents at a time: as many as stay in cache, with a k x k matrix for each."""
    height = max(16, dense.TILE_BYTES // (max(X.shape[1], k * k) * X.dtype.itemsize))
    return (slice(a, min(a + height, rows.stop)) for a in range(rows.start, rows.stop, height))


def _gaps(X: Incomplete, rows: slice) -> tuple[Array, Array]:
    return X.first[rows.start : rows.stop + 1], X.words


@compiled
def _grams(A, F, first, words):  # type: ignore[no-untyped-def]
    """F_O'F_O, by a sum over the missing words or over the observed ones, whichever are fewer."""
    p, k = F.shape
    for i in range(len(A)):
        s, stop = first[i], first[i + 1]
        if 2 * (stop - s) <= p:
            for c in range(k):
                A[i, c, c] = 1
            for t in range(s, stop):
                _add(A[i], -1, F, words[t])
        else:
            for w in range(p):
                if s < stop and words[s] == w:
                    s += 1
                else:
                    _add(A[i], 1, F, w)


@compiled
def _add(A, sign, F, w):  # type: ignore[no-untyped-def]
    for a in range(F.shape[1]):
        f = sign * F[w, a]
        for b in range(F.shape[1]):
            A[a, b] += f * F[w, b]


@compiled
def _solve(G, A, singular):  # type: ignore[no-untyped-def]
    """Overwrite each row b = F_O'x_O of G by the best g >= 0; return the sum of 2b'g - g'Ag."""
    k, explained = G.shape[1], 0.0
    for i in range(len(G)):
        g = least_squares.exact(G[i], A[i], singular)
        for a in range(k):
            Ag = 0.0
            for c in range(k):
                Ag += A[i, a, c] * g[c]
            explained += (2 * G[i, a] - Ag) * g[a]
        for a in range(k):
            G[i, a] = g[a]
    return explained


@compiled
def _add_filled(M, G, F, first, words):  # type: ignore[no-untyped-def]
    """M += z g' over the missing words of every document, with z = Fg."""
    k = F.shape[1]
    for i in range(len(G)):
        for s in range(first[i], first[i + 1]):
            w = words[s]
            z = F[w, 0] * G[i, 0]
            for c in range(1, k):
                z += F[w, c] * G[i, c]
            for c in range(k):
                M[w, c] += z * G[i, c]
