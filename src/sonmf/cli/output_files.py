"""Checks of the files that a command writes: they can be written, and are not files that it reads."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from sonmf.cli.say import refuse, stop
from sonmf.sources import ENDINGS

READ = (*ENDINGS, ".npz", ".npy")  # endings of what a folder is read for


def check_target(path: Path, force: bool, *inputs: Path) -> None:
    """Refuse before any work is done: a target that is an input, that exists, or that cannot be written."""
    refuse(path.is_dir(), f"{path} is a folder: name a file")
    refuse(
        overwrites_input([path], inputs),
        f"{path} is what this command reads, or would read the next time: write to another place",
    )
    refuse(path.exists() and not force, f"{path} exists: give --force to replace it, or another name")
    folder = Path(os.path.realpath(path)).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        stop(f"{path} cannot be written ({error.strerror}): choose another place")


def check_folder(folder: Path, written: Iterable[str], *inputs: Path) -> None:
    """Refuse a folder for results that is a file, or whose results would replace what the command reads."""
    refuse(folder.exists() and not folder.is_dir(), f"--out {folder} is a file: name a folder")
    refuse(
        overwrites_input([folder / name for name in written], inputs),
        f"{folder} has what this command reads: name another folder with --out",
    )


def check_model_target(path: Path, force: bool, *inputs: Path) -> None:
    """``check_target`` for a model; names of topics of another model beside it are refused too: they would name its topics."""
    from sonmf.triage import topic_labels

    check_target(path, force, *inputs)
    refuse(
        topic_labels.has_names(path),
        f"{topic_labels.labels_path(path)} names topics of another model: move it, or choose another name",
    )


def overwrites_input(targets: Iterable[Path], inputs: Iterable[Path]) -> bool:
    """Whether a command that reads these files and folders would replace any of them, or add to what it reads the next time."""
    sources = list(inputs)
    return any(_overwrites(target, source) for target in targets for source in sources)


def _overwrites(target: Path, source: Path) -> bool:
    if not source.is_dir():
        return _same(source, target)
    if target.resolve().parent == source.resolve() and _is_table(target):
        return True
    there = [*source.iterdir(), *(source / "ed").glob("*")] if target.exists() else []  # MIMIC-IV-ED keeps its files in ed
    return any(_same(file, target) for file in there if _is_table(file))


def _is_table(file: Path) -> bool:
    return file.name.lower().endswith(READ)


def _same(file: Path, target: Path) -> bool:
    try:
        return file.samefile(target)
    except OSError:
        return False
