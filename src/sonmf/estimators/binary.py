"""What the methods for 0/1 data share."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from sonmf.engines import Engine, engine_for
from sonmf.estimators.base import Factorization, approximated
from sonmf.estimators.check import Function, check_of
from sonmf.kernels import bernoulli
from sonmf.tall import beside


class BinaryFactorization(Factorization):
    """x ~ Bernoulli(sigma(mu + GF')): validation of 0/1 data, and G solved for with F and mu fixed."""

    _kernels = "bernoulli"
    _floor = 0.0
    """The lowest value of G."""

    @classmethod
    def _checked(cls, X: Any) -> Any:
        """X, or one block of it, of zeros and ones."""
        return check_of(super()._checked(X)).ones()

    def _solve(self, engine: Engine, local: Any = None) -> tuple[Any, float]:
        """Local G = argmin of the penalised cost given F and mu, and the mean cost there."""
        F = np.asarray(self.components_.T, np.float64)
        curvature = float(np.linalg.norm(F, 2) ** 2)
        mu = self._offsets()
        local, (cost, _) = engine.sweep(bernoulli.solve, local, F, mu, self._ridge(), self._floor, curvature)
        return local, float(cost) / (engine.shape[0] * engine.shape[1])

    def _evaluate(self, engine: Engine, local: Any) -> tuple[Any, float]:
        """G as it is, and the mean cost there."""
        F = np.asarray(self.components_.T, np.float64)
        _, (cost, _) = engine.sweep(bernoulli.evaluate, local, F, self._offsets())
        return local, float(cost) / (engine.shape[0] * engine.shape[1])

    def _offsets(self) -> Any:
        return np.zeros(self.components_.shape[1])

    def _ridge(self) -> float:
        return 0.0

    def inverse_transform(self, X: Any) -> Any:
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

    def _inverse(self) -> Function:
        return partial(probable, self.components_, self._offsets())

    def transform(self, X: Any) -> Any:
        """G = argmin of the penalised cost with the topics fixed, each document for itself.

        Parameters
        ----------
        X : {array-like, sparse matrix, sparse array} of shape (n_documents, n_words)
            0/1 data.

        Returns
        -------
        ndarray of shape (n_documents, n_components)
        """
        check_is_fitted(self)
        engine = engine_for(self._validate(X, reset=False))
        return engine.gather(self._solve(engine)[0])

    def score(self, X: Any, y: Any = None) -> float:
        """Minus the mean Bernoulli cost of X, with G solved for; higher is better.

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
        return -self._solve(engine_for(self._validate(X, reset=False)))[1]


def probable(components: Any, mu: Any, G: Any) -> Any:
    """sigma(mu + GF') for a few documents."""
    theta = approximated(components, G)
    return bernoulli.sigmoid(theta + beside(mu, theta))
