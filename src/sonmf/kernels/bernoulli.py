"""Kernels for 0/1 data under theta = mu + G F', evaluated in stripes of documents that fit the cache; X stays sparse.

A block is a CSR matrix whose stored entries are the ones, or ``BinaryDocuments``, of which entries may be left out, and whose
documents may have weights. No matrix of size n x p exists: a stripe holds theta, and then D = X - sigma(theta), for a few
documents and all words, and is overwritten by the next stripe. Where an entry is left out, D is 0 and moves nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numba
import numpy as np
from scipy.special import expit

from sonmf import kernels, threads
from sonmf.compiled import compiled
from sonmf.device_arrays import Sums, add_up, split_rows
from sonmf.kernels import recovers
from sonmf.kernels.binary_documents import left_out_of, weights_of
from sonmf.kernels.kinds import by_kind
from sonmf.types import Array, Matrix

STRIPE_BYTES = 2**21
ENTRIES_WORTH_A_THREAD = 2**16
PRODUCT = 256  # factors 1 + e^-|theta| <= 2 multiplied before a logarithm is taken
SOLVE_ITERATIONS, SOLVE_TOLERANCE = 300, 1e-7

LOWEST = -708.7  # the exponential function gives the same result, 2e-308, for every x below
LOG2_E = 1 / math.log(2)
LOG_2, REST = 355 / 512, -2.121944400546905827679e-4  # log(2) as a sum: multiples of the first part are exact
INVERSE_FACTORIALS = tuple(1 / math.factorial(i) for i in range(13, -1, -1))
BIAS, MANTISSA = 1023, 52  # of the exponent of a float64, and the bits below it


class Stripe(NamedTuple):
    """A few documents: their rows and weights, D = X - sigma(theta), and their weighted costs."""

    rows: slice
    weights: Array
    D: Array
    cost: float
    left_out: float
    """The cost of the entries left out, if their values are known."""


def stripe_height(F: Array) -> int:
    """The number of documents in a stripe."""
    return max(8, STRIPE_BYTES // (len(F) * F.itemsize))


def stripes(X: Matrix, rows: slice, G: Array, F: Array, mu: Array) -> Iterator[Stripe]:
    """Evaluate D and sum softplus(theta) - x theta for some documents, stripe by stripe; D is valid until the next stripe."""
    height, G, F = stripe_height(F), np.ascontiguousarray(G), np.ascontiguousarray(F)
    left_out, theta = left_out_of(X), np.empty((min(height, max(rows.stop - rows.start, 1)), X.shape[1]), F.dtype)
    for a in range(rows.start, rows.stop, height):
        b = min(a + height, rows.stop)
        weights = weights_of(X, slice(a, b))
        known = X.indptr[a : b + 1], X.indices, weights, G[a:b], F, mu, theta[: b - a]
        if left_out is None:
            cost, without = _evaluated(*known), 0.0
        else:
            cost, without = _evaluated_without(*known, left_out.first[a:b], left_out.length[a:b], left_out.words)
        yield Stripe(slice(a, b), weights, theta[: b - a], cost, without)


@compiled
def _evaluated(indptr, indices, w, G, F, mu, T):  # type: ignore[no-untyped-def]
    """Fill T with D; return the cost. One call does everything: between two calls threads would queue for the interpreter."""
    _theta(G, F, mu, T)
    return _residual(indptr, indices, w, T)


@compiled
def _evaluated_without(indptr, indices, w, G, F, mu, T, first, length, words):  # type: ignore[no-untyped-def]
    """Fill T with D, 0 at the entries left out; return the cost of the other entries, and of those left out."""
    _theta(G, F, mu, T)
    without = _left_out_cost(indptr, indices, w, T, first, length, words)
    cost = _residual(indptr, indices, w, T)
    for i in range(len(T)):
        for s in range(first[i], first[i] + length[i]):
            T[i, words[s]] = 0
    return cost - without, without


@compiled
def _theta(G, F, mu, T):  # type: ignore[no-untyped-def]
    """T = GF' + mu."""
    np.dot(G, F.T, T)
    for i in range(len(T)):
        for j in range(len(mu)):
            T[i, j] += mu[j]


@numba.njit(nogil=True, fastmath={"contract"}, error_model="numpy")  # in another order r would lose its digits
def _exponential(x):  # type: ignore[no-untyped-def]
    """e^x for x <= 0, as LLVM can vectorise it, which it cannot do with the function of the C library.

    2^n e^r with |r| <= log(2) / 2, for which 14 terms of the series give all digits but the last.
    """
    x = LOWEST if x < LOWEST else np.float64(x)
    n = np.floor(x * LOG2_E + 0.5)
    r = (x - n * LOG_2) - n * REST
    series = 0.0
    for coefficient in INVERSE_FACTORIALS:
        series = series * r + coefficient
    exponent = np.int64(np.int32(n)) + BIAS  # by way of int32, for which processors have vector instructions
    return series * np.int64(exponent << MANTISSA).view(np.float64)


@compiled
def _residual(indptr, indices, w, T):  # type: ignore[no-untyped-def]
    """Overwrite theta by D = X - sigma(theta) and return the cost. exp(-|theta|) never overflows."""
    total, zero, one = 0.0, T.dtype.type(0), T.dtype.type(1)  # plain 0 and 1 would promote float32 to float64
    for i in range(len(T)):
        ones, cost = indices[indptr[i] : indptr[i + 1]], 0.0
        for s in range(len(ones)):
            cost -= T[i, ones[s]]
        for start in range(0, T.shape[1], PRODUCT):
            t = T[i, start : start + PRODUCT]  # LLVM vectorises only loops that begin at 0
            product, positive = 1.0, 0.0
            for j in range(len(t)):
                e = _exponential(-abs(t[j]))
                product *= 1 + e
                positive += np.float64(max(t[j], zero))
                t[j] = -(1.0 if t[j] >= zero else e) / (1 + e)
            cost += np.log(product) + positive
        for s in range(len(ones)):
            T[i, ones[s]] += one
        total += w[i] * cost
    return total


@compiled
def _left_out_cost(indptr, indices, w, T, first, length, words):  # type: ignore[no-untyped-def]
    """softplus(theta) - x theta summed over the entries left out, while T still holds theta."""
    total, hidden = 0.0, np.zeros(T.shape[1], np.bool_)
    for i in range(len(T)):
        window, cost = words[first[i] : first[i] + length[i]], 0.0
        for s in range(len(window)):
            theta = np.float64(T[i, window[s]])
            cost += np.log1p(_exponential(-abs(theta))) + max(theta, 0.0)
            hidden[window[s]] = True
        for s in range(indptr[i], indptr[i + 1]):
            if hidden[indices[s]]:
                cost -= T[i, indices[s]]
        for s in range(len(window)):
            hidden[window[s]] = False
        total += w[i] * cost
    return total


def square(G: Array, w: Array) -> float:
    """The sum of w ||g||^2 in float64."""
    return float(w @ np.einsum("ij,ij->i", G, G, dtype=np.float64))


def _shared(X: Matrix, job: Callable[[slice], Sums]) -> Sums:
    """The sums of a job for each thread's share of the documents; every document costs the same, whatever its length."""
    pieces = max(1, min(threads.count(), X.shape[0] * X.shape[1] // ENTRIES_WORTH_A_THREAD))
    return add_up(threads.share(job, split_rows(X.shape[0], pieces)))


def _solve_codes(X: Matrix, F: Array, mu: Array, alpha: float = 0.0, floor: float = 0.0) -> Array:
    """The best G given F and mu."""
    G: Array = solve(X, None, F, mu, alpha, floor, float(np.linalg.norm(F, 2) ** 2))[0]
    return G


@recovers(_solve_codes)
@by_kind("bernoulli")
def evaluate(X: Matrix, G: Array, F: Array, mu: Array) -> tuple[Array, Sums]:
    """Sums the cost of (G, F, mu) and ||G||^2."""

    def job(rows: slice) -> Sums:
        return sum(stripe.cost for stripe in stripes(X, rows, G, F, mu)), square(G[rows], weights_of(X, rows))

    return G, _shared(X, job)


@by_kind("bernoulli")
def count(X: Matrix, local: None) -> tuple[None, Sums]:
    """Sums, each document by its weight: the ones that the fit sees of each word, the documents in which it sees the word, all
    documents, and the entries held out.
    """
    n, p = X.shape
    w, left_out = weights_of(X, slice(0, n)), left_out_of(X)
    documents = np.full(p, w.sum()) - (0.0 if left_out is None else left_out.documents(w, p))
    held_out = float(w @ left_out.length) if left_out is not None and left_out.watched else 0.0
    return None, (kernels.column_sums(X, None)[1][0], documents, float(w.sum()), held_out)


@by_kind("bernoulli")
def project(X: Matrix, local: None, F: Array, mu: Array, alpha: float, curvature: float) -> tuple[Array, Sums]:
    """Local XF, with its probability in place of an entry that was not observed."""
    XF, left_out = kernels.project(X, None, F)[0], left_out_of(X)
    if left_out is not None:
        G, _ = solve(X, None, F, mu, alpha, 0.0, curvature)
        _add_expected(XF, G, F, mu, left_out.first, left_out.length, left_out.words)
    return XF, ()


@compiled
def _add_expected(XF, G, F, mu, first, length, words):  # type: ignore[no-untyped-def]
    """XF += sigma(theta) F over the entries left out of every document."""
    for i in range(len(G)):
        for s in range(first[i], first[i] + length[i]):
            f, theta = F[words[s]], np.float64(mu[words[s]])
            for c in range(len(f)):
                theta += G[i, c] * f[c]
            for c in range(len(f)):
                XF[i, c] += f[c] / (1 + np.exp(-theta))


@recovers(_solve_codes)
@by_kind("bernoulli")
def gradients(X: Matrix, G: Array, F: Array, mu: Array) -> tuple[Array, Sums]:
    """Sums the cost, D'G and D'1."""
    codes = np.ascontiguousarray(G)

    def job(rows: slice) -> Sums:
        cost, DG, d = 0.0, np.zeros(F.shape, F.dtype), np.zeros(len(F))
        for stripe in stripes(X, rows, codes, F, mu):
            cost += stripe.cost
            _gather(stripe.D, codes[stripe.rows], stripe.weights, DG, d)
        return cost, DG, d

    return G, _shared(X, job)


@recovers(lambda X, F, mu, eta, alpha: _solve_codes(X, F, mu, alpha))
@by_kind("bernoulli")
def newton(X: Matrix, G: Array, F: Array, mu: Array, eta: float, alpha: float) -> tuple[Array, Sums]:
    """Local G <- [G - eta D1 / D2]+, the coordinate-wise Newton step of Algorithm 2, with the ridge alpha on G."""
    new, F2 = np.empty_like(G), F**2

    def job(rows: slice) -> Sums:
        for stripe in stripes(X, rows, G, F, mu):
            g, D = G[stripe.rows], stripe.D
            D1 = 2 * alpha * g - D @ F
            np.abs(D, out=D)  # |x - p| is p or 1 - p, so |D| (1 - |D|) = p (1 - p)
            D -= D * D
            D2 = D @ F2 + 2 * alpha
            new[stripe.rows] = np.maximum(g - eta * D1 / np.maximum(D2, 1e-10), 0)
        return ()

    return new, _shared(X, job)


@by_kind("bernoulli")
def start_codes(X: Matrix, local: None, F: Array, shift: Array) -> tuple[Array, Sums]:
    """Local G = [XF - shift]+, the start of G."""
    return np.maximum(kernels.project(X, None, F)[0] - shift, 0), ()


class Codes(NamedTuple):
    """What a block keeps between two majoriser steps: the G of the last evaluation, its image T(G), and the image before."""

    G: Array
    image: Array
    previous: Array


def _recover_codes(X: Matrix, F: Array, mu: Array, beta: float, alpha: float) -> Codes:
    G = _solve_codes(X, F, mu, alpha)
    return Codes(G, G, G)


@compiled
def _gather(D, G, w, DG, d):  # type: ignore[no-untyped-def]
    """DG += D'WG and d += D'w with W = diag(w)."""
    weighted = np.empty_like(G)
    for i in range(len(G)):
        for c in range(G.shape[1]):
            weighted[i, c] = w[i] * G[i, c]
    DG += np.dot(D.T, weighted)
    for i in range(len(D)):
        for j in range(len(d)):
            d[j] += w[i] * D[i, j]


@compiled
def _step(D, F, G, w, shrinkage, new, DG, d):  # type: ignore[no-untyped-def]
    """new = [G + 4DF]+ / shrinkage; DG += D'W new and d += D'w."""
    np.dot(D, F, new)
    for i in range(len(G)):
        for c in range(G.shape[1]):
            new[i, c] = max(G[i, c] + 4 * new[i, c], 0) / shrinkage
    _gather(D, new, w, DG, d)


@recovers(_recover_codes)
@by_kind("bernoulli")
def majorise(X: Matrix, local: Codes, F: Array, mu: Array, beta: float, alpha: float) -> tuple[Codes, Sums]:
    """One majoriser step from G = [T + beta (T - T_old)]+: the local image G' = [G + 4DF]+ / (1 + 8 alpha).

    Sums all that the steps in F and mu need, each document by its weight: cost at (G, F, mu), cost of what is left out,
    ||G||^2, D'G', D'1, G'G', 1'G and 1'G'.
    """
    image, previous, F = local.image, local.previous, np.ascontiguousarray(F)
    G, new = image if beta == 0 else np.empty(image.shape, F.dtype), np.empty(image.shape, F.dtype)

    def job(rows: slice) -> Sums:
        if beta != 0:
            np.maximum(image[rows] + beta * (image[rows] - previous[rows]), 0, out=G[rows])
        cost, left_out, DG, d = 0.0, 0.0, np.zeros(F.shape, F.dtype), np.zeros(len(F))
        for stripe in stripes(X, rows, G, F, mu):
            _step(stripe.D, F, G[stripe.rows], stripe.weights, 1 + 8 * alpha, new[stripe.rows], DG, d)
            cost, left_out = cost + stripe.cost, left_out + stripe.left_out
        w = weights_of(X, rows)
        weighted = w[:, None] * new[rows]
        return cost, left_out, square(G[rows], w), DG, d, G[rows].T @ weighted, w @ G[rows], weighted.sum(axis=0)

    return Codes(G, new, image), _shared(X, job)


@recovers(lambda X, *shared: None)  # it can start anywhere
@by_kind("bernoulli")
def solve(X: Matrix, G: Array | None, F: Array, mu: Array, alpha: float, floor: float, curvature: float) -> tuple[Array, Sums]:
    """Local G = argmin over G >= floor of cost + alpha ||G||^2 with F and mu fixed: one convex problem for each document.

    Accelerated projected gradient with restart, until the stripe moves by less than 1e-7 of its size. ``curvature`` is the
    largest eigenvalue of F'F. Sums the cost and ||G||^2.
    """
    out = np.zeros((X.shape[0], F.shape[1]), F.dtype) if G is None else G.copy()
    step = 1 / max(curvature / 4 + 2 * alpha, 1e-12)

    def job(rows: slice) -> Sums:
        height = stripe_height(F)
        for a in range(rows.start, rows.stop, height):
            few = slice(a, min(a + height, rows.stop))
            _solve_stripe(X, few, out, F, mu, alpha, floor, step)
        return ()

    _shared(X, job)
    return out, evaluate(X, out, F, mu)[1]


def _solve_stripe(X: Matrix, rows: slice, out: Array, F: Array, mu: Array, alpha: float, floor: float, step: float) -> None:
    """Solve for the rows of G, in place."""
    G = out[rows].copy()
    Y, age = G.copy(), np.zeros((len(G), 1), G.dtype)
    for _ in range(SOLVE_ITERATIONS):
        out[rows] = Y
        (stripe,) = stripes(X, rows, out, F, mu)
        new = np.maximum(Y + step * (stripe.D @ F - 2 * alpha * Y), floor)
        move = new - G
        uphill = np.einsum("ij,ij->i", Y - new, move) > 0  # the momentum of this document points the wrong way
        age = np.where(uphill[:, None], 0, age + 1).astype(G.dtype)
        Y, G = new + age / (age + 3) * move, new
        if np.abs(move).max(initial=0.0) <= SOLVE_TOLERANCE * max(1.0, np.abs(G).max(initial=0.0)):
            break
    out[rows] = G


@recovers(lambda X, F, eta: _solve_codes(X, F, np.zeros(len(F), F.dtype), floor=-np.inf))
@by_kind("bernoulli")
def ascend(X: Matrix, G: Array, F: Array, eta: float) -> tuple[Array, Sums]:
    """Local G' = G + eta DF ; sums the cost at (F, G) and D'G' with D evaluated anew at (F, G')."""
    new, nothing = np.empty_like(G), np.zeros(len(F), F.dtype)

    def job(rows: slice) -> Sums:
        cost = 0.0
        for stripe in stripes(X, rows, G, F, nothing):
            new[stripe.rows] = G[stripe.rows] + eta * (stripe.D @ F)
            cost += stripe.cost
        return (cost,)

    (cost,) = _shared(X, job)
    _, (_, DG, _) = gradients(X, new, F, nothing)
    return new, (cost, DG)


@by_kind("bernoulli")
def sigmoid(theta: Array) -> Array:
    """The probability 1 / (1 + e^-theta) of each entry, for a few documents."""
    return np.asarray(expit(theta))
