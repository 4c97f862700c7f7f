"""The authors' own versions of the methods, where they differ from those of the package.

Algorithms 1 and 2 accept a step of F by a comparison that differs from that of ``solvers.cayley`` and ``solvers.newton``:
Y(tau) is accepted if C(Y(tau), G_new) is below the cost of the iteration before, C(F, G_old). So the gain of the new G allows
a longer step of F. In algorithm 1 tau starts at 1, and an iteration reports the new F with the G from before its step.

The rivals differ in their starts. ONMF also differs in its first step, and logNMF in the order of its steps: F moves before G.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

from sonmf.engines import Engine
from sonmf.experiments.design import AnySolver
from sonmf.kernels import bernoulli
from sonmf.solvers import alternating, newton, orthogonal, starts
from sonmf.solvers.problem import Bernoulli, Factors, LeastSquares, LineSearchState, PlainState
from sonmf.stiefel import CayleyCurve
from sonmf.types import Array

TAU = 1.0
HALVINGS = 50
OFFSET = 0.4


def init_state(problem: LeastSquares, F: Array) -> LineSearchState[Factors]:
    G, M, S = alternating.sweep(problem, project, None, F)
    return LineSearchState(Factors(F, G, alternating.error(problem, F, M, S)), TAU)


def update(problem: LeastSquares, state: LineSearchState[Factors]) -> LineSearchState[Factors]:
    F, tau, entries = state.point.F, state.tau, np.prod(problem.engine.shape)
    G, M, S = alternating.sweep(problem, project, None, F)
    cost = alternating.error(problem, F, M, S)
    curve = CayleyCurve(F, 2 * F @ S - 2 * M, M)
    for _ in range(HALVINGS):
        trial = cost - 2 * curve.gain(tau) / entries  # C(Y, G) = C(F, G) - 2 tr((Y - F)'M)
        if trial < state.point.objective:
            return LineSearchState(Factors(curve.point(tau), G, trial), 2 * tau)
        tau /= 2
    return LineSearchState(Factors(F, G, cost), tau)


def project(XF: Array, G: Array | None, A: Array) -> Array:
    """G = [XF]+, which does not depend on the G before."""
    return np.asarray(np.maximum(XF, 0))


def update_onmf(problem: LeastSquares, state: alternating.AlternatingState) -> alternating.AlternatingState:
    """An iteration of ``solvers.orthogonal`` that assumes topics of unit length, which they do not have at first."""
    F, G = state.point.F.copy(), state.point.G
    G, M, S = alternating.sweep(problem, unscaled, G, F)
    F = orthogonal.move_F(F, M, S)
    return PlainState(Factors(F, G, alternating.error(problem, F, M, S)))


def unscaled(XF: Array, G: Array, A: Array) -> Array:
    G = G.copy()
    for j in range(len(A)):
        G[:, j] = np.maximum(XF[:, j] - G @ A[:, j] + G[:, j] * A[j, j], alternating.TINY)
    return G


ONMF: AnySolver = SimpleNamespace(init_state=alternating.init_state, update=update_onmf)


class AuthorsNewton(newton.Newton):
    """``solvers.newton``, with steps of F that need only end below the cost of the iteration before."""

    def bound(self, before: float, with_new_codes: float) -> float:
        """The cost of the iteration before."""
        return before


class AuthorsLogisticState(NamedTuple):
    point: Factors
    DG: Array
    """(X - sigma(GF'))'G there."""
    accepted: bool = True


class AuthorsLogistic(NamedTuple):
    """F <- [F + eta (X - sigma(GF'))'G]+, then G <- G + eta (X - sigma(GF'))F with the new F."""

    eta: float

    def init_state(self, problem: Bernoulli, start: tuple[Array, object]) -> AuthorsLogisticState:
        F, G = start
        _, (cost, DG, _) = problem.engine.sweep(bernoulli.gradients, G, F, np.zeros(len(F)))
        return AuthorsLogisticState(Factors(F, G, float(cost) / problem.fitted), np.asarray(DG, np.float64))

    def update(self, problem: Bernoulli, state: AuthorsLogisticState) -> AuthorsLogisticState:
        F = np.maximum(state.point.F + self.eta * state.DG, 0)
        G, _ = problem.engine.sweep(bernoulli.ascend, state.point.G, F, self.eta)
        return self.init_state(problem, (F, G))


def orthonormal(engine: Engine, k: int, random: np.random.RandomState, init: str) -> Array:
    """The start named by ``init``, with the one sign for all columns that makes the first mostly positive."""
    F = starts.svd(engine, k) if init == "svd" else {"kmeans": starts.kmeans, "random": starts.uniform}[init](engine, k, random)
    return F if F[:, 0].sum() >= 0 else -F


def singular_pairs(engine: Engine, k: int, random: np.random.RandomState, init: str) -> tuple[Array, Array]:
    """[U]_delta and [VD]_delta with the signs of LAPACK, for NMF and ONMF: the leading pair is negative, so it is clipped."""
    U, D, V = np.linalg.svd(engine.documents(np.arange(engine.shape[0])).T, full_matrices=False)
    sign = -np.sign(U[:, 0].sum())
    F, G = sign * U[:, :k], sign * V[:k].T * D[:k]
    return np.maximum(F, starts.DELTA), engine.place(np.maximum(G, starts.DELTA))


def clusters(engine: Engine, k: int, random: np.random.RandomState, init: str) -> tuple[Array, Array]:
    """Semi-NMF's start: 0.2 added twice to the indicator of ten iterations of K-means from k random documents."""
    from sklearn.cluster import KMeans

    X = engine.documents(np.arange(engine.shape[0]))
    means = KMeans(k, init="random", n_init=1, max_iter=10, random_state=random).fit(X)
    return means.cluster_centers_.T, engine.place(np.eye(k)[means.labels_] + OFFSET)
