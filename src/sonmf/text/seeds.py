"""Topics from seed words: what distinguishes the notes with these words from all notes."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from scipy.sparse import csr_array, issparse

from sonmf.errors import InputError
from sonmf.stiefel import polar
from sonmf.text.lexicon import MARK
from sonmf.text.vectorizer import NotesVectorizer
from sonmf.types import Array

NEAR, ALIKE = 3, 0.75  # known words to suggest for an unknown one, and how similar they must be
APART = 0.3  # length that the direction of a seed must add to those before it: two with a cosine above 0.95 are one topic


class Vectorizer(Protocol):
    """A fitted vectoriser of words, such as those of scikit-learn."""

    def transform(self, raw_documents: list[str]) -> csr_array:
        """Documents x words."""


class Seeds(NamedTuple):
    """Seed words as directions among the words of a corpus.

    Examples
    --------
    >>> from sonmf.text import NotesVectorizer, seed_topics
    >>> words = NotesVectorizer(min_df=1)
    >>> X = words.fit_transform(
    ...     ["chest pain", "chest pressure", "cough", "cough and fever"]
    ... )
    >>> seeds = seed_topics(["chest pain"], words, X)
    >>> seeds.words, seeds.components.shape
    (['chest pain'], (1, 5))
    """

    words: list[str]
    """The seed words of each topic, as they were given."""
    components: Array
    """Orthonormal rows, for ``fixed_components`` of ``SONMF``."""


def seed_topics(seeds: Sequence[str | Sequence[str]], vectorizer: Vectorizer, X: csr_array, *, strict: bool = True) -> Seeds:
    r"""f = (sum_i h_i x_i / sum_i h_i - mean_i x_i) at unit length for each seed, h_i the number of its words in note i.

    A topic is the mean of the notes that have the seed words, each weighted by how many it has, less the mean of all notes. So
    it holds the seed words and the words that come with them, but not what every note has. Several seeds are made orthogonal
    to each other by the smallest change, the polar factor. As ``fixed_components`` of ``SONMF`` the topics stay as the words
    made them, and the fit finds others around them.

    Parameters
    ----------
    seeds : sequence of str, or of sequences of str
        The words of one topic each, such as ``"chest pain pressure"`` or ``["chest", "pain", "pressure"]``. They are read like
        a note: they are stemmed, and with ``negation="mark"`` "no fever" is one word of its own.
    vectorizer : NotesVectorizer, or a vectoriser of scikit-learn
        Fitted. A pipeline may follow it with steps that keep its columns, such as a TfidfTransformer.
    X : sparse matrix of shape (n_notes, n_words)
        The notes as the vectoriser transforms them.
    strict : bool, default=True
        Refuse unknown words, and a seed that says what seeds before it say. Otherwise they are ignored, and so is a seed
        without any known word.

    Returns
    -------
    Seeds

    Examples
    --------
    >>> from sonmf import SONMF
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.text import NotesVectorizer, seed_topics, top_words
    >>> notes = make_triage_notes(2000, complaints=["Cough"], random_state=0)["note"]
    >>> vectorizer = NotesVectorizer()
    >>> X = vectorizer.fit_transform(notes)
    >>> seeds = seed_topics(["fever chills"], vectorizer, X)
    >>> model = SONMF(5, fixed_components=seeds.components).fit(X)
    >>> words = [
    ...     word
    ...     for word, _ in top_words(model, vectorizer.get_feature_names_out(), X=X)[
    ...         0
    ...     ].positive
    ... ]
    >>> "fever" in words, "chill" in words
    (True, True)
    """
    seeds = _as_texts(seeds)
    read = [_read(seed, vectorizer) for seed in seeds]
    _check_same_words(X, vectorizer, read)
    X = csr_array(X)
    present = type(X)((np.ones_like(X.data), X.indices, X.indptr), shape=X.shape)
    hits = [np.asarray(present[:, row.indices].sum(axis=1)).ravel() for row, _ in read]
    if strict:
        for seed, (_, unknown), found in zip(seeds, read, hits, strict=True):
            _check_known(seed, found, unknown, vectorizer)
    known = [(seed, _direction(X, found)) for seed, found in zip(seeds, hits, strict=True) if found.any()]
    words: list[str] = []
    directions = np.empty((0, X.shape[1]))
    for seed, f in known:
        if _adds(f, directions):
            words, directions = [*words, seed], np.vstack([directions, f])
        elif strict:
            raise InputError(_repeated(seed, words, directions @ f))
    if not words:
        return Seeds([], directions)
    return Seeds(words, np.ascontiguousarray(polar(directions.T).T))


def _as_texts(seeds: Sequence[str | Sequence[str]]) -> list[str]:
    """One text for each topic."""
    if isinstance(seeds, str):
        raise InputError(f"seeds={seeds!r} is one text: give a list with the words of each topic, such as [{seeds!r}]")
    if isinstance(seeds, Mapping):
        raise InputError("seeds is a mapping of names to words: give the words alone, list(seeds.values())")
    return [seed if isinstance(seed, str) else " ".join(seed) for seed in seeds]


def _check_same_words(X: csr_array, vectorizer: Vectorizer, read: list[tuple[csr_array, list[str]]]) -> None:
    if not issparse(X) or any(row.shape[1] != X.shape[1] for row, _ in read):
        raise InputError(f"X is not what this vectoriser makes of notes: give X = {type(vectorizer).__name__}.transform(notes)")


def _direction(X: csr_array, hits: Array) -> Array:
    f = np.asarray(X.T @ (hits / hits.sum())).ravel() - np.asarray(X.mean(axis=0)).ravel()
    if not (length := np.linalg.norm(f)) > 0:  # every note has them
        f = np.asarray(X.T @ hits).ravel()
        length = np.linalg.norm(f)
    return np.asarray(f / length)


def _read(seed: str, vectorizer: Vectorizer) -> tuple[csr_array, list[str]]:
    """The row of the seed, and its words that the vectoriser does not know."""
    if isinstance(vectorizer, NotesVectorizer):
        analysis = vectorizer.analyse(seed)
        return analysis.row, analysis.unknown
    unknown = []
    first: Any = vectorizer.steps[0][1] if hasattr(vectorizer, "steps") else vectorizer  # a pipeline begins with one
    if (vocabulary := getattr(first, "vocabulary_", None)) is not None:  # a HashingVectorizer knows every word
        words = first.build_analyzer()(seed)
        unknown = [word for word in words if isinstance(word, str) and word not in vocabulary and " " not in word]
    return csr_array(vectorizer.transform([seed])), unknown


def _check_known(seed: str, hits: Array, unknown: list[str], vectorizer: Vectorizer) -> None:
    if unknown:
        near = _near(unknown[0].lower(), vectorizer)
        meant = f"the nearest words that count are {', '.join(near)}" if near else "try another word for it"
        raise InputError(f"the seed word {unknown[0]!r} is in too few notes, or in none: {meant}")
    if not hits.any():  # a HashingVectorizer also has columns for words that no note has
        raise InputError(f"the seed {seed!r} has no word that counts: give words that tell what the topic is about")


def _near(word: str, vectorizer: Vectorizer) -> list[str]:
    """A few known words that are most similar to an unknown one, the most frequent first: notes contain misspellings too."""
    if not isinstance(vectorizer, NotesVectorizer):  # nothing says how frequent its words are
        return difflib.get_close_matches(word, vectorizer.get_feature_names_out().tolist(), n=NEAR, cutoff=ALIKE)  # type: ignore[attr-defined]
    features = [str(feature) for feature in vectorizer.get_feature_names_out()]
    rarity = {
        vectorizer.spelling_[feature]: float(idf)
        for feature, idf in zip(features, vectorizer.idf_, strict=True)
        if not feature.startswith(MARK)
    }
    return sorted(difflib.get_close_matches(word, rarity, n=NEAR, cutoff=ALIKE), key=rarity.__getitem__)


def _adds(f: Array, S: Array) -> bool:
    """Whether a direction differs from all combinations of those before it: else its topic would be rounding."""
    Q = np.linalg.qr(S.T)[0]
    return bool(np.linalg.norm(f - Q @ (Q.T @ f)) > APART)


def _repeated(seed: str, words: list[str], cosines: Array) -> str:
    """What to do with a seed that adds nothing to one before it, or to several together."""
    nearest = int(np.abs(cosines).argmax())
    if 1 - cosines[nearest] ** 2 <= APART**2:
        return f"the seeds {words[nearest]!r} and {seed!r} are in the same notes: give one of them, or both as one topic"
    return f"the seed {seed!r} says only what the seeds before it say together ({', '.join(words)}): leave it out"
