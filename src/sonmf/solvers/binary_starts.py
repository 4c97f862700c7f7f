"""Where the binary methods begin."""

from __future__ import annotations

from typing import Any

import numpy as np

from sonmf import kernels
from sonmf.engines import Engine
from sonmf.kernels import bernoulli
from sonmf.solvers import starts
from sonmf.threads import Array


def start(
    engine: Engine, init: str | Array, k: int, random: np.random.RandomState, *, intercept: bool
) -> tuple[Array, Array, Any]:
    """F, mu and G: with an intercept mu is the log-odds of a word and F, G start from X minus the words' frequencies."""
    n, p = engine.shape
    if not intercept:
        F = starts.start(engine, init, k, random)
        return F, np.zeros(p), _first_codes(engine, F, np.zeros(k))
    _, (count,) = engine.sweep(kernels.column_sums, None)
    frequency = (count + 0.5) / (n + 1)
    F = starts.start(engine, init, k, random, frequency)
    return F, np.log(frequency / (1 - frequency)), _first_codes(engine, F, frequency @ F)


def _first_codes(engine: Engine, F: Array, shift: Array) -> Any:
    return engine.sweep(bernoulli.begin, None, F, shift)[0]


def codes(engine: Engine, G: Any, random: np.random.RandomState, fraction: float | None) -> tuple[Any, int]:
    """The local states of the majoriser, each with the entries it holds out, and how many those are in all."""
    n, p = engine.shape
    length = 0 if fraction is None else max(1, round(fraction * p))
    if length >= p:
        raise ValueError(f"validation_fraction={fraction} would hold out all {p} words of a document: choose a smaller one")
    if not length:
        return engine.each(lambda g: bernoulli.Codes(g, g, g), G), 0
    shuffled, first = random.permutation(p), engine.place(random.randint(p, size=n))
    place = np.argsort(shuffled)
    local = engine.each(lambda g, a: bernoulli.Codes(g, g, g, bernoulli.Holdout(a, shuffled, place, length)), G, first)
    return local, n * length
