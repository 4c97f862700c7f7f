"""Whether a file to be written is one that is read, by whatever name."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sonmf.datasets.tables import KNOWN

READ = (*KNOWN, ".npz", ".npy")  # endings of what a folder is read for


def is_read(targets: Iterable[Path], inputs: Iterable[Path]) -> bool:
    """Whether a command that reads these files and folders would replace any of them, or add to what it reads the next time."""
    sources = list(inputs)
    return any(_is_read(target, source) for target in targets for source in sources)


def _is_read(target: Path, source: Path) -> bool:
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
