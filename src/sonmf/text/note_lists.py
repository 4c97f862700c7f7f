"""Notes from a list or from a column of a table, some of them missing."""

from __future__ import annotations

from collections.abc import Iterable

from sonmf.frames import DataFrame, Series


def as_notes(X: Iterable[object], first: int = 0) -> list[str]:
    """Notes as text, missing ones empty; ``first`` is the number of the first one, for messages."""
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


def one_column(X: DataFrame | Series) -> Series:
    """The column of a table that has only one; anything else as it is."""
    if getattr(X, "ndim", 1) != 2 or not hasattr(X, "columns"):
        return X
    names = [str(name) for name in X.columns]
    if len(names) != 1:
        raise ValueError(f"X is a table with the columns {', '.join(names)}: give the column with the notes")
    return X.iloc[:, 0]
