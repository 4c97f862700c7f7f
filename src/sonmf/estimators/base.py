"""What every factorisation shares as a scikit-learn transformer."""

from __future__ import annotations

import sys
import warnings
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin, _fit_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _check_feature_names, _check_n_features, check_is_fitted, validate_data

from sonmf import stiefel, threads
from sonmf.engines import Engine
from sonmf.estimators import elsewhere
from sonmf.kernels import finite, library_of
from sonmf.kernels.structure import sound
from sonmf.solvers import loop
from sonmf.tall import home


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called us, however deep we are and whatever scikit-learn has wrapped around it."""
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("sonmf", "sklearn"):
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]
    warnings.warn(message, category, stacklevel=level)


COMMON: dict[str, list[Any]] = {
    "n_components": [Interval(Integral, 1, None, closed="left")],
    "max_iter": [Interval(Integral, 1, None, closed="left")],
    "tol": [Interval(Real, 0, None, closed="left")],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
    "callback": [callable, None],
}


def array_init(init: Any, shape: tuple[int, int], fewer: bool = False) -> Any:
    """``init`` itself if it is a name, else an array of the right shape, or with ``fewer`` columns."""
    if isinstance(init, str):
        return init
    F = np.asarray(init, np.float64)
    if F.shape != shape and not (fewer and F.ndim == 2 and F.shape[0] == shape[0] and 1 <= F.shape[1] < shape[1]):
        raise ValueError(f"init has shape {F.shape}, but (n_words, n_components) is {shape}")
    return F


def orthonormal_init(init: Any, shape: tuple[int, int], fewer: bool = False) -> Any:
    """``init`` itself if it is a name, else an array of the right shape with orthonormal columns."""
    F = array_init(init, shape, fewer)
    if not isinstance(F, str) and not (residual := stiefel.residual(F)) < 1e-6:
        raise ValueError(f"init is not orthonormal (||F'F - I||^2 = {residual:.3g}): give np.linalg.qr(init)[0] instead")
    return F


class Factorization(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """X ~ G F': the shell around a solver. A subclass gives ``_fit`` and ``transform``."""

    _parameter_constraints: ClassVar[dict[str, list[Any]]]
    _takes_torch: ClassVar[bool] = False
    """Whether every step has a torch kernel."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn the topics of X.

        Parameters
        ----------
        X : {array-like, sparse matrix, sparse array} of shape (n_documents, n_words)
            Or a dask array, blocks on disk or a torch tensor: the fit then runs where they are.
        y : ignored

        Returns
        -------
        self
        """
        self._fit_or_nothing(X)
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
        G = X if elsewhere.lives(X) else check_array(X, dtype=[np.float64, np.float32])
        if G.shape[1] != len(self.components_):
            raise ValueError(
                f"X has {G.shape[1]} columns, but this {type(self).__name__} has n_components={len(self.components_)}: "
                "give what transform returned"
            )
        with np.errstate(over="ignore", invalid="ignore"):
            Y = G @ elsewhere.beside(self.components_, G)
        return Y.map_blocks(finite, dtype=Y.dtype) if library_of(Y) == "dask" else finite(Y)

    def _fit_or_nothing(self, X: Any) -> Any:
        """Validate and fit; whatever goes wrong, the estimator is then as it was before."""
        before = vars(self).copy()
        try:
            X = self._validate(X, reset=True)
            n, p = X.shape
            if self.n_components > min(n, p):
                raise ValueError(
                    f"n_components={self.n_components} is more than min(n_samples, n_features) of X "
                    f"(n_samples={n}, n_features={p}): choose n_components <= {min(n, p)}"
                )
            with threads.serial_blas():
                return self._fit(X)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _validate(self, X: Any, *, reset: bool) -> Any:
        if library_of(X) == "torch" and not self._takes_torch:
            raise ValueError(
                f"{type(self).__name__} does not run on torch tensors: give X.cpu().numpy(), or use SONMF or BinarySONMF"
            )
        if elsewhere.lives(X):
            _check_feature_names(self, X, reset=reset)
            _check_n_features(self, X, reset=reset)
            return elsewhere.checked(X, self._checked)
        with np.errstate(invalid="ignore"):  # a signalling NaN is refused like any other, without a warning first
            return self._checked(self._numbers(sound(X), reset))

    def _numbers(self, X: Any, reset: bool) -> Any:
        """What scikit-learn makes of X, with its first words where it goes on to quote X or to praise other estimators."""
        try:
            return validate_data(self, X, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32], order="C")
        except ValueError as refusal:
            first, _, rest = str(refusal).partition("\n")
            if not rest or "Reshape your data" in rest:
                raise
            raise ValueError(f"{first.rstrip('.')}: give real numbers, and fill or remove what is missing") from None

    @classmethod
    def _checked(cls, X: Any) -> Any:
        """X, or one block of it, in the one form that the kernels take."""
        if isinstance(X, np.ndarray) or library_of(X) == "torch":
            return X
        if not X.has_canonical_format:
            X = X.copy()  # the user's matrix stays as it was
            X.sum_duplicates()
        if X.indices.dtype != np.int32 and max(X.nnz, *X.shape) <= np.iinfo(np.int32).max:
            # Half the memory traffic, one set of compiled kernels, and all that scikit-learn's KMeans takes.
            X = type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
        return X

    def _run(self, solver: loop.Solver, problem: Any, start: Any) -> Any:
        """Run the solver and keep what every method reports; return the last state."""
        engine: Engine = problem.engine
        run = loop.run(
            solver, problem, start, max_iter=self.max_iter, tol=self.tol, verbose=self.verbose, callback=self.callback
        )
        self.components_ = np.ascontiguousarray(home(run.state.point.F).T, dtype=engine.dtype)
        self.n_iter_ = len(run.records)
        self.objective_history_ = np.array([record.objective for record in run.records])
        if not run.converged:
            warn_user(
                f"{type(self).__name__} stopped at max_iter={self.max_iter} before the objective settled to "
                f"tol={self.tol:g}: raise max_iter, or raise tol if the result is good enough",
                ConvergenceWarning,
            )
        return run

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
