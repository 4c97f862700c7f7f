"""The methods of tables 1-3: as the paper runs them, and each rival at full strength."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sonmf.engines import Engine, engine_for
from sonmf.experiments import authors
from sonmf.experiments.design import ITERATIONS, THRESHOLD
from sonmf.solvers import accelerated, cayley, loop, multiplicative, orthogonal, semi, starts
from sonmf.solvers.problem import LeastSquares, least_squares

FULL = ", full strength"
MOST = 5000  # iterations at most
RESTARTS = 3  # of K-means for ONMF at full strength

Start = Callable[[Engine, int, np.random.RandomState, str], Any]


class Method(NamedTuple):
    """A solver, the starts of which the one that ends lowest counts, and when it stops."""

    solver: loop.Solver[Any, Any, Any]
    starts: tuple[Start, ...]
    tol: float | None = None
    """None: the paper's rule, a change of at most 1e-4. Otherwise a fall by at most this share of the cost."""
    max_iter: int = ITERATIONS


class Fitted(NamedTuple):
    F: Any
    G: Any
    """Both where the method stopped."""
    history: list[float]
    """Cost by iteration; for the methods under the paper's rule it goes on to the last iteration, for the figures."""
    iterations: int
    """Where it stopped."""
    settled: int | None
    """Where the paper's rule was met."""
    seconds: float
    """Of a processor, until it stopped, start included: what else the machine had to do does not count."""


def continuous(name: str, X: Any, k: int, random: np.random.RandomState, init: str = "svd") -> Fitted:
    """Run a method on X, dense."""
    method = METHODS[name]
    fits = [_fit(method, start, X, k, random, init) for start in method.starts]
    best = min(fits, key=lambda fit: fit.history[fit.iterations - 1])
    return best._replace(seconds=sum(fit.seconds for fit in fits))


def criterion_figures(fit: Fitted) -> dict[str, float]:
    """Iterations to the paper's rule, and whether it was met."""
    return {"to_criterion": float(fit.settled or len(fit.history)), "reached_pct": 100.0 * (fit.settled is not None)}


def _fit(method: Method, start: Start, X: Any, k: int, random: np.random.RandomState, init: str) -> Fitted:
    began = time.process_time()
    engine = engine_for(X)
    problem = least_squares(engine)
    state = method.solver.init_state(problem, start(engine, k, random, init))
    history: list[float] = []
    settled, stopped = None, None
    while len(history) < method.max_iter:
        before, state = state.point.objective, method.solver.update(problem, state)
        cost = state.point.objective
        history.append(cost)
        fall = before - cost if state.accepted else np.inf
        if settled is None and abs(fall) <= THRESHOLD:
            settled = len(history)
        if stopped is None and (settled if method.tol is None else 0 <= fall <= method.tol * cost):
            stopped = state.point, len(history), time.process_time() - began
        if stopped and (method.tol is not None or 0 <= fall <= loop.ROUNDING * problem.scale):
            break
    point, iterations, seconds = stopped or (state.point, len(history), time.process_time() - began)
    return Fitted(point.F, _codes(problem, X, point), history, iterations, settled, seconds)


def _codes(problem: LeastSquares, X: Any, point: Any) -> Any:
    """G of a solver that keeps it, [XF]+ of one that does not."""
    return problem.engine.gather(point.G) if hasattr(point, "G") else np.maximum(X @ point.F, 0)


def _orthonormal(engine: Engine, k: int, random: np.random.RandomState, init: str) -> Any:
    return starts.start(engine, init, k, random)


def _clipped_svd(engine: Engine, k: int, random: np.random.RandomState, init: str) -> Any:
    return starts.with_codes(engine, starts.clipped_svd(engine, k))


def _uniform(engine: Engine, k: int, random: np.random.RandomState, init: str) -> Any:
    """Lee and Seung's own start: both factors random."""
    return random.uniform(size=(engine.shape[1], k)), engine.place(random.uniform(size=(engine.shape[0], k)))


def _word_clusters(engine: Engine, k: int, random: np.random.RandomState, init: str) -> Any:
    """F the indicator of k clusters of words, each word at unit length: orthogonal topics are such a clustering."""
    from sklearn.cluster import KMeans

    words = engine.documents(np.arange(engine.shape[0])).T
    labels = KMeans(k, n_init=1, random_state=random).fit_predict(words / np.linalg.norm(words, axis=1, keepdims=True))
    F = np.eye(k)[labels]
    return starts.with_codes(engine, np.maximum(F / np.linalg.norm(F, axis=0), starts.DELTA))


def _nonnegative_span(engine: Engine, k: int, random: np.random.RandomState, init: str) -> Any:
    return starts.nonnegative_span(engine, k)


METHODS = {
    "SONMF (paper)": Method(authors, (authors.orthonormal,)),
    "SONMF (cayley)": Method(cayley, (_orthonormal,)),
    "SONMF": Method(accelerated, (_orthonormal,), tol=1e-5),
    "ONMF": Method(authors.ONMF, (authors.singular_pairs,)),
    f"ONMF{FULL}": Method(orthogonal, (_clipped_svd, *[_word_clusters] * RESTARTS), tol=1e-6, max_iter=MOST),
    "NMF": Method(multiplicative, (authors.singular_pairs,)),
    f"NMF{FULL}": Method(multiplicative, (_uniform,), tol=1e-6, max_iter=MOST),
    "Semi-NMF": Method(semi, (authors.clusters,)),
    f"Semi-NMF{FULL}": Method(semi, (_nonnegative_span,), tol=1e-6, max_iter=MOST),
}
