"""The line of ``sonmf report``: its options and their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Context, Option

from sonmf.cli import options
from sonmf.cli.verbs import refuse_options

EXAMPLES = (
    "Examples:\n\n"
    "[bold]sonmf report model.sonmf -o report.html[/bold]  one file that opens without a network\n\n"
    "[bold]sonmf report model.sonmf --notes notes.csv -o report.html[/bold]  with typical notes of your patients in it"
)


def report(
    ctx: Context,
    model: options.ModelFile,
    out: Annotated[Path, Option("-o", "--out", help="HTML file to write.")] = Path("report.html"),
    notes: options.TypicalNotes = None,
    text: options.FittedText = None,
    group: options.FittedGroup = None,
    sep: options.Sep = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    expect_sha256: options.Expected = None,
    force: options.Force = False,
) -> None:
    """Write a report to share: the topics and their effects, the quality of the forecast, a model card."""
    from sonmf.cli.actions import report as action
    from sonmf.sources import Reading, open_table

    if notes is None:
        refuse_options(ctx, options.OF_TYPICAL_NOTES, options.WITHOUT_NOTES)
    source = None if notes is None else open_table(notes, Reading.asked(sep, encoding, sheet))
    action.run(model, source, text, group, out, force=force, expect_sha256=expect_sha256)
