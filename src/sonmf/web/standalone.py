"""Pages that are one file: scripts and style stand inside, and the file's own policy lets nothing else run or be fetched."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable
from functools import cache
from importlib import resources
from pathlib import Path
from posixpath import dirname, join, normpath

from markupsafe import Markup

import sonmf
from sonmf import files
from sonmf.web.rendering import render

LIBRARIES = ("vendor/d3.min.js", "vendor/plot.umd.min.js")
MODULE = "report.js"
STYLES = ("style.css", "report.css")
LICENCES = {"d3": "vendor/d3.LICENSE.txt", "Observable Plot": "vendor/plot.LICENSE.txt"}
IMPORT = re.compile(r'^import [^;]*?from "(\.{1,2}/[^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=const|function|async|class)", re.MULTILINE)


def write_html(page: str, path: Path) -> None:
    """A page in a file, which is whole or not there."""
    files.replace(path, lambda partial: partial.write_text(page, "utf-8"))


def standalone_html(template: str, **context: object) -> str:
    """A template that extends ``file.html``, with everything that it needs."""
    libraries, module = [asset(name) for name in LIBRARIES], bundle(MODULE)
    style = "".join(asset(name) for name in STYLES)
    return render(
        template,
        **context,
        policy=policy([*libraries, module], style),
        libraries=[Markup(script) for script in libraries],
        module=Markup(module),
        style=Markup(style),
        licences={name: asset(path) for name, path in LICENCES.items()},
        version=sonmf.__version__,
    )


@cache
def bundle(name: str) -> str:
    """A module and all that it imports as one module, since a file cannot import others: each after those that it needs.

    The modules then share one scope, so each name at the top of one must differ from those of all others.
    """
    return "".join(EXPORT.sub("", IMPORT.sub("", asset(part))) for part in _in_order(name, []))


def _in_order(name: str, before: list[str]) -> list[str]:
    """``before``, and after it the modules that are not there yet: what a module imports, then the module."""
    for imported in IMPORT.findall(asset(name)):
        _in_order(normpath(join(dirname(name), imported)), before)
    if name not in before:
        before.append(name)
    return before


def policy(scripts: Iterable[str], style: str) -> str:
    """The Content-Security-Policy that lets these texts run and nothing else happen."""
    allowed = {
        "default-src": "'none'",
        "script-src": " ".join(map(fingerprint, scripts)),
        "style-src": fingerprint(style),
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{name} {value}" for name, value in allowed.items())


def fingerprint(text: str) -> str:
    """An inline script or style as a policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


@cache
def asset(name: str) -> str:
    """The text of a file under ``static``."""
    return resources.files("sonmf.web").joinpath("static", name).read_text("utf-8")
