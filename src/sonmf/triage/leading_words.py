"""The words that tell the meaning of each topic: found while the notes are there, and kept in the record of the fit."""

from __future__ import annotations

from collections.abc import Sequence

from sonmf.text.topic_words import Ranking, Side, by_correlation
from sonmf.triage.records import LeadingOfTopic, LeadingWords
from sonmf.types import Array, Matrix

DIGITS = 4  # of a correlation that is kept


def find_leading_words(X: Matrix, components: Array) -> list[LeadingOfTopic]:
    """Of each topic, from the weights of the words in the training notes."""
    return [
        LeadingOfTopic(_kept(one.positive), _kept(one.negative), round(one.negative_share or 0.0, DIGITS))
        for one in by_correlation(X, components)
    ]


def _kept(side: Side) -> LeadingWords:
    return LeadingWords([column for column, _ in side], [round(r, DIGITS) for _, r in side])


def as_rankings(kept: Sequence[LeadingOfTopic]) -> list[Ranking]:
    """The same as ``in_words`` takes it."""
    return [Ranking(_side(one.positive), _side(one.negative), one.negative_share) for one in kept]


def _side(kept: LeadingWords) -> Side:
    return list(zip(kept.columns, kept.correlations, strict=True))
