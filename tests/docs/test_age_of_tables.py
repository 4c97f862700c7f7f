"""A table that was measured with other code than there is now says so: measure it again, or say in words how old it is."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
QUOTES = {"README.md": "Beside its peers", "docs/guide/when_not.md": "Beside its peers"}  # pages that quote seconds of a table

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(ROOT / "benchmarks")
    ages = importlib.import_module("fingerprint")

SECTIONS = re.findall(r"^## (.+)$", (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8"), re.M)
PAGES = [path.name for path in sorted((ROOT / "docs").glob("*_figures.md")) if path.name != "promises_figures.md"]
RECORDED = [*(f"benchmarks.md#{title}" for title in SECTIONS), *PAGES]  # what promises_figures.md has is attacks, not timings


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


@pytest.mark.parametrize(("page", "section"), QUOTES.items())
def test_a_page_that_quotes_an_older_table_says_so(page, section):
    table = f"benchmarks.md#{section}"
    says = ages.OLDER.lower() in (ROOT / page).read_text(encoding="utf-8").lower()
    assert says != ages.is_current(table, ages.text_of(table))


def test_a_change_of_code_counts_and_a_change_of_prose_does_not(tmp_path):
    def after(text):
        (tmp_path / "step.py").write_text(text, encoding="utf-8")
        return ages.fingerprint(("*.py",), tmp_path)

    first = after('"""The step."""\n\ndef step(F):\n    return 2 * F\n')
    assert after('"""A step,\nin words."""\n# why\ndef step(F):\n\n    """It doubles F."""\n    return 2 * F\n') == first
    assert after('"""The step."""\n\ndef step(F):\n    return 3 * F\n') != first
