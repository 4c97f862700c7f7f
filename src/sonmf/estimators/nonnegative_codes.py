"""What NMF, ONMF and SemiNMF share: G >= 0, least squares, and a transform that solves for G with F fixed."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sonmf import kernels
from sonmf.device_arrays import DeviceArray
from sonmf.engines import Engine, Local
from sonmf.estimators.base import Factorization, RandomState, array_init
from sonmf.estimators.least_squares_problem import exponent_of, scaled_least_squares, weighted_least_squares
from sonmf.solvers import alternating, loop
from sonmf.solvers.problem import LeastSquares
from sonmf.types import Array, Matrix

Alternating = loop.Solver[LeastSquares, tuple[Array, object], alternating.State]


class NonNegativeCodes(Factorization):
    """min ||X - G F'||^2 over G >= 0 and whatever the method asks of F. A subclass names its solver and its start."""

    _solver: Alternating
    _kernels = "alternating"

    def __init__(
        self,
        n_components: int = 10,
        *,
        init: str | ArrayLike = "random",
        max_iter: int = 200,
        tol: float = 1e-5,
        random_state: RandomState = None,
        verbose: int = 0,
        callback: loop.Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def _fit(self, X: Matrix, sample_weight: ArrayLike | None = None) -> None:
        init = array_init(self.init, (X.shape[1], self.n_components))
        problem = weighted_least_squares(X, sample_weight)
        self._check_rank(problem.engine.shape)
        start = self._start(problem.engine, init, check_random_state(self.random_state))
        self._run(self._solver, problem, start)
        if self._scale_is_in_topics():
            self.components_ = _times_power_of_two(problem.exponent, self.components_)
        # Given F the problem in G is convex: solving it makes fit_transform(X) equal fit(X).transform(X).
        _, error = self._codes(problem)
        self.n_passes_ = problem.engine.passes
        self.reconstruction_err_ = float(np.sqrt(error * problem.entries))

    def _start(self, engine: Engine, init: str | Array, random: np.random.RandomState) -> tuple[Array, object]:
        raise NotImplementedError

    def _scale_is_in_topics(self) -> bool:
        """Whether F takes on the scale of X; from most starts G does."""
        return False

    def _codes(self, problem: LeastSquares) -> tuple[Local, float]:
        """G = argmin over G >= 0, where the documents are, and the mean of (X - GF')^2."""
        F = np.asarray(self.components_.T, np.float64)
        exponent = exponent_of(F)
        F = np.ldexp(F, -exponent)
        local, (M, S) = problem.engine.sweep(kernels.solve, None, F, F.T @ F)
        if problem.exponent != exponent:
            local = problem.engine.each(partial(_times_power_of_two, problem.exponent - exponent), local)
        return local, alternating.error(problem, F, np.asarray(M, np.float64), np.asarray(S, np.float64))

    def transform(self, X: Matrix) -> Matrix:
        r"""G = argmin over G >= 0 of ||X - G F'||\ :sup:`2`, for each document on its own.

        Parameters
        ----------
        X : {array-like, sparse matrix, sparse array} of shape (n_documents, n_words)

        Returns
        -------
        ndarray of shape (n_documents, n_components)
        """
        check_is_fitted(self)
        problem = scaled_least_squares(self._validate(X, reset=False))
        return problem.engine.gather(self._codes(problem)[0])

    def score(self, X: Matrix, y: object = None) -> float:
        r"""Share of ||X||\ :sup:`2` that the topics explain, 1 - ||X - transform(X) F'||\ :sup:`2` / ||X||\ :sup:`2`.

        Parameters
        ----------
        X : {array-like, sparse matrix, sparse array} of shape (n_documents, n_words)
        y : ignored

        Returns
        -------
        float
            At most 1; higher is better. An all-zero X counts as fully explained.
        """
        check_is_fitted(self)
        problem = scaled_least_squares(self._validate(X, reset=False))
        return 1 - self._codes(problem)[1] / problem.scale if problem.scale > 0 else 1.0


def _times_power_of_two(exponent: int, A: Array) -> DeviceArray:
    """A times a power of two."""
    with np.errstate(over="ignore", under="ignore"):
        return kernels.check_finite(np.ldexp(A, exponent))
