"""A file that a page names is there: names change, and pages must follow."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PLACES = (ROOT, ROOT / "src", ROOT / "src" / "sonmf", ROOT / "src" / "sonmf" / "web", ROOT / "docs")
PAGES = [
    path
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
    if not {"_build", "gallery", "generated"} & set(path.relative_to(ROOT).parts)
]
NAMED = re.compile(r"`(?:python )?((?:[\w.-]+/)+[\w.-]+\.(?:py|js|md|toml|yml))\b")


def missing(text):
    return [name for name in NAMED.findall(text) if not any((place / name).exists() for place in PLACES)]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_that_a_page_names_is_there(page):
    assert missing(page.read_text(encoding="utf-8")) == []


def test_a_file_that_is_gone_is_found():
    assert missing("`solvers/loop.py`, `solvers/gone.py` and `python benchmarks/gone.py --all`") == [
        "solvers/gone.py",
        "benchmarks/gone.py",
    ]
