"""Stability: would other documents of the same kind have given the same topics?"""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import linear_sum_assignment

from sonmf.errors import InputError
from sonmf.metrics import directions
from sonmf.refitting import Model, matrix_for, show_progress, unfitted_copy, without_gaps, without_warnings
from sonmf.types import Array, Matrix

UNSTABLE = 0.8
"""The score below which a topic is a different one in many of the replicates."""
INTERVAL = (0.05, 0.95)


class Stability(NamedTuple):
    """How well each topic is found again in replicates: 1 for the same topic each time, 0 for nothing in common.

    Examples
    --------
    >>> from sonmf.stability import Stability
    >>> stability = Stability.of([[0.99, 0.6], [0.97, 0.7]])  # two replicates of two topics
    >>> stability.scores.round(2), stability.unstable
    (array([0.98, 0.65]), array([False,  True]))
    """

    scores: Array
    """The mean cosine of each topic with its counterpart."""
    low: Array
    """The cosine that 5% of the replicates fall below."""
    high: Array
    """The cosine that 5% of the replicates exceed."""
    cosines: Array
    """The cosine of each topic in each replicate: replicates x topics."""

    @classmethod
    def of(cls, cosines: ArrayLike) -> Self:
        """The summary of the cosines of each replicate."""
        cosines = np.asarray(cosines, np.float64)
        low, high = np.quantile(cosines, INTERVAL, axis=0)
        return cls(cosines.mean(axis=0), low, high, cosines)

    @property
    def unstable(self) -> Array:
        """Which topics have a score below 0.8."""
        return np.asarray(self.scores < UNSTABLE)

    def __str__(self) -> str:
        count, k, n = int(self.unstable.sum()), len(self.scores), len(self.cosines)
        return (
            f"{k - count} of {k} topics come back when the model is fitted again to documents drawn from these "
            f"({'once' if n == 1 else f'{n} times'}); mean score {self.scores.mean():.2f}, lowest {self.scores.min():.2f}"
        )


def bootstrap(model: Model, X: Matrix, n: int = 20, *, random_state: int | np.random.Generator | None = None) -> Stability:
    r"""Mean of cos(f_j, f_j*) over n replicates, for each topic f_j and its counterpart f_j* in the replicate.

    A replicate is an unfitted copy of the model, which is fitted to as many documents, drawn from X with replacement. It starts
    as the model does, not from the topics of the model, because a warm start would make them look more stable. Topics are
    matched one to one so that the sum of the cosines is largest. The sign of a topic counts.

    A topic with a score near 1 is a property of the data. A score below 0.8 means that the topic depends on which documents
    happened to be drawn, so do not rely on it.

    Parameters
    ----------
    model : estimator with ``components_``
        Fitted, or to be fitted to X first. It is left as it is.
    X : {array-like, sparse matrix, sparse array} of shape (n_documents, n_words)
        The documents of the fit.
    n : int, default=20
        Number of replicates. Each is a fit. With ``verbose=1`` the model shows a progress bar.
    random_state : int or numpy.random.Generator, optional
        For the draws, and for every random start. Give an int for scores that repeat.

    Returns
    -------
    Stability
        ``scores``, one for each topic, with ``low`` and ``high``, between which 90% of the replicates lie.

    Examples
    --------
    >>> from sonmf import SONMF, stability
    >>> from sonmf.simulate import continuous
    >>> X, F, G = continuous(2, n=300, p=60, k=3, random_state=0)
    >>> result = stability.bootstrap(SONMF(3), X, random_state=0)
    >>> bool(result.scores.min() > 0.95)
    True
    >>> print(result)  # doctest: +ELLIPSIS
    3 of 3 topics come back when the model is fitted again to documents drawn from these (20 times); mean score ...
    """
    if not isinstance(n, Integral) or n < 1:
        raise InputError(f"n={n!r} must be a whole number of at least 1: it is the number of replicates")
    return Stability.of(list(show_progress(replicates(model, X, n, random_state=random_state), n, model)))


def replicates(model: Model, X: Matrix, n: int, *, random_state: int | np.random.Generator | None = None) -> Iterator[Array]:
    """The cosines of one replicate after another, for callers that show progress themselves.

    Parameters
    ----------
    model, X, n, random_state
        As for ``bootstrap``.

    Yields
    ------
    ndarray of shape (n_topics,)

    Examples
    --------
    >>> from sonmf import SONMF
    >>> from sonmf.simulate import corpus
    >>> from sonmf.stability import replicates
    >>> X = corpus(200, 100, random_state=0)
    >>> [cosines.shape for cosines in replicates(SONMF(3).fit(X), X, n=2, random_state=0)]
    [(3,), (3,)]
    """
    X = matrix_for(model, X, "bootstrap")
    rng = np.random.default_rng(random_state)
    topics = _topics(model if hasattr(model, "components_") else unfitted_copy(model, rng), X)
    if topics.shape[1] != X.shape[1]:
        raise InputError(f"X has {X.shape[1]} words, but the topics have {topics.shape[1]}: give the documents of the fit")
    documents = X.shape[0]
    for _ in range(n):
        drawn = without_gaps(X[rng.integers(documents, size=documents)])
        yield matched(topics, _topics(unfitted_copy(model, rng), drawn))


def _topics(model: Model, X: Matrix) -> Array:
    """The topics of a fitted model, or those that it finds in X."""
    if not hasattr(model, "components_"):
        with without_warnings():
            model.fit(X)
    return np.asarray(model.components_)


def matched(topics: ArrayLike, others: ArrayLike) -> Array:
    """The cosine of each topic with its counterpart, when topics are matched one to one for the largest sum of cosines.

    Parameters
    ----------
    topics, others : arrays of shape (k, p)

    Returns
    -------
    ndarray of shape (k,)

    Examples
    --------
    >>> from sonmf.stability import matched
    >>> matched([[1.0, 0.0], [0.0, 1.0]], [[0.0, 2.0], [0.6, 0.8]]).round(1).tolist()
    [0.6, 1.0]
    """
    _, cosines = counterparts(topics, others)
    return cosines


def counterparts(topics: ArrayLike, others: ArrayLike) -> tuple[Array, Array]:
    """The position of each topic's counterpart, and their cosines; a topic without one has position -1 and cosine 0.

    Parameters
    ----------
    topics, others : arrays of shapes (k, p) and (m, p)

    Returns
    -------
    (ndarray of int of shape (k,), ndarray of shape (k,))

    Examples
    --------
    >>> from sonmf.stability import counterparts
    >>> counterparts([[1.0, 0.0], [0.0, 1.0]], [[0.0, 2.0]])
    (array([-1,  0]), array([0., 1.]))
    """
    cosine = directions(topics) @ directions(others).T
    ours, theirs = linear_sum_assignment(cosine, maximize=True)
    places, cosines = np.full(len(cosine), -1), np.zeros(len(cosine))
    places[ours], cosines[ours] = theirs, np.clip(cosine[ours, theirs], -1.0, 1.0)
    return places, cosines
