"""NMF, ONMF and SemiNMF: least squares with G >= 0, and a transform that solves for G with F fixed."""

from __future__ import annotations

from functools import partial
from numbers import Real
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sonmf import kernels
from sonmf.device_arrays import DeviceArray
from sonmf.engines import Engine, Local
from sonmf.errors import InputError
from sonmf.estimators.base import COMMON, Constraints, Factorization, RandomState, array_init
from sonmf.estimators.least_squares_problem import Weighted, exponent_of, scaled_least_squares, weighted_least_squares
from sonmf.estimators.matrix_inputs import Input
from sonmf.sklearn_private import Interval, StrOptions
from sonmf.solvers import alternating, loop, multiplicative, orthogonal, semi, starts
from sonmf.solvers.problem import LeastSquares
from sonmf.types import Array, Matrix

if TYPE_CHECKING:
    from sklearn.utils import Tags

Alternating = loop.Solver[LeastSquares, tuple[Array, object], Any]


class NonNegativeCodes(Factorization):
    """min ||X - G F'||^2 over G >= 0 and whatever the method asks of F. A subclass names its solver and its start."""

    _solver: Alternating
    _kernels = "alternating"

    def __init__(
        self,
        n_components: int = 10,
        *,
        init: str | ArrayLike = "random",
        max_iter: int = 3000,
        tol: float = 0.001,
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

    def _fit(self, X: Input, sample_weight: ArrayLike | None = None) -> None:
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


class NonNegativeFactors(NonNegativeCodes):
    """F >= 0 and G >= 0, for X >= 0."""

    _parameter_constraints: ClassVar[Constraints] = COMMON | {"init": [StrOptions({"svd", "random"}), "array-like"]}

    @classmethod
    def _checked(cls, block: Input) -> Input:
        block = super()._checked(block)
        if (lowest := block.lowest()) < 0:
            raise InputError(
                f"Negative values in data passed to {cls.__name__} (the lowest is {lowest:.3g}): "
                "clip them, X.clip(min=0), or use SemiNMF or SONMF, which take both signs"
            )
        return block

    def _start(self, engine: Engine, init: str | Array, random: np.random.RandomState) -> tuple[Array, object]:
        k, p = self.n_components, engine.shape[1]
        if isinstance(init, str):
            F = starts.clipped_svd(engine, k) if init == "svd" else random.uniform(size=(p, k))
        elif (init < 0).any() or not np.isfinite(init).all():
            raise InputError("init must be finite and non-negative: give abs(init), or init='svd'")
        else:
            F = np.maximum(init, starts.DELTA)
        return starts.with_codes(engine, F)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags


class NMF(Weighted, NonNegativeFactors):
    r"""min ||X - G F'||\ :sup:`2` over F >= 0, G >= 0, by Lee and Seung's multiplicative updates, extrapolated.

    Choose it for parts that only add up, on non-negative data, or to compare with the literature. It cannot use negative
    data, its topics overlap, and it depends on the start. The updates are those of the paper, applied to extrapolated points,
    so that topics settle in hundreds of iterations instead of thousands.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics k, at most min(n, p).
    init : {"random", "svd"} or array-like of shape (n_words, k), default="random"
        Start for F: entries Unif(0, 1) as Lee and Seung do, the singular vectors clipped at 1e-10 as the paper does, or your
        own non-negative matrix. G starts at [XF], clipped at 1e-10.
    max_iter : int, default=3000
        Largest number of iterations; a ``ConvergenceWarning`` says that it was reached.
    tol : float, default=0.001
        Stop when no topic has turned by more than this angle, in radians, in the last six iterations together.
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

    _solver: Alternating = alternating.Accelerated(multiplicative)


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
    max_iter : int, default=3000
        Largest number of iterations; a ``ConvergenceWarning`` says that it was reached.
    tol : float, default=0.001
        Stop when no topic has turned by more than this angle, in radians, in the last six iterations together.
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


class SemiNMF(NonNegativeCodes):
    r"""min ||X - G F'||\ :sup:`2` over G >= 0, F free, by the updates of Ding, Li and Jordan, extrapolated.

    Choose it for the lowest error with non-negative amounts, on data of any sign. Its topics are not orthogonal and overlap,
    its G has no zeros, and with more topics than the data hold it over-fits most.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics k, at most min(n, p).
    init : {"kmeans", "svd"} or array-like of shape (n_words, k), default="kmeans"
        ``"kmeans"``: G is the indicator of clusters of documents plus ``offset``, as Ding et al. do. ``"svd"``: the start of
        Gillis and Kumar, which is a global optimum if the best rank-k approximation allows one. An array is a start for F; G
        then starts at XF, clipped from below at ``offset``.
    offset : float, default=0.2
        Added to the start of G, so that no entry is locked at zero. (The paper's figures come from 0.4: 0.2, added
        twice.)
    max_iter : int, default=3000
        Largest number of iterations; a ``ConvergenceWarning`` says that it was reached.
    tol : float, default=0.002
        Stop when no topic has turned by more than this angle, in radians, in the last six iterations together.
    random_state : int, RandomState instance or None, default=None
        Used by ``init="kmeans"``.
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
    Ding, Li and Jordan, "Convex and semi-nonnegative matrix factorizations", IEEE PAMI 2010. Gillis and Kumar, "Exact and
    heuristic algorithms for semi-nonnegative matrix factorization", SIAM J. Matrix Anal. Appl. 2015.

    Examples
    --------
    >>> from sonmf import SemiNMF
    >>> from sonmf.simulate import continuous
    >>> X, F, G = continuous(1, n=200, p=100, k=5, random_state=0)
    >>> model = SemiNMF(n_components=5, init="svd").fit(X)
    >>> rank_5 = np.linalg.svd(X, compute_uv=False)[5:]
    >>> bool(np.isclose(model.reconstruction_err_, np.linalg.norm(rank_5), rtol=1e-6))
    True
    """

    _solver: Alternating = alternating.Accelerated(semi)
    _parameter_constraints: ClassVar[Constraints] = COMMON | {
        "init": [StrOptions({"kmeans", "svd"}), "array-like"],
        "offset": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        n_components: int = 10,
        *,
        init: str | ArrayLike = "kmeans",
        offset: float = 0.2,
        max_iter: int = 3000,
        tol: float = 0.002,
        random_state: RandomState = None,
        verbose: int = 0,
        callback: loop.Callback | None = None,
    ) -> None:
        super().__init__(
            n_components, init=init, max_iter=max_iter, tol=tol, random_state=random_state, verbose=verbose, callback=callback
        )
        self.offset = offset

    def _scale_is_in_topics(self) -> bool:
        return isinstance(self.init, str) and self.init == "kmeans"

    def _start(self, engine: Engine, init: str | Array, random: np.random.RandomState) -> tuple[Array, object]:
        if isinstance(init, str) and init == "svd":
            return starts.nonnegative_span(engine, self.n_components)
        if isinstance(init, str):
            return starts.clusters(engine, self.n_components, random, self.offset)
        if not np.isfinite(init).all():
            raise InputError("init must be finite: it contains NaN or infinity")
        return starts.with_codes(engine, init, self.offset)
