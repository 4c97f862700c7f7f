"""``make bench`` runs every script that writes a table with the mark of the code that it measured."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from sonmf.triage import column_effects

ROOT = Path(__file__).parents[2]
WRITERS = [
    script.name
    for script in sorted((ROOT / "benchmarks").glob("*.py"))
    if re.search(r"\bmark\(", script.read_text(encoding="utf-8")) and script.stem != "fingerprint"
]


def test_every_table_of_figures_is_written_by_make_bench():
    recipe = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\nbench:")[2].partition("\nlowest:")[0]
    assert len(WRITERS) >= 9
    assert [name for name in WRITERS if f"benchmarks/{name}" not in recipe] == []


@pytest.mark.data
def test_the_benchmark_of_columns_fits_lines_and_cubics(monkeypatch):
    """Nobody runs it between two releases, and it puts a basis of its own in place of the package's."""
    monkeypatch.syspath_prepend(ROOT / "benchmarks")
    columns = importlib.import_module("columns")
    for name in ("KNOTS", "_bent", "require"):
        monkeypatch.setattr(column_effects, name, getattr(column_effects, name))
    bases = ("a straight line", "a line with 4 knots", "a cubic with 4 knots")
    monkeypatch.setattr(columns, "BENDS", {name: columns.BENDS[name] for name in bases})
    found = columns.bends(str(ROOT.parent / "shared/data"), "few", 2)
    assert list(found) == list(bases)
    assert all(0.7 < one["auroc"] < 0.9 for one in found.values())
    assert len({one["auroc"] for one in found.values()}) == len(bases)
