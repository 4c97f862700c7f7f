"""Where the binary methods begin, and which entries are held out of the fit."""

from __future__ import annotations

import numpy as np

from sonmf import kernels
from sonmf.engines import Engine, Local
from sonmf.errors import InputError
from sonmf.kernels import bernoulli
from sonmf.solvers import starts
from sonmf.types import Array, Matrix


def start(
    engine: Engine, init: str | Array, k: int, random: np.random.RandomState, *, intercept: bool, seen: Array | None = None
) -> tuple[Array, Array, Local]:
    """F, mu and G. With an intercept, mu is the log-odds of each word, and F and G start from X minus the words' frequencies.

    ``seen`` is the number of documents in which each word is not held out; the held-out ones must be missing from X.
    """
    n, p = engine.shape
    if not intercept:
        F = starts.start(engine, init, k, random)
        return F, np.zeros(p), _first_codes(engine, F, np.zeros(k))
    _, (count,) = engine.sweep(kernels.column_sums, None)
    documents = np.full(p, float(n)) if seen is None else seen
    frequency = (count + 0.5) / (documents + 1)
    centre = frequency * documents / n
    F = starts.start(engine, init, k, random, centre)
    return F, np.log(frequency / (1 - frequency)), _first_codes(engine, F, centre @ F)


def _first_codes(engine: Engine, F: Array, shift: Array) -> Local:
    return engine.sweep(bernoulli.start_codes, None, F, shift)[0]


def hold_out(shape: tuple[int, int], fraction: float, random: np.random.RandomState) -> bernoulli.Holdout:
    """A random share of the words of every document."""
    n, p = shape
    length = max(1, round(fraction * p))
    if length >= p:
        raise InputError(f"validation_fraction={fraction} would hold out all {p} words of a document: choose a smaller one")
    shuffled = random.permutation(p)
    return bernoulli.Holdout(random.randint(p, size=n), shuffled, np.argsort(shuffled), length)


def times_seen(holdout: bernoulli.Holdout) -> Array:
    """The number of documents in which each word is not held out."""
    p = len(holdout.shuffled)
    beginning = np.bincount(holdout.first, minlength=p)
    ending = np.cumsum(np.concatenate([beginning[p - holdout.length + 1 :], beginning]))
    windows = ending[holdout.length - 1 :] - np.concatenate([[0], ending[: p - 1]])
    return np.asarray(len(holdout.first) - windows[holdout.place], np.float64)


def remove_held_out(X: Matrix, holdout: bernoulli.Holdout) -> Matrix:
    """X without the held-out ones, so that a start cannot see them."""
    document = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    held = (holdout.place[X.indices] - holdout.first[document]) % X.shape[1] < holdout.length
    seen = X.copy()
    seen.data[held] = 0
    seen.eliminate_zeros()
    return seen


def majoriser_codes(engine: Engine, G: Local, holdout: bernoulli.Holdout | None) -> Local:
    """The local states of the majoriser, each with its held-out entries."""
    if holdout is None:
        return engine.each(lambda g: bernoulli.Codes(g, g, g), G)
    first = engine.place(holdout.first)
    return engine.each(lambda g, a: bernoulli.Codes(g, g, g, holdout._replace(first=a)), G, first)
