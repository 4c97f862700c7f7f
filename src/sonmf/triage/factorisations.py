"""The factorisations that can stand between words and classifier. Whatever the method, the features are XF, as in the paper."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from numbers import Integral
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from msgspec import Meta, Struct
from sklearn.base import BaseEstimator, clone

from sonmf.errors import InputError
from sonmf.estimators.binary_sonmf import BinarySONMF
from sonmf.estimators.logistic_nmf import LogisticNMF
from sonmf.estimators.nmf import NMF, ONMF, SemiNMF
from sonmf.estimators.sonmf import SONMF
from sonmf.text import NotesVectorizer
from sonmf.triage.inputs import FEWEST_NAMED, plain
from sonmf.types import Array, Matrix

NEGATION = "mark"
"""How words are read if no vectoriser is given: what a note denies is kept apart from what it reports."""


STARTS = 4
"""Starts of SONMF that race: notes are few, so that better topics cost a second at most."""


class Method(NamedTuple):
    """A factorisation, and the weighting of words it is made for."""

    title: str
    weighting: str
    promise: str
    """A property that its topics always have: "orthonormal", "non-negative", or "" for neither."""
    make: Callable[[int, int], Any]
    """Makes an estimator from the number of topics and a seed."""

    def fit(self, X: Matrix, n_topics: int, seed: int, **parameters: object) -> Any:
        """The fitted estimator. Its warnings (it stopped early, it ran out of rank) are hidden: held-out figures judge it."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return self.make(n_topics, seed).set_params(**parameters).fit(X)


def _svd(k: int, seed: int) -> BaseEstimator:
    from sklearn.decomposition import TruncatedSVD

    return TruncatedSVD(k, random_state=seed)


METHODS = {
    "sonmf": Method("SONMF", "tfidf", "orthonormal", lambda k, seed: SONMF(k, n_init=STARTS, random_state=seed)),
    "nmf": Method("NMF", "tfidf", "non-negative", lambda k, seed: NMF(k, random_state=seed)),
    "onmf": Method("ONMF", "tfidf", "non-negative", lambda k, seed: ONMF(k, random_state=seed)),
    "semi-nmf": Method("SemiNMF", "tfidf", "", lambda k, seed: SemiNMF(k, random_state=seed)),
    "svd": Method("TruncatedSVD", "tfidf", "orthonormal", _svd),
    "binary-sonmf": Method("BinarySONMF", "binary", "orthonormal", lambda k, seed: BinarySONMF(k, random_state=seed)),
    "binary-sonmf-plain": Method(
        "BinarySONMF, no intercept", "binary", "orthonormal", lambda k, seed: BinarySONMF(k, intercept=False, random_state=seed)
    ),
    "logistic-nmf": Method("LogisticNMF", "binary", "non-negative", lambda k, seed: LogisticNMF(k, random_state=seed)),
}


class WordSettings(Struct, frozen=True, forbid_unknown_fields=True):
    """Arguments of ``NotesVectorizer``, as a model file holds them."""

    weighting: Literal["tfidf", "paper-tfidf", "binary", "count"]
    min_df: Annotated[int, Meta(ge=0)] | Annotated[float, Meta(ge=0)]
    ngram_range: tuple[Literal[1, 2], Literal[1, 2]]
    negation: Literal["mark"] | None
    abbreviations: dict[str, str] | None
    drop_words: list[str] | None
    stop_words: list[str] | None
    keep_words: list[str] | None
    stem: bool

    def __post_init__(self) -> None:
        if self.ngram_range == (2, 1):
            raise InputError("ngram_range ends before it begins")


def vectorizer_for(method: str, given: NotesVectorizer | None) -> NotesVectorizer:
    """A new vectoriser as given, or the default one; methods for 0/1 data always get 0/1 data."""
    weighting = METHODS[method].weighting if method in METHODS else "tfidf"
    if given is None:
        return NotesVectorizer(weighting=weighting, negation=NEGATION)
    vectorizer: NotesVectorizer = clone(given)
    if weighting == "binary":
        vectorizer.set_params(weighting=weighting)
    return vectorizer


def word_settings(vectorizer: NotesVectorizer) -> WordSettings:
    """The arguments of a vectoriser."""
    given = {name: plain(value) for name, value in vectorizer.get_params().items()}
    return WordSettings(**given | {"ngram_range": tuple(given["ngram_range"])})


def fewest_named(given: NotesVectorizer | None) -> int:
    """How many patients a complaint must have to be named: as many as a word, where ``min_df`` is a number of notes."""
    return int(given.min_df) if given is not None and isinstance(given.min_df, Integral) else FEWEST_NAMED


def project(X: Matrix, components: Array) -> Array:
    """XF, the features."""
    return np.asarray(X @ components.T)
