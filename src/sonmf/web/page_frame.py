"""The frame of every page: its title, and the bar with the links to all pages."""

from __future__ import annotations

from sonmf import __version__
from sonmf.web.jinja import render

PAGES = {
    "/": ("topics", "Topics"),
    "/score": ("score", "Score a patient"),
    "/list": ("list", "A list of patients"),
    "/beds": ("beds", "Beds"),
    "/quality": ("quality", "How good is it"),
}
"""Template and title of each page by its path."""


def page_html(template: str, path: str, title: str, **context: object) -> str:
    """A template in the frame; the link to ``path`` is marked as the current page."""
    return render(template, pages=PAGES, here=path, title=title, version=__version__, **context)
