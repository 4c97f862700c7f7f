"""The paper's methods run as it runs them: a number of iterations, the training G, every iteration's cost and time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from sonmf.engines import engine_for
from sonmf.experiments.design import ITERATIONS
from sonmf.solvers import accelerated, cayley, loop, multiplicative, orthogonal, semi, starts
from sonmf.solvers.problem import least_squares

OFFSET = 0.2  # added once to Semi-NMF's start of G, as the paper says


class Fitted(NamedTuple):
    F: Any
    G: Any
    history: list[float]
    seconds: list[float]


def continuous(method: str, X: Any, k: int, random: np.random.RandomState, init: str = "svd") -> Fitted:
    """Run a method on X for 500 iterations, or until nothing moves; times include the start."""
    began, stamps = time.perf_counter(), []
    engine = engine_for(X)
    problem = least_squares(engine)
    solver, start = METHODS[method]
    run = loop.run(
        solver,
        problem,
        start(engine, k, random, init),
        max_iter=ITERATIONS,
        tol=0.0,
        callback=lambda it: stamps.append(time.perf_counter() - began),
    )
    point = run.state.point
    G = np.maximum(X @ point.F, 0) if solver in (cayley, accelerated) else engine.gather(point.G)
    return Fitted(point.F, G, [record.objective for record in run.records], stamps)


METHODS: dict[str, tuple[loop.Solver, Callable[..., Any]]] = {
    "SONMF (paper)": (cayley, lambda engine, k, random, init: starts.start(engine, init, k, random)),
    "SONMF": (accelerated, lambda engine, k, random, init: starts.start(engine, init, k, random)),
    "ONMF": (orthogonal, lambda engine, k, random, init: starts.with_codes(engine, starts.clipped_svd(engine, k))),
    "NMF": (multiplicative, lambda engine, k, random, init: starts.with_codes(engine, starts.clipped_svd(engine, k))),
    "Semi-NMF": (semi, lambda engine, k, random, init: starts.clusters(engine, k, random, OFFSET)),
}
