"""How the command line talks: refusals in one sentence, bars on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from sonmf.cli.inputs import is_read

REFUSED = 2


def sheet(title: str = "") -> Table:
    """A table in the house style: few lines, so that more fits."""
    return Table(title=title or None, title_justify="left", title_style="bold", pad_edge=False, box=box.SIMPLE_HEAD)


def refuse(condition: object, message: str) -> None:
    """Stop with one sentence and exit code 2."""
    if condition:
        typer.echo(f"sonmf: {message}", err=True)
        raise typer.Exit(REFUSED)


def check_target(path: Path, force: bool, *inputs: Path) -> None:
    """Refuse before any work is done: a target that is an input, that exists, or that cannot be written."""
    refuse(path.is_dir(), f"{path} is a folder: name a file")
    refuse(is_read([path], inputs), f"{path} is what this command reads, or would read the next time: write to another place")
    refuse(path.exists() and not force, f"{path} exists: give --force to replace it, or another name")
    folder = Path(os.path.realpath(path)).parent
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        refuse(True, f"{path} cannot be written ({error.strerror}): choose another place")


@contextmanager
def progress(console: Console, total: int | None, unit: str) -> Iterator[Callable[..., None]]:
    """A bar with the time left on a terminal, a line now and then elsewhere: ``advance(label, total)`` moves it.

    The total may be given with the first step, where only the work itself knows it.
    """
    if console.is_terminal:
        columns = [
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        ]
        with Progress(*columns, console=console, transient=True) as bar:
            task = bar.add_task(unit, total=total)
            yield lambda label, total=total: bar.update(task, advance=1, total=total, description=label)
        return
    began, done, due = time.monotonic(), 0, 0.0

    def advance(label: str, total: int | None = total) -> None:
        nonlocal done, due
        done, spent = done + 1, time.monotonic() - began
        if spent >= due or done == total:
            due = spent + 30
            left = spent / done * ((total or done) - done)
            line = f"{done} of {total} {unit}, {spent:.0f} s, about {left:.0f} s left ({label})"
            console.print(line, highlight=False, markup=False)

    yield advance
