"""How notes become features: abbreviations, stems, stop words, negations and pairs of words; one note with their places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from sonmf.text import features, lexicon, tokens
from sonmf.text.lexicon import MARK
from sonmf.text.tokens import Place, Stream
from sonmf.types import Array

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
"""What words do to the scope of a negation."""

Trace = list[tuple[int, int, list[str]]]
"""Start and stop of each run of letters, with the features that it stands for."""


class NoteReader(NamedTuple):
    """The settings of a ``NotesVectorizer`` that decide which features a note has."""

    abbreviations: dict[str, list[str]]
    """The words that a token stands for, in lower case."""
    stop_words: frozenset[str]
    drop_words: frozenset[str]
    stem: bool
    mark_negated: bool
    low: int
    """Fewest and most words of a feature: 1 or 2."""
    high: int

    def words(self, notes: list[str]) -> Stream:
        """The words of notes as they are written, abbreviations in full."""
        return features.expand(tokens.read(notes), self.abbreviations)

    def features(self, words: Stream) -> Stream:
        """The features of notes, from their words."""
        return features.ngrams(self.single_features(words), self.low, self.high)

    def single_features(self, words: Stream) -> Stream:
        """The same without pairs of words: one entry for each word, BREAK_ID where it is not a feature."""
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
        """For each distinct word its stem, and whether it is a content word."""
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
        raise ImportError("stemming needs PyStemmer, in the extra 'app': python -m pip install 'sonmf[app]'") from None
    return list(Stemmer.Stemmer("english", 0).stemWords(words))  # no cache: each distinct word comes once


class OneNote(NamedTuple):
    """A note as a reader sees it."""

    note: str
    reader: NoteReader
    places: list[Place]
    words: Stream
    single: Stream
    """The feature of each word, without pairs of words."""

    @classmethod
    def read(cls, note: str, reader: NoteReader) -> OneNote:
        """Tokens, places and single features of a note."""
        found, places = tokens.read_with_places(note)
        words = features.expand(found, reader.abbreviations)
        return cls(note, reader, places, words, reader.single_features(words))

    @property
    def features(self) -> Stream:
        """All features, pairs of words included."""
        return features.ngrams(self.single, self.reader.low, self.reader.high)

    def trace(self) -> Trace:
        """The features of each run of letters; a pair of words stands with both of them."""
        feature, place = self._by_word()
        found = [[self.single.names[number]] if number >= 0 else [] for number in feature.tolist()]
        if self.reader.high == 2:
            found = features.with_pairs(found, keep_single=self.reader.low == 1)
        at_place: list[list[str]] = [[] for _ in self.places]
        for at, some in zip(place.tolist(), found, strict=True):
            at_place[at] += some
        return [(start, stop, some) for (start, stop, _), some in zip(self.places, at_place, strict=True)]

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
        """A feature as the note spells it, with the mark of a negation."""
        start, stop, _ = self.places[place]
        marked = self.reader.mark_negated and feature.startswith(MARK)
        return (MARK if marked else "") + self.note[start:stop]
