"""Rare words and names planted in notes are found in nothing that is written: model, report, figures, logs, temporary files."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from torture.outcome import Outcome, counted
from torture.world import SMALL, Said, finished, folder, frame

WARDS = 10  # for a scale of 1
LETTERS = "bcdfghjklmnpqrstvwxz"
FEW = 4  # patients with the same rare word: one fewer than a word of the model needs


def canaries(random: np.random.Generator, count: int) -> list[str]:
    """Words that nobody writes by chance; no stemmer cuts them to something shorter than six letters."""
    return ["qu" + "".join(random.choice(list(LETTERS), 7)) for _ in range(count)]


def planted(random: np.random.Generator) -> tuple[Any, list[str]]:
    """Patients, and the words and names among them that few have."""
    data = frame(seed=int(random.integers(1000)))
    words = canaries(random, 12)
    for word in words[:8]:
        for row in random.choice(len(data), int(random.integers(1, FEW + 1)), replace=False):
            data.loc[row, "note"] += f", pt Mrs. {word.title()} ({word.upper()}), {word}'s daughter"
    data.loc[int(random.integers(len(data))), "complaint"] = words[8]  # one patient has it
    data.loc[int(random.integers(len(data))), "sex"] = words[9]
    data.loc[int(random.integers(len(data))), "disposition"] = words[10]
    data.loc[int(random.integers(len(data))), "id"] = words[11]
    return data, words


def spoiled(text: str, words: list[str], random: np.random.Generator) -> dict[str, bytes]:
    """Files that cannot be read, with a canary where they break."""
    lines = text.splitlines()
    row = int(random.integers(2, len(lines)))
    torn = [*lines[:row], f'{lines[row]},more,{words[0]},"{words[1]}', *lines[row + 1 :]]
    return {
        "torn.csv": "\n".join(torn).encode(),
        "latin.csv": "\n".join([*lines[:row], f"9,{words[2]} \xe9\xff,{words[3]},x,y", *lines[row:]]).encode("latin-1"),
        "headless.csv": "\n".join([f"7,{words[4]} has a cough since {words[5]},admitted,Cough,F", *lines[1:]]).encode(),
    }


def commands(data: Any, words: list[str], place: Path, random: np.random.Generator) -> Iterator[tuple[str, Said, list[str]]]:
    """Each verb on these patients: its name, what it said, and which words it may not have written."""
    text = data.to_csv(index=False)
    (place / "notes.csv").write_text(text)
    for name, content in spoiled(text, words, random).items():
        (place / name).write_bytes(content)
    notes, model = place / "notes.csv", place / "model.sonmf"
    two = ["--positive", "admitted", "--negative", "discharged"]
    environment = {"TMPDIR": str(place / "tmp"), "COLUMNS": "100"}
    (place / "tmp").mkdir()

    def run(*arguments: Any) -> Said:
        return finished(*arguments, **environment)

    secret = words[:10]  # outcomes and ids are asked for and copied
    yield "fit", run("fit", notes, *two, "--subgroup", "sex", *SMALL, "-o", model), secret
    yield "fit --memory", run("fit", notes, *two, "--memory", "2GB", *SMALL, "-o", place / "large.sonmf"), secret
    methods = ("--methods", "sonmf,words", "--folds", 2, "--jobs", 1, "--model", model)
    yield "evaluate", run("evaluate", notes, *two, "--subgroup", "sex", *SMALL, *methods, "-o", place / "out"), secret
    yield "report", run("report", model, "-o", place / "report.html"), secret
    yield "topics", run("topics", model), secret
    yield "predict", run("predict", model, notes, "-o", place / "forecast.csv"), [*words[:8], words[9]]
    for name in ("torn.csv", "latin.csv", "headless.csv"):
        yield f"fit {name}", run("fit", place / name, *SMALL, "-o", place / "never.sonmf"), words[:8]
        yield f"predict {name}", run("predict", model, place / name, "-o", place / f"{name}.out.csv"), words[:8]


def found(words: list[str], content: bytes) -> str:
    """The first of the words in what was written, whatever its case, packed or not."""
    with suppress(OSError, EOFError):
        content += gzip.decompress(content)
    lowered = content.lower()
    return next((word for word in words if word[:7].encode() in lowered), "")


def trials(wards: int, seed: int) -> Iterator[str]:
    random = np.random.default_rng(seed)
    for _ in range(wards):
        with folder() as place:
            data, words = planted(random)
            inputs = {"notes.csv", "torn.csv", "latin.csv", "headless.csv"}
            seen: dict[str, float] = {}
            for name, said, secret in commands(data, words, place, random):
                for stream, content in {"stdout": said.out, "stderr": said.err}.items():
                    yield _fault(f"{stream} of {name}", words, found(secret, content.encode()))
                for path in sorted(place.rglob("*")):
                    if path.is_file() and path.name not in inputs and seen.get(str(path)) != path.stat().st_mtime:
                        seen[str(path)] = path.stat().st_mtime
                        yield _fault(f"{os.path.relpath(path, place)} of {name}", words, found(secret, path.read_bytes()))


def _fault(where: str, words: list[str], word: str) -> str:
    kinds = {8: "a complaint of one patient", 9: "a subgroup of one patient", 10: "an outcome", 11: "an id"}
    return f"{kinds.get(words.index(word), 'a rare word')} in {where}" if word else ""


def attack(scale: float, seed: int) -> Outcome:
    """Wards with canaries, every verb on each, every file and stream searched."""
    return counted(trials(max(1, round(WARDS * scale)), seed))
