"""Directions of words made from an outcome: what each word says about it, beyond topics that were found without it."""

from __future__ import annotations

from numbers import Integral
from typing import TYPE_CHECKING, ClassVar, Self

import numpy as np
import scipy.linalg
import scipy.sparse
from numpy.typing import ArrayLike
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from sonmf.errors import InputError
from sonmf.sklearn_private import CheckedParameters, Count, Interval, fit_context
from sonmf.types import Array, Matrix

if TYPE_CHECKING:
    from sklearn.utils import Tags

OCCURRENCES = 10
"""Imagined occurrences of every word that have nothing to do with the outcome: they shrink what a rare word says. Chosen on the
injury notes of NEISS; from 3 to 30 the held-out figures hardly change."""
NOTHING_LEFT = 1e-9  # of a direction, after what is explained already


class OutcomeAxes(ClassNamePrefixFeaturesOutMixin, TransformerMixin, CheckedParameters):
    r"""d_j = x_j'(y - mean(y)) / sqrt(n var(x_j) + s): the association of each word with an outcome, as a direction of words.

    The first axis is d, with unit length. The next one is made in the same way from the residual of a regression of y on the
    scores of the axes before it and of the topics, if any are given. The regression is logistic if y has two values, else
    linear. s is ten times the mean square of the non-zero entries of X, so that a word which occurs a few times says little.
    Axes are orthonormal to each other and, on request, to given topics: with F of ``SONMF``, the rows of F' and ``components_``
    are then orthonormal together. Scores are linear in the words, so a forecast from them can be explained exactly, word by
    word.

    Documents from which an axis was made score better on it than others do. So ``fit_transform`` scores each document on axes
    that were made without its fold, and ``transform`` scores new documents on the axes of all. So ``fit_transform(X, y)``
    differs from ``fit(X, y).transform(X)``, as in scikit-learn's ``TargetEncoder``. Use the first to train a classifier.

    Parameters
    ----------
    n_axes : int, default=2
        Number of axes. ``fit`` makes about ``folds ** (n_axes - 1)`` of them and ``fit_transform`` ``folds ** n_axes``, each
        in one pass over X.
    orthogonal_to : array-like of shape (n_topics, n_words), optional
        Directions that the axes leave out: the ``components_`` of a factorisation.
    folds : int or array-like of shape (n_documents,), default=10
        Number of folds, or the fold of each document, counted from 0, if some documents belong together. There must be more
        folds than axes.
    random_state : int, RandomState instance or None, default=None
        Draws the folds.

    Attributes
    ----------
    components_ : ndarray of shape (n_axes, n_words)
        The axes. A word with a positive weight speaks for the second of two outcomes, in their order, or for a larger
        number. A row is zero if nothing is left that the words could explain.
    outcomes_ : ndarray of shape (2,), or None
        The two values of y; None if y is a number with more values.
    n_features_in_ : int
        Number of words.
    feature_names_in_ : ndarray of shape (n_words,)
        The words, if X has names for its columns.

    See Also
    --------
    SONMF : Topics that are found without an outcome.

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf import SONMF, OutcomeAxes, simulate
    >>> X, _, _ = simulate.continuous(1, 300, 40, 3, random_state=0)
    >>> y = X[:, 7] > X[:, 8]  # two words that decide, one for and one against
    >>> topics = SONMF(3).fit(X).components_
    >>> axes = OutcomeAxes(orthogonal_to=topics, random_state=0)
    >>> scores = axes.fit_transform(X, y)  # of each document, by axes made without it
    >>> int(axes.components_[0].argmax()), int(axes.components_[0].argmin())
    (7, 8)
    >>> both = np.vstack([topics, axes.components_])
    >>> bool(np.allclose(both @ both.T, np.eye(5)))
    True
    """

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "n_axes": [Count()],
        "orthogonal_to": ["array-like", None],
        "folds": [Interval(Integral, 2, None, closed="left"), "array-like"],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        n_axes: int = 2,
        *,
        orthogonal_to: ArrayLike | None = None,
        folds: int | ArrayLike = 10,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_axes = n_axes
        self.orthogonal_to = orthogonal_to
        self.folds = folds
        self.random_state = random_state

    def fit(self, X: Matrix, y: ArrayLike) -> Self:
        """Make the axes from all documents.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words)
        y : array-like of shape (n_documents,)
            The outcome: two values of any type, or a number.

        Returns
        -------
        self
        """
        self._fit(X, y)
        return self

    def fit_transform(self, X: Matrix, y: ArrayLike) -> Array:
        """Make the axes, and score each document on axes that were made without its fold.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words)
        y : array-like of shape (n_documents,)
            The outcome: two values of any type, or a number.

        Returns
        -------
        ndarray of shape (n_documents, n_axes)
        """
        makers, fold = self._fit(X, y)
        scores = np.empty((len(fold), self.n_axes))
        for number, block in enumerate(makers.blocks):
            scores[fold == number] = block @ makers.axes(frozenset([number]), self.n_axes).T
        return scores

    def transform(self, X: Matrix) -> Array:
        """The scores of new documents, ``X @ components_.T``.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_documents, n_words)

        Returns
        -------
        ndarray of shape (n_documents, n_axes)
        """
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=[np.float64, np.float32], reset=False)
        return np.asarray(X @ self.components_.T)

    @fit_context(prefer_skip_nested_validation=True)
    def _fit(self, X: Matrix, y: ArrayLike) -> tuple[_FoldedDocuments, Array]:
        """Set ``components_``; returns the documents by fold, and the fold of each."""
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], multi_output=True, ensure_min_samples=2
        )
        y, self.outcomes_ = _numbers(column_or_1d(y))
        fold = self._fold_of_each(y)
        documents = _FoldedDocuments(X, y, fold, self._basis(X.shape[1]), two=self.outcomes_ is not None)
        self.components_ = documents.axes(frozenset(), self.n_axes)
        return documents, fold

    def _fold_of_each(self, y: Array) -> Array:
        """The number of each document's fold: as given, or drawn, if possible with both outcomes in the same proportion."""
        if not isinstance(self.folds, Integral):
            fold = np.unique(column_or_1d(self.folds), return_inverse=True)[1]
            if len(fold) != len(y):
                raise InputError(f"folds has {len(fold)} entries, but X has {len(y)} documents: give the fold of each document")
        else:
            count = min(self.folds, len(y))
            stratified = self.outcomes_ is not None and np.bincount(y.astype(int)).min() >= count
            splitter = (StratifiedKFold if stratified else KFold)(
                count, shuffle=True, random_state=check_random_state(self.random_state)
            )
            fold = np.empty(len(y), int)
            for number, (_, held_out) in enumerate(splitter.split(y, y)):
                fold[held_out] = number
        if (count := fold.max() + 1) <= self.n_axes:
            raise InputError(f"{count} folds are too few for n_axes={self.n_axes}: give more folds than axes")
        return fold

    def _basis(self, n_words: int) -> Array:
        """Orthonormal columns that span ``orthogonal_to``."""
        if self.orthogonal_to is None:
            return np.empty((n_words, 0))
        C = np.atleast_2d(np.asarray(self.orthogonal_to, np.float64))
        if C.ndim != 2 or C.shape[1] != n_words or not np.isfinite(C).all():
            raise InputError(
                f"orthogonal_to has the shape {C.shape}, but X has {n_words} words: give rows of {n_words} finite numbers"
            )
        return np.asarray(scipy.linalg.orth(C.T))

    def __sklearn_tags__(self) -> Tags:
        """The tags of the estimator for scikit-learn."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags

    @property
    def _n_features_out(self) -> int:
        """The number of axes, which ``get_feature_names_out`` needs."""
        return len(self.components_)


class _FoldedDocuments:
    """Documents in folds, and the axes that all folds but some make."""

    def __init__(self, X: Matrix, y: Array, fold: Array, basis: Array, two: bool) -> None:
        self.basis, self.two = basis, two
        numbers = range(fold.max() + 1)
        self.blocks = [X[fold == f] for f in numbers]
        self.outcomes = [y[fold == f] for f in numbers]
        squares = [block.multiply(block) if scipy.sparse.issparse(block) else block * block for block in self.blocks]
        self.sums = np.array([_sums_of_words(block) for block in self.blocks])
        self.squares = np.array([_sums_of_words(block) for block in squares])
        entries = max(X.count_nonzero() if scipy.sparse.issparse(X) else np.count_nonzero(X), 1)
        self.shrinkage = OCCURRENCES * self.squares.sum() / entries
        self._made: dict[frozenset[int], Array] = {}

    def axes(self, without: frozenset[int], n: int) -> Array:
        """The first n axes made from all documents that are not in the folds ``without``."""
        made = self._made.get(without, np.empty((0, self.sums.shape[1])))
        while len(made) < n:
            made = np.vstack([made, self._next_axis(without, made)])
        self._made[without] = made
        return made[:n]

    def _next_axis(self, without: frozenset[int], before: Array) -> Array:
        """d_j = x_j'r / sqrt(n var_j + s) of r, what the axes before leave of y; orthogonal to them, with unit length."""
        used = [f for f in range(len(self.blocks)) if f not in without]
        residuals = self._unexplained(used, without, len(before))
        n, sums = sum(map(len, residuals)), self.sums[used].sum(axis=0)
        together = sum(self.blocks[f].T @ r for f, r in zip(used, residuals, strict=True))
        spread = np.maximum(self.squares[used].sum(axis=0) - sums**2 / n, 0)
        scale = np.sqrt(spread + self.shrinkage)
        d = np.divide(together, scale, out=np.zeros_like(scale), where=scale > 0)
        length = np.linalg.norm(d)
        for _ in range(2):  # once more, against rounding
            d = d - self.basis @ (self.basis.T @ d)
            d = d - before.T @ (before @ d)
        left = np.linalg.norm(d)
        return d / left if left > NOTHING_LEFT * length else np.zeros_like(d)

    def _unexplained(self, used: list[int], without: frozenset[int], n: int) -> list[Array]:
        """y - E(y | topics and the first n axes), by fold; the axes that score a document were made without its fold."""
        y = np.concatenate([self.outcomes[f] for f in used])
        expected = np.full(len(y), y.mean())
        if n:
            directions = [np.hstack([self.basis, self.axes(without | {f}, n).T]) for f in used]
            scores = np.vstack([self.blocks[f] @ of_fold for f, of_fold in zip(used, directions, strict=True)])
            scores = _standardise(scores)
            if not self.two:
                expected = LinearRegression().fit(scores, y).predict(scores)
            elif 0 < y.mean() < 1:
                expected = LogisticRegression().fit(scores, y).predict_proba(scores)[:, 1]
        ends = np.cumsum([len(self.outcomes[f]) for f in used])[:-1]
        residual = y - expected
        return np.split(residual - residual.mean(), ends)


def _standardise(scores: Array) -> Array:
    """Scores with mean 0 and variance 1; those that do not vary but for rounding are 0."""
    scale, size = scores.std(axis=0), np.abs(scores).max(axis=0, initial=0)
    return np.asarray((scores - scores.mean(axis=0)) / np.where(scale > NOTHING_LEFT * size, scale, np.inf))


def _sums_of_words(X: Matrix) -> Array:
    return np.asarray(X.sum(axis=0, dtype=np.float64)).ravel()


def _numbers(y: Array) -> tuple[Array, Array | None]:
    """The outcome as numbers, and its two values if it has two, of which the second becomes 1."""
    values, place = np.unique(y, return_inverse=True)
    if len(values) == 1:
        raise InputError("y has one value only: documents of two outcomes are needed")
    if len(values) == 2:
        return place.astype(np.float64), values
    if y.dtype.kind not in "biuf":
        raise InputError(f"Unknown label type: y has {len(values)} values that are not numbers; give two outcomes, or a number")
    return y.astype(np.float64), None
