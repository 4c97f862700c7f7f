"""A note as it was typed, each word with what it adds to the log-odds: with the intercept the words add up to the forecast."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import NamedTuple

from sonmf.triage.complaint import ComplaintModel


class Piece(NamedTuple):
    """A stretch of the note; ``known`` is None where no word could count (numbers, punctuation, stop words)."""

    text: str
    contribution: float
    known: bool | None


def coloured(one: ComplaintModel, note: str) -> list[Piece]:
    """The note in pieces; a word that occurs several times shares its contribution evenly, a pair of words its own."""
    X = one.vectorizer.transform([note])
    names = [one.words[j] for j in X.indices]
    parts = dict(zip(names, (X.data * one.word_effects[X.indices]).tolist(), strict=True))
    trace = one.vectorizer.trace(note)
    times = Counter(chain.from_iterable(features for _, _, features in trace))
    shares = {feature: part / times[feature] for feature, part in parts.items()}
    pieces, at = [], 0
    for start, stop, features in trace:
        if features:
            if start > at:
                pieces.append(Piece(note[at:start], 0.0, None))
            found = [shares[feature] for feature in features if feature in shares]
            pieces.append(Piece(note[start:stop], sum(found, 0.0), bool(found)))
            at = stop
    return [*pieces, Piece(note[at:], 0.0, None)] if at < len(note) else pieces
