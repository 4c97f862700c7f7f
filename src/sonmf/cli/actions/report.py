"""``sonmf report``: a model in, one HTML file out that opens anywhere."""

from __future__ import annotations

from pathlib import Path

from sonmf.cli.model_files import load_model
from sonmf.cli.option_values import typical_notes
from sonmf.cli.output_files import check_target
from sonmf.cli.say import refuse
from sonmf.cli.terminal import Terminal, style_text
from sonmf.sources import Source
from sonmf.web.report_page import write_report


def run(
    model_path: Path,
    notes: Source | None,
    text: str | None,
    group: str | None,
    out: Path,
    *,
    force: bool,
    expect_sha256: str | None = None,
) -> None:
    console = Terminal()
    refuse(out.suffix != ".html", f"{out}: the ending must be .html, so that a browser opens it")
    check_target(out, force, model_path, *(notes.places if notes else ()))
    model = load_model(model_path, expect_sha256)
    write_report(model, out, typical_notes(model, notes, text, group, console))
    console.print("report written to ", style_text(out, "bold"), "; it opens in any browser, without a network")
    if notes:
        console.print("It contains notes of patients: keep it as you keep the notes themselves.", style="yellow")
