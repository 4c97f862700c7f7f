"""The methods of tables 1-3: as the paper runs them, and each rival at full strength."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from sonmf.engines import Engine, engine_for
from sonmf.experiments import authors_solvers
from sonmf.experiments.design import ITERATIONS, THRESHOLD, AnySolver, Watched
from sonmf.solvers import accelerated, cayley, loop, multiplicative, orthogonal, semi, starts
from sonmf.solvers.problem import LeastSquares, least_squares
from sonmf.types import Array

FULL = ", full strength"
MOST = 5000  # iterations at most
RESTARTS = 3  # of K-means for ONMF at full strength

Start: TypeAlias = Callable[[Engine, int, np.random.RandomState, str], Any]
"""What a start is depends on the solver: F, or F and G."""


class SimulationMethod(NamedTuple):
    """A solver, its starts, of which the one that ends lowest counts, and when it stops."""

    solver: AnySolver
    starts: tuple[Start, ...]
    tol: float | None = None
    """A fall of the cost by at most this share ends the run; None for the paper's rule, a change of at most 1e-4."""
    max_iter: int = ITERATIONS


class SimulationFit(NamedTuple):
    F: Array
    G: Array
    """G where the method stopped, like F."""
    history: list[float]
    """Cost by iteration; under the paper's rule it continues to the last iteration, for the figures."""
    iterations: int
    """The iteration at which it stopped."""
    settled: int | None
    """The iteration at which the paper's rule was met."""
    seconds: float
    """Processor time from the start until it stopped."""


def continuous(name: str, X: Array, k: int, random: np.random.RandomState, init: str = "svd") -> SimulationFit:
    """Run a method on X, dense."""
    method = METHODS[name]
    fits = [_fit(method, start, X, k, random, init) for start in method.starts]
    best = min(fits, key=lambda fit: fit.history[fit.iterations - 1])
    return best._replace(seconds=sum(fit.seconds for fit in fits))


def criterion_figures(fit: SimulationFit) -> dict[str, float]:
    """Iterations to the paper's rule, and whether it was met."""
    return {"to_criterion": float(fit.settled or len(fit.history)), "reached_pct": 100.0 * (fit.settled is not None)}


def _fit(method: SimulationMethod, start: Start, X: Array, k: int, random: np.random.RandomState, init: str) -> SimulationFit:
    began = time.process_time()
    engine = engine_for(X)
    problem = least_squares(engine)
    history: list[float] = []
    settled: list[tuple[loop.Point, int, float]] = []

    def see(before: loop.State, after: loop.State) -> None:
        """Note the first iteration that meets the paper's rule."""
        history.append(after.point.objective)
        if not settled and after.accepted and abs(before.point.objective - after.point.objective) <= THRESHOLD:
            settled.append((after.point, len(history), time.process_time() - began))

    run = loop.run(
        Watched(method.solver, see),
        problem,
        start(engine, k, random, init),
        max_iter=method.max_iter,
        rule=loop.Falling(method.tol or 0.0),
    )
    end = run.state.point, len(history), time.process_time() - began
    point, iterations, seconds = settled[0] if settled and method.tol is None else end
    return SimulationFit(point.F, _codes(problem, X, point), history, iterations, settled[0][1] if settled else None, seconds)


def _codes(problem: LeastSquares, X: Array, point: loop.Point) -> Array:
    """G of a solver that keeps it, [XF]+ of one that does not."""
    return np.asarray(problem.engine.gather(point.G) if hasattr(point, "G") else np.maximum(X @ point.F, 0))


def _orthonormal(engine: Engine, k: int, random: np.random.RandomState, init: str) -> Array:
    return starts.start(engine, init, k, random)


def _uniform(engine: Engine, k: int, random: np.random.RandomState, init: str) -> tuple[Array, Array]:
    """Lee and Seung's own start: both factors random."""
    return random.uniform(size=(engine.shape[1], k)), engine.place(random.uniform(size=(engine.shape[0], k)))


def _word_clusters(engine: Engine, k: int, random: np.random.RandomState, init: str) -> tuple[Array, Array]:
    """F the indicator of k clusters of words, each word at unit length: orthogonal topics are such a clustering."""
    from sklearn.cluster import KMeans

    words = engine.documents(np.arange(engine.shape[0])).T
    labels = KMeans(k, n_init=1, random_state=random).fit_predict(words / np.linalg.norm(words, axis=1, keepdims=True))
    F = np.eye(k)[labels]
    return starts.with_codes(engine, np.maximum(F / np.linalg.norm(F, axis=0), starts.DELTA))


def clipped_svd(engine: Engine, k: int, *_: object) -> tuple[Array, Array]:
    return starts.with_codes(engine, starts.clipped_svd(engine, k))


def nonnegative_span(engine: Engine, k: int, *_: object) -> tuple[Array, Array]:
    return starts.nonnegative_span(engine, k)


METHODS = {
    "SONMF (paper)": SimulationMethod(authors_solvers, (authors_solvers.orthonormal,)),
    "SONMF (cayley)": SimulationMethod(cayley, (_orthonormal,)),
    "SONMF": SimulationMethod(accelerated, (_orthonormal,), tol=1e-5),
    "ONMF": SimulationMethod(authors_solvers.ONMF, (authors_solvers.singular_pairs,)),
    f"ONMF{FULL}": SimulationMethod(orthogonal, (clipped_svd, *[_word_clusters] * RESTARTS), tol=1e-6, max_iter=MOST),
    "NMF": SimulationMethod(multiplicative, (authors_solvers.singular_pairs,)),
    f"NMF{FULL}": SimulationMethod(multiplicative, (_uniform,), tol=1e-6, max_iter=MOST),
    "Semi-NMF": SimulationMethod(semi, (authors_solvers.clusters,)),
    f"Semi-NMF{FULL}": SimulationMethod(semi, (nonnegative_span,), tol=1e-6, max_iter=MOST),
}
