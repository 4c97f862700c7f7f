"""One note read in full: its features with their places in the text, and the words that a fit does not know."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from sonmf.text import features, tokens
from sonmf.text.lexicon import MARK
from sonmf.text.note_reader import NoteReader
from sonmf.text.tokens import Place, Stream
from sonmf.types import Array

Trace = list[tuple[int, int, list[str]]]
"""Start and stop of each run of letters, with the features that it stands for."""


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
