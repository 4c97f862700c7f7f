"""What is minimised, where the data are, and what one pass over X says about an F.

Continuous SONMF: with F'F = I the best G is [XF]+, and ||X - GF'||^2 = ||X||^2 - ||[XF]+||^2. So it maximises the convex
function h(F) = ||[XF]+||^2 over the Stiefel manifold. One pass over X yields h(F) and half its gradient, M = X'[XF]+, which is
everything that the solvers of this problem need.

With a penalty 2 lambda sum(G) on documents of many topics all this holds with [XF - lambda]+ in place of [XF]+: the best G,
the penalised objective ||X||^2 - ||G||^2, and M = X'G. The error alone is ||X||^2 - 2 tr(F'M) + ||G||^2. Of weighted documents,
w (||x - Fg||^2 + 2 lambda sum(g)) is that of sqrt(w) x with the threshold sqrt(w) lambda.
"""

from __future__ import annotations

import math
from typing import Generic, NamedTuple, TypeVar

from sonmf import kernels, stiefel
from sonmf.device_arrays import DeviceArray, to_numpy
from sonmf.engines import Engine, Local
from sonmf.errors import InputError
from sonmf.kernels import bernoulli
from sonmf.types import Array

NEGLIGIBLE = 1e-12


class LeastSquares(NamedTuple):
    """The mean of (X - GF')^2, under the constraints of the solver, plus 2 threshold sum(G) / (number of entries)."""

    engine: Engine
    square: float
    """||X||^2."""
    entries: float
    """The number of observed entries of X, each counted by the weight of its document."""
    exponent: int = 0
    """X in the engine is the given X divided by this power of two."""
    threshold: float = 0.0
    """lambda, the price of a topic in a document, at the scale of X in the engine."""
    weights: Array | None = None
    """How often each document counts, if given. X in the engine is multiplied by their roots."""
    roots: Local = None
    """The roots of the weights, where the documents are, if there is a threshold: it is multiplied by them too."""
    fixed: Array | None = None
    """The first columns of F, if they are given."""

    def polar(self, M: DeviceArray) -> DeviceArray:
        """The F that maximises tr(F'M)."""
        return stiefel.polar(M) if self.fixed is None else stiefel.polar_with_fixed(self.fixed, M)

    def with_fixed(self, F: DeviceArray) -> DeviceArray:
        """A start F that has the fixed columns, and the others orthogonal to them."""
        return F if self.fixed is None else stiefel.polar_with_fixed(self.fixed, F)

    def free_part(self, M: DeviceArray) -> DeviceArray:
        """The part of M that can move F."""
        return M if self.fixed is None else stiefel.free_part(self.fixed, M)

    def restore_fixed(self, F: DeviceArray) -> DeviceArray:
        """F with the fixed columns exactly as they were given."""
        return F if self.fixed is None else stiefel.restore_fixed(self.fixed, F)

    @property
    def scale(self) -> float:
        """The objective before anything is explained; what is below 1e-15 of it is rounding."""
        return self.mean(self.square)

    def mean(self, squares: float) -> float:
        """The mean of a sum of squared errors over the entries, at the scale of the given X; a sum below 0 is rounding."""
        return max(require_number(squares), 0.0) / self.entries * 4.0**self.exponent


def require_number(total: float) -> float:
    """A sum over X, unless it is NaN: X had none when the fit began."""
    if math.isnan(total):
        raise InputError("X has become NaN during the fit: something changed it, a callback for instance; fit a copy of X")
    return total


def least_squares(engine: Engine) -> LeastSquares:
    """The problem of X in its engine. One pass finds ||X||^2."""
    _, (square, entries) = engine.sweep(kernels.square, None)
    return LeastSquares(engine, float(square), float(entries))


class LeastSquaresPoint(NamedTuple):
    """An orthonormal F and what one pass over X says about it."""

    F: Array
    M: Array
    objective: float
    held_out: None = None

    @property
    def cost(self) -> float:
        """The penalised objective: ``error`` takes a pass."""
        return self.objective


def evaluate(problem: LeastSquares, F: DeviceArray) -> LeastSquaresPoint:
    """One pass: M = X'G and the mean objective at F, with G = [XF - lambda]+ (eq. G update)."""
    _, (M, energy) = problem.engine.sweep(kernels.ascent, problem.roots, F, problem.threshold)
    # The difference cancels; a rise below 1e-12 ||X||^2 is rounding.
    return LeastSquaresPoint(F, M, problem.mean(problem.square - float(energy)))


def error(problem: LeastSquares, point: LeastSquaresPoint) -> float:
    """The mean of (X - GF')^2: the objective without its penalty. With a penalty it takes a pass."""
    if not problem.threshold:
        return point.objective
    _, (explained,) = problem.engine.sweep(kernels.explained, problem.roots, point.F, False, problem.threshold)
    return problem.mean(problem.square - float(explained))


class Counts(NamedTuple):
    """What one pass counts in 0/1 data, each document by its weight."""

    ones: Array
    """The ones of each word that the fit sees."""
    seen: Array
    """The documents in which it sees the word: there its entry is neither missing nor held out."""
    documents: float
    held_out: float
    """The entries held out of the fit, to watch over-fitting."""


def count(engine: Engine) -> Counts:
    """The counts of 0/1 data in an engine: one pass."""
    _, sums = engine.sweep(bernoulli.count, None)
    return Counts(to_numpy(sums[0]), to_numpy(sums[1]), float(sums[2]), float(sums[3]))


def require_observed(documents: Array, total: float) -> None:
    """Refuse a word that is observed in no document; of sums of weights, what is below 1e-12 of the total is rounding."""
    if (unseen := documents <= NEGLIGIBLE * total).any():
        raise InputError(f"word {int(unseen.argmax())} of X is observed in no document, only NaN: remove that column")


class Bernoulli(NamedTuple):
    """The mean of log(1 + e^theta) - x theta with theta = mu + GF', plus alpha ||G||^2 / (number of entries)."""

    engine: Engine
    alpha: float = 0.0
    intercept: bool = False
    counts: Counts | None = None
    """What the engine counts, unless every entry is there and every document counts once."""

    @property
    def scale(self) -> float:
        """A mean cost is of the order of 1 whatever the data."""
        return 1.0

    @property
    def documents(self) -> float:
        """The number of documents."""
        return float(self.engine.shape[0]) if self.counts is None else self.counts.documents

    @property
    def fitted(self) -> float:
        """The number of entries that the fit sees."""
        n, p = self.engine.shape
        return float(n * p if self.counts is None else self.counts.seen.sum())

    @property
    def held_out(self) -> float:
        """The number of entries that are held out."""
        return 0.0 if self.counts is None else self.counts.held_out


class Factors(NamedTuple):
    """F, the local states of G, and the objective there."""

    F: Array
    G: object
    objective: float
    held_out: None = None

    @property
    def cost(self) -> float:
        """There is no penalty."""
        return self.objective


Pt = TypeVar("Pt", covariant=True)


class PlainState(NamedTuple, Generic[Pt]):
    """The state of a solver whose next step depends on nothing but where it stands."""

    point: Pt
    accepted: bool = True


class LineSearchState(NamedTuple, Generic[Pt]):
    """The state of a solver that tries steps of length tau, which carries over from one step to the next."""

    point: Pt
    tau: float
    accepted: bool = True
