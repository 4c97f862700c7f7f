"""What is to be minimised, and where the data are."""

from __future__ import annotations

from typing import Any, NamedTuple

from sonmf import kernels, stiefel
from sonmf.engines import Engine
from sonmf.types import Array


class LeastSquares(NamedTuple):
    """The mean of (X - GF')^2, under whatever constraints the solver keeps, plus 2 threshold sum(G) / (number of entries)."""

    engine: Engine
    square: float
    """||X||^2."""
    entries: float
    """How many entries of X were observed, each counted by the weight of its document."""
    exponent: int = 0
    """X in the engine is what was given, divided by so many powers of two."""
    threshold: float = 0.0
    """What sparse documents cost, at the scale of X in the engine."""
    weights: Array | None = None
    """How often each document counts, where that is given; X in the engine has their roots in it."""
    fixed: Array | None = None
    """The first columns of F, where they are given."""

    def polar(self, M: Any) -> Any:
        """The F that maximises tr(F'M)."""
        return stiefel.polar(M) if self.fixed is None else stiefel.polar_beside(self.fixed, M)

    def beside(self, F: Any) -> Any:
        """A start F that has the columns that are given, and the others orthogonal to them."""
        return F if self.fixed is None else stiefel.polar_beside(self.fixed, F)

    def free(self, M: Any) -> Any:
        """The part of M that can move F."""
        return M if self.fixed is None else stiefel.free(self.fixed, M)

    def kept(self, F: Any) -> Any:
        """F with the columns that are given exactly as they were given."""
        return F if self.fixed is None else stiefel.kept(self.fixed, F)

    @property
    def scale(self) -> float:
        """The size of the objective before anything is explained; what is below 1e-15 of it is rounding."""
        return self.mean(self.square)

    def mean(self, squares: float) -> float:
        """A sum of squared errors as the mean over the entries of what was given; below 0 it is rounding."""
        return max(squares, 0.0) / self.entries * 4.0**self.exponent


def least_squares(engine: Engine) -> LeastSquares:
    """The problem of X in its engine, with ||X||^2 taken once."""
    _, (square, entries) = engine.sweep(kernels.square, None)
    return LeastSquares(engine, float(square), float(entries))


class Bernoulli(NamedTuple):
    """The mean of log(1 + e^theta) - x theta with theta = mu + GF', plus alpha ||G||^2 / (number of entries)."""

    engine: Engine
    alpha: float = 0.0
    intercept: bool = False
    eta: float = 0.05
    """Step of the methods that need one."""
    held_out: int = 0
    """Entries left out of the fit, to watch over-fitting."""

    @property
    def scale(self) -> float:
        """A mean cost is of the order of 1 whatever the data."""
        return 1.0

    @property
    def fitted(self) -> int:
        return self.engine.shape[0] * self.engine.shape[1] - self.held_out


class Factors(NamedTuple):
    """F, the local states of G, and the objective there."""

    F: Array
    G: Any
    objective: float
    held_out: None = None

    @property
    def cost(self) -> float:
        """There is no penalty."""
        return self.objective
