"""Topics of an earlier model over another vocabulary: a start for a new fit, which finds some of them again."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonmf.stability import counterparts
from sonmf.stiefel import polar
from sonmf.text import NotesVectorizer
from sonmf.types import Array

LEFT = 0.5  # share of a topic's length on the words that are still there; with less it is another topic


class WarmStart(NamedTuple):
    """Topics with their words."""

    words: list[str]
    components: Array
    """The topics, one in each row."""

    def among(self, vectorizer: NotesVectorizer, n_topics: int, fixed: int = 0) -> Array | None:
        """The start F for a fit with these words: the nearest orthonormal matrix, a new word with weight 0.

        A topic that has lost most of its words is left out, and the fit looks for another one; so are those beyond the
        ``n_topics`` of the new fit. The first ``fixed`` topics stay in their places. None if no topic is left.
        """
        F = self.over_words([str(word) for word in vectorizer.get_feature_names_out()])[:n_topics].T
        there = np.linalg.norm(F, axis=0) >= LEFT
        there[:fixed] = True
        return np.asarray(polar(F[:, there])) if there.any() else None

    def over_words(self, words: list[str]) -> Array:
        """The topics over other words, one in each row; words of the old vocabulary that are missing there are dropped."""
        place = {word: j for j, word in enumerate(words)}
        shared = [(j, place[word]) for j, word in enumerate(self.words) if word in place]
        topics = np.zeros((len(self.components), len(words)))
        if shared:
            here, there = map(list, zip(*shared, strict=True))
            topics[:, there] = self.components[:, here]
        return topics

    def found_in(self, other: WarmStart) -> tuple[Array, Array]:
        """The counterpart of each topic in another fit (-1 if there is none) and their cosine, over the words of both."""
        words = [*self.words, *sorted(set(other.words) - set(self.words))]
        return counterparts(self.over_words(words), other.over_words(words))
