"""The templates of this package, rendered."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache, wraps
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from sonmf import __version__
from sonmf.beds.clock import WEEKDAYS, in_words
from sonmf.triage.evaluation_results import FIGURES
from sonmf.triage.records import TITLES
from sonmf.triage.strict_json import encode
from sonmf.web import filters

SHOWN = 3  # topics that raise the odds, as many that lower them, and columns, without unfolding anything
PAGES = {
    "/": ("topics", "Topics"),
    "/score": ("score", "Score a patient"),
    "/list": ("list", "A list of patients"),
    "/beds": ("beds", "Beds"),
    "/quality": ("quality", "How good is it"),
}
"""Template and title of each page by its path."""
FILTERS = (
    filters.percent,
    filters.decimals,
    filters.significant,
    filters.signed,
    filters.thousands,
    filters.capitalise,
    filters.breakable,
    filters.word_rows,
    filters.effect_bars,
    filters.value_range,
    filters.is_known,
    in_words,
)


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
    made.filters |= {found.__name__: found for found in FILTERS}
    made.filters = {name: _listing(found) for name, found in made.filters.items()}
    made.globals |= {"FIGURES": FIGURES, "MEASURES": list(TITLES), "SHOWN": SHOWN, "WEEKDAYS": WEEKDAYS}
    made.policies["json.dumps_function"] = lambda value: encode(value).decode()
    made.policies["json.dumps_kwargs"] = {}
    return made


def _listing(found: Callable[..., Any]) -> Callable[..., Any]:
    """A filter that returns a list instead of an iterator: the result of ``map`` is empty when a template reads it twice."""

    @wraps(found)  # keeps the marks that Jinja puts on its own filters
    def call(*arguments: Any, **named: Any) -> Any:
        result = found(*arguments, **named)
        return list(result) if isinstance(result, Iterator) else result

    return call
