"""Tables in Markdown, and the figures that the paper prints in its own, cited so that ours can stand beside them."""

from __future__ import annotations

import csv
from importlib import resources
from math import isfinite, nan
from pathlib import Path

from sonmf import files

Key = tuple[int, int, str]


def markdown_table(head: list[str], body: list[list[str]]) -> str:
    """A table in Markdown, with one line for each row whatever its cells contain."""
    rows = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(map(_one_line, row)) + " |" for row in rows) + "\n"


def with_error(mean: float, error: float = nan, unit: float = 1, digits: int = 4) -> str:
    """A mean with its standard error, or without if the error is not known; a dash if the mean is not."""
    if not isfinite(mean):
        return "-"
    shown = f"{unit * mean:z.{digits}f}"
    return f"{shown} ± {unit * error:.{digits}f}" if isfinite(error) else shown


def write_text(path: Path, text: str) -> None:
    """Write a file, or replace it as a whole."""
    files.replace(path, lambda partial: partial.write_text(text))


def _one_line(cell: str) -> str:
    """A cell without line breaks and without the border of a cell."""
    return " ".join(cell.splitlines()).replace("|", "\\|")


# ---- what the paper prints ----


def continuous() -> dict[Key, dict[str, str]]:
    """Tables 1-3 by scenario, K and method; its SONMF is our "SONMF (paper)"."""
    return {(int(row["scenario"]), int(row["k"]), _named(row)): row for row in _read("paper_continuous.csv")}


def binary() -> dict[Key, dict[str, str]]:
    """Table 4 by K and method; scenario 0."""
    return {(0, int(row["k"]), _named(row)): row for row in _read("paper_binary.csv")}


def triage() -> dict[tuple[str, str, int], dict[str, str]]:
    """Tables 6 and 7 and those of the supplement, by complaint, method (as ``triage.evaluate`` names it) and K."""
    names = {
        ("tf-idf", "SONMF"): "sonmf",
        ("tf-idf", "NMF"): "nmf",
        ("tf-idf", "ONMF"): "onmf",
        ("tf-idf", "Semi-NMF"): "semi-nmf",
        ("binary", "SONMF"): "binary-sonmf-plain",
        ("binary", "logNMF"): "logistic-nmf",
    }
    rows = _read("paper_triage.csv")
    return {(row["complaint"], names[row["weighting"], row["method"]], int(row["k"])): row for row in rows}


def bag_of_words() -> dict[str, dict[str, str]]:
    """Table 5 by complaint: size of the matrix, share discharged, LASSO accuracy on the words themselves."""
    return {row["complaint"]: row for row in _read("paper_triage_datasets.csv")}


def _named(row: dict[str, str]) -> str:
    return "SONMF (paper)" if row["method"] == "SONMF" else row["method"]


def _read(name: str) -> list[dict[str, str]]:
    text = resources.files("sonmf.experiments").joinpath(name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
