"""What the methods for 0/1 data share."""

from __future__ import annotations

from functools import partial

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sonmf.device_arrays import DeviceArray, like
from sonmf.engines import Engine, Local
from sonmf.estimators.base import Factorization, approximate
from sonmf.estimators.matrix_inputs import BlockFunction, Input
from sonmf.kernels import bernoulli
from sonmf.solvers.problem import Bernoulli, count
from sonmf.types import Array, Matrix


class BinaryFactorization(Factorization):
    """x ~ Bernoulli(sigma(mu + GF')): validation of 0/1 data, and the best G for a fixed F and mu."""

    _kernels = "bernoulli"
    _floor = 0.0
    """The lowest value of G."""

    @classmethod
    def _checked(cls, block: Input) -> Input:
        """X, or one block of it, of zeros and ones."""
        return super()._checked(block).ones()

    def _solve(self, engine: Engine, local: Local = None) -> tuple[Local, float]:
        """Local G = argmin of the penalised cost given F and mu, and the sum of the costs there."""
        F, mu, curvature = self._topics()
        local, (cost, _) = engine.sweep(bernoulli.solve, local, F, mu, self._ridge(), self._floor, curvature)
        return local, float(cost)

    def _evaluate(self, engine: Engine, local: Local) -> tuple[Local, float]:
        """G as it is, and the sum of the costs there."""
        F, mu, _ = self._topics()
        _, (cost, _) = engine.sweep(bernoulli.evaluate, local, F, mu)
        return local, float(cost)

    def _topics(self) -> tuple[Array, Array, float]:
        """F, mu, and the largest eigenvalue of F'F."""
        F = np.asarray(self.components_.T, np.float64)
        return F, self._offsets(), float(np.linalg.norm(F, 2) ** 2)

    def _offsets(self) -> Array:
        return np.zeros(self.components_.shape[1])

    def _ridge(self) -> float:
        return 0.0

    def inverse_transform(self, X: Matrix) -> Matrix:
        """sigma(mu + G F'), the probability of each word in each document.

        Parameters
        ----------
        X : array-like of shape (n_documents, n_components)
            What ``transform`` returned (with ``signed=False``).

        Returns
        -------
        ndarray of shape (n_documents, n_words)
        """
        return super().inverse_transform(X)

    def _inverse(self) -> BlockFunction:
        return partial(probabilities, self.components_, self._offsets())

    def transform(self, X: Matrix) -> Matrix:
        """G = argmin of the penalised cost with the topics fixed, for each document on its own.

        Parameters
        ----------
        X : {array-like, sparse matrix, sparse array} of shape (n_documents, n_words)
            0/1 data.

        Returns
        -------
        ndarray of shape (n_documents, n_components)
        """
        check_is_fitted(self)
        engine = self._validate(X, reset=False).engine()
        return engine.gather(self._solve(engine)[0])

    def score(self, X: Matrix, y: object = None) -> float:
        """Minus the mean Bernoulli cost of X with the best G; higher is better.

        Parameters
        ----------
        X : {array-like, sparse matrix, sparse array} of shape (n_documents, n_words)
            0/1 data.
        y : ignored

        Returns
        -------
        float
        """
        check_is_fitted(self)
        engine = self._validate(X, reset=False).engine()
        return -self._solve(engine)[1] / Bernoulli(engine, counts=count(engine)).fitted


def probabilities(components: Array, mu: Array, G: Matrix) -> DeviceArray:
    """sigma(mu + GF') for a few documents."""
    theta = approximate(components, G)
    return bernoulli.sigmoid(theta + like(mu, theta))
