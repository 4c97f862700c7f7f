"""The verbs. Nothing heavy is imported before a verb runs."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Annotated

import typer

from sonmf.cli.verbs import Verb

VERBS = (
    "demo", "fit", "evaluate", "topics", "predict", "monitor", "beds", "report", "serve", "update", "compare", "factorize",
    "reproduce",
)  # fmt: skip
"""In the order of ``sonmf --help``; each is a function of its name in a module of its name, beside its examples."""

app = typer.Typer(
    name="sonmf",
    help="Signed, orthonormal topics from triage notes, and an admission forecast that explains itself.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)


def _show_version(asked: bool) -> None:
    if asked:
        from sonmf import __version__

        sys.stdout.write(f"{__version__}\n")
        raise typer.Exit


@app.callback()
def main(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.", callback=_show_version)] = False,
) -> None:
    """Signed, orthonormal topics from triage notes, and an admission forecast that explains itself."""


for name in VERBS:
    verb = import_module(f"sonmf.cli.verbs.{name}")
    title = "Examples:" if len(verb.EXAMPLES) > 1 else "Example:"
    app.command(cls=Verb, epilog="\n\n".join([title, *verb.EXAMPLES]))(getattr(verb, name))

command = typer.main.get_command(app)
