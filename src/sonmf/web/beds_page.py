"""Beds by the hour as a page: one file for ``sonmf beds``, a part of the page of ``sonmf serve``."""

from __future__ import annotations

from pathlib import Path

from sonmf.beds import Outlook
from sonmf.web.jinja import render
from sonmf.web.standalone import standalone_html, write_html


def write_beds(found: Outlook, path: Path) -> None:
    """The page as a file, which is whole or not there."""
    write_html(standalone_html("beds_file.html", beds=found.as_json()), path)


def beds_html(found: Outlook) -> str:
    """The same as a part of a page."""
    return render("_beds.html", beds=found.as_json())
