"""``sonmf beds``: patients with times in, beds by the hour out, with the accuracy of such forecasts on past days."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Context, Option

from sonmf import files
from sonmf.cli import options
from sonmf.cli.output_files import check_target
from sonmf.cli.say import refuse, refuse_options
from sonmf.cli.terminal import Terminal, style_text

if TYPE_CHECKING:
    from sonmf.beds import BedOptions, BedsUntil, Outlook, PastForecasts, TimedPatients
    from sonmf.triage.patient_stream import PatientStream

WRITTEN = ("beds.html", "beds.json")
EXAMPLES = {
    "the next eight hours": "sonmf beds model.sonmf patients.csv --time arrival --until departure",
    "with page and JSON": "sonmf beds model.sonmf patients.csv --until departure --by ward --zone Europe/Berlin --out beds",
    "the patients who are present, with the rates of last year": (
        "sonmf beds model.sonmf present.csv --history last_year.csv --now 2024-03-31T09:00 --every 2h --window 12h"
    ),
}


def beds(
    ctx: Context,
    *,
    model: options.ModelFile,
    patients: Annotated[
        Path | None,
        Argument(
            help="Patients with times: CSV, TSV (also .gz), Excel or Parquet file, a folder of them, or - for standard input."
        ),
    ] = None,
    time: Annotated[
        str | None, Option(help="Column with the time of arrival. (default: that of the fit, else arrival)")
    ] = None,
    until: Annotated[
        str | None, Option(help="Column with the time of departure; empty if the patient is still present.")
    ] = None,
    every: Annotated[str, Option(help="Step of the table, and time between forecasts of past days: 30m, 1h ...")] = "1h",
    window: Annotated[str, Option(help="How far to look ahead: 8h, 1d ...")] = "8h",
    by: Annotated[str | None, Option(help="Column to group the beds by, such as ward.")] = None,
    zone: Annotated[
        str | None,
        Option(
            help="Time zone, such as Europe/Berlin; times without an offset are local times of this zone. "
            "(default: a clock that never changes)"
        ),
    ] = None,
    stay: Annotated[str | None, Option(help="How long a patient stays, if there is no --until. (default: 6h)")] = None,
    history: Annotated[
        Path | None, Option(help="Patients to learn the rates of arrival from. (default: those who arrived before --now)")
    ] = None,
    now: Annotated[str | None, Option(help="Time of the forecast. (default: the last arrival)")] = None,
    out: Annotated[Path | None, Option("-o", "--out", help="Folder for beds.html and beds.json.")] = None,
    text: options.FittedText = None,
    group: options.FittedGroup = None,
    preset: options.Preset = None,
    reading: options.SourceOptions,
    expect_sha256: options.Expected = None,
    force: options.Force = False,
) -> None:
    """Beds by the hour: for the patients who are present, and for those who will arrive.

    A bed is counted for everyone who is present now or arrives before the window ends, and is admitted in the end. Past days
    are forecast again, each from the days before it, and compared with what happened. This is fair only for patients whom
    the model was not fitted to.
    """
    from sonmf.beds import BedOptions, look_ahead
    from sonmf.beds.options import USUAL_TIME
    from sonmf.triage.patient_stream import PatientStream
    from sonmf.triage.provenance import Provenance

    if out is None:
        refuse_options(ctx, ["force"], "only for --out, so name a folder there too")
    refuse(until and stay, "--stay is for patients without a departure, and --until names the column of it: leave one out")
    bed_options = BedOptions(time or "", until or "", by or "", zone or "", every, window, stay or BedOptions().stay, now or "")
    source, past = reading.open(patients), reading.open_if_given(history)
    bed_options.check()
    console = Terminal()
    if out is not None:
        refuse(out.exists() and not out.is_dir(), f"--out {out} is a file: name a folder")
        for name in WRITTEN:
            check_target(out / name, force, model, *source.places, *(past.places if past else ()))
    loaded = options.load_model(model, expect_sha256)
    fitted = loaded.provenance_.time if loaded.provenance_ else None
    bed_options = bed_options._replace(time=bed_options.time or fitted or USUAL_TIME)
    named = Provenance.request(text=text or "", group=group, preset=preset)
    listed, remarks = read_patients(PatientStream(loaded, source, named, bed_options.columns), bed_options)
    earlier = listed
    if past:
        earlier, more = read_patients(PatientStream(loaded, past, named, bed_options.columns), bed_options)
        remarks += more
    outlook = look_ahead(listed, earlier, bed_options, remarks)
    show(console, outlook)
    if out is not None:
        write(outlook, out)
        page, data = (style_text(out / name, "bold") for name in WRITTEN)
        console.print("written to ", page, " and ", data)


def write(outlook: Outlook, folder: Path) -> None:
    """The page, and its figures as JSON."""
    from sonmf.web.standalone import standalone_html, write_html

    figures = json.dumps(outlook.as_json(), ensure_ascii=False, allow_nan=False, indent=1)
    files.replace(folder / "beds.json", lambda partial: partial.write_text(figures + "\n", "utf-8"))
    write_html(standalone_html("beds_file.html", beds=outlook.as_json()), folder / "beds.html")


def read_patients(stream: PatientStream, bed_options: BedOptions) -> tuple[TimedPatients, list[str]]:
    """Read and score all patients of a stream; also the remarks on how they were read."""
    from sonmf.beds.patient_list import PatientList

    listed = PatientList(stream, bed_options)
    for scored in stream.scored():
        listed.add(scored)
    patients, remarks = listed.patients()
    return patients, [*stream.remarks, *remarks]


def show(console: Terminal, outlook: Outlook) -> None:
    """Print the remarks, the hours, the groups, and the accuracy on past days."""
    from sonmf.beds.local_hours import in_words

    console.print_each(outlook.remarks)
    everyone, last = outlook.everyone, outlook.everyone.lines[-1]
    console.print(
        style_text(
            f"{in_words(outlook.now)}: {everyone.patients:,} patients present, {last.expected:,.1f} beds expected", "bold"
        ),
        f" by {in_words(last.until)} ({outlook.level:.0%} interval {last.low:,} to {last.high:,})",
    )
    head = ["until", *_beds_head(outlook), "arrivals"]
    rows = [[in_words(line.until), *_beds_cells(line), f"{line.arrivals:,.1f}"] for line in everyone.lines]
    console.table(head, rows, words=["until"], elsewhere="use --out")
    if outlook.groups:
        _show_groups(console, outlook)
    history = outlook.history
    console.print(
        f"rates from {history.arrivals:,} arrivals between {in_words(history.first)} and {in_words(history.last)}: "
        f"{history.a_day:,.1f} a day, {history.share:.1%} of whom are expected to need a bed"
    )
    if outlook.judged:
        for sentence in in_sentences(outlook.judged, outlook):
            console.print(sentence)


def _show_groups(console: Terminal, outlook: Outlook) -> None:
    from sonmf.beds.local_hours import in_words

    head = [outlook.by, *_beds_head(outlook), "patients"]
    everyone = outlook.everyone._replace(name="all")
    rows = [[group.name, *_beds_cells(group.lines[-1]), f"{group.patients:,}"] for group in (*outlook.groups, everyone)]
    title = f"by {in_words(outlook.everyone.lines[-1].until)}"
    console.table(head, rows, words=[outlook.by], title=title, elsewhere="use --out")


def _beds_head(outlook: Outlook) -> list[str]:
    return ["beds expected", f"{outlook.level:.0%} interval", "present", "arriving"]


def _beds_cells(line: BedsUntil) -> list[str]:
    numbers = (f"{number:,.1f}" for number in (line.expected, line.present, line.arriving))
    expected, present, arriving = numbers
    return [expected, f"{line.low:,} to {line.high:,}", present, arriving]


def in_sentences(judged: PastForecasts, outlook: Outlook) -> list[str]:
    """The accuracy on past days, in sentences."""
    return [
        f"the last {judged.days} days forecast again, {judged.moments:,} windows of {outlook.window}: {judged.bias}",
        f"mean error {judged.error:,.2f} beds, that of the same hour last week {judged.last_week_error:,.2f}",
        f"{judged.coverage:.1%} of the windows inside the {outlook.level:.0%} interval ({judged.promised:.1%} expected)",
    ]
