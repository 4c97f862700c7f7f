"""Cells of tables for people who open them in a spreadsheet, which runs text that looks like a formula."""

from __future__ import annotations

import re

FORMULA = re.compile(r"[=+\-@\t\r\n]")
NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


def escape_formula(cell: object) -> object:
    """A cell for a CSV or TSV file: text that a spreadsheet would run gets an apostrophe in front, other cells stay the same.

    Text counts as a formula if it begins with ``=``, ``+``, ``-``, ``@``, a tab or a line break, and is not a number.

    Examples
    --------
    >>> from sonmf.sources.formulas import escape_formula
    >>> [escape_formula(cell) for cell in ("=1+1", "-3.5", "+1 555 0100", "Cough")]
    ["'=1+1", '-3.5', "'+1 555 0100", 'Cough']
    """
    return f"'{cell}" if isinstance(cell, str) and FORMULA.match(cell) and not NUMBER.fullmatch(cell) else cell
