"""``make bench`` runs every script that writes a table with the mark of the code that it measured."""

from __future__ import annotations

import re
from pathlib import Path

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
