"""Rare words and names planted in notes appear in nothing that is written: model, report, figures, logs, temporary files."""

from __future__ import annotations

import gzip
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np

from torture.isolated import isolated
from torture.outcome import Outcome, counted
from torture.world import SMALL, Said, command, folder, frame

WARDS = 50  # for a scale of 1
LETTERS = list("bcdfghjklmnpqrstvwxz")
FEW = 4  # patients with the same rare word: one fewer than a word of the model needs
LEARNED, COMPLAINT, SUBGROUP, OUTCOME, IDENTITY = slice(0, 8), 8, 9, 10, 11
KINDS = {
    COMPLAINT: "a complaint of one patient",
    SUBGROUP: "a subgroup of one patient",
    OUTCOME: "an outcome",
    IDENTITY: "an id",
}


def planted(random: np.random.Generator) -> tuple[Any, list[str]]:
    """Patients, and the words among them that few have and that nobody writes by chance."""
    data = frame(seed=int(random.integers(1000)))
    words = ["qu" + "".join(random.choice(LETTERS, 7)) for _ in range(12)]
    for word in words[LEARNED]:
        for row in random.choice(len(data), int(random.integers(1, FEW + 1)), replace=False):
            data.loc[row, "note"] += f", pt Mrs. {word.title()} ({word.upper()}), {word}'s daughter"
    for column, word in {"complaint": COMPLAINT, "sex": SUBGROUP, "disposition": OUTCOME, "id": IDENTITY}.items():
        data.loc[int(random.integers(len(data))), column] = words[word]
    return data, words


def spoiled(text: str, words: list[str], random: np.random.Generator) -> dict[str, bytes]:
    """Files that cannot be read, each with canaries where it breaks."""
    lines = text.splitlines()
    row = int(random.integers(2, len(lines)))
    torn = [*lines[:row], f'{lines[row]},more,{words[0]},"{words[1]}', *lines[row + 1 :]]
    foreign = [*lines[:row], f"9,{words[2]} \xe9\x81,{words[3]},x,y", *lines[row:]]
    headless = [f"7,{words[4]} has a cough since {words[5]},admitted,Cough,F", *lines[1:]]
    return {
        "torn.csv": "\n".join(torn).encode(),
        "foreign.csv": "\n".join(foreign).encode("latin-1"),
        "headless.csv": "\n".join(headless).encode(),
    }


def commands(place: Path, bad: list[str], words: list[str]) -> Iterator[tuple[str, Said, list[str]]]:
    """Each verb on these patients: its name, what it said, and which words it may not have written."""
    notes, model = place / "notes.csv", place / "model.sonmf"
    two = ["--positive", "admitted", "--negative", "discharged"]
    secret = [*words[LEARNED], words[COMPLAINT], words[SUBGROUP]]  # outcomes are asked for, and ids are copied
    yield "fit", command("fit", notes, *two, "--subgroup", "sex", *SMALL, "-o", model), secret
    methods = ("--methods", "sonmf,words", "--folds", 2, "--jobs", 1, "--model", model)
    yield "evaluate", command("evaluate", notes, *two, "--subgroup", "sex", *SMALL, *methods, "-o", place / "out"), secret
    yield "report", command("report", model, "-o", place / "report.html"), secret
    yield "topics", command("topics", model), secret
    yield "predict", command("predict", model, notes, "-o", place / "forecast.csv"), [*words[LEARNED], words[SUBGROUP]]
    for name in bad:
        yield f"fit {name}", command("fit", place / name, *SMALL, "-o", place / "never.sonmf"), words[LEARNED]
        yield f"predict {name}", command("predict", model, place / name, "-o", place / f"out-{name}"), words[LEARNED]


@contextmanager
def temporary(place: Path) -> Iterator[None]:
    """Temporary files, of this process and of those it starts, in this folder."""
    place.mkdir()
    before = tempfile.tempdir, os.environ.get("TMPDIR", "/tmp")
    tempfile.tempdir = os.environ["TMPDIR"] = str(place)
    try:
        yield
    finally:
        tempfile.tempdir, os.environ["TMPDIR"] = before


def searched(seed: int) -> Iterator[str]:
    """What was found where, a ward long; empty for every stream and file that holds no canary."""
    random = np.random.default_rng(seed)
    with folder() as place, temporary(place / "tmp"):
        data, words = planted(random)
        inputs = {"notes.csv": data.to_csv(index=False).encode()}
        inputs |= spoiled(inputs["notes.csv"].decode(), words, random)
        for name, content in inputs.items():
            (place / name).write_bytes(content)
        seen: dict[Path, int] = {}
        for name, said, secret in commands(place, list(inputs)[1:], words):
            places = {f"stdout of {name}": said.out.encode(), f"stderr of {name}": said.err.encode()}
            for path in (path for path in place.rglob("*") if path.is_file() and path.name not in inputs):
                if seen.get(path) != (changed := path.stat().st_mtime_ns):
                    seen[path] = changed
                    places[f"{path.relative_to(place)} of {name}"] = path.read_bytes()
            for where, content in places.items():
                word = found(secret, content)
                yield f"{KINDS.get(words.index(word), 'a rare word')} in {where}" if word else ""


def found(words: list[str], content: bytes) -> str:
    """The first of the words in what was written, whatever its case and ending, packed or not."""
    with suppress(OSError, EOFError):
        content += gzip.decompress(content)
    lowered = content.lower()
    return next((word for word in words if word[:7].encode() in lowered), "")


def trial(seed: int) -> str:
    return "\n".join(searched(seed))


def attack(scale: float, seed: int) -> Outcome:
    """Wards with canaries, every verb on each, every file and stream searched."""
    return counted(trials(max(1, round(WARDS * scale)), seed))


def trials(wards: int, seed: int) -> Iterator[str]:
    seeds = np.random.default_rng(seed).integers(2**32, size=wards)
    for faults in isolated(trial, map(int, seeds), patience=900):
        yield from faults.split("\n")
