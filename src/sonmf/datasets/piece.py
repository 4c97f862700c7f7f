"""A piece of many notes at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np

from sonmf.types import Array


@dataclass(frozen=True)
class Piece:
    """A piece of each note, and how many words it has."""

    text: Array
    words: Array

    @classmethod
    def of(cls, options: Sequence[str]) -> Self:
        """Phrases, their words counted."""
        return cls(np.array(options, object), np.array([len(option.split()) for option in options]))

    @classmethod
    def between(cls, options: Sequence[str]) -> Self:
        """What stands between two phrases: ", " has no word of its own, "/" makes two words one."""
        return cls(np.array(options, object), np.array([len(f"a{option}b".split()) - 2 for option in options]))

    def __add__(self, other: Piece) -> Piece:
        return Piece(self.text + other.text, self.words + other.words)

    def __getitem__(self, chosen: Array) -> Piece:
        return Piece(self.text[chosen], self.words[chosen])

    def where(self, kept: Array) -> Piece:
        """The same in some notes, nothing in the others."""
        return Piece(np.where(kept, self.text, ""), self.words * kept)
