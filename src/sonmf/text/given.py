"""Notes as people give them: lists, a column of a table, some of them missing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def as_notes(X: Iterable[Any], first: int = 0) -> list[str]:
    """Notes as text, missing ones as empty; ``first`` is the number of the first one, should any be refused."""
    if isinstance(X, str):
        raise ValueError("X is one string: give a list of notes, [X] for a single one")
    notes = []
    for number, note in enumerate(X, first):
        if isinstance(note, str):
            notes.append(note)
        elif note is None or type(note).__name__ == "NAType" or note != note:  # NaN differs from itself
            notes.append("")
        else:
            raise ValueError(f"note {number} is {type(note).__name__}, not text: give strings, or None where one is missing")
    return notes


def one_column(X: Any) -> Any:
    """The notes of a table; anything else as it is."""
    if getattr(X, "ndim", 1) != 2 or not hasattr(X, "columns"):
        return X
    names = [str(name) for name in X.columns]
    if len(names) != 1:
        raise ValueError(f"X is a table with the columns {', '.join(names)}: give the one with the notes")
    return X.iloc[:, 0]
