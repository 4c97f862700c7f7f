r"""How many topics do the data hold?

Half of the documents and half of the words are left out together. With the four quarters X = [A B; C D], the model is fitted to
D alone, D ~ G H, and the quarter A that it has not seen is forecast from B and C:

    A ~ B (G H)^+ C = (B H^+) (G^+ C).

Too few topics miss what A shares with the rest; too many forecast noise. Where entries are missing, each row of B and each
column of C is regressed on its observed entries, and only observed entries of A count.

A number of topics can forecast well although other documents would give other topics. How many come back is a second question,
which the bootstrap answers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain, product
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from sonmf.errors import InputError
from sonmf.estimators.binary import BinaryFactorization
from sonmf.kernels import incomplete
from sonmf.refitting import Model, matrix_for, show_progress, unfitted_copy, without_gaps, without_warnings
from sonmf.stability import Stability, replicates
from sonmf.types import Array, Matrix

__all__ = ["RankChoice", "RankCurve", "select_rank"]

FOLDS = 4
SINGULAR = 1e-10  # of the largest singular value: smaller ones are rounding
NEARLY_ALL = 0.9  # of the topics must come back for people to read them
NOTHING = "No number tried forecasts better than no topics at all: X may be noise."
EDGE = "It is the largest number tried: the search ended at its edge, so try more."


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
    """A number of topics, and the curves on which the choice rests.

    Examples
    --------
    >>> from sonmf import SONMF, select_rank
    >>> from sonmf.simulate import continuous
    >>> X, _, _ = continuous(2, 200, 60, 4, random_state=0)
    >>> choice = select_rank(SONMF(), X, [2, 4, 8], bootstrap=3, random_state=0)
    >>> choice.rank, choice.curve.best
    (4, 4)
    >>> choice.for_reading, choice.share_back.tolist()[:2]
    (4, [1.0, 1.0])
    """

    rank: int
    """The fewest topics whose loss against the best number is within one standard error of zero: take it for forecasts."""
    curve: RankCurve
    stability: tuple[Stability, ...] = ()
    """How well the topics come back, for each rank of the curve; empty without ``bootstrap``."""

    @property
    def share_back(self) -> Array:
        """The share of topics that come back (score of at least 0.8), for each rank of the curve."""
        return np.array([1 - found.unstable.mean() for found in self.stability])

    @property
    def for_reading(self) -> int | None:
        """The largest rank of which at least nine topics in ten come back; None if there is none.

        Of a smaller rank fewer may come back: below the number that the data hold, chance decides which topics merge.
        """
        good = self.curve.ranks[: len(self.stability)][self.share_back >= NEARLY_ALL]
        return int(good[-1]) if len(good) else None

    def __str__(self) -> str:
        ranks = self.curve.ranks
        tried = f"{ranks[0]} to {ranks[-1]}" if len(ranks) > 1 else f"{ranks[0]} alone"
        reason = "the fewest that forecast unseen words of unseen documents as well as any number tried"
        forecast = f"{_topics(self.rank)}: {reason} ({tried}; the smallest error is at {self.curve.best})"
        nothing = f". {NOTHING}" if self.curve.mean.min() >= 1 else ""
        edge = f". {EDGE}" if len(ranks) > 1 and self.rank == ranks[-1] else ""
        if not self.stability:
            return forecast + (nothing or edge)
        return f"For forecasts take {forecast}{nothing or edge or '.'}\n{self._reading()}\n{self._curves()}"

    def _reading(self) -> str:
        """The sentence for those who read the topics."""
        ranks, fewest = self.curve.ranks, self.stability[0]
        n = len(fewest.cosines)
        if self.for_reading is None:
            back = int((~fewest.unstable).sum())
            came = f"only {_topics(back)} came back" if back else "none came back"
            advice = " Try fewer." if ranks[0] > 1 else ""
            return f"For reading take none of these numbers: even of {_topics(ranks[0])}, {came}.{advice}"
        edge = f" {EDGE}" if len(ranks) > 1 and self.for_reading == ranks[-1] else ""
        return (
            f"For reading take {_topics(self.for_reading)}: the largest number tried of which at least nine in ten came back "
            f"when the documents were drawn again ({'once' if n == 1 else f'{n} times'}).{edge}"
        )

    def _curves(self) -> str:
        """Both curves, a line for each rank."""
        back = (f"{int((~found.unstable).sum())} of {len(found.scores)}" for found in self.stability)
        rows = zip(self.curve.ranks, self.curve.mean, back, strict=True)
        return "\n".join(["topics   error   come back", *(f"{k:>6}  {error:.4f}  {count:>10}" for k, error, count in rows)])


def _topics(count: int) -> str:
    return f"{count} topic" if count == 1 else f"{count} topics"


def select_rank(
    model: Model,
    X: Matrix,
    ranks: Iterable[int],
    *,
    bootstrap: int = 0,
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
        For SONMF, NaN in a dense X is a missing entry.
    ranks : iterable of int
        Numbers of topics to try, at most half of the documents and half of the words. The curve is as fine as they are.
    bootstrap : int, default=0
        How often to draw the documents again, to see how many topics of each rank come back, as ``stability.bootstrap`` does.
        10 is enough for a choice. Each draw is a fit to as many documents as X has, for every rank, and there is one more.
    random_state : int or numpy.random.Generator, optional
        For the division, the draws, and every random start. Give an int for a choice that repeats.
    callback : callable, optional
        Called after each of the fits, four for every rank and one for each draw: for callers that show progress themselves.

    Returns
    -------
    RankChoice
        ``rank`` for forecasts, and ``curve`` with the error of every rank and fold; with ``bootstrap`` also ``for_reading``,
        and the ``stability`` of the topics of every rank. ``print`` shows both, in words and as a table; ``plot.rank_curve``
        draws them.

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
    _check_model(model, bootstrap)
    X = matrix_for(model, X, "select_rank")
    numbers = _numbers(ranks, X.shape)
    if not scipy.sparse.issparse(X):
        incomplete.mark_missing(X)  # refuses a document without any observed entry
    if not (size := _squares(X)):
        raise InputError("X has only zeros: there are no topics to find")
    rng = np.random.default_rng(random_state)
    draws = (row for k in numbers for row in _draws(model, X, k, bootstrap, rng))
    fits = chain(_errors(model, X, numbers, rng), draws)
    found: list[Any] = []
    for figure in show_progress(fits, (FOLDS + bootstrap) * len(numbers), model):
        found.append(figure)
        if callback is not None:
            callback()
    forecasts = FOLDS * len(numbers)
    curve = RankCurve(np.array(numbers), np.array(found[:forecasts]).reshape(FOLDS, -1) * FOLDS / size)
    good = curve.excess <= curve.excess_error
    back = [found[at : at + bootstrap] for at in range(forecasts, len(found), bootstrap or 1)]
    return RankChoice(int(curve.ranks[good.argmax()]), curve, tuple(Stability.of(cosines) for cosines in back))


def _check_model(model: Model, bootstrap: int) -> None:
    if isinstance(model, BinaryFactorization):
        raise InputError(f"select_rank compares squared errors, and {type(model).__name__} has none: use it with SONMF or NMF")
    if not isinstance(getattr(model, "init", None), str | None):
        raise InputError("init is an array, which has a fixed number of topics: give the name of a start, or leave init out")
    if getattr(model, "fixed_components", None) is not None:
        raise InputError(
            "fixed_components are topics over all words, but select_rank fits half of the words: leave fixed_components out"
        )
    if not isinstance(bootstrap, Integral) or isinstance(bootstrap, bool) or bootstrap < 0:
        raise InputError(f"bootstrap={bootstrap!r} must be a whole number: how often the documents are drawn again, such as 10")


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


def _draws(model: Model, X: Matrix, k: int, n: int, rng: np.random.Generator) -> Iterator[Array]:
    """The cosines of k topics with those of each draw of the documents."""
    return replicates(unfitted_copy(model, rng, n_components=k), X, n, random_state=rng) if n else iter(())


def _errors(model: Model, X: Matrix, numbers: list[int], rng: np.random.Generator) -> Iterator[float]:
    """The squared error of each quarter in turn, by number of topics."""
    documents, words = (np.array_split(rng.permutation(size), 2) for size in X.shape)
    for i, j in product((0, 1), (0, 1)):
        quarters = ((i, j), (i, 1 - j), (1 - i, j), (1 - i, 1 - j))
        A, B, C, D = (X[documents[rows]][:, words[columns]] for rows, columns in quarters)
        D = without_gaps(D)
        for k in numbers:
            fresh = unfitted_copy(model, rng, n_components=k)
            with without_warnings():
                G = np.asarray(fresh.fit_transform(D), np.float64)
            yield squared_error(A, B, C, G, np.asarray(fresh.components_, np.float64))


def squared_error(A: Matrix, B: Matrix, C: Matrix, G: Array, H: Array) -> float:
    r"""||A - (B H\ :sup:`+`) (G\ :sup:`+` C)||\ :sup:`2` over the observed entries of A.

    The forecast of A is formed only if an entry is missing. B is not clipped to G >= 0: clipping its noise would favour more
    topics.
    """
    S = _coordinates(B, H.T, np.linalg.pinv(H, rcond=SINGULAR))
    T = _coordinates(C.T, G, np.linalg.pinv(G, rcond=SINGULAR).T)
    if not scipy.sparse.issparse(A) and np.isnan(A).any():
        return float(np.nansum((A - S @ T.T) ** 2))
    return max(_squares(A) - 2 * float(np.vdot(A.T @ S, T)) + float(np.vdot(S.T @ S, T.T @ T)), 0.0)


def _coordinates(B: Matrix, V: Array, inverse: Array) -> Array:
    """Each row of B in the columns of V, whose pseudo-inverse is given: least squares on its observed entries; 0 if none is."""
    if scipy.sparse.issparse(B) or not (gaps := np.isnan(B)).any():
        return np.asarray(B @ inverse)
    U, singular, turn = np.linalg.svd(V, full_matrices=False)
    real = singular > SINGULAR * singular[0]
    observed: Matrix = incomplete.mark_missing(np.where(gaps.all(axis=1, keepdims=True), 0.0, B))
    if isinstance(observed, np.ndarray):  # nothing was missing but in rows without any observed entry
        return np.asarray(observed @ inverse)
    along, _ = incomplete.project(observed, None, U[:, real])
    return np.asarray(along / singular[real] @ turn[real])


def _squares(X: Matrix) -> float:
    values = np.nan_to_num(np.asarray(X.data if scipy.sparse.issparse(X) else X, np.float64))
    return float(np.vdot(values, values))
