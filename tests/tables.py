"""Tables on disk, by any ending that can be written here."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sonmf.sources import ENDINGS

WORKBOOKS = (".xlsx", ".xlsm")
WRITTEN = [ending for ending in ENDINGS if ending not in (".xlsb", ".xls", ".ods")]
"""The others are read by the same library, which has tests of its own."""


def write(frame: Any, path: Path) -> Path:
    if path.name.endswith(".parquet"):
        frame.to_parquet(path, row_group_size=3)
    elif path.name.endswith(WORKBOOKS):
        frame.to_excel(path, index=False, engine="openpyxl")
    else:
        frame.to_csv(path, index=False, sep="\t" if ".tsv" in path.name else ",")
    return path


def plain(frame):
    """The cells of a table, None for those that are no text."""
    return [[cell if isinstance(cell, str) else None for cell in row] for row in frame.itertuples(index=False)]


def written(folder, name, content):
    """The path of a file with these bytes."""
    path = folder / name
    path.write_bytes(content)
    return path
