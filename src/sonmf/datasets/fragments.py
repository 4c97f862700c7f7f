"""A fragment of each of many notes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from sonmf.types import Array


@dataclass(frozen=True)
class Fragments:
    """A fragment of each note, and its number of words."""

    text: Array
    words: Array

    @classmethod
    def of(cls, options: Sequence[str]) -> Self:
        """Phrases with their numbers of words."""
        return cls(np.array(options, object), np.array([len(option.split()) for option in options]))

    @classmethod
    def between(cls, options: Sequence[str]) -> Self:
        """Separators between two phrases: ", " adds no word, "/" joins two words into one."""
        return cls(np.array(options, object), np.array([len(f"a{option}b".split()) - 2 for option in options]))

    def __add__(self, other: Fragments) -> Fragments:
        return Fragments(self.text + other.text, self.words + other.words)

    def __getitem__(self, chosen: Array) -> Fragments:
        return Fragments(self.text[chosen], self.words[chosen])

    def where(self, kept: Array) -> Fragments:
        """The fragment in some notes, nothing in the others."""
        return Fragments(np.where(kept, self.text, ""), self.words * kept)
