"""Formulas in ids: no cell of a forecast is a formula, unless raw cells were requested."""

from __future__ import annotations

import csv
import gzip
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from torture.isolated import isolated
from torture.outcome import Outcome, counted
from torture.world import command, folder, frame, model_bytes

FILES = 60  # for a scale of 1
STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "=+", " =", "\ufeff=", "\t=", "''=")
BODIES = (
    "cmd|' /C calc'!A0",
    "1+1",
    'HYPERLINK("http://a.example")',
    "SUM(A1:A9)",
    "1e5",
    "12",
    "",
    "x",
    "-3.5",
    "5,5",
    "inf",
    "0x10",
)
ENDINGS = (".csv", ".tsv", ".csv.gz", ".tsv.gz", "")
DANGEROUS = ("=", "+", "-", "@", "\t", "\r")


class Case(NamedTuple):
    seed: int
    ending: str


def dangerous(cell: str) -> bool:
    """Whether a spreadsheet may take the cell for a formula."""
    if not cell.startswith(DANGEROUS):
        return False
    try:
        return not np.isfinite(float(cell))
    except ValueError:
        return True


def cells(path: Path | None, ending: str, printed: str) -> list[list[str]]:
    if path is None:
        text = printed
    else:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if ending.endswith(".gz") else raw).decode()
    return list(csv.reader(io.StringIO(text, newline=""), delimiter="\t" if ".tsv" in ending else ","))


def trial(case: Case) -> str:
    """What is wrong with the forecasts of patients with such ids and complaints."""
    random = np.random.default_rng(case.seed)
    data = frame(30, seed=case.seed % 100)
    data["id"] = [f"{one(STARTS, random)}{one(BODIES, random)}" for _ in range(len(data))]
    data["complaint"] = [f"{one(STARTS, random)}{one(BODIES, random)}" for _ in range(len(data))]
    with folder() as place:
        (place / "model.sonmf").write_bytes(model_bytes())
        data.to_parquet(place / "patients.parquet")
        out = place / f"forecast{case.ending}" if case.ending else None
        said = command("predict", place / "model.sonmf", place / "patients.parquet", *(["-o", out] if out else []))
        if said.code:
            return f"predict{case.ending}: {said.fault or 'refused'}"
        rows = cells(out, case.ending, said.out)
    if len(rows) != len(data) + 1:
        return f"predict{case.ending}: {len(rows) - 1} rows for {len(data)} patients"
    bad = sorted({f"{rows[0][i]}: {cell[:1]!r}" for row in rows[1:] for i, cell in enumerate(row) if dangerous(cell)})
    return f"predict{case.ending}: a formula in {bad[0]}" if bad else ""


def one(values: Any, random: np.random.Generator) -> Any:
    return values[int(random.integers(len(values)))]


def attack(scale: float, seed: int) -> Outcome:
    """Lists of patients with formulas for ids, in every format."""
    return counted(trials(max(len(ENDINGS), round(FILES * scale)), seed))


def trials(files: int, seed: int) -> Iterator[str]:
    random = np.random.default_rng(seed)
    cases = [Case(int(random.integers(2**32)), ENDINGS[i % len(ENDINGS)]) for i in range(files)]
    yield from isolated(trial, cases)
