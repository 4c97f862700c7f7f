"""Tables in Markdown, and files of them."""

from __future__ import annotations

from math import isfinite, nan
from pathlib import Path

from sonmf import files


def markdown_table(head: list[str], body: list[list[str]]) -> str:
    """One line for each row, whatever is in its cells."""
    rows = [head, ["---"] * len(head), *body]
    return "\n".join("| " + " | ".join(map(_one_line, row)) + " |" for row in rows) + "\n"


def with_error(mean: float, error: float = nan, unit: float = 1, digits: int = 4) -> str:
    """A mean with its standard error, or without if the error is not known; a dash if the mean is not."""
    if not isfinite(mean):
        return "-"
    shown = f"{unit * mean:.{digits}f}"
    return f"{shown} ± {unit * error:.{digits}f}" if isfinite(error) else shown


def write_text(path: Path, text: str) -> None:
    """Write a file, or replace it as a whole."""
    files.replace(path, lambda partial: partial.write_text(text))


def _one_line(cell: str) -> str:
    """A cell without line breaks and without the border of a cell."""
    return " ".join(cell.splitlines()).replace("|", "\\|")
