"""SONMF for binary data."""

from __future__ import annotations

from numbers import Real
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from sonmf.device_arrays import to_numpy
from sonmf.engines import Engine, Local, engine_for
from sonmf.errors import InputError
from sonmf.estimators.base import COMMON, Constraints, RandomState, orthonormal_init
from sonmf.estimators.binary import BinaryFactorization
from sonmf.estimators.least_squares_problem import Weighted, check_weights
from sonmf.estimators.matrix_inputs import Input
from sonmf.kernels import bernoulli, kinds
from sonmf.kernels.binary_documents import left_out_of, with_weights
from sonmf.sklearn_private import Interval, StrOptions, fit_context
from sonmf.solvers import binary_starts, loop, majoriser, newton
from sonmf.solvers.problem import Bernoulli, count, require_observed
from sonmf.types import Array, Matrix


class BinarySONMF(Weighted, BinaryFactorization):
    r"""min mean(log(1 + e\ :sup:`theta`) - x theta) over theta = mu + G F', F'F = I, G >= 0: SONMF for 0/1 data.

    Each entry of X is Bernoulli with log-odds theta. ``intercept_`` (mu) is the log-odds of a word in a document without any
    topic, F (p x k) holds the orthonormal topics, and G (n x k) the non-negative amounts of them. Choose it for words that are
    present or absent, ticked boxes, reasons for a visit. It reads every entry of X, ones and zeros, so an iteration costs
    n p k operations where ``SONMF`` costs k for each stored entry.

    NaN in a dense X means a missing entry. The cost is then that of the observed entries alone. A document or a word without
    any observed entry is refused.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics k, at most min(n, p).
    solver : {"mm", "newton"}, default="mm"
        ``"mm"`` majorises the cost by a quadratic: monotone, no step size, accelerated with restart. ``"newton"`` is the
        paper's Algorithm 2: a coordinate-wise Newton step for G and a Cayley line search for F.
    intercept : bool, default=True
        Whether each word has a log-odds of its own. False is the paper's model.
    alpha : float, default=0.01
        Ridge penalty alpha ||G||\ :sup:`2` on the sum of the costs, against over-fitting. Given F and mu the penalised problem
        in G has one solution; the fit ends by solving it, so ``fit_transform(X)`` equals ``fit(X).transform(X)`` to about 1e-6.
        With ``alpha=0``, the paper's method, that solution may be infinite, and only stopping early regularises:
        ``fit_transform`` then returns the G of the fit, and ``transform`` stops on the way to the solution.
    init : {"svd", "kmeans", "random"} or array-like of shape (n_words, k), default="svd"
        Start for F. With an intercept the SVD is that of X minus the words' frequencies.
    max_iter : int, default=3000
        Largest number of iterations; a ``ConvergenceWarning`` says that it was reached.
    tol : float, default=0.002
        Stop when no topic has turned by more than this angle, in radians, in the last six accepted iterations together. Slow
        stretches are longer than those of ``SONMF``, so the angle is smaller.
    eta : float, default=0.05
        Step of ``solver="newton"``.
    validation_fraction : float, optional
        Share of the entries of X to hold out. The fit then stops when their cost has not fallen for 5 iterations, and keeps the
        topics of the iteration where it was lowest. For ``solver="mm"``.
    signed : bool, default=False
        What ``transform`` returns: False for G, True for the signed projection XF.
    random_state : int, RandomState instance or None, default=None
        Used by ``init="kmeans"``, ``init="random"`` and ``validation_fraction``.
    verbose : int, default=0
        1 shows a progress bar with the objective on a terminal, and plain lines elsewhere.
    callback : callable, optional
        Called after each iteration with a named tuple ``(iteration, objective, n_passes, accepted, F)``; stops the fit by
        returning True.

    Attributes
    ----------
    components_ : ndarray of shape (k, n_words)
        F', the topics: orthonormal rows.
    intercept_ : ndarray of shape (n_words,)
        mu; zeros without an intercept.
    n_iter_ : int
        Iterations run.
    n_passes_ : int
        How often the fit read X from end to end, start included.
    objective_history_ : ndarray of shape (n_iterations,)
        The penalised mean cost after each iteration; with ``solver="mm"`` it never rises. With missing entries or weights, the
        mean over the observed entries, each counted by the weight of its document.
    cost_history_ : ndarray of shape (n_iterations,)
        The same without the penalty.
    validation_history_ : ndarray of shape (n_iterations,)
        Mean cost of the entries held out; only with ``validation_fraction``.
    mean_cost_ : float
        Mean cost over all observed entries with the final G, each counted by the weight of its document.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_words,)
        Names of the words, where X had column names.

    References
    ----------
    Li, Zhu, Qu, Ye and Sun, "Semi-orthogonal Non-negative Matrix Factorization with an Application in Text Mining".

    Examples
    --------
    >>> from sonmf import BinarySONMF
    >>> from sonmf.simulate import binary
    >>> X, F, G = binary(n=200, p=100, k=5, random_state=0)
    >>> model = BinarySONMF(n_components=5).fit(X)
    >>> probabilities = model.inverse_transform(model.transform(X))
    >>> truth = 1 / (1 + np.exp(-G @ F.T))
    >>> bool(abs(probabilities - truth).mean() < abs(X.mean() - truth).mean())
    True
    """

    _missing = True
    _parameter_constraints: ClassVar[Constraints] = COMMON | {
        "solver": [StrOptions({"mm", "newton"})],
        "intercept": ["boolean"],
        "alpha": [Interval(Real, 0, None, closed="left")],
        "init": [StrOptions({"svd", "kmeans", "random"}), "array-like"],
        "eta": [Interval(Real, 0, None, closed="neither")],
        "validation_fraction": [Interval(Real, 0, 1, closed="neither"), None],
        "signed": ["boolean"],
    }

    def __init__(
        self,
        n_components: int = 10,
        *,
        solver: str = "mm",
        intercept: bool = True,
        alpha: float = 0.01,
        init: str | ArrayLike = "svd",
        max_iter: int = 3000,
        tol: float = 0.002,
        eta: float = 0.05,
        validation_fraction: float | None = None,
        signed: bool = False,
        random_state: RandomState = None,
        verbose: int = 0,
        callback: loop.Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.solver = solver
        self.intercept = intercept
        self.alpha = alpha
        self.init = init
        self.max_iter = max_iter
        self.tol = tol
        self.eta = eta
        self.validation_fraction = validation_fraction
        self.signed = signed
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    @fit_context(prefer_skip_nested_validation=True)
    def fit_transform(self, X: Matrix, y: object = None, sample_weight: ArrayLike | None = None) -> Matrix:
        """Fit, and return the amounts of the topics in the documents of the fit.

        Parameters
        ----------
        X : {array-like, sparse matrix, sparse array} of shape (n_documents, n_words)
            0/1 data.
        y : ignored
        sample_weight : array-like of shape (n_documents,), optional
            How often each document counts, as in ``fit``.

        Returns
        -------
        ndarray of shape (n_documents, n_components)
        """
        engine, local = self._fit_or_restore(X, sample_weight)
        return self._signed(engine) if self.signed else engine.gather(local)

    def transform(self, X: Matrix) -> Matrix:
        """G = argmin over G >= 0 of the penalised cost with the topics fixed, or XF with ``signed=True``.

        Where a document has NaN, the cost is that of its observed words; in XF a missing entry is replaced by its probability.

        Parameters
        ----------
        X : {array-like, sparse matrix, sparse array} of shape (n_documents, n_words)
            0/1 data.

        Returns
        -------
        ndarray of shape (n_documents, n_components)
        """
        if not self.signed:
            return super().transform(X)
        check_is_fitted(self)
        return self._signed(self._validate(X, reset=False).engine())

    def _signed(self, engine: Engine) -> Matrix:
        F, mu, curvature = self._topics()
        return engine.gather(engine.sweep(bernoulli.project, None, F, mu, self._ridge(), curvature)[0])

    def _offsets(self) -> Array:
        return np.asarray(self.intercept_, np.float64)

    def _ridge(self) -> float:
        return float(self.alpha)

    def _fit(self, X: Input, sample_weight: ArrayLike | None = None) -> tuple[Engine, Local]:
        init, random = orthonormal_init(self.init, (X.shape[1], self.n_components)), check_random_state(self.random_state)
        X = X if sample_weight is None else self._weighted(X, sample_weight)
        engine = seen = X.engine()
        if self.validation_fraction is not None:
            self._check_validation(X)
            seen = engine_for(binary_starts.hold_out(X.X, self.validation_fraction, random))
        counts = count(seen)
        if self.validation_fraction is None:
            require_observed(counts.seen, counts.documents)
        F, mu, G = binary_starts.start(seen, init, self.n_components, random, intercept=self.intercept, counts=counts)
        problem = Bernoulli(seen, self.alpha, self.intercept, counts)
        if self.solver == "mm":
            run = self._run(majoriser, problem, (F, mu, binary_starts.majoriser_codes(seen, G)))
            point, records = run.state.point, run.records
            G = seen.each(lambda local: local.G, point.G)
        else:
            damped = self._run(newton.Newton(self.eta), problem, (F, mu, G))
            point, records = damped.state.point, damped.records
            G = point.G
        self.intercept_ = to_numpy(point.mu).astype(engine.dtype)
        self.cost_history_ = np.array([record.cost for record in records])
        self.__dict__.pop("validation_history_", None)  # of an earlier fit
        if self.validation_fraction is not None:
            self.validation_history_ = np.array([record.held_out for record in records])
        G, cost = self._solve(engine, G) if self.alpha > 0 else self._evaluate(engine, G)
        self.mean_cost_ = cost / (problem.fitted + problem.held_out)
        self.n_passes_ = engine.passes if seen is engine else engine.passes + seen.passes
        return engine, G

    def _check_validation(self, X: Input) -> None:
        if self.solver == "newton":
            raise InputError("validation_fraction needs solver='mm': solver='newton' cannot hold entries out")
        if X.kind not in (kinds.CSR, kinds.BINARY):
            raise InputError("validation_fraction needs X in memory: leave it out, or give a sample of the documents")
        if left_out_of(X.X) is not None:
            raise InputError("validation_fraction needs X without missing entries: leave it out, or fill or remove them")

    def _weighted(self, X: Input, sample_weight: ArrayLike) -> Input:
        """X whose documents count as often as their weights say."""
        if X.kind is kinds.TORCH:
            raise InputError("sample_weight of BinarySONMF does not run on torch tensors: give X.cpu().numpy()")
        weights = check_weights(X, sample_weight)
        self._check_rank((int(np.count_nonzero(weights)), X.shape[1]))
        return X.map_blocks(with_weights, X.dtype, X.shape[1], weights)
