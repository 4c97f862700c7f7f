"""The methods of the case study as the paper's authors ran them: their starts, their steps and their ends.

All but logNMF start from the SVD, even Semi-NMF, for which the paper's text says K-means. Singular vectors have the signs that
a library returns, and negative entries of G = XF are clipped, for NMF and ONMF also those of F. The leading pair is negative,
so it is lost. The signs of the others are arbitrary: here they are drawn. logNMF starts from random numbers and ends where its
cost rises.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import svds

from sonmf.engines import Engine, engine_for
from sonmf.experiments import authors_solvers
from sonmf.experiments.design import AnySolver
from sonmf.experiments.simulation_methods import FULL, clipped_svd, nonnegative_span
from sonmf.solvers import binary_starts, cayley, logistic, loop, multiplicative, newton, orthogonal, semi, starts
from sonmf.solvers.problem import Bernoulli, least_squares
from sonmf.types import Array

TF_IDF, BINARY = "tf-idf", "binary"
RAISED = 0.2  # added to Semi-NMF's G
NEWTON_STEP, LOGISTIC_STEP = 0.05, 0.0005
MOST, SETTLED = 300, 1e-7  # iterations and fall of a method at full strength

Start: TypeAlias = Callable[[Engine, int, np.random.RandomState, csr_array], Any]
"""What a start is depends on the solver: F, F and G, or F, mu and G."""


class TableMethod(NamedTuple):
    """A row of the table: how it is computed, and with which row of the paper it is compared."""

    title: str
    weighting: str
    row: str = ""
    """The row of the paper to compare with, as ``paper_tables.triage`` names it."""
    solver: AnySolver | None = None
    """The solver; None for a method as the package has it, and for the words themselves."""
    starts: tuple[Start, ...] = ()
    """The starts, of which the one that ends lowest counts."""
    drawn: bool = False
    """Whether a start is drawn at random."""
    falls: bool = False
    """Whether the method stops when its cost no longer falls."""
    full: bool = False
    """Whether the method runs until it has settled, for at most ``MOST`` iterations."""


def fit(
    method: TableMethod, X: csr_array, k: int, random: np.random.RandomState, iterations: int, fall: float = 0.0
) -> tuple[Array, Array, float]:
    """F, G and the mean squared residual or mean cost of a method that has a solver, on a sparse X.

    0/1 data are in single precision, which changes no digit of a table and takes half the time. A method that ``falls`` ends
    early if an iteration lowers its cost by no more than ``fall``.
    """
    assert method.solver is not None
    X = X.astype(np.float32) if method.weighting == BINARY else X
    engine = engine_for(X)
    problem = Bernoulli(engine) if method.weighting == BINARY else least_squares(engine)
    most, tol = (MOST, SETTLED) if method.full else (iterations, 0.0)
    runs = [
        loop.run(
            method.solver,
            problem,
            start(engine, k, random, X),
            max_iter=most,
            rule=loop.Falling(tol),
            callback=_stop_when_flat(fall) if method.falls else None,
        )
        for start in method.starts
    ]
    best = min(runs, key=lambda run: run.records[-1].cost)
    point = best.state.point
    G = engine.gather(point.G) if hasattr(point, "G") else np.maximum(X @ point.F, 0)
    return np.asarray(point.F, float), G, best.records[-1].cost


def _stop_when_flat(fall: float) -> loop.Callback:
    """A callback that ends a run when the objective rises, or falls by at most ``fall``."""
    before = np.inf

    def ended(seen: loop.Iterate) -> bool:
        nonlocal before
        before, last = seen.objective, before
        return bool(last - before <= fall)

    return ended


def singular_vectors(X: csr_array, k: int) -> Array:
    """The k leading right singular vectors, words x topics, each with its largest entry positive."""
    _, values, V = svds(X.astype(float), k, random_state=0)
    V = V[np.argsort(-values)]
    largest = V[np.arange(k), np.abs(V).argmax(axis=1)]
    return np.asarray((V * np.sign(largest)[:, None]).T)


def oriented(engine: Engine, k: int, random: np.random.RandomState, X: csr_array) -> Array:
    return starts.start(engine, singular_vectors(X, k), k, random)


def signed_vectors(X: csr_array, k: int, random: np.random.RandomState) -> Array:
    """Singular vectors with arbitrary signs, the leading one negative."""
    signs = np.append(-1.0, random.choice([-1.0, 1.0], k - 1))
    return np.asarray(signs * singular_vectors(X, k))


def clipped_pairs(engine: Engine, k: int, random: np.random.RandomState, X: csr_array) -> tuple[Array, Array]:
    F = signed_vectors(X, k, random)
    return np.maximum(F, starts.DELTA), engine.place(np.maximum(X @ F, starts.DELTA))


def raised_codes(engine: Engine, k: int, random: np.random.RandomState, X: csr_array) -> tuple[Array, Array]:
    F = signed_vectors(X, k, random)
    return F, engine.place(np.maximum(X @ F, starts.DELTA) + RAISED)


def clusters(engine: Engine, k: int, random: np.random.RandomState, X: csr_array) -> tuple[Array, Array]:
    """K-means, the start that the paper's text names for Semi-NMF; 0.2 is added twice."""
    return starts.clusters(engine, k, random, 2 * RAISED)


def oriented_with_codes(engine: Engine, k: int, random: np.random.RandomState, X: csr_array) -> tuple[Array, Array, Array]:
    return binary_starts.start(engine, singular_vectors(X, k), k, random, intercept=False)


def normal(engine: Engine, k: int, random: np.random.RandomState, X: csr_array) -> tuple[Array, Array]:
    """F ~ [N(0, 1)]+, G ~ N(0, 1)."""
    F = np.maximum(random.standard_normal((X.shape[1], k)), starts.DELTA)
    return F, engine.place(random.standard_normal((X.shape[0], k)).astype(X.dtype))


def uniform_and_normal(engine: Engine, k: int, random: np.random.RandomState, X: csr_array) -> tuple[Array, Array]:
    """F ~ U(0, 1), G ~ N(0, 1), the start that the paper's text names for logNMF."""
    F = random.uniform(size=(X.shape[1], k))
    return F, engine.place(random.standard_normal((X.shape[0], k)).astype(X.dtype))


def uniform(engine: Engine, k: int, random: np.random.RandomState, X: csr_array) -> tuple[Array, Array]:
    return starts.with_codes(engine, random.uniform(size=(X.shape[1], k)))


NEWTON, AUTHORS_NEWTON = newton.Newton(NEWTON_STEP), authors_solvers.AuthorsNewton(NEWTON_STEP)
LOGISTIC, AUTHORS_LOGISTIC = logistic.Logistic(LOGISTIC_STEP), authors_solvers.AuthorsLogistic(LOGISTIC_STEP)

METHODS = {
    "sonmf-paper": TableMethod("SONMF", TF_IDF, "sonmf", cayley, (oriented,)),
    "nmf": TableMethod("NMF", TF_IDF, "nmf", multiplicative, (clipped_pairs,), drawn=True),
    "onmf": TableMethod("ONMF", TF_IDF, "onmf", orthogonal, (clipped_pairs,), drawn=True),
    "semi-nmf": TableMethod("Semi-NMF", TF_IDF, "semi-nmf", semi, (raised_codes,), drawn=True),
    "binary-sonmf-paper": TableMethod("binary SONMF", BINARY, "binary-sonmf-plain", AUTHORS_NEWTON, (oriented_with_codes,)),
    "logistic-nmf": TableMethod("logNMF", BINARY, "logistic-nmf", AUTHORS_LOGISTIC, (normal,), drawn=True, falls=True),
    "words": TableMethod("bag of words", TF_IDF),
    "words-binary": TableMethod("bag of words, binary", BINARY),
    "sonmf": TableMethod("SONMF, our solver", TF_IDF, "sonmf"),
    "nmf-full": TableMethod(f"NMF{FULL}", TF_IDF, "nmf", multiplicative, (clipped_pairs, uniform), drawn=True, full=True),
    "onmf-full": TableMethod(
        f"ONMF{FULL}", TF_IDF, "onmf", orthogonal, (clipped_pairs, clipped_svd, uniform), drawn=True, full=True
    ),
    "semi-nmf-full": TableMethod(
        f"Semi-NMF{FULL}", TF_IDF, "semi-nmf", semi, (raised_codes, nonnegative_span), drawn=True, full=True
    ),
    "semi-nmf-kmeans": TableMethod("Semi-NMF from K-means", TF_IDF, "semi-nmf", semi, (clusters,), drawn=True),
    "svd": TableMethod("TruncatedSVD", TF_IDF, "sonmf"),
    "binary-sonmf": TableMethod("binary SONMF, our solver", BINARY, "binary-sonmf-plain"),
    "binary-sonmf-monotone": TableMethod(
        "binary SONMF, monotone line search", BINARY, "binary-sonmf-plain", NEWTON, (oriented_with_codes,)
    ),
    "logistic-nmf-full": TableMethod(f"logNMF{FULL}", BINARY, "logistic-nmf", LOGISTIC, (uniform_and_normal,), drawn=True),
}
