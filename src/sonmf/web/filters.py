"""Filters of the templates: figures, words and rows as a page shows them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, TypedDict, TypeGuard

from markupsafe import Markup

from sonmf.triage.columns import NUMBER
from sonmf.triage.records import Level, Word
from sonmf.triage.report_records import ColumnEffectReport

MISSING, MINUS = "\N{EN DASH}", "\N{MINUS SIGN}"

Record = Mapping[str, Any]
"""What a template gets by name."""


VISIBLE = 4  # decimals of a weight in a chart or a cell


class WordRow(TypedDict):
    """A word of a topic."""

    word: str
    weight: float


class NamedValue(TypedDict):
    """A topic, word or column with what it adds."""

    name: str
    value: float


def percent(value: float | None, digits: int = 1) -> str:
    """0.318 as 31.8%; a dash if there is no figure."""
    return f"{value:.{digits}%}" if is_known(value) else MISSING


def decimals(value: float | None, digits: int = 3) -> str:
    """A figure with a fixed number of decimals; a dash if there is none."""
    return f"{value:z.{digits}f}".replace("-", MINUS) if is_known(value) else MISSING


def significant(value: float | None, digits: int = 4) -> str:
    """A figure with a fixed number of significant digits; a dash if there is none."""
    return f"{value:.{digits}g}" if is_known(value) else MISSING


def signed(value: float) -> str:
    """A figure with its sign and three decimals."""
    return f"{value:+.3f}".replace("-", MINUS)


def thousands(value: int) -> str:
    """12345 as 12,345."""
    return f"{value:,}"


def capitalise(text: str) -> str:
    """The first letter as a capital, the others as they are: AUROC stays."""
    return text[:1].upper() + text[1:]


def breakable(topic: str) -> Markup:
    """The name of a topic, in which a line may end after the slash between its words."""
    return Markup("/<wbr>").join(topic.split("/"))


def word_rows(words: Iterable[tuple[str, float]], digits: int | None = VISIBLE) -> list[WordRow]:
    """Words of a topic, for a chart with as many digits as can be seen: a report holds thousands of them."""
    return [{"word": row["name"], "weight": row["value"]} for row in named_values(words, digits)]


def named_values(pairs: Iterable[tuple[str, float]], digits: int | None = VISIBLE) -> list[NamedValue]:
    """Names with their values, rounded to what can be seen; None leaves them as they are."""
    return [{"name": name, "value": value if digits is None else round(value, digits)} for name, value in pairs]


def effect_bars(rows: Iterable[Level | Word], name: str) -> list[NamedValue]:
    """The effects of levels or words for a chart of bars; ``name`` is the field of what the bar is called."""
    return named_values((getattr(row, name), row.effect) for row in rows)


def value_range(column: ColumnEffectReport) -> str:
    """What a column can hold, in a cell of a table."""
    if column.kind == NUMBER:
        return f"{significant(column.low)} to {significant(column.high)} {column.unit}".strip()
    return ", ".join(row.level for row in column.levels) if column.levels else "text"


def is_known(value: float | None) -> TypeGuard[float]:
    """Whether there is a figure, and not None or NaN in its place."""
    return value is not None and math.isfinite(value)
