"""NMF and ONMF: both factors non-negative."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from sonmf.engines import Engine
from sonmf.estimators.base import COMMON, Constraints
from sonmf.estimators.least_squares_problem import Weighted
from sonmf.estimators.matrix_inputs import input_of
from sonmf.estimators.nonnegative_codes import Alternating, NonNegativeCodes
from sonmf.sklearn_private import StrOptions
from sonmf.solvers import multiplicative, orthogonal, starts
from sonmf.types import Array, Matrix

if TYPE_CHECKING:
    from sklearn.utils import Tags


class NonNegativeFactors(NonNegativeCodes):
    """F >= 0 and G >= 0, for X >= 0."""

    _parameter_constraints: ClassVar[Constraints] = COMMON | {"init": [StrOptions({"svd", "random"}), "array-like"]}

    @classmethod
    def _checked(cls, X: Matrix) -> Matrix:
        X = super()._checked(X)
        if (lowest := input_of(X).lowest()) < 0:
            raise ValueError(
                f"Negative values in data passed to {cls.__name__} (the lowest is {lowest:.3g}): "
                "clip them, X.clip(min=0), or use SemiNMF or SONMF, which take both signs"
            )
        return X

    def _start(self, engine: Engine, init: str | Array, random: np.random.RandomState) -> tuple[Array, object]:
        k, p = self.n_components, engine.shape[1]
        if isinstance(init, str):
            F = starts.clipped_svd(engine, k) if init == "svd" else random.uniform(size=(p, k))
        elif (init < 0).any() or not np.isfinite(init).all():
            raise ValueError("init must be finite and non-negative: give abs(init), or init='svd'")
        else:
            F = np.maximum(init, starts.DELTA)
        return starts.with_codes(engine, F)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


class NMF(Weighted, NonNegativeFactors):
    r"""min ||X - G F'||\ :sup:`2` over F >= 0, G >= 0, by Lee and Seung's multiplicative updates.

    Choose it for parts that only add up, on non-negative data, or to compare with the literature. It cannot use negative
    data, its topics overlap, and it depends on the start.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics k, at most min(n, p).
    init : {"random", "svd"} or array-like of shape (n_words, k), default="random"
        Start for F: entries Unif(0, 1) as Lee and Seung do, the singular vectors clipped at 1e-10 as the paper does, or your
        own non-negative matrix. G starts at [XF], clipped at 1e-10.
    max_iter : int, default=200
        Largest number of iterations; a ``ConvergenceWarning`` says that it was reached.
    tol : float, default=1e-5
        Stop when an iteration lowers the objective by at most ``tol`` times its value.
    random_state : int, RandomState instance or None, default=None
        Used by ``init="random"``.
    verbose : int, default=0
        1 shows a progress bar with the objective on a terminal, and plain lines elsewhere.
    callback : callable, optional
        Called after each iteration with a named tuple ``(iteration, objective, n_passes, accepted, F)``; stops the fit by
        returning True.

    Attributes
    ----------
    components_ : ndarray of shape (k, n_words)
        F', the topics.
    n_iter_ : int
        Iterations run.
    n_passes_ : int
        How often the fit read X from end to end, start included.
    objective_history_ : ndarray of shape (n_iterations,)
        ||X - G F'||\ :sup:`2` / (np) after each iteration.
    reconstruction_err_ : float
        ||X - G F'|| with the best G for the final F, which is what ``transform`` returns.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_words,)
        Names of the words, where X had column names.

    References
    ----------
    Lee and Seung, "Algorithms for non-negative matrix factorization", NIPS 2001.

    Examples
    --------
    >>> from sonmf import NMF
    >>> from sonmf.simulate import continuous
    >>> X, F, G = continuous(2, n=200, p=100, k=5, random_state=0)
    >>> model = NMF(n_components=5, random_state=0, max_iter=500).fit(X)
    >>> bool((model.components_ >= 0).all()), model.score(X) > 0.8
    (True, True)
    """

    _solver: Alternating = multiplicative


class ONMF(NonNegativeFactors):
    r"""min ||X - G F'||\ :sup:`2` over F >= 0, G >= 0 with orthogonal topics, by hierarchical alternating least squares.

    Choose it to cluster words: each belongs to (nearly) one topic. It cannot use negative data, a word cannot belong to two
    topics, and orthogonality is approximate. Topics are made one after another, each from what little the others leave of it,
    so rounding errors grow in the first iterations: with another number of threads the last digits differ, at times more.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics k, at most min(n, p).
    init : {"random", "svd"} or array-like of shape (n_words, k), default="random"
        Start for F: entries Unif(0, 1), the singular vectors clipped at 1e-10 as the paper does, or your own non-negative
        matrix. G starts at [XF], clipped at 1e-10.
    max_iter : int, default=200
        Largest number of iterations; a ``ConvergenceWarning`` says that it was reached.
    tol : float, default=1e-5
        Stop when an iteration lowers the objective by at most ``tol`` times its value.
    random_state : int, RandomState instance or None, default=None
        Used by ``init="random"``.
    verbose : int, default=0
        1 shows a progress bar with the objective on a terminal, and plain lines elsewhere.
    callback : callable, optional
        Called after each iteration with a named tuple ``(iteration, objective, n_passes, accepted, F)``; stops the fit by
        returning True.

    Attributes
    ----------
    components_ : ndarray of shape (k, n_words)
        F', the topics: unit length, nearly orthogonal.
    n_iter_ : int
        Iterations run.
    n_passes_ : int
        How often the fit read X from end to end, start included.
    objective_history_ : ndarray of shape (n_iterations,)
        ||X - G F'||\ :sup:`2` / (np) after each iteration. The constraint may make it rise.
    reconstruction_err_ : float
        ||X - G F'|| with the best G for the final F, which is what ``transform`` returns.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_words,)
        Names of the words, where X had column names.

    References
    ----------
    Kimura, Tanaka and Kudo, "A fast hierarchical alternating least squares algorithm for orthogonal nonnegative matrix
    factorization", ACML 2014.

    Examples
    --------
    >>> from sonmf import ONMF
    >>> from sonmf.metrics import orthogonal_residual
    >>> from sonmf.simulate import continuous
    >>> X, F, G = continuous(2, n=200, p=100, k=5, random_state=0)
    >>> model = ONMF(n_components=5, init="svd").fit(X)
    >>> orthogonal_residual(model.components_) < 0.1
    True
    """

    _solver: Alternating = orthogonal
