"""The one loop that runs every solver: stopping, history, progress and the user's callback."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Generic, NamedTuple, Protocol, TypeVar

import numpy as np

from sonmf.device_arrays import column_turns, to_numpy
from sonmf.engines import Engine
from sonmf.types import Array

ROUNDING = 1e-15  # of the problem's scale: an objective that falls by less has stopped falling
WINDOW = 6  # accepted iterations that together must turn every topic by little: a single one always does after a restart
BUILD_UP = 6  # accepted iterations after a restart until momentum has built up
WAIT = 5  # iterations without a lower cost on the entries held out before a run is stopped
PATIENCE = 2.0  # seconds between two plain lines of progress


class Iterate(NamedTuple):
    """What a callback sees after an iteration."""

    iteration: int
    objective: float
    n_passes: int
    accepted: bool
    """Whether the step was accepted. If not, the solver restarts, and the objective is that of the iteration before."""
    F: Array
    """The orthonormal basis, words x topics."""


class Point(Protocol):
    """The place where a solver stands."""

    @property
    def F(self) -> Array: ...
    @property
    def objective(self) -> float: ...
    @property
    def cost(self) -> float:
        """The objective without its penalty, if the solver knows it."""

    @property
    def held_out(self) -> float | None:
        """The cost of the held-out entries, if there are any."""


class State(Protocol):
    """What a solver passes from one step to the next; immutable."""

    @property
    def point(self) -> Point: ...
    @property
    def accepted(self) -> bool: ...


class Minimised(Protocol):
    """The problem that a solver works on."""

    @property
    def engine(self) -> Engine: ...
    @property
    def scale(self) -> float:
        """The objective before anything is explained."""


P = TypeVar("P", bound=Minimised, contravariant=True)
Start = TypeVar("Start", contravariant=True)
S = TypeVar("S", bound=State)


class Solver(Protocol[P, Start, S]):
    """One algorithm: a first state and the step from one state to the next."""

    def init_state(self, problem: P, start: Start, /) -> S: ...

    def update(self, problem: P, state: S, /) -> S: ...


class Record(NamedTuple):
    """The figures of one iteration."""

    objective: float
    cost: float
    held_out: float | None


class Run(NamedTuple, Generic[S]):
    """The way in which a run ended."""

    state: S
    records: list[Record]
    converged: bool
    """False only if ``max_iter`` ended the run."""


Callback = Callable[[Iterate], object]
"""Stops the run by returning True."""


class Falling:
    """Settled when an accepted iteration lowers the objective by at most tol times its value."""

    def __init__(self, tol: float) -> None:
        self.tol = tol

    def __call__(self, before: Point, point: Point, age: int) -> bool:
        return bool(0 <= before.objective - point.objective <= self.tol * point.objective)


class Turning:
    """Settled when no topic has turned by more than tol radians in the last accepted iterations of a window together.

    The topic that turns most decides. On average over many topics, a few that leave a saddle would not be noticed. Nor would
    they be noticed just after a restart, when every step is short for want of momentum: step number i after it counts
    build_up / i times, if that is more than once.
    """

    def __init__(self, tol: float, solver: object = None) -> None:
        """A solver whose iterations are more than one step, or whose momentum grows for long, may have constants of its own."""
        self.tol, self.turns = tol, deque[Array](maxlen=getattr(solver, "WINDOW", WINDOW))
        self.build_up: int = getattr(solver, "BUILD_UP", BUILD_UP)

    def __call__(self, before: Point, point: Point, age: int) -> bool:
        self.turns.append(max(1.0, self.build_up / (1 + age)) * column_turns(point.F, before.F))
        return len(self.turns) == self.turns.maxlen and bool(np.sum(self.turns, axis=0).max() <= self.tol)


def run(
    solver: Solver[P, Start, S],
    problem: P,
    start: Start,
    *,
    max_iter: int,
    rule: Falling | Turning,
    verbose: int = 0,
    callback: Callback | None = None,
) -> Run[S]:
    """Iterate until an accepted iteration has settled by the rule, gains only rounding, or the callback returns True.

    If entries are held out, stop too when their cost has not fallen for a while, and return to where it was lowest.
    """
    state = best = solver.init_state(problem, start)
    records: list[Record] = []
    age = 0  # accepted iterations since the last restart
    with _progress(verbose, max_iter) as show:
        for iteration in range(1, max_iter + 1):
            before = state.point
            state = solver.update(problem, state)
            point = state.point
            records.append(Record(point.objective, point.cost, point.held_out))
            show(iteration, point.objective)
            best = state if _no_worse(state, best) else best
            settled = state.accepted and (
                rule(before, point, age) or 0 <= before.objective - point.objective <= ROUNDING * problem.scale
            )
            age = age + 1 if state.accepted else 0
            over_fitting = len(records) > WAIT and _rising([record.held_out for record in records])
            done = callback is not None and callback(_seen(iteration, problem, state))
            if done or settled or over_fitting:
                return Run(best, records, True)
    return Run(best, records, False)


def _seen(iteration: int, problem: Minimised, state: State) -> Iterate:
    return Iterate(iteration, state.point.objective, problem.engine.passes, state.accepted, to_numpy(state.point.F))


def _no_worse(state: State, best: State) -> bool:
    now, lowest = state.point.held_out, best.point.held_out
    return now is None or lowest is None or now <= lowest


def _rising(held_out: list[float | None]) -> bool:
    """No value of the last few iterations is below the lowest before them."""
    values = [value for value in held_out if value is not None]
    return bool(values) and min(values[-WAIT:]) > min(values[:-WAIT])


@contextmanager
def _progress(verbose: int, max_iter: int) -> Iterator[Callable[[int, float], None]]:
    """A bar on a terminal, a line every few seconds elsewhere, nothing with verbose=0."""
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
