"""What stands between the cells of a text, as its first rows tell."""

from __future__ import annotations

import csv
import io
import re
from itertools import islice
from typing import NamedTuple

NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "pipes"}
ROWS = 100  # that are looked at
FIRST_LINE = re.compile(r'"?sep=(.)"?\r?\n', re.IGNORECASE)  # which some spreadsheets write, and none shows


class Spelling(NamedTuple):
    """The separator, and how many lines before the header only tell it."""

    separator: str
    skipped: int = 0


def recognised(sample: str, whole: bool, said: str | None, usual: str) -> Spelling:
    """How a text is spelt, from its beginning.

    The separator is the one that splits the header and all rows into the same number of cells, at least two; of several the one
    with most cells, then the usual one. If no separator does so, the one that splits the header most often.

    Parameters
    ----------
    sample : str
    whole : bool
        Whether this is all of it; else the last row may be cut.
    said : str or None
        The separator, where it is known.
    usual : str

    Returns
    -------
    Spelling

    Examples
    --------
    >>> from sonmf.sources.separators import recognised
    >>> recognised("id;note;temp\\n7;cough, fever;37,5\\n", True, None, ",")
    Spelling(separator=';', skipped=0)
    """
    if first := FIRST_LINE.match(sample):
        return Spelling(said or first[1], 1)
    if said:
        return Spelling(said)
    widths = {separator: _widths(sample, whole, separator) for separator in NAMES}
    splitting = [separator for separator, found in widths.items() if found[:1] > [1]]
    return Spelling(max(splitting, key=lambda one: (len(set(widths[one])) == 1, widths[one][0], one == usual), default=usual))


def _widths(sample: str, whole: bool, separator: str) -> list[int]:
    rows = csv.reader(io.StringIO(sample, newline=""), delimiter=separator)
    try:
        found = [len(row) for row in islice(rows, ROWS) if row]
    except csv.Error:  # a cell without end
        return []
    return found if whole or len(found) < 2 or len(found) == ROWS else found[:-1]
