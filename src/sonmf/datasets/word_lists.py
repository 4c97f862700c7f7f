"""Interchangeable words, shorthand and common misspellings."""

from __future__ import annotations

from sonmf.datasets.toml_table import Table

_TABLE = Table.read("words.toml")
CHOICES = _TABLE.table("choices").lists()
_WOMEN, _MEN = (_TABLE.table("same", sex).lists() for sex in ("women", "men"))
SAME = {name: (_WOMEN[name], _MEN[name]) for name in _WOMEN}
"""Words that stay the same throughout a note."""
SHORTHAND, MISSPELLED = (_TABLE.table(name).lists() for name in ("shorthand", "misspelled"))
_TABLE.finish()

NAMES = {*CHOICES, *SAME}
"""Names that may stand in braces."""
