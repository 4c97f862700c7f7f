"""The latest figures of every attack, as a table that the documentation includes."""

from __future__ import annotations

import datetime
from pathlib import Path

from torture import ATTACKS, promise_of
from torture.outcome import Outcome

HEAD = ("promise", "attack", "at length", "tried", "survived", "at most", "seed", "date")
AT_LENGTH = {
    "ugly_matrices": 28_463,
    "broken_structures": 22_896,
    "model_files": 22_172,
    "kills": 100,
    "fuzzed_requests": 20_000,
    "bombs": 138,
    "canaries": 2_450,
    "terminal_markup": 400,
    "spreadsheet_formulas": 60,
}
"""Trials of a whole run, of scale 1 and seed 0: some attacks know their number only when they have made them."""


def table(outcomes: dict[str, Outcome]) -> str:
    """Tried and survived, for a terminal."""
    width = max(map(len, outcomes))
    rows = [f"{'attack':{width}}  {'tried':>8}  {'survived':>8}"]
    return "\n".join(
        rows + [f"{name:{width}}  {one.tried:8,}  {one.survived:8,}  {one.worst}" for name, one in outcomes.items()]
    )


def write(path: Path, outcomes: dict[str, Outcome], seed: int) -> None:
    """The table in Markdown; attacks that were not run now, or were interrupted before the first trial, keep their row."""
    rows = kept(path)
    today = datetime.datetime.now(datetime.UTC).date()
    for name, one in ((name, one) for name, one in outcomes.items() if one.tried):
        numbers = f"{AT_LENGTH[name]:,}", f"{one.tried:,}", f"{one.survived:,}", one.at_most, str(seed), str(today)
        cells = promise_of(name), f"`tests/torture/{name}.py`", *numbers
        rows[name] = "| " + " | ".join(cells) + " |"
    lines = ["| " + " | ".join(HEAD) + " |", "|---|---|---:|---:|---:|---|---:|---|"]
    path.write_text("\n".join([*lines, *(rows[name] for name in ATTACKS if name in rows)]) + "\n")


def kept(path: Path) -> dict[str, str]:
    """The rows of the table as it is, by attack."""
    lines = path.read_text().splitlines() if path.exists() else []
    return {name: line for name in ATTACKS for line in lines if f"/{name}.py`" in line}
