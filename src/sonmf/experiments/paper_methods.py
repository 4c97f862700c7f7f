"""The methods of the case study as the paper's authors ran them: their starts and steps, and the G of the last iteration.

SONMF, NMF and ONMF start from the SVD, Semi-NMF from K-means, logNMF from random numbers. NMF and ONMF take singular pairs as
LAPACK returns them and clip what is negative. The leading pair comes negative, so it is lost. The signs of the others are
arbitrary: here they are drawn. 0.2 is added twice to Semi-NMF's start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse.linalg import svds

from sonmf.engines import Engine, engine_for
from sonmf.experiments import authors
from sonmf.solvers import binary_starts, cayley, logistic, loop, multiplicative, newton, orthogonal, semi, starts
from sonmf.solvers.problem import Bernoulli, least_squares
from sonmf.threads import Array

OFFSET = 0.4
NEWTON_STEP, LOGISTIC_STEP = 0.05, 0.0005


class Fitted(NamedTuple):
    F: Array
    G: Array
    error: float
    """Mean squared residual, or mean cost."""


class Method(NamedTuple):
    solver: loop.Solver
    start: Callable[[Engine, Any, int, np.random.RandomState], Any]
    step: float | None = None
    """Of a method for 0/1 data."""


def fit(name: str, X: Any, k: int, random: np.random.RandomState, iterations: int) -> Fitted:
    """Run a method on a sparse X; 0/1 data in single precision, which changes no digit of a table and takes half the time."""
    solver, start, step = METHODS[name]
    X = X if step is None else X.astype(np.float32)
    engine = engine_for(X)
    problem = least_squares(engine) if step is None else Bernoulli(engine, eta=step)
    run = loop.run(solver, problem, start(engine, X, k, random), max_iter=iterations, rule=loop.Falling(0.0))
    point = run.state.point
    G = engine.gather(point.G) if hasattr(point, "G") else np.maximum(X @ point.F, 0)
    return Fitted(np.asarray(point.F, float), G, run.records[-1].cost)


def singular_vectors(X: Any, k: int) -> Array:
    """The k leading right singular vectors, words x topics, each with its largest entry positive."""
    _, values, V = svds(X.astype(float), k, random_state=0)
    V = V[np.argsort(-values)]
    largest = V[np.arange(k), np.abs(V).argmax(axis=1)]
    return np.asarray((V * np.sign(largest)[:, None]).T)


def oriented(engine: Engine, X: Any, k: int, random: np.random.RandomState) -> Array:
    return starts.start(engine, singular_vectors(X, k), k, random)


def clipped_pairs(engine: Engine, X: Any, k: int, random: np.random.RandomState) -> tuple[Array, Any]:
    signs = np.append(-1.0, random.choice([-1.0, 1.0], k - 1))
    F = signs * singular_vectors(X, k)
    return np.maximum(F, starts.DELTA), engine.place(np.maximum(X @ F, starts.DELTA))


def clusters(engine: Engine, X: Any, k: int, random: np.random.RandomState) -> tuple[Array, Any]:
    return starts.clusters(engine, k, random, OFFSET)


def oriented_with_codes(engine: Engine, X: Any, k: int, random: np.random.RandomState) -> tuple[Array, Array, Any]:
    return binary_starts.start(engine, singular_vectors(X, k), k, random, intercept=False)


def drawn(engine: Engine, X: Any, k: int, random: np.random.RandomState) -> tuple[Array, Any]:
    """F ~ U(0, 1), G ~ N(0, 1)."""
    F = random.uniform(size=(X.shape[1], k))
    return F, engine.place(random.standard_normal((X.shape[0], k)).astype(X.dtype))


METHODS = {
    "SONMF": Method(cayley, oriented),
    "NMF": Method(multiplicative, clipped_pairs),
    "ONMF": Method(orthogonal, clipped_pairs),
    "Semi-NMF": Method(semi, clusters),
    "binary SONMF": Method(newton, oriented_with_codes, NEWTON_STEP),
    "binary SONMF, authors' search": Method(authors.BINARY, oriented_with_codes, NEWTON_STEP),
    "logNMF": Method(logistic, drawn, LOGISTIC_STEP),
}
