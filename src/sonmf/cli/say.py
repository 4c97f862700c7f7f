"""How the command line talks: refusals in one sentence, bars on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

REFUSED = 2


def sheet(title: str = "") -> Table:
    """A table in the house style: few lines, so that more fits."""
    return Table(title=title or None, title_justify="left", title_style="bold", pad_edge=False, box=box.SIMPLE_HEAD)


def refuse(condition: object, message: str) -> None:
    """Stop with one sentence and exit code 2."""
    if condition:
        typer.echo(f"sonmf: {message}", err=True)
        raise typer.Exit(REFUSED)


def check_target(path: Path, force: bool) -> None:
    """Refuse before any work is done: a target that exists, or that cannot be written."""
    refuse(path.is_dir(), f"{path} is a folder: name a file")
    refuse(path.exists() and not force, f"{path} exists: give --force to replace it, or another name")
    probe = path.with_name(f".{path.name}.probe")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
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
