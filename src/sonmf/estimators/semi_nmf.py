"""SemiNMF: G non-negative, F free."""

from __future__ import annotations

from numbers import Real
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from sonmf.engines import Engine
from sonmf.estimators.base import COMMON, Constraints, RandomState
from sonmf.estimators.nonnegative_codes import Alternating, NonNegativeCodes
from sonmf.sklearn_private import Interval, StrOptions
from sonmf.solvers import loop, semi, starts
from sonmf.types import Array


class SemiNMF(NonNegativeCodes):
    r"""min ||X - G F'||\ :sup:`2` over G >= 0, F free, by the updates of Ding, Li and Jordan.

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
    max_iter : int, default=200
        Largest number of iterations; a ``ConvergenceWarning`` says that it was reached.
    tol : float, default=1e-5
        Stop when an iteration lowers the objective by at most ``tol`` times its value.
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

    _solver: Alternating = semi
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
        max_iter: int = 200,
        tol: float = 1e-5,
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
            raise ValueError("init must be finite: it contains NaN or infinity")
        return starts.with_codes(engine, init, self.offset)
