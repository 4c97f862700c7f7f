"""Where the binary methods begin, and which entries are held out of the fit."""

from __future__ import annotations

import numpy as np

from sonmf.engines import Engine, Local
from sonmf.errors import InputError
from sonmf.kernels import bernoulli
from sonmf.kernels.binary_documents import BinaryDocuments, LeftOut
from sonmf.solvers import starts
from sonmf.solvers.problem import Counts, count
from sonmf.types import Array, Matrix


def start(
    engine: Engine, init: str | Array, k: int, random: np.random.RandomState, *, intercept: bool, counts: Counts | None = None
) -> tuple[Array, Array, Local]:
    """F, mu and G. With an intercept, mu is the log-odds of each word, and F and G start from X minus the words' frequencies.

    Entries left out are zeros here, and the frequency is that among the documents in which the word is seen.
    """
    if not intercept:
        F = starts.start(engine, init, k, random)
        return F, np.zeros(engine.shape[1]), _first_codes(engine, F, np.zeros(k))
    counts = count(engine) if counts is None else counts
    frequency = (counts.ones + 0.5) / (counts.seen + 1)
    centre = frequency * counts.seen / counts.documents
    F = starts.start(engine, init, k, random, centre, documents=counts.documents)
    return F, np.log(frequency / (1 - frequency)), _first_codes(engine, F, centre @ F)


def _first_codes(engine: Engine, F: Array, shift: Array) -> Local:
    return engine.sweep(bernoulli.start_codes, None, F, shift)[0]


def hold_out(X: Matrix, fraction: float, random: np.random.RandomState) -> BinaryDocuments:
    """X without a random share of the words of every document: a part of the shuffled vocabulary, which is a circle."""
    n, p = X.shape
    length = max(1, round(fraction * p))
    if length >= p:
        raise InputError(f"validation_fraction={fraction} would hold out all {p} words of a document: choose a smaller one")
    shuffled = random.permutation(p)
    left_out = LeftOut(random.randint(p, size=n), np.full(n, length), np.tile(shuffled, 2), watched=True)
    return BinaryDocuments(getattr(X, "ones", X), left_out, getattr(X, "weights", None))


def majoriser_codes(engine: Engine, G: Local) -> Local:
    """The local states of the majoriser."""
    return engine.each(lambda g: bernoulli.Codes(g, g, g), G)
