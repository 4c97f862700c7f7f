"""What the words of notes add up to, wherever the notes are: the part of a fit that travels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sonmf import tall


class Tally(NamedTuple):
    """Counts of some notes; the counts of all are their sum."""

    notes: int
    features: Counter[str]
    """Notes that have each feature."""
    words: Counter[str]
    """Occurrences of each word as it is written, in the order of first appearance."""


def occurring(names: Iterable[str], counts: Iterable[int]) -> Counter[str]:
    """The counts that are not zero."""
    return +Counter(dict(zip(names, counts, strict=True)))


def added(parts: Sequence[Tally]) -> Tally:
    """The tally of all notes; in the order of the parts, so that first appearances stay first."""
    return Tally(*tall.added(parts))
