"""``sonmf beds``: patients with times in, beds by the hour out, with the accuracy of such forecasts on past days."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

from sonmf import files
from sonmf.beds import BedOptions, Judged, Outlook, TimedPatients, look_ahead
from sonmf.beds.clock import in_words
from sonmf.beds.hourly_forecast import BedsUntil
from sonmf.beds.options import USUAL_TIME, BedSettings
from sonmf.beds.patient_list import PatientList
from sonmf.cli.option_values import load_model
from sonmf.cli.output_files import check_target
from sonmf.cli.say import refuse
from sonmf.cli.terminal import Terminal, style_text
from sonmf.sources import Source
from sonmf.triage import TriageModel
from sonmf.triage.patient_scores import as_fitted, patient_columns
from sonmf.web.standalone import standalone_html, write_html

WRITTEN = ("beds.html", "beds.json")


class Columns(NamedTuple):
    """What the options say of columns beside the times."""

    text: str | None
    group: str | None
    preset: str | None


def run(
    model_path: Path,
    source: Source,
    past: Source | None,
    asked: BedOptions,
    columns: Columns,
    out: Path | None,
    expect_sha256: str | None,
    *,
    force: bool,
) -> None:
    console, settings = Terminal(), asked.settings()
    if out is not None:
        refuse(out.exists() and not out.is_dir(), f"--out {out} is a file: name a folder")
        for name in WRITTEN:
            check_target(out / name, force, model_path, *source.places, *(past.places if past else ()))
    model = load_model(model_path, expect_sha256)
    fitted = model.provenance_.time if model.provenance_ else None
    asked = asked._replace(time=asked.time or fitted or USUAL_TIME)
    patients, remarks = read_patients(model, source, asked, settings, columns)
    history = patients
    if past:
        history, more = read_patients(model, past, asked, settings, columns)
        remarks += more
    found = look_ahead(patients, history, settings, asked.by, remarks)
    show(console, found)
    if out is not None:
        told = json.dumps(found.as_json(), ensure_ascii=False, allow_nan=False, indent=1)
        files.replace(out / "beds.json", lambda partial: partial.write_text(told + "\n", "utf-8"))
        write_html(standalone_html("beds_file.html", beds=found.as_json()), out / "beds.html")
        page, data = (style_text(out / name, "bold") for name in WRITTEN)
        console.print("written to ", page, " and ", data)


def read_patients(
    model: TriageModel, source: Source, asked: BedOptions, settings: BedSettings, columns: Columns
) -> tuple[TimedPatients, list[str]]:
    """Read and score all patients of a source; also the remarks on how they were read."""
    source = as_fitted(model, source, columns.preset)
    names = patient_columns(model, columns.text, columns.group)._replace(more=asked.columns).among(source)
    listed = PatientList(model, asked, source)
    for frame in source.chunks(columns=names.needed):
        cells = frame.to_dict("list")
        listed.add(
            cells[names.text],
            cells.get(names.group),
            cells.get(names.label),
            {name: cells[name] for name in names.columns},
            cells,
        )
    patients, remarks = listed.patients(settings)
    return patients, [*source.remarks, *remarks]


def show(console: Terminal, found: Outlook) -> None:
    """Print the remarks, the hours, the groups, and the accuracy on past days."""
    console.print_each(found.remarks)
    everyone, last = found.everyone, found.everyone.lines[-1]
    console.print(
        style_text(f"{in_words(found.now)}: {everyone.patients:,} patients present, {last.expected:.1f} beds expected", "bold"),
        f" by {in_words(last.until)} ({found.level:.0%} interval {last.low} to {last.high})",
    )
    head = ["until", *_beds_head(found), "arrivals"]
    rows = [[in_words(line.until), *_beds_cells(line), f"{line.arrivals:.1f}"] for line in everyone.lines]
    console.table(head, rows, words=["until"], elsewhere="use --out")
    if found.groups:
        _show_groups(console, found)
    history = found.history
    console.print(
        f"rates from {history.arrivals:,} arrivals between {in_words(history.first)} and {in_words(history.last)}: "
        f"{history.a_day:.1f} a day, {history.share:.1%} of whom are expected to need a bed"
    )
    if found.judged:
        for sentence in in_sentences(found.judged, found):
            console.print(sentence)


def _show_groups(console: Terminal, found: Outlook) -> None:
    head = [found.by, *_beds_head(found), "patients"]
    everyone = found.everyone._replace(name="all")
    rows = [[one.name, *_beds_cells(one.lines[-1]), f"{one.patients:,}"] for one in (*found.groups, everyone)]
    title = f"by {in_words(found.everyone.lines[-1].until)}"
    console.table(head, rows, words=[found.by], title=title, elsewhere="use --out")


def _beds_head(found: Outlook) -> list[str]:
    return ["beds expected", f"{found.level:.0%} interval", "present", "arriving"]


def _beds_cells(line: BedsUntil) -> list[str]:
    return [f"{line.expected:.1f}", f"{line.low} to {line.high}", f"{line.present:.1f}", f"{line.arriving:.1f}"]


def in_sentences(judged: Judged, found: Outlook) -> list[str]:
    """The accuracy on past days, in sentences."""
    uniform = (
        f"{judged.independent} windows without a patient in common are too few to test the PIT values"
        if judged.uniform is None
        else f"PIT uniform with p = {judged.uniform:.2g}, over {judged.independent} windows without a patient in common"
    )
    return [
        f"the last {judged.days} days again, {judged.moments:,} windows of {found.window}: {judged.observed:.2f} beds on "
        f"average, {judged.expected:.2f} expected",
        f"mean error {judged.error:.2f} beds, that of the same hour last week {judged.last_week_error:.2f}; "
        f"CRPS {judged.crps:.2f}",
        f"{judged.coverage:.1%} of the windows inside the {found.level:.0%} interval ({judged.promised:.1%} expected); "
        f"{uniform}",
    ]
