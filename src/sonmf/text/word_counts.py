"""Counts of words, wherever the notes are: what a fit on a cluster has to collect."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from sonmf import device_arrays


class WordCounts(NamedTuple):
    """Counts of some notes; the counts of all notes are their sum."""

    notes: int
    features: Counter[str]
    """Notes that have each feature."""
    words: Counter[str]
    """Occurrences of each word as it is written, in the order of first appearance."""


def nonzero_counts(names: Iterable[str], counts: Iterable[int]) -> Counter[str]:
    """The counts that are not zero."""
    return +Counter(dict(zip(names, counts, strict=True)))


def add_counts(parts: Sequence[WordCounts]) -> WordCounts:
    """The counts of all notes, in the order of the parts, so that first appearances stay first."""
    return WordCounts(*device_arrays.add_up(parts))
