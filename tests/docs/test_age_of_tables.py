"""A table that was measured with other code than there is now says so: measure it again, or say in words how old it is."""

from __future__ import annotations

import ast
import importlib
import re
from argparse import Namespace
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(ROOT / "benchmarks")
    ages = importlib.import_module("fingerprint")

SECTIONS = re.findall(r"^## (.+)$", (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8"), re.M)
PAGES = [path.name for path in sorted((ROOT / "docs").glob("*_figures.md")) if path.name != "promises_figures.md"]
RECORDED = [*(f"benchmarks.md#{title}" for title in SECTIONS), *PAGES]  # what promises_figures.md has is attacks, not timings


@pytest.fixture
def report(monkeypatch):
    """The command that writes docs/benchmarks.md."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    return importlib.import_module("report")


@pytest.mark.parametrize("table", RECORDED)
def test_a_table_says_whether_it_is_older_than_the_code(table):
    text = ages.text_of(table)
    if ages.is_current(table, text):
        assert ages.OLDER not in text, f"docs/{table} was measured with this code: remove the words {ages.OLDER!r}"
    else:
        assert re.search(rf"{ages.OLDER}: [^.]*commit [0-9a-f]{{7}} \(\d{{4}}-\d\d-\d\d\)", text), (
            f"the code that docs/{table} measures has changed: run its benchmark again, or write under it "
            f"'{ages.OLDER}: recorded at commit <its last commit> (<date>).'"
        )


def test_what_a_benchmark_writes_is_marked_as_current(report, tmp_path, monkeypatch):
    (tmp_path / "benchmarks.md").write_text(f"## Passes\n\n{ages.OLDER}.\n\n## On a GPU\n\nleft as it is\n", encoding="utf-8")
    monkeypatch.setattr(report, "PAGE", tmp_path / "benchmarks.md")
    monkeypatch.setattr(report, "measure", lambda name, options: "| a table |")
    report.main(Namespace(parts=["passes"], gpu_log=None, cores_log=None))
    monkeypatch.setattr(ages, "DOCS", tmp_path)
    passes, gpu = (ages.text_of(f"benchmarks.md#{title}") for title in ("Passes", "On a GPU"))
    assert ages.is_current("benchmarks.md#Passes", passes)
    assert ages.OLDER not in passes
    assert "left as it is" in gpu


@pytest.mark.parametrize("script", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda path: path.stem)
def test_a_benchmark_imports_what_is_there(script):
    """They are run by hand, so nothing else says that a name has moved."""
    for node in ast.walk(ast.parse(script.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "sonmf":
            place = ROOT / "src" / node.module.replace(".", "/")
            text = (place / "__init__.py" if place.is_dir() else place.with_suffix(".py")).read_text(encoding="utf-8")
            for name in (alias.name for alias in node.names):
                assert re.search(rf"\b{name}\b", text) or (place / f"{name}.py").exists() or (place / name).is_dir(), name


def test_a_change_of_code_counts_and_a_change_of_prose_does_not(tmp_path):
    def after(text):
        (tmp_path / "step.py").write_text(text, encoding="utf-8")
        return ages.fingerprint(("*.py",), tmp_path)

    first = after('"""The step."""\n\ndef step(F):\n    return 2 * F\n')
    assert after('"""A step,\nin words."""\n# why\ndef step(F):\n\n    """It doubles F."""\n    return 2 * F\n') == first
    assert after('"""The step."""\n\ndef step(F):\n    return 3 * F\n') != first
