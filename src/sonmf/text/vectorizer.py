"""Notes to a weighted document-word matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from copy import copy
from numbers import Integral, Real
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

from sonmf.sklearn_private import Interval, StrOptions, fit_context
from sonmf.text import features, partitions, tokens
from sonmf.text.given import as_notes, one_column
from sonmf.text.tally import Tally, occurring
from sonmf.text.tokens import Place
from sonmf.text.words import (
    ENDINGS,
    ENDINGS_AFTER_COMMA,
    LISTING,
    LISTING_WITH_FOR,
    LISTING_WITH_OR,
    MARK,
    NEGATIONS,
    STOP,
    WITHOUT_SCOPE,
)

SCOPE = 6  # words of content that a negation reaches
ROLES = (
    dict.fromkeys(ENDINGS, tokens.ENDS)
    | dict.fromkeys(ENDINGS_AFTER_COMMA, tokens.ENDS_ITEM)
    | dict.fromkeys(NEGATIONS - WITHOUT_SCOPE, tokens.PLAIN)
    | dict.fromkeys(LISTING_WITH_OR, tokens.NOUN)
    | dict.fromkeys(LISTING, tokens.LIST)
    | dict.fromkeys(LISTING_WITH_FOR, tokens.IF_FOR)
    | {"and": tokens.AND, "or": tokens.OR, "for": tokens.FOR, "w": tokens.WITH, "o": tokens.SHORT_O}
)
"""What words do to the scope of a negation."""
LIMIT = np.iinfo(np.int32).max


class NoWordsError(ValueError):
    """No word occurs in enough notes."""


class Analysis(NamedTuple):
    """One note as a ``NotesVectorizer`` reads it.

    Examples
    --------
    >>> from sonmf.text import NotesVectorizer
    >>> reader = NotesVectorizer(min_df=1).fit(["cough and fever", "no fever"])
    >>> found = reader.analyse("Fever, wheezing")
    >>> found.row.shape, found.unknown
    ((1, 3), ['wheezing'])
    """

    row: Any
    """Its row of the matrix."""
    trace: list[tuple[int, int, list[str]]]
    """Start and stop of each run of letters, with the features that it stands for."""
    unknown: list[str]
    """Words that the fit did not see or left out, as they are spelt."""


class NotesVectorizer(TransformerMixin, BaseEstimator):
    """x_ij = tf_ij log2(n / df_j) and its kin: notes to a sparse document-word matrix.

    Lower case; numbers, punctuation and stop words removed, but negations kept; "28YOF" split; stems by Snowball, each distinct
    token once. Missing notes (None, NaN) count as empty. Notes in dask stay where they are: counts come home, and the matrix is
    a dask array. Needs the extra ``app`` (PyStemmer).

    Parameters
    ----------
    weighting : {"tfidf", "paper-tfidf", "binary", "count"}, default="tfidf"
        ``"paper-tfidf"`` is tf x log2(n / df) as in the paper, ``"tfidf"`` the same with every note scaled to unit length,
        ``"binary"`` 1 for a word that occurs, ``"count"`` how often.
    min_df : int or float, default=5
        Words of fewer notes than this (or than this share of them) are left out: they can identify a patient.
    ngram_range : tuple of two ints, default=(1, 1)
        (1, 2) adds pairs of neighbouring words (stop words left out), written "chest pain".
    negation : {"mark"} or None, default=None
        ``"mark"``: words in the scope of a negation (no, not, denies, without ...) become features of their own, "not_pain".
        The scope ends with the clause: at a full stop, a number, or a word such as "but", "since" or "hx", and after six words.
        After "denies" and "negative for" it holds for a whole list, after "no" for a list with an "or" in it.
    abbreviations : dict, optional
        What a token stands for, such as ``{"sob": "short of breath"}``.
    drop_words : iterable of str, optional
        Words to leave out, such as those that give away the outcome; a stem drops all its forms.
    stop_words : iterable of str, optional
        Instead of the package's list.
    stem : bool, default=True
        Whether to reduce words to their stems.

    Attributes
    ----------
    vocabulary_ : dict
        Column of each word.
    idf_ : ndarray of shape (n_words,)
        log2(n / df) of the notes of the fit.
    spelling_ : dict
        Each word of the vocabulary in its most frequent spelling: a stem such as "pressur" is hard to read.

    Examples
    --------
    >>> from sonmf.text import NotesVectorizer
    >>> notes = ["28YOF chest pain, denies SOB", "chest pains x2 days", None]
    >>> vectorizer = NotesVectorizer(min_df=1, weighting="count", negation="mark")
    >>> X = vectorizer.fit_transform(notes)
    >>> [str(word) for word in vectorizer.get_feature_names_out()]
    ['chest', 'day', 'deni', 'not_sob', 'pain', 'yof']
    >>> X.toarray().astype(int).tolist()
    [[1, 0, 1, 1, 1, 1], [1, 1, 0, 0, 1, 0], [0, 0, 0, 0, 0, 0]]
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "weighting": [StrOptions({"tfidf", "paper-tfidf", "binary", "count"})],
        "min_df": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0, 1, closed="both")],
        "ngram_range": [tuple],
        "negation": [StrOptions({"mark"}), None],
        "abbreviations": [dict, None],
        "drop_words": ["array-like", set, frozenset, None],
        "stop_words": ["array-like", set, frozenset, None],
        "stem": ["boolean"],
    }

    def __init__(
        self,
        *,
        weighting: str = "tfidf",
        min_df: float = 5,
        ngram_range: tuple[int, int] = (1, 1),
        negation: str | None = None,
        abbreviations: dict[str, str] | None = None,
        drop_words: Iterable[str] | None = None,
        stop_words: Iterable[str] | None = None,
        stem: bool = True,
    ) -> None:
        self.weighting = weighting
        self.min_df = min_df
        self.ngram_range = ngram_range
        self.negation = negation
        self.abbreviations = abbreviations
        self.drop_words = drop_words
        self.stop_words = stop_words
        self.stem = stem

    def fit(self, X: Iterable[Any], y: Any = None) -> Self:
        """Learn the words and their document frequencies.

        Parameters
        ----------
        X : iterable of str, or dask bag, series or dataframe of one column
            The notes; None and NaN count as empty.
        y : ignored

        Returns
        -------
        self
        """
        self.fit_transform(X)
        return self

    @fit_context(prefer_skip_nested_validation=True)
    def fit_transform(self, X: Iterable[Any], y: Any = None) -> Any:
        """Learn the words, and return the matrix of these notes.

        Parameters
        ----------
        X : iterable of str, or dask bag, series or dataframe of one column
            The notes; None and NaN count as empty.
        y : ignored

        Returns
        -------
        scipy.sparse.csr_array of shape (n_notes, n_words)
            For notes in dask a dask array of such blocks.
        """
        self._checked_range()
        X = one_column(X)
        if partitions.lives(X):
            tally, rows = partitions.tally(copy(self)._tally, X)
            self._learn(tally)
            return self._in_partitions(X, rows)
        counts, names, tally = self._counted(as_notes(X))
        self._learn(tally)
        return self._weighted(features.columns(counts, np.flatnonzero([name in self.vocabulary_ for name in names])))

    def transform(self, X: Iterable[Any]) -> Any:
        """The matrix of notes, with the words and frequencies of the fit; other words are passed over.

        Parameters
        ----------
        X : iterable of str, or dask bag, series or dataframe of one column
            The notes; None and NaN count as empty.

        Returns
        -------
        scipy.sparse.csr_array of shape (n_notes, n_words)
            For notes in dask a dask array of such blocks.
        """
        check_is_fitted(self)
        X = one_column(X)
        if partitions.lives(X):
            return self._in_partitions(X, partitions.lengths(X))
        notes = as_notes(X)
        return self._rows(*self._features(*self._read(notes), *self._checked_range()), len(notes))

    def _rows(self, ids: Any, names: list[str], n: int) -> Any:
        """The matrix of the features that are known."""
        column = np.array([self.vocabulary_.get(name, tokens.BREAK_ID) for name in names] or [tokens.BREAK_ID], np.int32)
        known = np.where(ids >= 0, column[np.maximum(ids, 0)], ids)
        return self._weighted(features.matrix(known, n, len(self.vocabulary_)))

    def analyse(self, note: str | None) -> Analysis:
        """One note, read once: its row of the matrix, where its words stand, and which of them are not known.

        Parameters
        ----------
        note : str or None

        Returns
        -------
        Analysis
        """
        check_is_fitted(self)
        (note,) = as_notes([note])
        places, ids, words = tokens.placed(note)
        ids, words = features.expanded(ids, words, self.abbreviations or {})
        single, names = self._features(ids, words, 1, 1)
        low, high = self._checked_range()
        row = self._rows(*((single, names) if high == 1 else self._features(ids, words, low, high)), 1)
        single = single[ids >= 0]
        place = np.repeat(np.arange(len(places)), self._lengths(places))
        return Analysis(row, self._trace(places, place, single, names), self._unknown(note, places, place, single, names))

    def unknown_words(self, note: str) -> list[str]:
        """The words of a note that the fit did not see or left out, as they are spelt there; stop words and numbers aside.

        Parameters
        ----------
        note : str

        Returns
        -------
        list of str
            Each word once, in its first spelling, ``not_`` before a word that only its negation makes unknown.
        """
        return self.analyse(note).unknown

    def count_words(self, X: Iterable[Any], *, of_the_fit: bool = False) -> Any:
        """How many words each note has, and how many of them the fit did not see or left out; stop words and numbers aside.

        Parameters
        ----------
        X : iterable of str
            The notes; None and NaN count as empty.
        of_the_fit : bool, default=False
            Whether these are all notes of the fit. Each is then judged as if it alone had not been there, so that the share of
            unknown words is the one to expect of other notes: a word that was in just ``min_df`` notes would not be known.

        Returns
        -------
        ndarray of int of shape (n_notes, 2)

        Examples
        --------
        >>> from sonmf.text import NotesVectorizer
        >>> notes = ["cough and fever", "cough", "cough, fever"]
        >>> vectorizer = NotesVectorizer(min_df=2).fit(notes)
        >>> vectorizer.count_words(["fever and zebra", None]).tolist()
        [[2, 1], [0, 0]]
        >>> vectorizer.count_words(notes, of_the_fit=True).tolist()
        [[2, 1], [1, 0], [2, 1]]
        """
        check_is_fitted(self)
        notes = as_notes(X)
        ids, names = self._features(*self._read(notes), *self._checked_range())
        known = self._in_other_notes(len(notes)) if of_the_fit else self.vocabulary_.keys()
        unknown = np.array([name not in known for name in names], bool)
        words = ids >= 0
        note = np.cumsum(ids == tokens.END_ID)[words]
        counts = [np.bincount(note, weights, len(notes)) for weights in (None, unknown[ids[words]])]
        return np.column_stack(counts).astype(int)

    def _in_other_notes(self, notes: int) -> set[str]:
        """The words that would be known without any single one of so many notes of the fit."""
        often = notes * np.exp2(-self.idf_)
        return {word for word, count in zip(self.vocabulary_, often, strict=True) if round(count) - 1 >= self._least(notes)}

    def trace(self, note: str) -> list[tuple[int, int, list[str]]]:
        """Where the features of a note stand in its text.

        Parameters
        ----------
        note : str

        Returns
        -------
        list of (start, stop, features)
            A row for each run of letters, in the order of the text; no features for a stop word. A pair of words
            (``ngram_range``) stands with both of them. Features that the fit did not see are there too.
        """
        return self.analyse(note).trace

    def _trace(self, places: list[Place], place: Any, single: Any, names: list[str]) -> list[tuple[int, int, list[str]]]:
        found = [[names[feature]] if feature >= 0 else [] for feature in single.tolist()]
        if self.ngram_range[1] == 2:
            found = features.with_pairs(found, keep_single=self.ngram_range[0] == 1)
        at_place: list[list[str]] = [[] for _ in places]
        for at, some in zip(place.tolist(), found, strict=True):
            at_place[at] += some
        return [(start, stop, some) for (start, stop, _), some in zip(places, at_place, strict=True)]

    def _unknown(self, note: str, places: list[Place], place: Any, single: Any, names: list[str]) -> list[str]:
        known = self.vocabulary_ if self.ngram_range[0] == 1 else {part for pair in self.vocabulary_ for part in pair.split()}
        unknown = np.array([name not in known for name in names], bool)
        if not unknown.any():
            return []
        content = single >= 0
        place, used = place[content], single[content]
        partly_known = np.bincount(place, ~unknown[used], len(places)) > 0  # an abbreviation may stand for several words
        listed = np.flatnonzero(~partly_known[place])
        _, first = np.unique(used[listed], return_index=True)
        return list(dict.fromkeys(self._spelt(note, places[place[i]], names[used[i]]) for i in listed[np.sort(first)]))

    def _spelt(self, note: str, place: Place, feature: str) -> str:
        """A feature as the note has it, with the mark of a negation."""
        start, stop, _ = place
        return (MARK if self.negation and feature.startswith(MARK) else "") + note[start:stop]

    def _lengths(self, places: list[Place]) -> list[int]:
        """How many words each run of letters stands for."""
        long = {short.lower(): len(meaning.split()) for short, meaning in (self.abbreviations or {}).items()}
        return [long.get(word, 1) for _, _, word in places]

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The words, in the order of the columns.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        ndarray of str objects
        """
        check_is_fitted(self)
        return np.array(list(self.vocabulary_), dtype=object)

    def _in_partitions(self, X: Any, rows: list[int]) -> Any:
        return partitions.matrix(copy(self).transform, X, rows, len(self.vocabulary_))

    def _tally(self, X: Iterable[Any]) -> Tally:
        return self._counted(as_notes(X))[2]

    def _counted(self, notes: list[str]) -> tuple[Any, list[str], Tally]:
        """How often each feature occurs in each note, the features in alphabetical order, and the tally."""
        ids, words = self._read(notes)
        stream, names = features.alphabetical(*self._features(ids, words, *self._checked_range()))
        counts = features.matrix(stream, len(notes), len(names))
        in_notes = np.bincount(counts.indices, minlength=len(names))
        written = np.bincount(ids[ids >= 0], minlength=len(words))
        return counts, names, Tally(len(notes), occurring(names, in_notes.tolist()), occurring(words, written.tolist()))

    def _learn(self, tally: Tally) -> None:
        """Choose the words from the tally of all notes."""
        kept = sorted(feature for feature, count in tally.features.items() if count >= self._least(tally.notes))
        if not kept:
            raise NoWordsError(
                f"no word is left: {tally.notes} notes have {len(tally.features)} distinct words, none in "
                f"min_df={self.min_df} notes; lower min_df, or check that X holds the notes and not something else"
            )
        self.vocabulary_ = {feature: column for column, feature in enumerate(kept)}
        self.idf_ = np.log2(tally.notes / np.array([tally.features[feature] for feature in kept]))
        self.spelling_ = self._spellings(tally.words)

    def _least(self, notes: int) -> float:
        """In how many of these notes a word must be."""
        return max(float(self.min_df if isinstance(self.min_df, Integral) else self.min_df * notes), 1.0)

    def _read(self, notes: list[str]) -> tuple[Any, list[str]]:
        """The words of the notes as they are written: ids with END_ID after each note, and the word of each id."""
        stream = tokens.Stream(notes)
        return features.expanded(stream.ids, stream.tokens, self.abbreviations or {})

    def _spellings(self, written: Counter[str]) -> dict[str, str]:
        """Each feature as people write it: a stem in its most frequent form."""
        words = sorted(written, key=written.__getitem__)
        usual = dict(zip(self._meanings(words)[0], words, strict=True))  # the most frequent comes last and stays
        return {feature: " ".join(_spelled(part, usual) for part in feature.split(" ")) for feature in self.vocabulary_}

    def _features(self, ids: Any, words: list[str], low: int, high: int) -> tuple[Any, list[str]]:
        """The stream of features of notes: ids with END_ID after each note, and the name of each id."""
        stems, content = self._meanings(words)
        names: dict[str, int] = {}
        plain = np.array(
            [names.setdefault(s, len(names)) if c else tokens.BREAK_ID for s, c in zip(stems, content, strict=True)], np.int32
        )
        plain = np.append(plain, [tokens.BREAK_ID, tokens.END_ID, tokens.BREAK_ID]).astype(np.int32)  # as in NEGATIVE_IDS
        stream = plain[ids]
        if self.negation == "mark":
            roles = np.array([ROLES.get(word, tokens.OTHER) for word in words], np.uint8)
            reached = tokens.mark_negated(ids, roles, content, SCOPE)
            turned = np.array([names.setdefault(MARK + name, len(names)) for name in list(names)], np.int32)
            stream[reached] = turned[stream[reached]]
        return features.ngrams(stream, list(names), low, high)

    def _meanings(self, words: list[str]) -> tuple[list[str], Any]:
        """For each distinct word its stem, and whether it is content."""
        stop = STOP if self.stop_words is None else frozenset(self.stop_words)
        stems = _stemmed(words) if self.stem else list(words)
        dropped = {word.lower() for word in self.drop_words or ()}
        dropped |= set(_stemmed(sorted(dropped))) if self.stem else set()
        content = [
            len(word) > 1 and word not in stop and word not in dropped and stem not in dropped
            for word, stem in zip(words, stems, strict=True)
        ]
        return stems, np.array(content, bool)

    def _weighted(self, counts: Any) -> Any:
        if self.weighting == "binary":
            counts.data[:] = 1.0
        elif self.weighting != "count":
            counts.data *= self.idf_[counts.indices]
        if self.weighting == "tfidf" and counts.shape[0]:
            counts = normalize(counts, copy=False)
        return counts

    def _checked_range(self) -> tuple[int, int]:
        low, high = self.ngram_range
        if not 1 <= low <= high <= 2:
            raise ValueError(f"ngram_range={self.ngram_range} must be (1, 1), (1, 2) or (2, 2)")
        return low, high

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags


def _spelled(part: str, usual: dict[str, str]) -> str:
    return MARK + usual[part[len(MARK) :]] if part not in usual and part.startswith(MARK) else usual[part]


def _stemmed(words: list[str]) -> list[str]:
    try:
        import Stemmer
    except ImportError:
        raise ImportError("stemming needs PyStemmer, in the extra 'app': python -m pip install 'sonmf[app]'") from None
    return list(Stemmer.Stemmer("english", 0).stemWords(words))  # no cache: each distinct word comes once
