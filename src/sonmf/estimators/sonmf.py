"""SONMF for continuous data."""

from __future__ import annotations

from functools import partial
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sonmf import kernels, stiefel, threads
from sonmf.device_arrays import DeviceArray, to_numpy
from sonmf.errors import InputError
from sonmf.estimators.base import COMMON, Constraints, RandomState, orthonormal_init, orthonormal_rows, warn_user
from sonmf.estimators.least_squares_problem import Weighted, scaled_least_squares, weighted_least_squares
from sonmf.estimators.matrix_inputs import Input
from sonmf.sklearn_private import Count, Interval, StrOptions, fit_context
from sonmf.solvers import accelerated, cayley, loop, online, procrustes, starts, subspace
from sonmf.solvers.problem import LeastSquares, LeastSquaresPoint, error
from sonmf.types import Array, Matrix

SOLVERS: dict[str, loop.Solver[LeastSquares, Array, Any]] = {
    "accelerated": accelerated,
    "procrustes": procrustes,
    "cayley": cayley,
    "subspace": subspace,
}

FEW = 0.05  # share of documents without a topic above which a fit warns
HEAT = 10  # times tol: starts that race are compared when their topics turn by this


class SONMF(Weighted):
    r"""min ||X - G F'||\ :sup:`2` over F'F = I, G >= 0: semi-orthogonal non-negative matrix factorisation.

    Documents are the rows of X (n x p), topics the orthonormal columns of F (p x k), which may have both signs; each document
    is a non-negative combination of topics, G = [XF]\ :sub:`+`. Choose it for topics that do not repeat each other and can
    be read in both directions: words for a topic, and words against it.

    NaN in a dense X means a missing entry. The error is then summed over the observed entries alone, and each document's g is
    the non-negative least squares solution on its own observed words. A document or a word without any observed entry is
    refused.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics k, at most min(n, p).
    solver : {"accelerated", "procrustes", "cayley", "subspace"}, default="accelerated"
        ``"procrustes"`` takes the exact step in F, the polar factor of X'G. ``"accelerated"`` adds Nesterov extrapolation
        with restart. ``"cayley"`` is the line search of the paper's Algorithm 1. ``"subspace"`` takes many accelerated steps
        for each pass over X, in the span of F and the last two X'G: choose it where X is slow to read, such as files that are
        unpacked for every pass. It computes more, stores n x 3k numbers more, which should fit in memory, and refuses missing
        entries. All four never raise the objective and read X once an iteration.
    init : {"varimax", "svd", "kmeans", "random"} or array-like of shape (n_words, k), default="varimax"
        Start for F: leading right singular vectors of X, ``"varimax"`` after the varimax rotation; orthonormalised centroids;
        a random orthonormal matrix; or your own matrix with orthonormal columns. With fewer than k columns, such as the
        topics of a smaller fit, the SVD of what they leave of X adds the rest. Each column then takes the sign that keeps
        more of the data.
    n_init : int, default=1
        How many starts race. Each runs until its topics turn by less than ten times ``tol``, and the one with the lowest
        objective continues. The first is ``init``; the others are in turn random rotations of it and random draws, or new
        draws where ``init`` is random. The first is also run to its end, so that the result is never worse than that of
        ``n_init=1``. ``n_init=4`` takes three to four times as long. Ignored where ``init`` is an
        array.
    sparsity : float, default=0.0
        A price for every topic that a document uses, so that it uses fewer: the objective becomes ||X - G F'||\ :sup:`2` +
        2 lambda sum(G) with lambda = ``sparsity`` times the root mean square length of a document, and the best G is
        [XF - lambda]\ :sub:`+`. A document of weight w counts w times in both terms. About 0.02 to 0.1 suits long
        documents; short notes gain nothing.
        Some documents may end without any topic: see ``topicless_share_``. Sparse amounts are for reading. A classifier does
        better with ``signed=True``, or with [XF]\ :sub:`+` of a fit without sparsity.
    max_iter : int, default=500
        Largest number of iterations; a ``ConvergenceWarning`` says that it was reached.
    tol : float, default=0.02
        Stop when no topic has turned by more than this angle, in radians, in the last six accepted iterations together, or
        the last three of ``solver="subspace"``. Scaling X changes nothing.
    fixed_components : array-like of shape (m, n_words), optional
        Topics that stay as they are, m <= k. They become the first rows of ``components_``, and the other k - m topics are
        fitted orthogonal to them. Rows may have any length and are scaled to unit length. They must be orthogonal to each
        other, as topics are; otherwise give ``np.linalg.qr(A.T)[0].T``.
    signed : bool, default=False
        What ``transform`` returns: False for G = [XF]\ :sub:`+`, True for the signed projection XF, the paper's features for
        a classifier.
    random_state : int, RandomState instance or None, default=None
        Used by ``init="kmeans"``, ``init="random"`` and ``n_init`` > 1. The varimax and SVD starts do not depend on it.
    verbose : int, default=0
        1 shows a progress bar with the objective on a terminal, and plain lines elsewhere.
    callback : callable, optional
        Called after each iteration with a named tuple ``(iteration, objective, n_passes, accepted, F)``; stops the fit by
        returning True.

    Attributes
    ----------
    components_ : ndarray of shape (k, n_words)
        F', the topics: orthonormal rows.
    n_iter_ : int
        Iterations run; where starts raced, those of the winner after the race.
    n_passes_ : int
        How often the fit read X from end to end, start included.
    objective_history_ : ndarray of shape (n_iterations,)
        (||X - G F'||\ :sup:`2` + 2 lambda sum(G)) / (np) after each iteration; never rises. With missing entries or weights,
        the mean over the observed entries, each counted by the weight of its document.
    reconstruction_err_ : float
        ||X - G F'||, the Frobenius norm, as in scikit-learn.
    threshold_ : float
        lambda, which follows from ``sparsity`` and these documents.
    topicless_share_ : float
        Share of the documents of the fit without any topic; only with ``sparsity`` above 0. A warning says so if ``sparsity``
        takes every topic from more than 5% of them: a document without words has none in any case.
    moments_ : ndarray of shape (n_words, k) or (n_words, 3k)
        What ``partial_fit`` stores of the documents so far: X'G, and after its first call also a sketch of X'X.
    n_documents_seen_ : int
        Documents of the last ``fit`` and of every ``partial_fit`` since. In memory, those of weight 0 are not counted.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_words,)
        Names of the words, where X had column names.

    References
    ----------
    Li, Zhu, Qu, Ye and Sun, "Semi-orthogonal Non-negative Matrix Factorization with an Application in Text Mining".

    Examples
    --------
    >>> from sonmf import SONMF
    >>> from sonmf.simulate import continuous
    >>> X, F, G = continuous(3, n=200, p=100, k=5, random_state=0)
    >>> model = SONMF(n_components=5)
    >>> topics = model.fit_transform(X)
    >>> topics.shape, bool((topics >= 0).all())
    ((200, 5), True)
    >>> bool(np.allclose(model.components_ @ model.components_.T, np.eye(5)))
    True

    A fifth of the entries missing, and the first topic kept:

    >>> holes = np.random.default_rng(0).random(X.shape) < 0.2
    >>> kept = SONMF(n_components=5, fixed_components=model.components_[:1]).fit(
    ...     np.where(holes, np.nan, X)
    ... )
    >>> bool(np.allclose(kept.components_[0], model.components_[0]))
    True
    >>> forecast = kept.inverse_transform(kept.transform(np.where(holes, np.nan, X)))
    >>> bool(abs(forecast - X)[holes].mean() < abs(X)[holes].mean())
    True
    """

    _missing = True
    _parameter_constraints: ClassVar[Constraints] = COMMON | {
        "solver": [StrOptions(set(SOLVERS))],
        "init": [StrOptions({"varimax", "svd", "kmeans", "random"}), "array-like"],
        "n_init": [Count()],
        "sparsity": [Interval(Real, 0, None, closed="left")],
        "fixed_components": ["array-like", None],
        "signed": ["boolean"],
    }

    def __init__(
        self,
        n_components: int = 10,
        *,
        solver: str = "accelerated",
        init: str | ArrayLike = "varimax",
        n_init: int = 1,
        sparsity: float = 0.0,
        max_iter: int = 500,
        tol: float = 0.02,
        fixed_components: ArrayLike | None = None,
        signed: bool = False,
        random_state: RandomState = None,
        verbose: int = 0,
        callback: loop.Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.solver = solver
        self.init = init
        self.n_init = n_init
        self.sparsity = sparsity
        self.max_iter = max_iter
        self.tol = tol
        self.fixed_components = fixed_components
        self.signed = signed
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def _fit(self, X: Input, sample_weight: ArrayLike | None = None) -> None:
        init = orthonormal_init(self.init, (X.shape[1], self.n_components), fewer=True)
        problem = self._problem(X, sample_weight)
        self._check_rank(problem.engine.shape)
        documents = problem.engine.shape[0] if problem.weights is None else problem.weights.sum()
        if self.solver == "subspace" and problem.entries < documents * X.shape[1]:
            raise InputError("solver='subspace' needs every entry of X, and some are NaN: use solver='accelerated'")
        threshold = float(self.sparsity * np.sqrt(problem.square / documents))
        problem = problem._replace(threshold=threshold)
        random, n = check_random_state(self.random_state), self.n_init if isinstance(init, str) else 1
        F = self._best(problem, starts.several(problem, init, self.n_components, n, random))
        point = self._run(SOLVERS[self.solver], problem, F).state.point
        self.threshold_ = threshold * 2.0**problem.exponent
        M = np.asarray(to_numpy(point.M), np.float64)
        self.moments_, self.n_documents_seen_ = M * 4.0**problem.exponent, problem.engine.shape[0]
        self.reconstruction_err_ = float(np.sqrt(error(problem, point) * problem.entries))
        if threshold and not np.any(M):
            raise InputError(f"sparsity={self.sparsity:g} leaves every document without a topic: lower it")
        self.__dict__.pop("topicless_share_", None)  # of an earlier fit
        if self.sparsity:
            self.topicless_share_ = self._topicless_share(problem, point.F)
        self.n_passes_ = problem.engine.passes
        fixed = 0 if problem.fixed is None else problem.fixed.shape[1]
        if (rank := fixed + stiefel.rank(np.asarray(problem.free_part(M)))) < self.n_components:
            warn_user(
                f"n_components={self.n_components} exceeds the rank of X (about {rank}): "
                f"{self.n_components - rank} topics only complete the basis and carry nothing; lower n_components"
            )

    def _topicless_share(self, problem: LeastSquares, F: Array) -> float:
        """The share of documents whose G is zero, with a warning if sparsity makes it so for more than a few."""
        share = _topicless(problem, F, problem.threshold)
        if share > FEW and (taken := share - _topicless(problem, F, 0.0)) > FEW:
            warn_user(
                f"sparsity={self.sparsity:g} leaves {taken:.0%} of the documents without any topic: lower it, "
                "or use signed=True for the features of a classifier"
            )
        return share

    def _best(self, problem: LeastSquares, several: list[Array]) -> Array:
        """The first start, or the end of the run from that other one which leads when its topics turn by little.

        If that is not the first start, both are run to their end: the one that is lower at that time may end higher.
        """
        if len(several) == 1:
            return several[0]

        def heat(F: Array, tol: float) -> LeastSquaresPoint:
            solver = SOLVERS[self.solver]
            rule = loop.Turning(tol, solver)
            run = loop.run(solver, problem, F, max_iter=self.max_iter, rule=rule, verbose=self.verbose)
            point: LeastSquaresPoint = run.state.point
            return point

        first, *others = [heat(F, HEAT * self.tol) for F in several]
        best = min(others, key=lambda point: point.objective)
        if first.objective <= best.objective:
            return several[0]
        ends = [heat(F, self.tol) for F in (several[0], best.F)]
        return min(ends, key=lambda point: point.objective).F

    @fit_context(prefer_skip_nested_validation=True)
    def partial_fit(
        self, X: Matrix, y: object = None, sample_weight: ArrayLike | None = None, *, forgetting: float = 0.95
    ) -> Self:
        """F = polar(forgetting M + X'G): move the topics towards new documents, which are not needed afterwards.

        M is X'G of the documents before. When F moves, M follows, by a sketch of their X'X with 2k columns. A call takes three
        passes over the new documents, one of them with 2k columns, and stores no document.

        The first call is a ``fit``, so its batch should be as large as possible. Topics keep their order and their meaning
        from call to call. The attributes that describe the iterations of ``fit`` stay as they were.

        Parameters
        ----------
        X : {array-like, sparse matrix, sparse array} of shape (n_documents, n_words)
            The new documents. Where one has NaN, the topics so far fill in the missing entries.
        y : ignored
        sample_weight : array-like of shape (n_documents,), optional
            How often each of these documents counts.
        forgetting : float, default=0.95
            The weight that earlier documents keep after this call, from 0 to 1. With 0.95 it is halved after 14 calls;
            with 1 nothing is forgotten.

        Returns
        -------
        self

        Examples
        --------
        >>> from sonmf import SONMF, simulate
        >>> X = simulate.corpus(2000, 100, random_state=0)
        >>> model = SONMF(n_components=5)
        >>> for day in range(4):
        ...     model = model.partial_fit(X[500 * day : 500 * (day + 1)])
        >>> model.n_documents_seen_, model.score(X) > 0.98 * SONMF(5).fit(X).score(X)
        (2000, True)
        """
        if not 0 <= forgetting <= 1:
            raise InputError(
                f"forgetting={forgetting} must lie between 0 (only the new documents count) and 1 (none is forgotten)"
            )
        if not hasattr(self, "components_"):
            self._fit_or_restore(X, sample_weight)
            return self
        documents = self._validate(X, reset=False)
        F = np.asarray(self.components_.T, np.float64)
        filled = documents.map_blocks(partial(_fill_missing, F, self.threshold_), documents.dtype, documents.shape[1])
        problem = self._problem(filled, sample_weight)
        # The memory is X'G and a sketch W of X'X = WW': the first scales with the square of X, the second with X.
        grown = np.array([4.0**problem.exponent] * F.shape[1] + [2.0**problem.exponent] * 2 * F.shape[1])
        problem = problem._replace(threshold=self.threshold_ * 2.0**-problem.exponent)
        with threads.serial_blas():
            F, memory = online.update(problem, F, self.moments_ / grown[: self.moments_.shape[1]], forgetting)
        self.moments_ = memory * grown[: memory.shape[1]]
        self.components_ = np.ascontiguousarray(F.T, dtype=self.components_.dtype)
        self.n_documents_seen_ += problem.engine.shape[0]
        return self

    def _problem(self, X: Input, sample_weight: ArrayLike | None) -> LeastSquares:
        problem = weighted_least_squares(X, sample_weight)
        if self.sparsity and problem.weights is not None:
            roots = np.sqrt(problem.weights)[:, None].astype(problem.engine.dtype)
            problem = problem._replace(roots=problem.engine.place(roots))
        if self.fixed_components is None:
            return problem
        return problem._replace(fixed=orthonormal_rows(self.fixed_components, X.shape[1], self.n_components).T)

    def transform(self, X: Matrix) -> Matrix:
        r"""G = [XF - lambda]\ :sub:`+`, or XF with ``signed=True``; lambda is ``threshold_``, 0 by default.

        Where a document has NaN, g is the least squares solution on its observed words: non-negative, or with ``signed=True``
        of either sign, and the shortest if there are several. If nothing is missing, both are the formulas above.

        Parameters
        ----------
        X : {array-like, sparse matrix, sparse array} of shape (n_documents, n_words)

        Returns
        -------
        ndarray of shape (n_documents, n_components)
        """
        check_is_fitted(self)
        engine = self._validate(X, reset=False).engine()
        if self.signed:
            local, _ = engine.sweep(kernels.project, None, self.components_.T)
        else:
            local, _ = engine.sweep(kernels.clip, None, self.components_.T, 0.0, self.threshold_)
        return engine.gather(local)

    def score(self, X: Matrix, y: object = None) -> float:
        r"""Share of ||X||\ :sup:`2` that the topics explain, 1 - ||X - transform(X) F'||\ :sup:`2` / ||X||\ :sup:`2`.

        If X has NaN, both sums run over the observed entries.

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
        threshold = self.threshold_ * 2.0**-problem.exponent
        _, (explained,) = problem.engine.sweep(kernels.explained, None, self.components_.T, self.signed, threshold)
        return float(explained / problem.square) if problem.square > 0 else 1.0


def _topicless(problem: LeastSquares, F: Array, threshold: float) -> float:
    """The share of documents for which [XF - threshold]+ is zero, each counted by its weight."""
    engine = problem.engine
    local, _ = engine.sweep(kernels.clip, problem.roots, F, 0.0, threshold)
    with_topic = np.asarray(to_numpy(engine.gather(engine.each(_has_topic, local))))[:, 0]
    return 1 - float(np.average(with_topic, weights=problem.weights))


def _has_topic(G: DeviceArray) -> DeviceArray:
    """Which documents have an amount of any topic, as a column."""
    return G.max(1)[:, None] > 0 if isinstance(G, np.ndarray) else G.amax(1)[:, None] > 0


def _fill_missing(F: Array, threshold: float, X: Matrix) -> Matrix:
    return kernels.fill_missing(X, F, threshold)
