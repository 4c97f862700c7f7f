"""A note as it was typed, each word and number with what it adds to the log-odds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import chain

from sonmf.text import Analysis, Located
from sonmf.triage.explanation import Piece


def cut_into_pieces(
    note: str, analysis: Analysis, by_feature: Mapping[str, float], numbers: Sequence[Located], by_number: Mapping[str, float]
) -> list[Piece]:
    """The note in pieces; a word that occurs several times shares its contribution evenly, a pair of words its own.

    Parameters
    ----------
    note : str
    analysis : Analysis
        Where its words stand.
    by_feature : mapping of str to float
        What each known feature of the note adds.
    numbers : sequence of Located
        Its measurements.
    by_number : mapping of str to float
        What each measurement that counts adds; those that are not named here are passed over.

    Returns
    -------
    list of Piece
        Their texts are the note.
    """
    times = Counter(chain.from_iterable(features for _, _, features in analysis.trace))
    found = []
    for start, stop, features in analysis.trace:
        if features:
            parts = [by_feature[name] / times[name] for name in features if name in by_feature]
            found.append((start, stop, Piece("", sum(parts, 0.0), bool(parts), "")))
    for name, _, start, stop in numbers:
        if name in by_number:
            found.append((start, stop, Piece("", by_number[name], True, name)))
    return _whole(note, _merge_overlaps(sorted(found, key=lambda one: one[:2])))


Placed = tuple[int, int, Piece]


def _merge_overlaps(found: list[Placed]) -> list[Placed]:
    """What overlaps is one piece: the F of "81YOF" is a sex within a word."""
    kept: list[Placed] = []
    for start, stop, piece in found:
        if kept and start < kept[-1][1]:
            before, end, other = kept.pop()
            names = ", ".join(filter(None, [other.measurement, piece.measurement]))
            known = bool(other.known or piece.known)
            kept.append((before, max(stop, end), Piece("", other.contribution + piece.contribution, known, names)))
        else:
            kept.append((start, stop, piece))
    return kept


def _whole(note: str, found: list[Placed]) -> list[Piece]:
    """The pieces with their texts, and what stands between them."""
    pieces, at = [], 0
    for start, stop, piece in found:
        if start > at:
            pieces.append(Piece(note[at:start], 0.0, None, ""))
        pieces.append(piece._replace(text=note[start:stop]))
        at = stop
    return [*pieces, Piece(note[at:], 0.0, None, "")] if at < len(note) else pieces
