"""Topics in words: the words for and against each topic, and the documents with most of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from numbers import Integral
from typing import NamedTuple, Protocol

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike

from sonmf.errors import InputError
from sonmf.kernels.structure import check_matrix
from sonmf.metrics import strongest_words
from sonmf.text.lexicon import FILLER, MARK, NEGATIONS, SHORTHAND, as_people_write
from sonmf.types import Array, Matrix

MOST = 30  # words on each side that are ranked
LEAST_SHARE = 0.01
"""Share of a topic's energy from which on the words against it are shown; chosen on the notes on altered consciousness."""

Side = list[tuple[int, float]]
"""Columns of X with their strengths, the strongest first; those of words against a topic are negative."""


class HasComponents(Protocol):
    """A fitted estimator."""

    components_: Array


class Ranking(NamedTuple):
    """The words of a topic by number, the strongest first."""

    positive: Side
    negative: Side
    negative_share: float | None = None
    """Share of the topic's energy ||Xf||^2 that comes from negative projections; None without documents."""


class Topic(NamedTuple):
    """A topic in words, each with its strength, the strongest first.

    Examples
    --------
    >>> from sonmf.text import Topic
    >>> print(Topic([("cough", 0.8), ("fever", 0.5)], [("ankle", 0.3)]))
    + cough fever  - ankle
    """

    positive: list[tuple[str, float]]
    negative: list[tuple[str, float]]
    label: str = ""
    """The name that a person has given the topic."""
    negative_share: float | None = None
    """Share of the topic's energy that the words against it hold; None if it is not known."""
    hidden: tuple[str, ...] = ()
    """Filler that would be among the words for the topic."""

    def __str__(self) -> str:
        towards = " ".join(word for word, _ in self.positive)
        away = " ".join(word for word, _ in self.negative)
        share = "" if self.negative_share is None else f" ({self.negative_share:.1%} of its energy)"
        return (f"{self.label}: " if self.label else "") + f"+ {towards}" + (f"  - {away}{share}" if away else "")


def top_words(
    model: HasComponents,
    vocabulary: ArrayLike | Mapping[str, int] | Mapping[int, str],
    n: int = 5,
    labels: list[str] | None = None,
    *,
    X: Matrix = None,
    filler: Iterable[str] | None = None,
    least_share: float = LEAST_SHARE,
) -> list[Topic]:
    """The n strongest words on each side of each row of ``components_``: by correlation with the topic, or by weight.

    The sign of a word's weight decides its side. With X, words are ranked by r_j p_j^(1/L): r_j is the correlation of x_j with
    Xf over the documents, p_j the share of documents with the word, and L the mean number of different words in a document.
    The list is mostly more coherent than one by weight, because a frequent word may have a large weight in many topics. In long
    documents the correlation alone decides; in titles a rare word comes later. Without X words are ranked by weight, as in
    tables 8 and 9 of the paper.

    This names the topics of other models too. Where no weight is negative, as in scikit-learn's NMF and LDA, the amounts
    ``model.transform(X)`` take the place of Xf.

    Parameters
    ----------
    model : fitted estimator with ``components_``
    vocabulary : sequence of words in the order of the columns, or dict of word to column
        A dict of column to word will do too, as gensim's ``Dictionary`` is one.
    n : int, default=5
        Words on each side, at most, and with X at most 30.
    labels : list of str, optional
        A name for each topic.
    X : array or sparse matrix of shape (n_documents, n_words), optional
        The documents of the fit, as the model was fitted to them: counts for LDA. A word then has its correlation r_j as
        strength.
    filler : iterable of str, optional
        Words that are not listed. The default depends on the vocabulary. If it is that of clinical notes, which two words of
        shorthand such as "hx" and "gcs" show, it is the package's list of who, when and how: "yr", "old", "via". If denied
        words are marked, "no" and "denies" are left out too. ``()`` lists all words. A side with only filler is shown.
    least_share : float, default=0.01
        With X, the words against a topic are shown if they hold at least this share of its energy, the sum of squares of Xf.
        0 shows them for every topic.

    Returns
    -------
    list of Topic

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> from sonmf.text import top_words
    >>> model = SimpleNamespace(components_=np.array([[0.8, -0.6, 0.0]]))
    >>> print(top_words(model, ["chest", "ankle", "cough"])[0])
    + chest  - ankle
    >>> print(
    ...     top_words(
    ...         model,
    ...         ["chest", "ankle", "cough"],
    ...         X=[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.9, 0.0, 1.0]],
    ...     )[0]
    ... )
    + chest  - ankle (23.7% of its energy)
    """
    F, words = _topics(model), listed_words(vocabulary)
    if len(words) != F.shape[1]:
        raise InputError(
            f"vocabulary has {len(words)} words, but the topics have {F.shape[1]}: give the words the model was fitted on"
        )
    if labels is not None and len(labels) != len(F):
        raise InputError(f"labels has {len(labels)} names for {len(F)} topics")
    if not isinstance(n, Integral) or n < 1:
        raise InputError(f"n={n!r} must be a whole number of words, at least 1")
    if isinstance(filler, str):
        raise InputError(f"filler={filler!r} is one text: give a list of words, such as [{filler!r}]")
    rankings = by_weight(F, F.shape[1]) if X is None else by_correlation(X, F, transform=getattr(model, "transform", None))
    hidden = usual_filler(words, clinical=len(SHORTHAND.intersection(words)) > 1) if filler is None else filler
    return in_words(rankings, words, n, labels, hidden, least_share)


def _topics(model: object) -> Array:
    F = np.asarray(getattr(model, "components_", None))
    if F.ndim != 2:
        raise InputError("model has no components_, a matrix of topics and words: give a fitted model")
    return F


def listed_words(vocabulary: ArrayLike | Mapping[str, int] | Mapping[int, str]) -> list[str]:
    """The words in the order of the columns; a dict has the column of each word, or the word of each column."""
    if isinstance(vocabulary, Mapping):
        word_at = dict((a, b) if isinstance(b, str) else (b, a) for a, b in vocabulary.items())
        if set(word_at) != set(range(len(vocabulary))):
            raise InputError(f"vocabulary must give each of its {len(vocabulary)} words a column of its own, counted from 0")
        return [str(word_at[j]) for j in range(len(word_at))]
    words = np.asarray(vocabulary)
    if words.ndim != 1:
        raise InputError("vocabulary must be a list of words in the order of the columns, or a dict of word to column")
    return [str(word) for word in words]


def usual_filler(words: Sequence[str], *, clinical: bool) -> frozenset[str]:
    """Words that are not listed by default; "year", "prior" and "note" are filler only in clinical notes."""
    marked = any(word.startswith(MARK) for word in words)  # then "no" and "denies" say nothing that the marks do not
    return (FILLER if clinical else frozenset()) | (NEGATIONS if marked else frozenset())


def in_words(
    rankings: Sequence[Ranking],
    words: Sequence[str],
    n: int,
    labels: Sequence[str] | None = None,
    filler: Iterable[str] | None = None,
    least_share: float = LEAST_SHARE,
) -> list[Topic]:
    """Rankings as words, without filler (by default that of notes) and without words against a topic that hold little."""
    hide = usual_filler(words, clinical=True) if filler is None else frozenset(filler)
    topics = []
    for k, ranking in enumerate(rankings):
        shown = ranking.negative_share is None or ranking.negative_share >= least_share
        positive, hidden = _listed(ranking.positive, words, n, hide)
        negative, _ = _listed(ranking.negative if shown else [], words, n, hide)
        topics.append(Topic(positive, negative, labels[k] if labels else "", ranking.negative_share, hidden))
    return topics


def _listed(side: Side, words: Sequence[str], n: int, hide: Collection[str]) -> tuple[list[tuple[str, float]], tuple[str, ...]]:
    """The first n words that are not hidden, and those that are hidden before the last of them."""
    named = [(words[j], strength) for j, strength in side]
    filler = [all(part.removeprefix(MARK) in hide for part in word.split()) for word, _ in named]  # a pair of words if both are
    shown = [place for place, hidden in enumerate(filler) if not hidden][:n] or list(range(min(n, len(side))))
    hidden = sorted(set(range(shown[-1] + 1 if shown else 0)) - set(shown))
    return [(as_people_write(named[place][0]), named[place][1]) for place in shown], tuple(
        as_people_write(named[place][0]) for place in hidden
    )


def by_weight(components: ArrayLike, most: int = MOST) -> list[Ranking]:
    """The largest weights on each side of each topic."""
    return [Ranking(_strongest(f, f, most), _strongest(-f, f, most)) for f in np.asarray(components)]


def by_correlation(
    X: Matrix, components: ArrayLike, most: int = MOST, transform: Callable[[Matrix], ArrayLike] | None = None
) -> list[Ranking]:
    """The words whose weight and whose correlation r with the topic have the same sign, by r p^(1/L), each with its r.

    p is the share of documents with the word, and L the mean number of different words in a document. ``transform`` is that of
    a model whose topics have no negative weights: the amounts of a topic are then what it returns, and Xf otherwise.
    """
    F, checked = np.asarray(components), check_matrix(X, "top_words")
    if checked.shape[1] != F.shape[1]:
        raise InputError(f"X has {checked.shape[1]} words, but the topics have {F.shape[1]}: give the documents of the fit")
    if not checked.shape[0]:
        raise InputError("X has no documents: give those of the fit, or leave X out")
    Z = amounts_of(checked if transform is None or (F < 0).any() else X, F, transform)
    rankings, common = [], commonness(checked)
    for f, r, share in zip(F, correlations(checked, Z), negative_shares(Z), strict=True):
        positive, away = (_strongest(np.where(sign * f > 0, sign * r * common, 0.0), r, most) for sign in (1, -1))
        rankings.append(Ranking(positive, away, float(share)))
    return rankings


def amounts_of(X: Matrix, components: Array, transform: Callable[[Matrix], ArrayLike] | None = None) -> Array:
    """Xf of each topic, n x k; where no weight is negative, what ``transform`` of the model says instead."""
    Z = np.asarray(X @ components.T if transform is None or (components < 0).any() else transform(X))
    if Z.shape != (expected := (np.shape(X)[0], len(components))):
        raise InputError(f"transform of the model returned an array of shape {Z.shape} and not {expected}, documents x topics")
    return Z


def commonness(X: Matrix) -> Array:
    """p_j^(1/L): p_j is the share of documents with word j, and L the mean number of different words in a document.

    In documents with many words it is near 1 for every word. In short documents a rare word meets few others: it may come
    with a topic and still not help to recognise it.
    """
    occurs = scipy.sparse.csr_array(X != 0)
    share = np.asarray(occurs.mean(axis=0)).ravel()
    return np.asarray(share ** (1.0 / max(share.sum(), 1.0)))


def negative_shares(Z: Array) -> Array:
    """||min(z, 0)||^2 / ||z||^2 for each column z: the share of its energy below zero; 0 for a column of zeros."""
    energy, negative = (Z**2).sum(axis=0), (np.minimum(Z, 0.0) ** 2).sum(axis=0)
    return np.asarray(np.divide(negative, energy, out=np.zeros_like(energy), where=energy > 0))


def correlations(X: Matrix, Z: ArrayLike) -> Array:
    """corr(x_j, z_k) over the documents, topics x words; 0 where either is constant."""
    Z = np.asarray(Z, np.float64)
    X = X if X.dtype.kind == "f" else X.astype(np.float64)  # squares of small integers overflow
    n = len(Z)
    mean = np.asarray(X.mean(axis=0)).ravel()
    square = np.asarray(X.multiply(X).mean(axis=0)).ravel() if scipy.sparse.issparse(X) else (X**2).mean(axis=0)
    varies = square > mean**2 * (1 + 1e-10)
    scaled = Z - Z.mean(axis=0)
    spread = scaled.std(axis=0)
    scaled /= np.where(spread > 1e-10 * np.abs(Z).max(initial=0.0), spread, np.inf)
    covariance = np.asarray(X.T @ scaled).T / n  # the mean of scaled is 0
    return covariance * np.where(varies, 1.0 / np.sqrt(np.where(varies, square - mean**2, 1.0)), 0.0)


def _strongest(order: Array, strengths: Array, n: int) -> Side:
    """The n largest positive numbers of ``order``, as places with their strengths."""
    return [(int(j), float(strengths[j])) for j in strongest_words(order, n)]


def top_documents(amounts: ArrayLike, topic: int, n: int = 5) -> Array:
    """The rows with the largest amounts of a topic, largest first; rows without any are left out.

    Parameters
    ----------
    amounts : array of shape (n_documents, n_topics)
        What ``transform`` returned.
    topic : int
    n : int, default=5

    Returns
    -------
    ndarray of int

    Examples
    --------
    >>> from sonmf.text import top_documents
    >>> top_documents([[0.0, 2.0], [1.0, 3.0], [0.0, 0.0]], topic=1).tolist()
    [1, 0]
    """
    return strongest_words(np.asarray(amounts)[:, topic], n)
