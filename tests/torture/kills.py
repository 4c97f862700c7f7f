"""SIGKILL at any moment: outputs are whole or absent, no worker or readable note is left, and the next run gives the same."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from processes import alive, running, wait_until

from sonmf.triage import TriageModel
from torture.outcome import Outcome, counted
from torture.world import SMALL, folder, frame, process

KILLS = 100  # for a scale of 1
MARK = "zanzibarine"  # a word of every note
PATIENCE = 60.0  # seconds until a worker must have noticed that it is alone

Figures = Callable[[Path], Any]


class Verb(NamedTuple):
    arguments: tuple[str, ...]
    figures: Figures
    """What must be the same in the end: it raises what it cannot read, and says None of what is not there."""
    again: tuple[str, ...] = ()
    """What to add to go on."""


def model_figures(place: Path) -> Any:
    """The forecasts of the model, for figures and order of its patients."""
    if not (place / "model.sonmf").exists():
        return None
    data = frame(30, seed=9)
    return TriageModel.load(place / "model.sonmf").predict_proba(data["note"], data["complaint"]).tolist()


def table_figures(name: str) -> Figures:
    """A table without its times."""

    def figures(place: Path) -> Any:
        if not (place / name).exists():
            return None
        table = pd.read_csv(place / name)
        return table.drop(columns=[column for column in table if column in ("seconds", "time")]).to_csv(index=False)

    return figures


def page(place: Path) -> Any:
    """A report to its last tag, without the hour at which it was written."""
    if not (place / "report.html").exists():
        return None
    text = (place / "report.html").read_text()
    if not text.rstrip().endswith("</html>"):
        raise ValueError("half a page")
    return len(text) // 1000


VERBS = {
    "fit": Verb(("fit", "notes.csv", *SMALL, "-o", "model.sonmf"), model_figures, ("--force",)),
    "evaluate": Verb(
        ("evaluate", "notes.csv", *SMALL, "--methods", "sonmf,words", "--folds", "2", "--jobs", "2", "-o", "out"),
        table_figures("out/results.csv"),
    ),
    "predict": Verb(("predict", "ready.sonmf", "notes.csv", "-o", "forecast.csv"), table_figures("forecast.csv"), ("--force",)),
    "report": Verb(("report", "ready.sonmf", "--notes", "notes.csv", "-o", "report.html"), page, ("--force",)),
    "reproduce": Verb(
        ("reproduce", "table3", "--trials", "1", "--jobs", "2", "--out", "tables"),
        table_figures("tables/table3/results.csv"),
        ("--resume",),
    ),
}


class Reference(NamedTuple):
    figures: Any
    seconds: float
    files: set[str]


def prepared(place: Path) -> Path:
    """A folder with notes, each with the mark, and a model of them."""
    data = frame()
    data["note"] = [f"{note} {MARK}{i % 7}" for i, note in enumerate(data["note"])]
    data.to_csv(place / "notes.csv", index=False)
    subprocess.run(process("fit", "notes.csv", *SMALL, "-o", "ready.sonmf"), cwd=place, check=True, capture_output=True)
    return place


def started(verb: Verb, place: Path, *more: str) -> Any:
    temporary = place / "tmp"
    temporary.mkdir(exist_ok=True)
    environment = os.environ | {"TMPDIR": str(temporary)}
    command = process(*verb.arguments, *more)
    return running(command, cwd=place, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def written(place: Path) -> set[str]:
    """Files that a run left, by their names."""
    return {str(path.relative_to(place)) for path in place.rglob("*") if path.is_file()}


def whole(verb: Verb, source: Path) -> Reference:
    """What a run that nobody kills ends with, and how long it takes."""
    with folder() as place:
        shutil.copytree(source, place, dirs_exist_ok=True)
        began = time.monotonic()
        with started(verb, place) as run:
            run.wait()
        return Reference(verb.figures(place), time.monotonic() - began, written(place))


def readable_notes(place: Path) -> str:
    """A file with words of notes that others may read, among what was left behind."""
    for path in place.rglob("*"):
        left_over = path.is_relative_to(place / "tmp") or "partial" in path.name
        if left_over and path.is_file() and MARK.encode() in path.read_bytes() and path.stat().st_mode & 0o077:
            return f"notes are left in {path.name.replace(MARK, '')[:20]}, readable by all"
    return ""


def trial(verb: Verb, reference: Reference, source: Path, moment: float) -> str:
    """Kill one run at this share of its time, look at what it left, and go on."""
    with folder() as place:
        shutil.copytree(source, place, dirs_exist_ok=True)
        with started(verb, place) as run:
            try:
                run.wait(timeout=moment * reference.seconds)
            except subprocess.TimeoutExpired:
                os.kill(run.pid, signal.SIGKILL)  # the parent alone: its workers must notice
            run.wait()
            orphans = not wait_until(lambda: not alive(run.pid), PATIENCE)
        try:
            half = verb.figures(place) not in (None, reference.figures)
        except Exception as error:
            return f"half an output ({type(error).__name__})"
        fault = ("a worker outlives its parent" if orphans else "half an output" if half else "") or readable_notes(place)
        return fault or resumed(verb, reference, place)


def resumed(verb: Verb, reference: Reference, place: Path) -> str:
    with started(verb, place, *verb.again) as run:
        code = run.wait()
    if code != 0:
        return f"the next run ends with exit code {code}"
    if verb.figures(place) != reference.figures:
        return "the next run ends with other figures"
    left = sorted(name for name in written(place) - reference.files if not name.startswith("tables/"))
    return f"{Path(left[0]).name[:8]}... is left for ever" if left else ""


def attack(scale: float, seed: int) -> Outcome:
    """Each verb in turn, killed at another moment each time."""
    return counted(trials(max(1, round(KILLS * scale)), seed))


def trials(kills: int, seed: int) -> Iterator[str]:
    random = np.random.default_rng(seed)
    names = list(itertools.islice(itertools.cycle(random.permutation(list(VERBS))), kills))
    with folder() as place:
        source = prepared(place)
        references = {name: whole(VERBS[name], source) for name in dict.fromkeys(names)}
        for name in names:
            fault = trial(VERBS[name], references[name], source, random.uniform(0.1, 1.0))
            yield f"{name}: {fault}" if fault else ""
