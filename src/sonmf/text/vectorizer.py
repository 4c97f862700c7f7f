"""Notes to a weighted document-word matrix."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from copy import copy
from numbers import Integral, Real
from typing import TYPE_CHECKING, ClassVar, NamedTuple, Self

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import TransformerMixin
from sklearn.preprocessing import normalize
from sklearn.utils.validation import check_is_fitted

from sonmf.errors import InputError
from sonmf.sklearn_private import CheckedParameters, Interval, StrOptions, fit_context
from sonmf.text import partitions, tokens
from sonmf.text.lexicon import STOP
from sonmf.text.note_reader import NoteReader, OneNote, Trace, as_notes, count_matrix, one_column, select_columns, sort_names
from sonmf.text.partitions import CorpusCounts
from sonmf.text.tokens import Stream
from sonmf.types import Array, Matrix

if TYPE_CHECKING:
    from sklearn.utils import Tags


class NoWordsError(InputError):
    """No word occurs in enough notes."""


class Analysis(NamedTuple):
    """One note as a ``NotesVectorizer`` reads it.

    Examples
    --------
    >>> from sonmf.text import NotesVectorizer
    >>> reader = NotesVectorizer(min_df=1).fit(["cough and fever", "no fever"])
    >>> analysis = reader.analyse("Fever, wheezing")
    >>> analysis.row.shape, analysis.unknown
    ((1, 3), ['wheezing'])
    """

    row: csr_array
    """The row of the matrix for this note."""
    trace: Trace
    """Start and stop of each run of letters, with the features that it stands for."""
    unknown: list[str]
    """Words that the fit did not see or left out, as they are spelt."""


class NotesVectorizer(TransformerMixin, CheckedParameters):
    """x_ij = tf_ij log2(n / df_j), or another weighting: notes to a sparse document-word matrix.

    Notes are put in lower case. Numbers, punctuation and stop words are removed, negations are kept, and "28YOF" is split.
    Snowball reduces words to stems. Missing notes (None, NaN) count as empty. Notes in dask stay where they are: only counts
    are collected, and the matrix is a dask array. The class needs the extra ``text`` (PyStemmer).

    Parameters
    ----------
    weighting : {"tfidf", "paper-tfidf", "binary", "count"}, default="tfidf"
        ``"paper-tfidf"`` is tf x log2(n / df) as in the paper, ``"tfidf"`` the same with every note scaled to unit length,
        ``"binary"`` 1 for a word that occurs, ``"count"`` how often.
    min_df : int or float, default=5
        Words in fewer notes than this (or in a smaller share of them) are left out, because they can identify a patient.
    ngram_range : tuple of two ints, default=(1, 1)
        (1, 2) adds pairs of neighbouring words (stop words left out), written "chest pain".
    negation : {"mark"} or None, default=None
        With ``"mark"``, words in the scope of a negation (no, not, denies, without ...) become features of their own. The
        name of one is "not_pain", and people read "no pain". The scope ends with the clause: at a full stop, a number, or a
        word such as "but", "since" or "hx", and after six words. After "denies" and "negative for" it covers a whole list,
        and after "no" a list with an "or" in it.
    abbreviations : dict, optional
        What a token stands for, such as ``{"sob": "short of breath"}``.
    drop_words : iterable of str, optional
        Words to leave out, such as those that give away the outcome; a stem drops all its forms.
    stop_words : iterable of str, optional
        Words to use in place of the package's list.
    keep_words : iterable of str, optional
        Words to keep although they are in that list: "other" may be a complaint.
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

    _parameter_constraints: ClassVar[dict[str, list[object]]] = {
        "weighting": [StrOptions({"tfidf", "paper-tfidf", "binary", "count"})],
        "min_df": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0, 1, closed="both")],
        "ngram_range": [tuple],
        "negation": [StrOptions({"mark"}), None],
        "abbreviations": [dict, None],
        "drop_words": ["array-like", set, frozenset, None],
        "stop_words": ["array-like", set, frozenset, None],
        "keep_words": ["array-like", set, frozenset, None],
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
        keep_words: Iterable[str] | None = None,
        stem: bool = True,
    ) -> None:
        self.weighting = weighting
        self.min_df = min_df
        self.ngram_range = ngram_range
        self.negation = negation
        self.abbreviations = abbreviations
        self.drop_words = drop_words
        self.stop_words = stop_words
        self.keep_words = keep_words
        self.stem = stem

    def fit(self, X: Iterable[object], y: object = None) -> Self:
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
    def fit_transform(self, X: Iterable[object], y: object = None) -> Matrix:
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
        X = one_column(X)
        self._reader()  # refuses wrong parameters before any work is done
        if partitions.is_dask(X):
            counts, rows = partitions.count_words(copy(self)._word_counts, X)
            self._learn(counts)
            return self._in_partitions(X, rows)
        matrix, names, counts = self._count(as_notes(X))
        self._learn(counts)
        return self._weigh(select_columns(matrix, np.flatnonzero([name in self.vocabulary_ for name in names])))

    def transform(self, X: Iterable[object]) -> Matrix:
        """The matrix of notes, with the words and frequencies of the fit; other words are ignored.

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
        if partitions.is_dask(X):
            return self._in_partitions(X, partitions.lengths(X))
        notes, reader = as_notes(X), self._reader()
        return self._rows(reader.features(reader.words(notes)), len(notes))

    def _rows(self, features: Stream, n: int) -> csr_array:
        """The matrix of the known features of n notes."""
        ids, names = features
        column = np.array([self.vocabulary_.get(name, tokens.BREAK_ID) for name in names] or [tokens.BREAK_ID], np.int32)
        known = np.where(ids >= 0, column[np.maximum(ids, 0)], ids)
        return self._weigh(count_matrix(known, n, len(self.vocabulary_)))

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
        (text,) = as_notes([note])
        read = OneNote.read(text, self._reader())
        return Analysis(self._rows(read.features, 1), read.trace(), read.unknown(self.vocabulary_.keys()))

    def unknown_words(self, note: str) -> list[str]:
        """The words of a note that the fit did not see or left out, as the note spells them, without stop words and numbers.

        Parameters
        ----------
        note : str

        Returns
        -------
        list of str
            Each word once, in its first spelling, "no" before a word that only its negation makes unknown.
        """
        return self.analyse(note).unknown

    def count_words(self, X: Iterable[object], *, of_the_fit: bool = False) -> Array:
        """How many words each note has, and how many of them the fit did not see or left out, without stop words and numbers.

        Parameters
        ----------
        X : iterable of str
            The notes; None and NaN count as empty.
        of_the_fit : bool, default=False
            Whether these are all notes of the fit. Each is then judged as if it alone had been left out of the fit, so that the
            share of unknown words is what to expect in new notes: a word of just ``min_df`` notes would not be known.

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
        notes, reader = as_notes(X), self._reader()
        ids, names = reader.features(reader.words(notes))
        known = self._in_other_notes(len(notes)) if of_the_fit else self.vocabulary_.keys()
        unknown = np.array([name not in known for name in names], bool)
        words = ids >= 0
        note = np.cumsum(ids == tokens.END_ID)[words]
        counts = [np.bincount(note, weights, len(notes)) for weights in (None, unknown[ids[words]])]
        return np.column_stack(counts).astype(int)

    def _in_other_notes(self, notes: int) -> set[str]:
        """The words that would still be known without any one of the ``notes`` notes of the fit."""
        often = notes * np.exp2(-self.idf_)
        return {word for word, count in zip(self.vocabulary_, often, strict=True) if round(count) - 1 >= self._least(notes)}

    def trace(self, note: str) -> Trace:
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

    def get_feature_names_out(self, input_features: object = None) -> Array:
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

    def _in_partitions(self, X: partitions.DaskNotes, rows: list[int]) -> Matrix:
        return partitions.matrix(copy(self).transform, X, rows, len(self.vocabulary_))

    def _word_counts(self, X: Iterable[object]) -> CorpusCounts:
        return self._count(as_notes(X))[2]

    def _count(self, notes: list[str]) -> tuple[csr_array, list[str], CorpusCounts]:
        """How often each feature occurs in each note, the features in alphabetical order, and the counts of all notes."""
        reader = self._reader()
        words = reader.words(notes)
        features = sort_names(reader.features(words))
        matrix = count_matrix(features.ids, len(notes), len(features.names))
        in_notes = np.bincount(matrix.indices, minlength=len(features.names)).tolist()
        occurrences = np.bincount(words.ids[words.ids >= 0], minlength=len(words.names)).tolist()
        counts = CorpusCounts(
            len(notes),
            +Counter(dict(zip(features.names, in_notes, strict=True))),  # the sign drops those that do not occur
            +Counter(dict(zip(words.names, occurrences, strict=True))),
        )
        return matrix, features.names, counts

    def _learn(self, counts: CorpusCounts) -> None:
        """Choose the words from the counts of all notes."""
        vocabulary = sorted(feature for feature, count in counts.features.items() if count >= self._least(counts.notes))
        if not vocabulary:
            raise NoWordsError(
                f"no word is left: {counts.notes} notes have {len(counts.features)} distinct words, and none of them is in "
                f"min_df={self.min_df} notes; lower min_df, or check that X holds the notes and not something else"
            )
        self.vocabulary_ = {feature: column for column, feature in enumerate(vocabulary)}
        self.idf_ = np.log2(counts.notes / np.array([counts.features[feature] for feature in vocabulary]))
        self.spelling_ = self._reader().spellings(counts.words, vocabulary)

    def _least(self, notes: int) -> float:
        """The number of notes that must have a word, among this many."""
        return max(float(self.min_df if isinstance(self.min_df, Integral) else self.min_df * notes), 1.0)

    def _weigh(self, counts: csr_array) -> csr_array:
        if self.weighting == "binary":
            counts.data[:] = 1.0
        elif self.weighting != "count":
            counts.data *= self.idf_[counts.indices]
        if self.weighting == "tfidf" and counts.shape[0]:
            counts = normalize(counts, copy=False)
        return counts

    def effective_stop_words(self) -> frozenset[str]:
        """The stop words, without those that are kept."""
        stop = STOP if self.stop_words is None else frozenset(self.stop_words)
        return stop.difference(word.lower() for word in self.keep_words or ())

    def _reader(self) -> NoteReader:
        """The reader of notes that these settings describe."""
        low, high = self.ngram_range
        if not 1 <= low <= high <= 2:
            raise InputError(f"ngram_range={self.ngram_range} must be (1, 1), (1, 2) or (2, 2)")
        return NoteReader(
            {short.lower(): long.lower().split() for short, long in (self.abbreviations or {}).items()},
            self.effective_stop_words(),
            frozenset(word.lower() for word in self.drop_words or ()),
            self.stem,
            self.negation == "mark",
            low,
            high,
        )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.string, tags.input_tags.two_d_array = True, False
        return tags
