"""What the methods for 0/1 data share."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils.validation import check_is_fitted

from sonmf.engines import Engine, engine_for
from sonmf.estimators import elsewhere
from sonmf.estimators.base import Factorization
from sonmf.kernels import bernoulli, library_of

ROWS = 1024


class BinaryFactorization(Factorization):
    """x ~ Bernoulli(sigma(mu + GF')): validation of 0/1 data, and G solved for with F and mu fixed."""

    _floor = 0.0
    """The lowest value of G."""

    @classmethod
    def _checked(cls, X: Any) -> Any:
        """A CSR matrix whose stored entries are exactly the ones."""
        X = super()._checked(X)
        if library_of(X) == "torch":
            return elsewhere.ones(X)
        if isinstance(X, np.ndarray):
            _refuse_other_than_01(X)
            return scipy.sparse.csr_array(X)
        if len(others := np.flatnonzero((X.data != 0) & (X.data != 1))):
            row = int(np.searchsorted(X.indptr, others[0], side="right")) - 1
            raise _not_binary(row, int(X.indices[others[0]]), X.data[others[0]])
        if (X.data == 0).any():
            X = X.copy()
            X.eliminate_zeros()
        return X

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
        theta = super().inverse_transform(X)
        if library_of(theta) == "torch":
            return (theta + elsewhere.beside(self._offsets(), theta)).sigmoid()
        theta = theta + self._offsets().astype(theta.dtype)
        decay = np.exp(-np.abs(theta))
        return np.where(theta >= 0, 1, decay) / (1 + decay)

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


def _refuse_other_than_01(X: Any) -> None:
    for start in range(0, len(X), ROWS):
        tile = X[start : start + ROWS]
        others = np.argwhere((tile != 0) & (tile != 1))
        if len(others):
            row, column = (int(v) for v in others[0])
            raise _not_binary(start + row, column, tile[row, column])


def _not_binary(row: int, column: int, value: float) -> ValueError:
    return ValueError(
        f"X must contain only 0 and 1, but X[{row}, {column}] is {value:g}: "
        "binarise it first, for instance by (X > 0).astype(float)"
    )
