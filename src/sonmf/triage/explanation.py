"""log-odds = intercept + topics and outcome axes, each the sum of its words, + columns: a forecast in exact parts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

from sonmf.text import Analysis, Located
from sonmf.triage.labels import label_of


class TopicPart(NamedTuple):
    """What one topic, or one outcome axis, adds to the log-odds, and which words of the note it comes from.

    Examples
    --------
    >>> from sonmf.triage import TopicPart
    >>> part = TopicPart(
    ...     topic=2,
    ...     name="fever/chills",
    ...     contribution=0.5,
    ...     words={"fever": 0.4, "chills": 0.1},
    ... )
    >>> sum(part.words.values()) == part.contribution
    True
    """

    topic: int
    """The number of the topic among the topics, or of the axis among the axes."""
    name: str
    contribution: float
    words: dict[str, float]
    """Words as people spell them, with what each adds."""


class ColumnPart(NamedTuple):
    """What one column, or one measurement of the note, adds to the log-odds.

    Examples
    --------
    >>> from sonmf.triage import ColumnPart
    >>> ColumnPart(name="age", value=83.0, contribution=0.7, measured=True).contribution
    0.7
    """

    name: str
    value: float | str | None
    """The value; None if it is missing or was not given."""
    contribution: float
    measured: bool
    """Whether the value was read from the note."""


class Piece(NamedTuple):
    """A stretch of the note as it was typed.

    Examples
    --------
    >>> from sonmf.triage import Piece
    >>> pieces = [
    ...     Piece("fever", 0.4, True, ""),
    ...     Piece(", ", 0.0, None, ""),
    ...     Piece("HR 120", 0.2, True, "heart_rate"),
    ... ]
    >>> "".join(piece.text for piece in pieces)
    'fever, HR 120'
    """

    text: str
    contribution: float
    """What its words and numbers add to the log-odds."""
    known: bool | None
    """Whether the model knows it; None where nothing could count (punctuation, stop words, other numbers)."""
    measurement: str
    """Names of the measurements that stand here, usually none."""

    @property
    def label(self) -> str:
        """The measurements as people call them."""
        return ", ".join(map(label_of, filter(None, self.measurement.split(", "))))


class Explanation(NamedTuple):
    """log_odds = intercept + contributions of topics, axes and columns: one forecast and its exact parts.

    Examples
    --------
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.triage import TriageModel
    >>> notes = make_triage_notes(500, complaints=["Fever"], random_state=0)
    >>> model = TriageModel(n_topics=5).fit(notes["note"], notes["disposition"])
    >>> why = model.explain("72 yo m, fever, lethargic, HR 120")
    >>> parts = [part.contribution for part in (*why.topics, *why.axes, *why.columns)]
    >>> abs(why.intercept + sum(parts) - why.log_odds) < 1e-12
    True
    """

    probability: float
    log_odds: float
    intercept: float
    topics: list[TopicPart]
    """Topics, which were found without the outcome; the largest contribution first, in either direction."""
    axes: list[TopicPart]
    """Outcome axes, which were made from the outcome (``TriageModel(outcome_axes=2)``); the largest contribution first."""
    columns: list[ColumnPart]
    """A part for each column and measurement that the model knows; the largest contribution first."""
    base_rate: float
    """Share of admissions among the training notes of this complaint."""
    model: str
    """The complaint whose model was used; empty for the pooled model."""
    unknown: list[str]
    """Words of the note that the model does not know, as they are spelt there."""
    pieces: list[Piece]
    """The note as it was typed: with the intercept and the columns that are not read from it, they add up to ``log_odds``."""
    remark: str
    """What a reader must know, for example that no word is known; usually empty."""

    @property
    def words(self) -> dict[str, float]:
        """What each word of the note adds to the log-odds over all topics and axes, largest first in either direction."""
        total: dict[str, float] = {}
        for topic in (*self.topics, *self.axes):
            for word, part in topic.words.items():
                total[word] = total.get(word, 0.0) + part
        return dict(sorted(total.items(), key=lambda item: -abs(item[1])))


def cut_into_pieces(
    note: str, analysis: Analysis, by_feature: Mapping[str, float], numbers: Sequence[Located], by_number: Mapping[str, float]
) -> list[Piece]:
    """The note in pieces; a word that occurs several times shares its contribution evenly, a pair of words its own.

    ``by_feature`` and ``by_number`` tell what each known feature and each measurement that counts adds; others are passed over.
    """
    times = Counter(chain.from_iterable(features for _, _, features in analysis.trace))
    placed = []
    for start, stop, features in analysis.trace:
        if features:
            parts = [by_feature[name] / times[name] for name in features if name in by_feature]
            placed.append((start, stop, Piece("", sum(parts, 0.0), bool(parts), "")))
    for name, _, start, stop in numbers:
        if name in by_number:
            placed.append((start, stop, Piece("", by_number[name], True, name)))
    pieces, at = [], 0
    for start, stop, piece in _merge_overlaps(sorted(placed, key=lambda at: at[:2])):
        if start > at:
            pieces.append(Piece(note[at:start], 0.0, None, ""))
        pieces.append(piece._replace(text=note[start:stop]))
        at = stop
    return [*pieces, Piece(note[at:], 0.0, None, "")] if at < len(note) else pieces


Placed = tuple[int, int, Piece]


def _merge_overlaps(placed: list[Placed]) -> list[Placed]:
    """Merge pieces that overlap: the F of "81YOF" is a sex within a word."""
    merged: list[Placed] = []
    for start, stop, piece in placed:
        if merged and start < merged[-1][1]:
            before, end, other = merged.pop()
            names = ", ".join(filter(None, [other.measurement, piece.measurement]))
            known = bool(other.known or piece.known)
            merged.append((before, max(stop, end), Piece("", other.contribution + piece.contribution, known, names)))
        else:
            merged.append((start, stop, piece))
    return merged
