r"""How many topics do the data hold?

Half of the documents and half of the words are left out together. With the four quarters X = [A B; C D], the model is fitted to
D alone, D ~ G H, and the quarter A that it has not seen is forecast from B and C:

    A ~ B (G H)^+ C = (B H^+) (G^+ C).

Too few topics miss what A shares with the rest; too many forecast noise.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from numbers import Integral
from typing import NamedTuple

import numpy as np
import scipy.sparse

from sonmf.errors import InputError
from sonmf.estimators.binary import BinaryFactorization
from sonmf.kernels.structure import check_matrix
from sonmf.refitting import Model, show_progress, unfitted_copy, without_warnings
from sonmf.types import Array, Matrix

__all__ = ["RankChoice", "RankCurve", "select_rank"]

FOLDS = 4
SINGULAR = 1e-10  # of the largest singular value: smaller ones are rounding


class RankCurve(NamedTuple):
    """The error of the forecasts of left-out quarters, by number of topics.

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.rank import RankCurve
    >>> curve = RankCurve(
    ...     np.array([5, 10, 20]), np.array([[0.9, 0.7, 0.8], [0.8, 0.7, 0.7]])
    ... )
    >>> curve.best, curve.mean.round(2)
    (10, array([0.85, 0.7 , 0.75]))
    """

    ranks: Array
    errors: Array
    """Folds x ranks: the squared error of the forecast of a quarter / a quarter of ||X||^2. Without topics it is 1."""

    @property
    def mean(self) -> Array:
        """The mean error of each rank over the folds."""
        return np.asarray(self.errors.mean(axis=0))

    @property
    def best(self) -> int:
        """The rank with the smallest error."""
        return int(self.ranks[self.mean.argmin()])

    @property
    def excess(self) -> Array:
        """What each rank loses against the best one, on average over the folds."""
        return np.asarray(self._differences.mean(axis=0))

    @property
    def excess_error(self) -> Array:
        """Standard error of ``excess``, from the differences within each fold, so that the level of a fold cancels."""
        return np.asarray(self._differences.std(axis=0, ddof=1) / np.sqrt(len(self.errors)))

    @property
    def _differences(self) -> Array:
        return self.errors - self.errors[:, [self.mean.argmin()]]


class RankChoice(NamedTuple):
    """A number of topics, and the curve on which the choice rests.

    Examples
    --------
    >>> from sonmf import SONMF, select_rank
    >>> from sonmf.simulate import continuous
    >>> X, _, _ = continuous(2, 200, 60, 4, random_state=0)
    >>> choice = select_rank(SONMF(), X, [2, 4, 8], random_state=0)
    >>> choice.rank, choice.curve.best
    (4, 4)
    """

    rank: int
    """The fewest topics whose loss against the best number is within one standard error of zero."""
    curve: RankCurve

    def __str__(self) -> str:
        ranks = self.curve.ranks
        tried = f"{ranks[0]} to {ranks[-1]}" if len(ranks) > 1 else f"{ranks[0]} alone"
        topics = "topic" if self.rank == 1 else "topics"
        reason = f"{self.rank} {topics}: the fewest that forecast unseen words of unseen documents as well as any number tried"
        return f"{reason} ({tried}; the smallest error is at {self.curve.best})"


def select_rank(
    model: Model,
    X: Matrix,
    ranks: Iterable[int],
    *,
    random_state: int | np.random.Generator | None = None,
    callback: Callable[[], object] | None = None,
) -> RankChoice:
    r"""min over ranks k of ||A - B (G_k H_k)\ :sup:`+` C||\ :sup:`2`: 2 x 2 bi-cross-validation of the number of topics.

    Documents and words are each divided into two halves at random. Each quarter A of X is left out in turn, the model is
    fitted to the opposite quarter D ~ G H, and A is forecast from the two quarters B and C next to it. The choice is the
    smallest rank whose loss against the best one, fold by fold, lies within one standard error of zero.

    Parameters
    ----------
    model : estimator with ``n_components`` and ``components_``
        SONMF, NMF, ONMF, SemiNMF or one of scikit-learn's, fitted or not; it is left as it is. Every fit starts anew.
    X : {array-like, sparse matrix, sparse array} of shape (n_documents, n_words)
    ranks : iterable of int
        Numbers of topics to try, at most half of the documents and half of the words. The curve is as fine as they are.
    random_state : int or numpy.random.Generator, optional
        For the division, and for every random start. Give an int for a choice that repeats.
    callback : callable, optional
        Called after each of the fits, four for every rank: for callers that show progress themselves.

    Returns
    -------
    RankChoice
        ``rank``, and ``curve`` with the error of every rank and fold. ``plot.rank_curve`` draws it.

    References
    ----------
    Owen and Perry, "Bi-cross-validation of the SVD and the nonnegative matrix factorization", Annals of Applied Statistics
    2009.

    Examples
    --------
    >>> from sonmf import SONMF, select_rank
    >>> from sonmf.simulate import continuous
    >>> X, F, G = continuous(1, n=300, p=200, k=5, random_state=0)
    >>> choice = select_rank(SONMF(), X, range(1, 11), random_state=0)
    >>> choice.rank
    5
    >>> print(choice)
    5 topics: the fewest that forecast unseen words of unseen documents as well as any number tried (1 to 10; the smallest
    error is at 5)
    """
    if isinstance(model, BinaryFactorization):
        raise InputError(f"select_rank compares squared errors, and {type(model).__name__} has none: use it with SONMF or NMF")
    if not isinstance(getattr(model, "init", None), str | None):
        raise InputError("init is an array, which has a fixed number of topics: give the name of a start, or leave init out")
    if getattr(model, "fixed_components", None) is not None:
        raise InputError(
            "fixed_components are topics over all words, but select_rank fits half of the words: leave fixed_components out"
        )
    X = check_matrix(X, "select_rank")
    numbers = _numbers(ranks, X.shape)
    if not (size := _squares(X)):
        raise InputError("X has only zeros: there are no topics to find")
    rng = np.random.default_rng(random_state)
    errors_so_far = []
    for error in show_progress(_errors(model, X, numbers, rng), FOLDS * len(numbers), model):
        errors_so_far.append(error)
        if callback is not None:
            callback()
    errors = np.array(errors_so_far).reshape(FOLDS, len(numbers)) * FOLDS / size
    curve = RankCurve(np.array(numbers), errors)
    good = curve.excess <= curve.excess_error
    return RankChoice(int(curve.ranks[good.argmax()]), curve)


def _numbers(ranks: Iterable[int], shape: tuple[int, int]) -> list[int]:
    given = list(ranks) if isinstance(ranks, Iterable) else []
    if not given or not all(isinstance(k, Integral) and k >= 1 for k in given):
        raise InputError(f"ranks={given or ranks}: give whole numbers of topics, each at least 1, such as range(5, 51, 5)")
    distinct, most = sorted({int(k) for k in given}), min(shape) // 2
    if not most:
        raise InputError(
            f"X has the shape {tuple(shape)}: give at least two documents and two words, to leave out half of them"
        )
    if distinct[-1] > most:
        raise InputError(
            f"ranks has {distinct[-1]}, but a fit sees only half of either side of X {tuple(shape)}: give at most {most}"
        )
    return distinct


def _errors(model: Model, X: Matrix, numbers: list[int], rng: np.random.Generator) -> Iterator[float]:
    """The squared error of each quarter in turn, by number of topics."""
    documents, words = (np.array_split(rng.permutation(size), 2) for size in X.shape)
    for i, j in product((0, 1), (0, 1)):
        quarters = ((i, j), (i, 1 - j), (1 - i, j), (1 - i, 1 - j))
        A, B, C, D = (X[documents[rows]][:, words[columns]] for rows, columns in quarters)
        for k in numbers:
            fresh = unfitted_copy(model, rng, n_components=k)
            with without_warnings():
                G = np.asarray(fresh.fit_transform(D), np.float64)
            yield squared_error(A, B, C, G, np.asarray(fresh.components_, np.float64))


def squared_error(A: Matrix, B: Matrix, C: Matrix, G: Array, H: Array) -> float:
    r"""||A - (B H\ :sup:`+`) (G\ :sup:`+` C)||\ :sup:`2`, without a matrix of the size of A.

    B is not clipped to G >= 0: clipping the noise of B would favour more topics.
    """
    S = B @ np.linalg.pinv(H, rcond=SINGULAR)
    T = C.T @ np.linalg.pinv(G, rcond=SINGULAR).T
    return max(_squares(A) - 2 * float(np.vdot(A.T @ S, T)) + float(np.vdot(S.T @ S, T.T @ T)), 0.0)


def _squares(X: Matrix) -> float:
    values = np.asarray(X.data if scipy.sparse.issparse(X) else X, np.float64)
    return float(np.vdot(values, values))
