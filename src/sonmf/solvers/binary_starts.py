"""Where the binary methods begin, and which entries they do not see."""

from __future__ import annotations

from typing import Any

import numpy as np

from sonmf import kernels
from sonmf.engines import Engine
from sonmf.kernels import bernoulli
from sonmf.solvers import starts
from sonmf.types import Array


def start(
    engine: Engine, init: str | Array, k: int, random: np.random.RandomState, *, intercept: bool, seen: Array | None = None
) -> tuple[Array, Array, Any]:
    """F, mu and G: with an intercept mu is the log-odds of a word and F, G start from X minus the words' frequencies.

    ``seen`` is the number of documents in which each word is not held out; the ones held out must be missing from X.
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


def _first_codes(engine: Engine, F: Array, shift: Array) -> Any:
    return engine.sweep(bernoulli.begin, None, F, shift)[0]


def hold_out(shape: tuple[int, int], fraction: float, random: np.random.RandomState) -> bernoulli.Holdout:
    """A random share of the words of every document."""
    n, p = shape
    length = max(1, round(fraction * p))
    if length >= p:
        raise ValueError(f"validation_fraction={fraction} would hold out all {p} words of a document: choose a smaller one")
    shuffled = random.permutation(p)
    return bernoulli.Holdout(random.randint(p, size=n), shuffled, np.argsort(shuffled), length)


def times_seen(holdout: bernoulli.Holdout) -> Array:
    """In how many documents each word is not held out."""
    p = len(holdout.shuffled)
    beginning = np.bincount(holdout.first, minlength=p)
    ending = np.cumsum(np.concatenate([beginning[p - holdout.length + 1 :], beginning]))
    windows = ending[holdout.length - 1 :] - np.concatenate([[0], ending[: p - 1]])
    return np.asarray(len(holdout.first) - windows[holdout.place], np.float64)


def without(X: Any, holdout: bernoulli.Holdout) -> Any:
    """X without the ones that are held out, so that a start cannot see them."""
    document = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    held = (holdout.place[X.indices] - holdout.first[document]) % X.shape[1] < holdout.length
    seen = X.copy()
    seen.data[held] = 0
    seen.eliminate_zeros()
    return seen


def codes(engine: Engine, G: Any, holdout: bernoulli.Holdout | None) -> Any:
    """The local states of the majoriser, each with the entries it holds out."""
    if holdout is None:
        return engine.each(lambda g: bernoulli.Codes(g, g, g), G)
    first = engine.place(holdout.first)
    return engine.each(lambda g, a: bernoulli.Codes(g, g, g, holdout._replace(first=a)), G, first)
