"""The separator between the cells of a text, recognised from its first rows."""

from __future__ import annotations

import csv
import io
import re
from itertools import islice
from typing import NamedTuple

NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "pipes"}
ROWS = 100  # of the sample
FIRST_LINE = re.compile(r'"?sep=(.)"?\r?\n', re.IGNORECASE)  # some spreadsheets write it, and none shows it


class Separator(NamedTuple):
    """The separator, and the number of lines before the header that only declare it."""

    character: str
    skipped: int = 0


def recognise_separator(sample: str, whole: bool, given: str | None, usual: str) -> Separator:
    """The separator of a text, from its beginning.

    The separator is the one that splits the header and all rows into the same number of cells, at least two. If there
    are several, it is the one with most cells, then the usual one; if there is none, the one that splits the header most often.

    Parameters
    ----------
    sample : str
    whole : bool
        Whether this is the whole text; otherwise the last row may be cut.
    given : str or None
        The separator, if a person has named it.
    usual : str

    Returns
    -------
    Separator

    Examples
    --------
    >>> from sonmf.sources.separators import recognise_separator
    >>> recognise_separator("id;note;temp\\n7;cough, fever;37,5\\n", True, None, ",")
    Separator(character=';', skipped=0)
    """
    if first := FIRST_LINE.match(sample):
        return Separator(given or first[1], 1)
    if given:
        return Separator(given)
    widths = {separator: _widths(sample, whole, separator) for separator in NAMES}
    splitting = [separator for separator, found in widths.items() if found[:1] > [1]]
    return Separator(max(splitting, key=lambda one: (len(set(widths[one])) == 1, widths[one][0], one == usual), default=usual))


def _widths(sample: str, whole: bool, separator: str) -> list[int]:
    rows = csv.reader(io.StringIO(sample, newline=""), delimiter=separator)
    try:
        found = [len(row) for row in islice(rows, ROWS) if row]
    except csv.Error:  # a cell without end
        return []
    return found if whole or len(found) < 2 or len(found) == ROWS else found[:-1]
