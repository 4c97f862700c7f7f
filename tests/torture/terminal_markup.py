"""Markup and escapes in names, complaints and cells: shown as they are written, never obeyed, and no work is lost."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from torture.isolated import isolated
from torture.outcome import Outcome, counted
from torture.world import SMALL, Said, command, folder, frame

WARDS = 40  # for a scale of 1
PIECES = (
    "[/bold]", "[bold]", "[/]", "[red]", "[/red]", "[link=http://a.example]x[/link]", "[@click=app.bell]x[/]", "[", "]",
    "\\[", "\\", "\x1b[31mred", "\x1b]8;;http://a.example\x07link\x1b]8;;\x07", "\x1b[2J", "\x1b[1A\x1b[2K", "\x9b31m",
    "\x07", "\x08\x08\x08", "\r", "\u202egnp", "\u2028", "\0", "\x7f", ":smile:", "%s %n", "{0}", "$(id)", "`id`",
    "☃" * 40, "a" * 300, "'\"", "--help", "-o", "\ufeff",
)  # fmt: skip
ESCAPES = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def odd_name(random: np.random.Generator) -> str:
    """A name of a few of the pieces."""
    pieces = [PIECES[int(i)] for i in random.integers(len(PIECES), size=int(random.integers(1, 3)))]
    return "".join(pieces).strip() + str(random.integers(100))


def commands(random: np.random.Generator, place: Path) -> Iterator[tuple[str, Said]]:
    """Every verb that prints something of the data."""
    complaints = tuple(odd_name(random) for _ in range(2))
    data = frame(seed=int(random.integers(1000)), complaints=complaints)
    for column, share in (("sex", 0.5), ("id", 0.1), ("disposition", 0.0)):
        odd = random.random(len(data)) < share
        data.loc[odd, column] = odd_name(random).replace("\0", "")
    data.loc[0, "complaint"] = odd_name(random)
    data.map(lambda cell: str(cell).replace("\0", "")).to_csv(place / "notes.csv", index=False)
    notes, model = place / "notes.csv", place / "model.sonmf"
    name = complaints[0].replace("\0", "")
    yield "fit", command("fit", notes, "--subgroup", "sex", *SMALL, "-o", model)
    if not model.exists():
        return
    yield "topics", command("topics", model)
    yield "topics --name", command("topics", model, f"--complaint={name}", f"--name=0={odd_name(random)}".replace("\0", ""))
    yield "topics, named", command("topics", model)
    yield "predict", command("predict", model, notes)
    yield "predict -o", command("predict", model, notes, "-o", place / "out.csv")
    yield "predict --note", command("predict", model, f"--note=syncope {odd_name(random)}", f"--complaint={name}")
    yield "predict, wrong column", command("predict", model, notes, f"--text={odd_name(random)}")
    yield "fit, wrong value", command("fit", notes, f"--positive={odd_name(random)}", "-o", place / "never.sonmf")
    yield "report", command("report", model, "-o", place / "report.html")


def fault(name: str, said: Said) -> str:
    if name == "predict":  # what goes to a pipe is data, for a program
        said = said._replace(out="")
    if wrong := said.fault:
        return f"{name}: {wrong[:80]}"
    if name in ("fit", "report", "predict", "predict -o", "topics, named") and said.code:
        return f"{name}: refused"
    obeyed = ESCAPES.search(said.out + said.err)
    return f"{name}: {obeyed[0]!r} reaches the terminal" if obeyed else ""


def faults(seed: int) -> str:
    """What went wrong in one ward, a line for each command, empty where nothing did."""
    with folder() as place:
        return "\n".join(fault(name, said) for name, said in commands(np.random.default_rng(seed), place))


def attack(scale: float, seed: int) -> Outcome:
    """Wards with odd names, every verb on each."""
    return counted(trials(max(1, round(WARDS * scale)), seed))


def trials(wards: int, seed: int) -> Iterator[str]:
    seeds = np.random.default_rng(seed).integers(2**32, size=wards)
    for found in isolated(faults, map(int, seeds), patience=900):
        yield from found.split("\n")
