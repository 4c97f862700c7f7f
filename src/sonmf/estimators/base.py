"""What every factorisation shares as a scikit-learn transformer."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array
from sklearn.utils.validation import check_is_fitted, validate_data

from sonmf import threads


class Factorization(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """X ~ G F': the shell around a solver. A subclass gives ``_fit`` and ``transform``."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]]

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the topics of X.

        Parameters
        ----------
        X : {array-like, sparse matrix, sparse array} of shape (n_documents, n_words)
        y : ignored

        Returns
        -------
        self
        """
        with self._all_or_nothing():
            X = self._validate(X, reset=True)
            n, p = X.shape
            if self.n_components > min(n, p):
                raise ValueError(
                    f"n_components={self.n_components} is more than min(n_samples, n_features) of X "
                    f"(n_samples={n}, n_features={p}): choose n_components <= {min(n, p)}"
                )
            with threads.serial_blas():
                self._fit(X)
        return self

    def inverse_transform(self, X: Any) -> Any:
        """G F', what the topics say the documents contain.

        Parameters
        ----------
        X : array-like of shape (n_documents, n_components)
            What ``transform`` returned.

        Returns
        -------
        ndarray of shape (n_documents, n_words)
        """
        check_is_fitted(self)
        G = check_array(X, dtype=[np.float64, np.float32])
        if G.shape[1] != len(self.components_):
            raise ValueError(
                f"X has {G.shape[1]} columns, but this {type(self).__name__} has n_components={len(self.components_)}: "
                "give what transform returned"
            )
        return G @ self.components_

    def _validate(self, X: Any, *, reset: bool) -> Any:
        X = validate_data(self, X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
        if isinstance(X, np.ndarray):
            return X
        if not X.has_canonical_format:
            X = X.copy()  # the user's matrix stays as it was
            X.sum_duplicates()
        if X.indices.dtype != np.int32 and max(X.nnz, *X.shape) <= np.iinfo(np.int32).max:
            # Half the memory traffic, one set of compiled kernels, and all that scikit-learn's KMeans takes.
            X = type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
        return X

    @contextmanager
    def _all_or_nothing(self) -> Iterator[None]:
        """A failed or interrupted fit leaves the estimator as it was."""
        before = vars(self).copy()
        try:
            yield
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _warn_unconverged(self) -> None:
        warnings.warn(
            f"{type(self).__name__} stopped at max_iter={self.max_iter} before the objective settled to tol={self.tol:g}: "
            "raise max_iter, or raise tol if the result is good enough",
            ConvergenceWarning,
            stacklevel=5,
        )

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
