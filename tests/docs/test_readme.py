"""README.md has the figures that were recorded, and leads to files that are there."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from sonmf.datasets import make_triage_notes

ROOT = Path(__file__).parents[2]


@pytest.fixture
def readme(monkeypatch):
    """The script that writes the table."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("readme")


def test_the_table_is_the_one_that_the_script_writes(readme, tmp_path):
    written = tmp_path / "README.md"
    written.write_text((ROOT / "README.md").read_text(encoding="utf-8"), encoding="utf-8")
    readme.write(written)
    assert written.read_text(encoding="utf-8") == (ROOT / "README.md").read_text(encoding="utf-8"), (
        "python benchmarks/readme.py writes another table"
    )


def test_every_picture_has_a_command_and_a_page():
    commands = [ROOT / "docs" / "take_pictures.py", ROOT / "benchmarks" / "report.py"]
    written = "".join(path.read_text(encoding="utf-8") for path in commands)
    pages = "".join(path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
    for picture in (ROOT / "docs" / "images").iterdir():
        assert f'"{picture.stem}"' in written or f'"{picture.name}"' in written, f"no command writes {picture.name}"
        assert f"images/{picture.name}" in pages, f"no page shows {picture.name}"


def test_a_figure_is_taken_from_one_row_or_refused(readme):
    with pytest.raises(ValueError, match="not enough values"):
        readme.cell("words_figures.md", "coherence", method="no such method")
    with pytest.raises(ValueError, match="too many values"):
        readme.cell("words_figures.md", "coherence", method="SONMF")


def test_every_file_it_links_to_is_there():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    links = [*re.findall(r"\]\(([^)#:]+)\)", text), *re.findall(r'(?:href|src)="([^"#:]+)"', text)]
    assert len(links) >= 6
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_columns_that_it_names_are_those_of_generated_patients():
    named = re.findall(r"--column (\w+)", (ROOT / "README.md").read_text(encoding="utf-8"))
    assert {"age", "heart_rate"} <= set(named) <= set(make_triage_notes(1, details=True, random_state=0))
