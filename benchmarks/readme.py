"""The two tables of README.md, from what the benchmarks have recorded: ``python benchmarks/readme.py``.

Measures nothing. Speed comes from docs/benchmarks.md (``make bench``) and is left out while it is older than the code, the
accuracy from docs/reproduction/case-study (``sonmf reproduce triage``), coherence and diversity from docs/words_figures.md
(``benchmarks/trust.py``), the forecast with columns and outcome axes from docs/outcome_figures.md (``benchmarks/outcome.py``).
"""

from __future__ import annotations

import re
from pathlib import Path

from common import table
from fingerprint import is_current, text_of

ROOT = Path(__file__).parents[1]
README, DOCS = ROOT / "README.md", ROOT / "docs"
BEGIN, END = "<!-- figures: written by benchmarks/readme.py -->\n", "<!-- end of figures -->"
BEGIN_FORECAST, END_FORECAST = "<!-- forecast: written by benchmarks/readme.py -->\n", "<!-- end of forecast -->"
FORECASTS = {
    "10 topics": {"method": "SONMF", "topics": "10", "axes": "0"},
    "50 topics": {"method": "SONMF", "topics": "50", "axes": "0"},
    "10 topics and two outcome axes": {"method": "SONMF", "topics": "10", "axes": "2"},
    "bag of words": {"method": "bag of words"},
    "boosted trees on 10 topics and the axes": {"method": "boosted trees on SONMF", "topics": "10", "axes": "2"},
}
HEADER = ["", "SONMF", "NMF", "TruncatedSVD", "LDA", "bag of words"]
NOT_MEASURED = "-"
SPEED, WORDS, OUTCOME = "benchmarks.md#Beside its peers", "words_figures.md", "outcome_figures.md"


def rows(path: str, **wanted: str) -> list[dict[str, str]]:
    """The rows of the tables of a page under docs whose cells are ``wanted``, by the names of their columns.

    A column that is there twice keeps its first cell.
    """
    found, header = [], []
    for line in (DOCS / path).read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if not cells or set(line) <= set("|- "):
            header = header if cells else []
        elif not header:
            header = cells
        else:
            found.append(dict(zip(reversed(header), reversed(cells), strict=True)))
    return [row for row in found if all(row.get(name) == value for name, value in wanted.items())]


def cell(path: str, column: str, **wanted: str) -> str:
    """One cell, without its spread or error; refused where several rows or none have it."""
    (row,) = rows(path, **wanted)
    return row[column].partition(" (")[0].partition(" ±")[0]


def speed(column: str) -> list[str]:
    methods = ["SONMF()", "scikit-learn NMF, cd", "scikit-learn TruncatedSVD"]
    found = [cell("benchmarks.md", column, K="50", threads="1", method=method) for method in methods]
    return [*found, NOT_MEASURED, NOT_MEASURED]


def accuracy(topics: str) -> list[str]:
    ours, theirs, words = (f"reproduction/case-study/{name}.md" for name in ("ours", "table", "words"))
    column = "LASSO accuracy, %"
    methods = [(ours, "SONMF, our solver"), (theirs, "NMF"), (ours, "TruncatedSVD")]
    found = [cell(path, column, method=method, K=topics) for path, method in methods]
    return [*found, NOT_MEASURED, cell(words, column, words="tf-idf")]


def words_of_topics(documents: str, topics: str) -> list[str]:
    methods = ["SONMF", "NMF (scikit-learn)", "TruncatedSVD", "LDA (tomotopy, counts)"]
    found = [
        [
            cell("words_figures.md", column, documents=documents, topics=topics, method=method)
            for column in ("coherence", "diversity")
        ]
        for method in methods
    ]
    return [*map(", ".join, found), NOT_MEASURED]


def source(place: str, command: str) -> str:
    """Which command has written a table, and, where the code has changed since, at which commit."""
    text = text_of(place)
    older = (
        ""
        if is_current(place, text)
        else f" (older than the code: at commit {re.findall(r'commit ([0-9a-f]{7}) [(]([-0-9]+)[)]', text)[0][0]})"
    )
    return f"`{command}`{older}"


def figures() -> str:
    """The table, and where its figures come from."""
    speeds = [
        ["Seconds to fit 50 topics to 13,084 generated notes, one thread", *speed("seconds")],
        ["Share of the squares that they leave unexplained", *speed("residual")],
    ]
    body = [
        ["Accuracy of an admission forecast from 5,220 real notes, 50 topics, %", *accuracy("50")],
        ["Coherence (NPMI) and diversity of 10 topics of these notes", *words_of_topics("altered consciousness", "10")],
        ["The same for 10 topics of 2,246 press articles", *words_of_topics("Associated Press", "10")],
    ]
    timed = is_current(SPEED, text_of(SPEED))
    first = f"Speed by {source(SPEED, 'make bench')}, accuracy" if timed else "Accuracy"
    origin = f"{first} by `sonmf reproduce triage`, topics by {source(WORDS, 'python benchmarks/trust.py --only words')}."
    return table(HEADER, [*(speeds if timed else []), *body]) + f"\n\n{origin}"


def forecasts() -> str:
    """How well an admission is forecast from notes and columns, by method and data."""
    page, sets = "outcome_figures.md", ("the paper's notes", "NEISS neck")
    header = ["", *(f"{figure}, {name}" for name in sets for figure in ("AUROC", "log loss"))]

    def row(wanted: dict[str, str]) -> list[str]:
        place = {"from": "notes + columns"} | wanted
        return [cell(page, figure, data=name, **place) for name in sets for figure in ("AUROC", "log loss")]

    written = f"Written by {source(OUTCOME, 'python benchmarks/outcome.py')}, from the note and columns, in five folds."
    return table(header, [[title, *row(wanted)] for title, wanted in FORECASTS.items()]) + f"\n\n{written}"


def between(text: str, begin: str, end: str, content: str) -> str:
    """The text with this between two marks."""
    before, rest = text.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}\n{content}\n\n{end}{after}"


def write(readme: Path) -> None:
    """The two tables, each between its marks."""
    text = between(readme.read_text(encoding="utf-8"), BEGIN, END, figures())
    readme.write_text(between(text, BEGIN_FORECAST, END_FORECAST, forecasts()), encoding="utf-8")


if __name__ == "__main__":
    write(README)
