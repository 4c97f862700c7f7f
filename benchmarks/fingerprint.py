"""Which code a recorded table measured: a fingerprint beside the table, so that a test can say when the code has changed since.

The commands that write a table write ``mark(table)`` with it. ``tests/docs/test_age_of_tables.py`` compares.
"""

from __future__ import annotations

import ast
import hashlib
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE, DOCS = ROOT / "src" / "sonmf", ROOT / "docs"
OLDER = "Older than the code"
"""What a page says of a table whose code has changed since it was measured."""
MATHEMATICS = (
    "stiefel.py", "device_arrays.py", "parallel.py", "threads.py", "blas.py", "kernels/*.py", "engines/*.py", "solvers/*.py",
    "estimators/*.py",
)  # fmt: skip
NOTES = ("vectorizer", "partitions", "tokens", "note_reader", "note_numbers", "shorthand", "lexicon")
NOTES = tuple(f"text/{name}.py" for name in NOTES)
NAMES = ("text/topic_words.py", "metrics.py")
FORECAST = ("forecaster", "columns", "column_effects", "classifier", "lasso", "coordinate_descent", "factorisations", "axes")
FORECAST = tuple(f"triage/{name}.py" for name in FORECAST)
MEASURES = {
    "benchmarks.md#Beside its peers": MATHEMATICS,
    "benchmarks.md#Beside its peers, on real text": (*MATHEMATICS, *NOTES),
    "benchmarks.md#Beside the limits of the machine": MATHEMATICS,
    "benchmarks.md#Passes": MATHEMATICS,
    "benchmarks.md#Start-up and growth": (*MATHEMATICS, *NOTES),
    "benchmarks.md#The LASSO path": ("triage/lasso.py", "triage/coordinate_descent.py"),
    "benchmarks.md#More cores": (*MATHEMATICS, *NOTES, "triage/lasso.py"),
    "benchmarks.md#On sixteen cores": (*MATHEMATICS, *NOTES, "triage/lasso.py"),
    "benchmarks.md#On a GPU": MATHEMATICS,
    "columns_figures.md": (*MATHEMATICS, *NOTES, "outcome_axes.py", *FORECAST),
    "missing_figures.md": MATHEMATICS,
    "numbers_figures.md": (*MATHEMATICS, *NOTES, "rank.py", "stability.py"),
    "outcome_figures.md": (*MATHEMATICS, *NOTES, "outcome_axes.py", *FORECAST),
    "numbers_in_notes_figures.md": ("text/note_numbers.py", "text/note_reader.py", "text/shorthand.py"),
    "rank_figures.md": (*MATHEMATICS, "rank.py"),
    "ranking_figures.md": (*MATHEMATICS, *NOTES, *NAMES, *FORECAST),
    "scoreboard_figures.md": (*MATHEMATICS, *NAMES),
    "seeds_figures.md": (*MATHEMATICS, *NOTES, *NAMES, "text/seeds.py"),
    "settled_figures.md": MATHEMATICS,
    "settled_methods_figures.md": MATHEMATICS,
    "starts_figures.md": MATHEMATICS,
    "words_figures.md": (*MATHEMATICS, *NOTES, *NAMES),
}
"""The files under src/sonmf that decide the figures of a table, by page and section under docs."""


def fingerprint(patterns: tuple[str, ...], source: Path = SOURCE) -> str:
    """A hash of the code of these files; comments, docstrings and blank lines do not count."""
    digest = hashlib.sha256()
    for path in sorted(path for pattern in patterns for path in source.glob(pattern)):
        digest.update("\n".join([path.relative_to(source).as_posix(), *code_lines(path.read_text(encoding="utf-8"))]).encode())
    return digest.hexdigest()[:12]


def code_lines(text: str) -> list[str]:
    """The lines of a file that are neither blank nor comments nor in a string that stands alone."""
    alone = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)]
    prose = {line for node in alone for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    lines = [line.rstrip() for number, line in enumerate(text.splitlines(), start=1) if number not in prose]
    return [line for line in lines if line and not line.lstrip().startswith("#")]


def mark(table: str) -> str:
    """The comment that goes with a table that was measured just now."""
    return f"<!-- code {fingerprint(MEASURES[table])} -->"


def is_current(table: str, text: str) -> bool:
    """Whether the text of a table has the mark of the code as it is now."""
    return mark(table) in text


def text_of(table: str) -> str:
    """The page, or the section of it, that holds a table."""
    page, _, title = table.partition("#")
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.split(rf"^## {re.escape(title)}$", text, flags=re.M)[1].partition("\n## ")[0] if title else text
