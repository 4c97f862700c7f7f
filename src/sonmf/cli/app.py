"""The verbs. Nothing heavy is imported before a verb runs."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from sonmf.cli.verbs import (
    Verbs,
    beds,
    compare,
    demo,
    evaluate,
    factorize,
    fit,
    monitor,
    predict,
    report,
    reproduce,
    serve,
    topics,
    update,
)

app = Verbs(
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


for verb, function in (
    (demo, demo.demo),
    (fit, fit.fit),
    (evaluate, evaluate.evaluate),
    (topics, topics.topics),
    (predict, predict.predict),
    (monitor, monitor.monitor),
    (beds, beds.beds),
    (report, report.report),
    (serve, serve.serve),
    (update, update.update),
    (compare, compare.compare),
    (factorize, factorize.factorize),
    (reproduce, reproduce.reproduce),
):
    app.command(epilog=verb.EXAMPLES)(function)
