"""How notes become features: abbreviations, stems, stop words, negations and pairs of words; and where these stand."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import scipy.sparse

from sonmf.errors import InputError
from sonmf.frames import DataFrame, Series
from sonmf.text import lexicon, tokens
from sonmf.text.lexicon import DENIED, MARK
from sonmf.text.tokens import Place, Stream
from sonmf.types import Array

LIMIT = np.iinfo(np.int32).max
SCOPE = 6  # content words that a negation reaches
ROLES = (
    dict.fromkeys(lexicon.ENDINGS, tokens.ENDS)
    | dict.fromkeys(lexicon.ENDINGS_AFTER_COMMA, tokens.ENDS_ITEM)
    | dict.fromkeys(lexicon.NEGATIONS - lexicon.WITHOUT_SCOPE, tokens.PLAIN)
    | dict.fromkeys(lexicon.LISTING_WITH_OR, tokens.NOUN)
    | dict.fromkeys(lexicon.LISTING, tokens.LIST)
    | dict.fromkeys(lexicon.LISTING_WITH_FOR, tokens.IF_FOR)
    | {"and": tokens.AND, "or": tokens.OR, "for": tokens.FOR, "w": tokens.WITH, "o": tokens.SHORT_O}
)
"""What each word does to the scope of a negation."""

Trace = list[tuple[int, int, list[str]]]
"""Start and stop of each run of letters, with the features that it stands for."""


def as_notes(X: Iterable[object], first: int = 0) -> list[str]:
    """The notes of a list or column as text, missing ones empty; ``first`` is the number of the first one, for messages."""
    if isinstance(X, str):
        raise InputError("X is one string: give a list of notes, [X] for a single one")
    notes = []
    for number, note in enumerate(X, first):
        if isinstance(note, str):
            notes.append(note)
        elif note is None or type(note).__name__ == "NAType" or note != note:  # NaN differs from itself
            notes.append("")
        else:
            raise InputError(f"note {number} is {type(note).__name__}, not text: give strings, or None where one is missing")
    return notes


def one_column(X: DataFrame | Series) -> Series:
    """The only column of a table; anything else is returned as it is."""
    if getattr(X, "ndim", 1) != 2 or not hasattr(X, "columns"):
        return X
    names = [str(name) for name in X.columns]
    if len(names) != 1:
        raise InputError(f"X is a table with the columns {', '.join(names)}: give the column with the notes")
    return X.iloc[:, 0]


class NoteReader(NamedTuple):
    """The settings of a ``NotesVectorizer`` that decide which features a note has."""

    abbreviations: dict[str, list[str]]
    """The words that a token stands for, in lower case."""
    stop_words: frozenset[str]
    drop_words: frozenset[str]
    stem: bool
    mark_negated: bool
    low: int
    """Fewest words of a feature: 1 or 2."""
    high: int
    """Most words of a feature: 1 or 2."""

    def words(self, notes: list[str]) -> Stream:
        """The words of notes as they are written, abbreviations in full."""
        return expand(tokens.read(notes), self.abbreviations)

    def features(self, words: Stream) -> Stream:
        """The features of notes, from their words."""
        return ngrams(self.single_features(words), self.low, self.high)

    def single_features(self, words: Stream) -> Stream:
        """The features of notes without pairs of words: one entry for each word, BREAK_ID where it is not a feature."""
        stems, content = self._stems_and_content(words.names)
        names: dict[str, int] = {}
        plain = np.array(
            [names.setdefault(s, len(names)) if c else tokens.BREAK_ID for s, c in zip(stems, content, strict=True)], np.int32
        )
        plain = np.append(plain, [tokens.BREAK_ID, tokens.END_ID, tokens.BREAK_ID]).astype(np.int32)  # as in NEGATIVE_IDS
        stream = plain[words.ids]
        if self.mark_negated:
            roles = np.array([ROLES.get(word, tokens.OTHER) for word in words.names], np.uint8)
            negated = tokens.mark_negated(words.ids, roles, content, SCOPE)
            marked = np.array([names.setdefault(MARK + name, len(names)) for name in list(names)], np.int32)
            stream[negated] = marked[stream[negated]]
        return Stream(stream, list(names))

    def spellings(self, occurrences: Counter[str], vocabulary: list[str]) -> dict[str, str]:
        """Each feature as people write it: a stem in its most frequent form."""
        words = sorted(occurrences, key=occurrences.__getitem__)
        usual = dict(zip(self._stems_and_content(words)[0], words, strict=True))  # the most frequent comes last and stays
        return {feature: " ".join(_spell(part, usual) for part in feature.split(" ")) for feature in vocabulary}

    def _stems_and_content(self, words: list[str]) -> tuple[list[str], Array]:
        """The stem of each distinct word, and whether it is a content word."""
        stems = stem_words(words) if self.stem else list(words)
        dropped = self.drop_words.union(stem_words(sorted(self.drop_words)) if self.stem else ())
        content = [
            len(word) > 1 and word not in self.stop_words and word not in dropped and stem not in dropped
            for word, stem in zip(words, stems, strict=True)
        ]
        return stems, np.array(content, bool)


def _spell(part: str, usual: dict[str, str]) -> str:
    return MARK + usual[part[len(MARK) :]] if part not in usual and part.startswith(MARK) else usual[part]


def stem_words(words: list[str]) -> list[str]:
    """The stem of each word, by Snowball."""
    try:
        import Stemmer
    except ImportError:
        raise ImportError("stemming needs PyStemmer, in the extra 'text': python -m pip install 'sonmf[text]'") from None
    return list(Stemmer.Stemmer("english", 0).stemWords(words))  # no cache: each distinct word comes once


class OneNote(NamedTuple):
    """A note as the reader of notes sees it."""

    note: str
    reader: NoteReader
    places: list[Place]
    words: Stream
    single: Stream
    """The feature of each word, without pairs of words."""

    @classmethod
    def read(cls, note: str, reader: NoteReader) -> OneNote:
        """Tokens, places and single features of a note."""
        spelled, places = tokens.read_with_places(note)
        words = expand(spelled, reader.abbreviations)
        return cls(note, reader, places, words, reader.single_features(words))

    @property
    def features(self) -> Stream:
        """All features, pairs of words included."""
        return ngrams(self.single, self.reader.low, self.reader.high)

    def trace(self) -> Trace:
        """The features of each run of letters; a pair of words stands with both of them."""
        feature, place = self._by_word()
        of_words = [[self.single.names[number]] if number >= 0 else [] for number in feature.tolist()]
        if self.reader.high == 2:
            of_words = with_pairs(of_words, keep_single=self.reader.low == 1)
        at_place: list[list[str]] = [[] for _ in self.places]
        for number, names in zip(place.tolist(), of_words, strict=True):
            at_place[number] += names
        return [(start, stop, names) for (start, stop, _), names in zip(self.places, at_place, strict=True)]

    def unknown(self, vocabulary: Collection[str]) -> list[str]:
        """The words that are not in the vocabulary, each once, as the note spells them."""
        known = vocabulary if self.reader.low == 1 else {part for pair in vocabulary for part in pair.split()}
        unknown = np.array([name not in known for name in self.single.names], bool)
        if not unknown.any():
            return []
        feature, place = self._by_word()
        content = feature >= 0
        place, used = place[content], feature[content]
        partly_known = np.bincount(place, ~unknown[used], len(self.places)) > 0  # an abbreviation may stand for several words
        listed = np.flatnonzero(~partly_known[place])
        _, first = np.unique(used[listed], return_index=True)
        return list(dict.fromkeys(self._spelt(place[i], self.single.names[used[i]]) for i in listed[np.sort(first)]))

    def _by_word(self) -> tuple[Array, Array]:
        """The feature of each word, and the number of the run of letters that it comes from."""
        lengths = [len(self.reader.abbreviations.get(token, " ")) for _, _, token in self.places]
        return self.single.ids[self.words.ids >= 0], np.repeat(np.arange(len(self.places)), lengths)

    def _spelt(self, place: int, feature: str) -> str:
        """A feature as the note spells it, after "no" if the note denies it."""
        start, stop, _ = self.places[place]
        marked = self.reader.mark_negated and feature.startswith(MARK)
        return (DENIED if marked else "") + self.note[start:stop]


# ---- streams of words to streams of features and to a matrix ----


def expand(stream: Stream, abbreviations: dict[str, list[str]]) -> Stream:
    """Replace each abbreviation by the words that it stands for."""
    ids, words = stream
    if not any(word in abbreviations for word in words):
        return stream
    index: dict[str, int] = {}
    spelled = [[index.setdefault(w, len(index)) for w in abbreviations.get(word, [word])] for word in words]
    first = np.cumsum([0] + [len(s) for s in spelled])
    flat = np.array([w for s in spelled for w in s] + tokens.NEGATIVE_IDS, np.int32)
    length = np.append(np.diff(first), [1, 1, 1])
    start = np.append(first[:-1], len(flat) + np.array([-3, -2, -1]))
    count = length[ids]
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return Stream(flat[np.repeat(start[ids], count) + within], list(index))


def ngrams(single: Stream, low: int, high: int) -> Stream:
    """Single words, pairs of neighbouring words of a note, or both."""
    if high == 1:
        return single
    ids, names = single
    stream = ids[ids != tokens.BREAK_ID]
    pairs = np.flatnonzero((stream[:-1] >= 0) & (stream[1:] >= 0))
    code = stream[pairs].astype(np.int64) * len(names) + stream[pairs + 1]
    distinct, inverse = np.unique(code, return_inverse=True)
    spelled = [f"{names[a]} {names[b]}" for a, b in zip(distinct // len(names), distinct % len(names), strict=True)]
    singles = names if low == 1 else []
    body = stream if low == 1 else np.where(stream >= 0, tokens.BREAK_ID, stream)
    return Stream(np.insert(body, pairs + 1, (inverse + len(singles)).astype(np.int32)), [*singles, *spelled])


def with_pairs(of_words: list[list[str]], *, keep_single: bool) -> list[list[str]]:
    """Pairs of neighbouring content words, each with both of its words."""
    content = [i for i, features in enumerate(of_words) if features]
    result = [list(features) if keep_single else [] for features in of_words]
    for a, b in pairwise(content):
        pair = f"{of_words[a][0]} {of_words[b][0]}"
        result[a].append(pair)
        result[b].append(pair)
    return result


def sort_names(stream: Stream) -> Stream:
    """A stream with its names in alphabetical order."""
    ids, names = stream
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = np.empty(len(names) + 2, np.int32)
    rank[order] = np.arange(len(names), dtype=np.int32)
    rank[-2:] = tokens.END_ID, tokens.BREAK_ID
    return Stream(rank[ids], [names[old] for old in order])


def count_matrix(ids: Array, rows: int, columns: int) -> scipy.sparse.csr_array:
    """How often each feature occurs in each note."""
    is_word = ids >= 0
    indptr = np.zeros(rows + 1, np.int32 if len(ids) <= LIMIT else np.int64)
    indptr[1:] = np.cumsum(is_word)[ids == tokens.END_ID]
    counts = scipy.sparse.csr_array((np.ones(indptr[-1]), ids[is_word], indptr), shape=(rows, columns))
    counts.sum_duplicates()
    return counts


def select_columns(counts: scipy.sparse.csr_array, columns: Array) -> scipy.sparse.csr_array:
    """A matrix with only these columns, which are given in ascending order."""
    place = np.full(counts.shape[1], -1, np.int32)
    place[columns] = np.arange(len(columns), dtype=np.int32)
    chosen = place[counts.indices] >= 0
    indptr = np.concatenate([[0], np.cumsum(chosen)])[counts.indptr].astype(counts.indptr.dtype)
    parts = counts.data[chosen], place[counts.indices[chosen]], indptr
    return scipy.sparse.csr_array(parts, shape=(counts.shape[0], len(columns)))
