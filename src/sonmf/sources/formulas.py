"""Tables that people open in a spreadsheet, which runs what looks like a formula."""

from __future__ import annotations

import re
from typing import Any

FORMULA = re.compile(r"[=+\-@\t\r\n]")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def harmless(cell: Any) -> Any:
    """A cell for a CSV or TSV file: text that a spreadsheet would run begins with an apostrophe, all else is as it was.

    Parameters
    ----------
    cell : object
        Text counts as a formula if it begins with ``=``, ``+``, ``-``, ``@``, a tab or a line break, and is no number.

    Returns
    -------
    object

    Examples
    --------
    >>> from sonmf.sources.formulas import harmless
    >>> [harmless(cell) for cell in ("=1+1", "-3.5", "+1 555 0100", "Cough")]
    ["'=1+1", '-3.5', "'+1 555 0100", 'Cough']
    """
    return f"'{cell}" if isinstance(cell, str) and FORMULA.match(cell) and not NUMBER.fullmatch(cell) else cell
