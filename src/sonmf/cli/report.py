"""``sonmf report``: a model in, one HTML file out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Context, Option

from sonmf.cli import options
from sonmf.cli.output_files import check_target
from sonmf.cli.say import refuse, refuse_options
from sonmf.cli.terminal import Terminal, style_text

EXAMPLES = {
    "one file that opens without a network": "sonmf report model.sonmf -o report.html",
    "with typical notes of your patients in it": "sonmf report model.sonmf --notes notes.csv -o report.html",
}


def report(
    ctx: Context,
    *,
    model: options.ModelFile,
    out: Annotated[Path, Option("-o", "--out", help="HTML file to write.")] = Path("report.html"),
    notes: options.TypicalNotes = None,
    text: options.FittedText = None,
    group: options.FittedGroup = None,
    reading: options.FileOptions,
    expect_sha256: options.Expected = None,
    force: options.Force = False,
) -> None:
    """Write a report to share: the topics and their effects, the quality of the forecast, a model card."""
    from sonmf.web.report_page import write_report

    console = Terminal()
    if notes is None:
        refuse_options(ctx, options.OF_TYPICAL_NOTES, options.WITHOUT_NOTES)
    source = reading.open_if_given(notes)
    refuse(out.suffix != ".html", f"{out}: the ending must be .html, so that a browser opens it")
    check_target(out, force, model, *(source.places if source else ()))
    loaded = options.load_model(model, expect_sha256)
    write_report(loaded, out, options.typical_notes(loaded, source, text, group, console))
    console.print("report written to ", style_text(out, "bold"), "; it opens in any browser, without a network")
    if source:
        console.print("It contains notes of patients: keep it as you keep the notes themselves.", style="yellow")
