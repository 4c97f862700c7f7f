"""The templates of this package, rendered: figures, words and rows as a page shows them."""

from __future__ import annotations

import calendar
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, wraps
from itertools import groupby
from typing import Any, TypedDict, TypeGuard

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from sonmf import __version__
from sonmf.beds.local_hours import in_words
from sonmf.triage import labels
from sonmf.triage.axes import AxisReport
from sonmf.triage.columns import NUMBER
from sonmf.triage.complaint import UNSTABLE
from sonmf.triage.evaluation_results import FIGURES, INPUTS, JudgedMethod
from sonmf.triage.measures import calibration_in_words, share_of
from sonmf.triage.model_report import ColumnReport, ComplaintReport, TopicReport
from sonmf.triage.records import TITLES, GroupEffect, Merit
from sonmf.triage.strict_json import encode

RANKED = 12  # topics and columns in the chart of effects
NAMED = 4  # words of a topic in a line
SHOWN = 3  # topics that raise the odds, as many that lower them, and columns, without unfolding anything
CARDS = 12  # topics of a page that has no outcome to rank them by, without unfolding anything
PAGES = {
    "/": ("topics", "Topics", "Topics"),
    "/score": ("score", "Score a patient", "Score"),
    "/list": ("list", "A list of patients", "List"),
    "/beds": ("beds", "Beds", "Beds"),
    "/quality": ("quality", "How good is it", "Quality"),
}
"""Template, title, and title on a phone of each page by its path."""
MISSING, MINUS = "\N{EN DASH}", "\N{MINUS SIGN}"
LABELLING = (labels.label_of, labels.in_short)
HARDLY = 1e-4  # of an objective
ROUNDING = 1e-12  # an overlap of topics that are orthogonal
VISIBLE = 4  # decimals of a weight in a chart or a cell

NO_MAP = "It is not known which topics occur together: the model was fitted before this was recorded. Fit it again to see it."

Record = Mapping[str, Any]
"""What a template gets by name."""


def render(template: str, **context: object) -> str:
    """The text of a template; everything in it is escaped."""
    return environment().get_template(template).render(**context)


def page_html(template: str, path: str, title: str, **context: object) -> str:
    """A template in the frame; the link to ``path`` is marked as the current page."""
    return render(template, pages=PAGES, here=path, title=title, version=__version__, **context)


@cache
def environment() -> Environment:
    """Jinja for these templates: an unknown name is an error, and filters return lists."""
    loader = PackageLoader("sonmf.web")
    made = Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    figures = (of_100, percent, decimals, significant, signed, thousands, is_known, is_settled)
    words = (capitalise, breakable, named_values, effect_bars, month_rows, value_range, mean_value, *LABELLING, in_words)
    tables = (as_read, calibration_in_words, merit_rows, pivot, ranked_effects, share_of)
    made.filters |= {function.__name__: function for function in (*figures, *words, *tables)}
    made.filters = {name: _listing(function) for name, function in made.filters.items()}
    made.globals |= {
        "FIGURES": FIGURES,
        "MEASURES": list(TITLES),
        "SHOWN": SHOWN,
        "CARDS": CARDS,
        "WEEKDAYS": list(calendar.day_name),
    }
    made.globals |= {"NO_MAP": NO_MAP}
    made.policies["json.dumps_function"] = lambda value: encode(value).decode()
    made.policies["json.dumps_kwargs"] = {}
    return made


def _listing(function: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that returns a list instead of an iterator: the result of ``map`` is empty when a template reads it twice."""

    @wraps(function)  # keeps the marks that Jinja puts on its own filters
    def call(*arguments: Any, **named: Any) -> Any:
        result = function(*arguments, **named)
        return list(result) if isinstance(result, Iterator) else result

    return call


class NamedValue(TypedDict):
    """A topic, word or column with what it adds."""

    name: str
    value: float


def of_100(share: float) -> str:
    """0.318 as 32."""
    return f"{100 * share:.0f}"


def percent(value: float | None, digits: int = 1) -> str:
    """0.318 as 31.8%; a dash if there is no figure."""
    return f"{value:z.{digits}%}".replace("-", MINUS) if is_known(value) else MISSING


def decimals(value: float | None, digits: int = 3) -> str:
    """A figure with a fixed number of decimals, 1,234.5; a dash if there is none."""
    return f"{value:z,.{digits}f}".replace("-", MINUS) if is_known(value) else MISSING


def significant(value: float | None, digits: int = 4) -> str:
    """A figure with a fixed number of significant digits; a dash if there is none, and 0 for what rounding has left."""
    if not is_known(value):
        return MISSING
    return f"{value:#.{digits}g}".removesuffix(".").replace("-", MINUS) if abs(value) > ROUNDING else "0"


def signed(value: float) -> str:
    """A figure with its sign and three decimals."""
    return labels.signed(value).replace("-", MINUS)


def mean_value(value: float | str, name: str) -> str:
    """A level of a column, or the mean of its numbers."""
    return labels.in_short(value) if isinstance(value, str) else f"about {labels.in_short(labels.rounded(value, name))}"


def as_read(bins: Sequence[GroupEffect[float]], name: str) -> list[GroupEffect[float]]:
    """Groups of patients; those whose means people read as the same, as 98% and 98%, are one."""
    groups = groupby(bins, lambda group: mean_value(group.value, name))
    return [_joined(list(alike)) for _, alike in groups]


def _joined(groups: Sequence[GroupEffect[float]]) -> GroupEffect[float]:
    n = sum(group.n for group in groups)
    value, effect, admitted = (
        sum(group.n * getattr(group, name) for group in groups) / n for name in ("value", "effect", "admitted")
    )
    return GroupEffect(value, effect, n, min(admitted, 1.0))


def thousands(value: int) -> str:
    """12345 as 12,345."""
    return f"{value:,}"


def capitalise(text: str) -> str:
    """The first letter as a capital, the others as they are: AUROC stays."""
    return text[:1].upper() + text[1:]


def breakable(topic: str) -> Markup:
    """The name of a topic, in which a line may end after the slash between its words; the mark of an unstable one is a tag."""
    name = topic.removesuffix(UNSTABLE)
    tag = "" if name == topic else Markup(' <span class="tag unstable">{}</span>').format(UNSTABLE.strip())
    return Markup("/<wbr>").join(name.split("/")) + tag


def named_values(pairs: Iterable[tuple[str, float]], digits: int | None = VISIBLE) -> list[NamedValue]:
    """Names with their values, rounded to what can be seen, since a report holds thousands; None leaves them as they are."""
    return [{"name": name, "value": value if digits is None else round(value, digits)} for name, value in pairs]


def month_rows(months: Iterable[tuple[str, float | None]]) -> list[Record]:
    """The share of a topic by month, for a chart."""
    return [{"month": month, "share": share} for month, share in months]


def effect_bars(column: ColumnReport) -> list[NamedValue]:
    """The effects of the levels of a column, or of its words as they are, for a chart of bars."""
    levels = [(labels.in_short(level.value), level.effect) for level in column.levels]
    return named_values(levels or [(word.value, word.effect) for word in column.words])


def value_range(column: ColumnReport) -> str:
    """What a column can hold, in a cell of a table."""
    if column.kind == NUMBER:
        unit = "" if column.unit.startswith("of ") else column.unit  # 5 to 15 on a scale of 15
        space = "" if unit == "%" else " "
        return f"{labels.range_of(column.low, column.high)}{space}{unit}".strip()
    return ", ".join(labels.in_short(row.value) for row in column.levels) if column.levels else "text"


def is_known(value: float | None) -> TypeGuard[float]:
    """Whether there is a figure, and not None or NaN in its place."""
    return value is not None and math.isfinite(value)


def is_settled(objective: Sequence[float]) -> bool:
    """Whether a fit has hardly lowered its objective, so that a chart would show rounding."""
    return len(objective) > 0 and objective[0] - objective[-1] < HARDLY * abs(objective[-1])


def ranked_effects(report: ComplaintReport, most: int = RANKED) -> list[Record]:
    """Topics, outcome axes and columns by how far they move the forecast: the spread of what each adds to the log-odds."""
    topics = [_word_effect(topic, topic.number) for topic in report.topics if topic.strength]
    axes = [_word_effect(axis, None) for axis in report.axes if axis.strength]
    columns = [_column_effect(column) for column in report.columns if column.moves]
    return sorted(topics + axes + columns, key=lambda row: -row["size"])[:most]


def _word_effect(topic: TopicReport | AxisReport, number: int | None) -> Record:
    sides = [", ".join(word for word, _ in words[:NAMED]) or MISSING for words in (topic.positive, topic.negative)]
    raising, lowering = sides if topic.strength > 0 else reversed(sides)
    way = "raises" if topic.strength > 0 else "lowers"
    return {"name": topic.name, "topic": number, "size": abs(topic.strength), "odds": math.exp(topic.strength), "way": way} | {
        "raising": raising,
        "lowering": lowering,
        "made": number is None,
    }


def _column_effect(column: ColumnReport) -> Record:
    raising, lowering = (f"{at.value}: \N{MULTIPLICATION SIGN} {math.exp(at.effect):.2f}" for at in (column.most, column.least))
    shown = {"name": column.label, "topic": None, "size": column.moves, "odds": math.exp(column.moves), "way": "either"}
    return shown | {"raising": raising, "lowering": lowering, "made": False}


def merit_rows(merit: Merit) -> list[Record]:
    """The number of signals shown, the patients who show so many, the admitted among them, and their share."""
    counts = zip(merit.patients, merit.admitted, merit.rates(), strict=True)
    return [
        {"shown": shown, "patients": patients, "admitted": admitted, "rate": rate}
        for shown, (patients, admitted, rate) in enumerate(counts)
    ]


def pivot(methods: Sequence[JudgedMethod], name: str) -> Record:
    """One figure as the paper prints it: complaints, inputs and numbers of topics down, methods across.

    Words have no number of topics: they are in every row of their inputs. ``base`` is how often the commoner outcome occurs.
    """
    titles = {method.method: method.title for method in methods}
    lines: list[Record] = []
    for complaint, place in sorted({(method.complaint, INPUTS.index(method.inputs)) for method in methods}):
        judged = [method for method in methods if (method.complaint, method.inputs) == (complaint, INPUTS[place])]
        cells = {(method.n_topics, method.method): method.figures.get(name) for method in judged}
        admitted = judged[0].admitted / max(judged[0].patients, 1)
        for k in sorted({method.n_topics for method in judged if method.n_topics}) or [0]:
            across = [cells.get((k, method)) or cells.get((0, method)) for method in titles]
            line = {"complaint": complaint, "inputs": INPUTS[place], "n_topics": k, "cells": across}
            lines.append(line | {"base": max(admitted, 1 - admitted)})
    return {"title": capitalise(FIGURES[name]), "methods": list(titles.values()), "rows": lines}
