"""What every factorisation shares as a scikit-learn transformer."""

from __future__ import annotations

import sys
import warnings
from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from sonmf import kernels, stiefel, threads
from sonmf.device_arrays import DeviceArray, like, to_numpy
from sonmf.errors import InputError
from sonmf.estimators.matrix_inputs import BlockFunction, Input, input_of
from sonmf.sklearn_private import CheckedParameters, Count, Interval, check_feature_names, check_n_features, fit_context
from sonmf.solvers import loop
from sonmf.solvers.loop import P, S, Start
from sonmf.types import Array, Matrix

if TYPE_CHECKING:
    from sklearn.utils import Tags

ORTHOGONAL = 1e-3  # the largest cosine that counts as rounding: topics of a fit in float32, or printed with a few digits


def warn_user(message: str, category: type[Warning] = UserWarning) -> None:
    """Warn at the line that called us, however deep we are and whatever scikit-learn has wrapped around it."""
    level, frame = 1, sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").split(".")[0] in ("sonmf", "sklearn"):
        level, frame = level + 1, frame.f_back  # type: ignore[assignment]
    warnings.warn(message, category, stacklevel=level)


RandomState: TypeAlias = int | np.random.RandomState | None

Constraints: TypeAlias = dict[str, list[object]]
"""What scikit-learn may accept for each parameter."""

COMMON: Constraints = {
    "n_components": [Count()],
    "max_iter": [Count()],
    "tol": [Interval(Real, 0, None, closed="left")],
    "random_state": ["random_state"],
    "verbose": ["verbose"],
    "callback": [callable, None],
}


def array_init(init: str | ArrayLike, shape: tuple[int, int], fewer: bool = False) -> str | Array:
    """``init`` itself if it is a name, else an array of the right shape, or with fewer columns if that is allowed."""
    if isinstance(init, str):
        return init
    F = np.asarray(init, np.float64)
    if F.shape != shape and not (fewer and F.ndim == 2 and F.shape[0] == shape[0] and 1 <= F.shape[1] < shape[1]):
        turned = ": give init.T" if F.ndim == 2 and F.shape[1] == shape[0] else ""  # components_ has topics as rows
        raise InputError(f"init has shape {F.shape}, but (n_words, n_components) is {shape}{turned}")
    return F


def orthonormal_init(init: str | ArrayLike, shape: tuple[int, int], fewer: bool = False) -> str | Array:
    """``init`` itself if it is a name, else an array of the right shape with orthonormal columns."""
    F = array_init(init, shape, fewer)
    if not isinstance(F, str) and not (residual := stiefel.residual(F)) < 1e-6:
        raise InputError(f"init is not orthonormal (||F'F - I||^2 = {residual:.3g}): give np.linalg.qr(init)[0] instead")
    return F


def orthonormal_rows(components: ArrayLike, n_words: int, n_components: int) -> Array:
    """``fixed_components`` with rows of unit length, or an InputError if they cannot be topics of one model."""
    C = np.atleast_2d(np.asarray(components, np.float64))
    if C.ndim != 2 or C.shape[1] != n_words:
        raise InputError(
            f"fixed_components has the shape {C.shape}, but X has {n_words} words: give rows of {n_words} numbers, one a topic"
        )
    if len(C) > n_components:
        raise InputError(
            f"fixed_components has {len(C)} topics, but n_components={n_components} includes them: raise n_components"
        )
    length = np.linalg.norm(C, axis=1)
    if not (np.isfinite(C).all() and length.all()):
        raise InputError("fixed_components must be finite and have no row of zeros")
    C = C / length[:, None]
    cosines = np.abs(np.tril(C @ C.T, -1))
    if (worst := cosines.max(initial=0.0)) > ORTHOGONAL:
        i, j = (int(at) for at in np.unravel_index(cosines.argmax(), cosines.shape))
        raise InputError(
            f"fixed_components {j} and {i} are not orthogonal (cosine {worst:.2g}), and topics must be: "
            "give np.linalg.qr(fixed_components.T)[0].T, or leave one of them out"
        )
    return np.asarray(stiefel.nearest_orthonormal(C.T).T)


def approximate(components: Array, G: Matrix) -> DeviceArray:
    """G F' for a few documents, with the rows of F' given."""
    return kernels.project(G, None, like(components, G))[0]


class Factorization(ClassNamePrefixFeaturesOutMixin, TransformerMixin, CheckedParameters):
    """X ~ G F': the shell around a solver. A subclass gives ``_fit`` and ``transform``."""

    _parameter_constraints: ClassVar[Constraints]
    _kernels: ClassVar[str] = "products"
    """The family of kernels that a kind of X must have for this method."""
    _missing: ClassVar[bool] = False
    """Whether NaN in a dense X means a missing entry."""

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Matrix, y: object = None) -> Self:
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
        self._fit_or_restore(X)
        return self

    def inverse_transform(self, X: Matrix) -> Matrix:
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
        G = input_of(X).checked(lambda block: block, accept_sparse=False)
        if G.shape[1] != len(self.components_):
            raise InputError(
                f"X has {G.shape[1]} columns, but this {type(self).__name__} has n_components={len(self.components_)}: "
                "give what transform returned"
            )
        return G.map_blocks(self._inverse(), G.dtype, self.components_.shape[1]).X

    def _inverse(self) -> BlockFunction:
        """What ``inverse_transform`` does with a few documents; it is sent to where they are."""
        return partial(approximate, self.components_)

    def _fit_or_restore(self, X: Matrix, *weights: ArrayLike | None) -> Any:
        """Validate and fit, and return what ``_fit`` does. After a failure the estimator is as it was before."""
        before = vars(self).copy()
        try:
            checked = self._validate(X, reset=True)
            self._check_rank(checked.shape)
            with threads.serial_blas():
                return self._fit(checked, *weights)
        except BaseException:
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _check_rank(self, shape: tuple[int, int]) -> None:
        """Refuse more topics than documents or words."""
        n, p = shape
        if self.n_components > min(n, p):
            raise InputError(
                f"n_components={self.n_components} is more than min(n_samples, n_features) of X "
                f"(n_samples={n}, n_features={p}): choose n_components <= {min(n, p)}"
            )

    def _validate(self, X: Matrix, *, reset: bool) -> Input:
        check_feature_names(self, X, reset=reset)
        finite = "allow-nan" if self._missing else True
        checked = input_of(X).checked(self._checked, estimator=self, ensure_all_finite=finite)
        check_n_features(self, checked.X, reset=reset)
        return checked

    @classmethod
    def _checked(cls, block: Input) -> Input:
        """X, or one block of it, in the one form that the kernels take."""
        if not getattr(block.kind, cls._kernels):
            raise InputError(f"{cls.__name__} does not run on {block.kind.name}: {block.kind.remedy}")
        return block.canonical()

    def _run(self, solver: loop.Solver[P, Start, S], problem: P, start: Start) -> loop.Run[S]:
        """Run the solver and store the attributes that every method has."""
        run = loop.run(
            solver,
            problem,
            start,
            max_iter=self.max_iter,
            rule=loop.Turning(self.tol, solver),
            verbose=self.verbose,
            callback=self.callback,
        )
        self.components_ = np.ascontiguousarray(to_numpy(run.state.point.F).T, dtype=problem.engine.dtype)
        self.n_iter_ = len(run.records)
        self.objective_history_ = np.array([record.objective for record in run.records])
        if not run.converged:
            warn_user(
                f"{type(self).__name__} stopped at max_iter={self.max_iter} before the topics settled to "
                f"tol={self.tol:g}: raise max_iter, or raise tol if the result is good enough",
                ConvergenceWarning,
            )
        return run

    @property
    def _n_features_out(self) -> int:
        return len(self.components_)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._missing
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags
