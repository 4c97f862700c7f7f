"""Where a row of delimited text cannot be split into cells: the csv module reports the line, but not the cell."""

from __future__ import annotations

from typing import NamedTuple

QUOTE = '"'


class BrokenCell(NamedTuple):
    """A cell that does not end where it should; lines and characters count from 1 within the row."""

    cell: int
    """Its number, from 0."""
    line: int
    """Where it begins."""
    mark: tuple[int, int] | None
    """Line and character of a quotation mark in it that neither ends it nor is doubled; None if it never ends."""


def find_broken_cell(text: str, separator: str) -> BrokenCell | None:
    """The first quoted cell of a row that is broken, None if there is none.

    Examples
    --------
    >>> from sonmf.sources.quoting import find_broken_cell
    >>> find_broken_cell('7,"cough, "dry" x3d",home', ",")
    BrokenCell(cell=1, line=1, mark=(1, 11))
    >>> find_broken_cell('7,"cough', ",")
    BrokenCell(cell=1, line=1, mark=None)
    """
    cell, at = 0, 0
    while at < len(text):
        if text[at] == QUOTE:
            begin, at = at, _closing(text, at + 1)
            if at < 0:
                return BrokenCell(cell, _line(text, begin), None)
            if at + 1 < len(text) and text[at + 1] not in (separator, "\n", "\r"):
                return BrokenCell(cell, _line(text, begin), (_line(text, at), at - text.rfind("\n", 0, at)))
            at += 1
        else:
            while at < len(text) and text[at] not in (separator, "\n", "\r"):
                at += 1
        if at < len(text) and text[at] != separator:
            return None  # the row ends here
        cell, at = cell + 1, at + 1
    return None


def _closing(text: str, at: int) -> int:
    """The next quotation mark that is not doubled, -1 if there is none."""
    while (at := text.find(QUOTE, at)) >= 0 and text[at + 1 : at + 2] == QUOTE:
        at += 2
    return at


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, at) + 1
