"""The line of ``sonmf demo``: its options and their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from sonmf.cli import options

EXAMPLES = ("[bold]sonmf demo[/bold]  two minutes, no data needed",)


def demo(
    notes: Annotated[int, Option(min=2000, help="Number of notes to generate.")] = 10_000,
    out: Annotated[Path, Option(help="Folder for the model and the evaluation.")] = Path("sonmf-demo"),
    seed: options.Seed = 0,
    force: Annotated[bool, Option("--force", help="Replace the demo in the folder.")] = False,
) -> None:
    """Generate notes, fit a model for each complaint, evaluate it, explain one patient, and monitor it for three months."""
    from sonmf.cli.actions import demo as action

    action.run(notes, out, seed, force=force)
