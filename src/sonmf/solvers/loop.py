"""The one loop that runs every solver: stopping, history, progress and the user's callback."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

from sonmf.threads import Array

ROUNDING = 1e-15  # of the mean square of X: an objective that falls by less has stopped falling
PATIENCE = 2.0  # seconds between two plain lines of progress


class Iterate(NamedTuple):
    """What a callback sees after an iteration."""

    iteration: int
    objective: float
    n_passes: int
    accepted: bool
    """False where a solver took the step back and restarts; the objective is then that of the iteration before."""
    F: Array
    """The orthonormal basis, words x topics."""


class Solver(Protocol):
    """One algorithm: a first state and the step from one immutable state to the next.

    A state has ``point`` (with ``F`` and ``objective``) and ``accepted``.
    """

    def init_state(self, problem: Any, F: Array, /) -> Any: ...

    def update(self, problem: Any, state: Any, /) -> Any: ...


class Run(NamedTuple):
    """How a run ended."""

    state: Any
    history: list[float]
    converged: bool
    """False only where ``max_iter`` ended the run."""


Callback = Callable[[Iterate], Any]


def run(
    solver: Solver,
    problem: Any,
    F: Array,
    *,
    max_iter: int,
    tol: float,
    verbose: int = 0,
    callback: Callback | None = None,
) -> Run:
    """Iterate until an accepted iteration lowers the objective by at most tol times its value, or the callback says True."""
    state = solver.init_state(problem, F)
    history: list[float] = []
    with _progress(verbose, max_iter) as show:
        for iteration in range(1, max_iter + 1):
            before = state.point.objective
            state = solver.update(problem, state)
            objective = state.point.objective
            history.append(objective)
            show(iteration, objective)
            seen = Iterate(iteration, objective, problem.engine.passes, state.accepted, state.point.F)
            if callback is not None and callback(seen):
                return Run(state, history, True)
            if state.accepted and before - objective <= max(tol * objective, ROUNDING * problem.mean_square):
                return Run(state, history, True)
    return Run(state, history, False)


@contextmanager
def _progress(verbose: int, max_iter: int) -> Iterator[Callable[[int, float], None]]:
    """A bar where a terminal is attached, a line every few seconds elsewhere, nothing with verbose=0."""
    if not verbose:
        yield lambda iteration, objective: None
    elif sys.stderr.isatty():
        from tqdm import tqdm

        with tqdm(total=max_iter, desc="sonmf", unit="it", leave=True) as bar:

            def show(iteration: int, objective: float) -> None:
                bar.set_postfix_str(f"objective {objective:.6g}", refresh=False)
                bar.update()

            yield show
    else:
        yield _Lines(max_iter)


class _Lines:
    def __init__(self, max_iter: int) -> None:
        self.max_iter, self.due = max_iter, 0.0

    def __call__(self, iteration: int, objective: float) -> None:
        if (now := time.monotonic()) >= self.due:
            self.due = now + PATIENCE
            print(f"sonmf: iteration {iteration} of at most {self.max_iter}, objective {objective:.6g}", file=sys.stderr)
