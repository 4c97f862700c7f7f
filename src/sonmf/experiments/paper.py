"""The figures the paper prints in its tables 1-4, cited so that ours can stand beside them."""

from __future__ import annotations

import csv
from importlib.resources import files

Key = tuple[int, int, str]


def continuous() -> dict[Key, dict[str, str]]:
    """Tables 1-3 by scenario, K and method; the paper's SONMF stands beside both of ours."""
    rows = {(int(row["scenario"]), int(row["k"]), row["method"]): row for row in _read("paper_continuous.csv")}
    return _beside_both(rows)


def binary() -> dict[Key, dict[str, str]]:
    """Table 4 by K and method; scenario 0."""
    return _beside_both({(0, int(row["k"]), row["method"]): row for row in _read("paper_binary.csv")})


def _beside_both(rows: dict[Key, dict[str, str]]) -> dict[Key, dict[str, str]]:
    return rows | {(s, k, "SONMF (paper)"): row for (s, k, method), row in rows.items() if method == "SONMF"}


def _read(name: str) -> list[dict[str, str]]:
    text = files("sonmf.experiments").joinpath(name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
