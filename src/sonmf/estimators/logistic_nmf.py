"""LogisticNMF: binary data, F non-negative, G free."""

from __future__ import annotations

from numbers import Real
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from sonmf.errors import InputError
from sonmf.estimators.base import COMMON, Constraints, RandomState, array_init
from sonmf.estimators.binary import BinaryFactorization
from sonmf.estimators.matrix_inputs import Input
from sonmf.sklearn_private import Interval, StrOptions
from sonmf.solvers import logistic, loop
from sonmf.solvers.problem import Bernoulli


class LogisticNMF(BinaryFactorization):
    r"""min mean(log(1 + e\ :sup:`theta`) - x theta) over theta = G F', F >= 0, G free: logistic NMF for 0/1 data.

    Choose it to compare with the literature on binary data. It has a step size that suits some data and not others, no
    intercept, no penalty, and is slower than ``BinarySONMF``.

    Parameters
    ----------
    n_components : int, default=10
        Number of topics k, at most min(n, p).
    init : {"random"} or array-like of shape (n_words, k), default="random"
        Start for F: entries Unif(0, 1), or your own non-negative matrix. G starts at N(0, 1).
    eta : float, default=0.001
        Step of the gradient ascent. The paper needed 0.0005 on its text data.
    max_iter : int, default=2000
        Largest number of iterations; a ``ConvergenceWarning`` says that it was reached.
    tol : float, default=0.001
        Stop when no topic has turned by more than this angle, in radians, in the last six iterations together. Gradient ascent
        turns topics slowly and for long, so the angle is small, and real data often reach ``max_iter`` first.
    random_state : int, RandomState instance or None, default=None
        Draws the start.
    verbose : int, default=0
        1 shows a progress bar with the objective on a terminal, and plain lines elsewhere.
    callback : callable, optional
        Called after each iteration with a named tuple ``(iteration, objective, n_passes, accepted, F)``; stops the fit by
        returning True.

    Attributes
    ----------
    components_ : ndarray of shape (k, n_words)
        F', the topics: non-negative.
    n_iter_ : int
        Iterations run.
    n_passes_ : int
        How often the fit read X from end to end, start included.
    objective_history_ : ndarray of shape (n_iterations,)
        The mean cost after each iteration.
    mean_cost_ : float
        Mean cost with the best G that ``transform`` finds for the final F. Without a penalty that G may be infinite; the search
        for it stops after 300 steps.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_words,)
        Names of the words, where X had column names.

    References
    ----------
    Tome, Schachtner, Vigneron, Puntonet and Lang, "A logistic non-negative matrix factorization approach to binary data sets",
    Multidimensional Systems and Signal Processing 2015.

    Examples
    --------
    >>> from sonmf import LogisticNMF
    >>> from sonmf.simulate import binary
    >>> X, F, G = binary(n=100, p=80, k=3, random_state=0)
    >>> model = LogisticNMF(n_components=3, tol=0.01, random_state=0).fit(X)
    >>> bool(model.components_.min() >= 0), model.mean_cost_ < 0.69
    (True, True)
    """

    _floor = -np.inf
    _parameter_constraints: ClassVar[Constraints] = COMMON | {
        "init": [StrOptions({"random"}), "array-like"],
        "eta": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        n_components: int = 10,
        *,
        init: str | ArrayLike = "random",
        eta: float = 0.001,
        max_iter: int = 2000,
        tol: float = 0.001,
        random_state: RandomState = None,
        verbose: int = 0,
        callback: loop.Callback | None = None,
    ) -> None:
        self.n_components = n_components
        self.init = init
        self.eta = eta
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.verbose = verbose
        self.callback = callback

    def _fit(self, X: Input) -> None:
        F = array_init(self.init, (X.shape[1], self.n_components))
        random = check_random_state(self.random_state)
        if isinstance(F, str):
            F = random.uniform(size=(X.shape[1], self.n_components))
        elif not (F >= 0).all():
            raise InputError("init must be non-negative: give abs(init), or init='random'")
        engine = X.engine()
        G = engine.place(random.standard_normal((X.shape[0], self.n_components)).astype(engine.dtype))
        problem = Bernoulli(engine)
        self._run(logistic.Accelerated(self.eta), problem, (F, G))
        self.mean_cost_ = self._solve(engine)[1] / problem.fitted
        self.n_passes_ = engine.passes
