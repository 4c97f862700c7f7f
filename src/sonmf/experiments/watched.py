"""A solver whose states can be seen while the loop runs it; the loop's callback sees only F."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from sonmf.solvers import loop

AnySolver: TypeAlias = loop.Solver[Any, Any, Any]
"""Solvers of one table differ in their problems, starts and states."""


class Watched:
    """The same solver; ``see`` gets the states before and after each iteration."""

    def __init__(self, solver: AnySolver, see: Callable[[Any, Any], None]) -> None:
        self.solver, self.see = solver, see
        self.init_state = solver.init_state

    def update(self, problem: Any, state: Any) -> Any:
        """An iteration of the solver."""
        after = self.solver.update(problem, state)
        self.see(state, after)
        return after
