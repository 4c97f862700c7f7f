"""``sonmf monitor``: a model and new patients in, a verdict and a page out."""

from __future__ import annotations

import datetime
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

from msgspec.structs import replace
from typer import Argument, Exit, Option

from sonmf.cli import options
from sonmf.cli.output_files import check_folder
from sonmf.cli.say import refuse
from sonmf.cli.terminal import Cell, Terminal, progress, style_text
from sonmf.sources import Source

if TYPE_CHECKING:
    from sonmf.monitoring import Calendar, Period, Verdict
    from sonmf.monitoring.observations import References
    from sonmf.monitoring.overview import Overview
    from sonmf.triage import TriageModel
    from sonmf.triage.provenance import Provenance

ALARM = 3
PAGE = "monitor.html"
HEAD = ("patients", "with outcome", "expected", "admitted", "points off", "slope", "AUROC", "Brier", "unknown words")
SHOWN = 12  # periods in the table of the terminal

EXAMPLES = {
    "each month against its limits": "sonmf monitor model.sonmf 2024.csv --time arrival --out monitoring",
    "the next month, where the model knows the column": "sonmf monitor model.sonmf new.csv --out monitoring",
    "by week": "sonmf monitor model.sonmf new.csv --time arrival --every week --out monitoring",
    "for cron": "sonmf monitor model.sonmf new.csv --out monitoring || mail -s 'sonmf alarm' ward@example.org",
}


def monitor(
    *,
    model: options.ModelFile,
    new: Annotated[
        Path | None,
        Argument(help="New patients: a CSV, TSV (also .gz), Excel or Parquet file, a folder of them, or - for standard input."),
    ] = None,
    out: Annotated[Path, Option("-o", "--out", help="Folder for the page and its history.")] = Path("monitoring"),
    time: options.Time = None,
    every: Annotated[str, Option(help="Length of a period: month or week.")] = "month",
    reference: Annotated[
        Path | None,
        Option(help="Patients to compare the new ones with, in place of those of the fit."),
    ] = None,
    text: options.FittedText = None,
    label: Annotated[str | None, Option(help="Column with the outcome. (default: as in the fit, else disposition)")] = None,
    group: options.FittedGroup = None,
    preset: options.Preset = None,
    reading: options.SourceOptions,
    expect_sha256: options.Expected = None,
) -> None:
    """Compare forecasts with outcomes: is the model still right, and are the patients still like those of the fit?

    For each month it shows calibration in the large and its slope, AUROC and Brier score with control limits, and expected
    against observed beds. Before outcomes are known, it shows the drift of words, topics and columns. Rows without an outcome
    count for drift alone.

    The command writes monitor.html and history.jsonl to the folder. The history only grows, and contains no note. A month
    that is read again is not written twice. If more of its patients or outcomes are known by then, a new line is added, and
    that line counts.

    It judges the last month, the last few together, the last year, and everything since the fit or the last update.

    Exit code 0: no alarm. 3: an alarm, in at most 5 of 100 years in which nothing has changed. 2: wrong usage.
    """
    from sonmf.monitoring import Calendar, history
    from sonmf.monitoring.calendar import EVERY
    from sonmf.monitoring.observations import references_from, references_of
    from sonmf.triage.patient_stream import PatientStream
    from sonmf.triage.provenance import Provenance

    source, compared = reading.open(new), reading.open_if_given(reference)
    refuse(every not in EVERY, f"--every {every}: choose {' or '.join(EVERY)}")
    check_folder(out, (PAGE, history.NAME), *source.places, model, *(compared.places if compared else ()))
    loaded, quiet = options.load_model(model, expect_sha256), Terminal(stderr=True)
    asked = Provenance.request(text=text or "", label=label or "", group=group, time=time, preset=preset)
    references: References = references_of(loaded)
    if compared is not None:
        references = references_from(loaded, PatientStream(loaded, compared, replace(asked, label="")).read())
    typed = f"{quote(str(model))} {quote(str(source.places[0]) if source.places else 'NEW')}"
    overview = watch(loaded, source, asked, Calendar(every), references, out, typed, quiet)
    show(Terminal(), overview)
    Terminal().print("page: ", style_text(out / PAGE, "bold"), f"; history: {out / history.NAME}")
    if overview.alarm:
        raise Exit(ALARM)


def watch(
    model: TriageModel,
    source: Source,
    asked: Provenance,
    calendar: Calendar,
    references: References,
    out: Path,
    files: str,
    quiet: Terminal,
) -> Overview:
    """Read the patients, write the page, add to the history; ``files`` are the model and the patients as people name them."""
    from sonmf.monitoring import history
    from sonmf.monitoring.observations import COMPLETE, Observations
    from sonmf.monitoring.overview import make_overview
    from sonmf.monitoring.patients_by_period import CHUNK, PatientsByPeriod
    from sonmf.web.monitor_page import monitor_html
    from sonmf.web.standalone import write_html

    patients = PatientsByPeriod(model, source, asked, calendar)
    quiet.print_each(patients.before)
    observations = Observations(model, calendar, references)
    with progress(quiet, patients.chunks, f"parts of {CHUNK:,} patients") as advance:
        for scored, arrivals in patients:
            observations.add(scored, arrivals)
            advance(source.name)
    quiet.print_each(patients.after)
    refuse(not observations.names, f"{source} has no patient with a time and an outcome that counts: check --time and --label")
    if partly := observations.known_in_part:
        quiet.print(
            f"{calendar.in_words(partly)} is known in part, and discharges are known first: its outcomes are judged once "
            f"{COMPLETE:.0%} of them are known"
        )
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    with history.extended(out, observations.periods(), now) as (lines, fuller):
        if less := sorted({period.period for period in fuller}):
            named = ", ".join(map(calendar.in_words, less))
            quiet.print(f"{named}: the history has more patients or outcomes of it already, and stays as it is")
        periods = history.of_model(lines, model.sha256_, calendar.every)
        refuse(not periods, f"{source}: no {calendar.every} has {history.FEWEST} patients, so there is nothing to judge")
        overview = make_overview(model, periods, observations.budget, files, now, others=len(lines) - len(periods))
        write_html(monitor_html(overview), out / PAGE)
    return overview


def show(console: Terminal, overview: Overview) -> None:
    """The latest periods over all, the verdict of each complaint, and what to do."""
    everyone, *complaints = overview.verdicts
    rows = [*(_row(period, everyone) for period in everyone.periods[-SHOWN:]), *_total(everyone)]
    console.table([overview.every, *HEAD], rows, words=[overview.every], title=everyone.title, elsewhere="see the page")
    if (earlier := len(everyone.periods) - SHOWN) > 0:
        console.print(f"{earlier} earlier on the page", style="dim")
    console.print()
    colour = "red" if overview.alarm else "green" if overview.well else "yellow"
    console.print(style_text(overview.headline, f"bold {colour}"))
    for remedy in overview.remedies:
        console.print(f"{remedy}.")
    for finding in everyone.findings[1:]:
        console.print(f"{everyone.title}: {finding.sentence}")
    for verdict in complaints:
        console.print(f"{verdict.title}: {verdict.gist}", style="" if verdict.alarm else "dim")


def _row(period: Period, verdict: Verdict) -> list[Cell]:
    figures: list[tuple[str, str]] = [("calibration", "{:+.1f}"), ("slope", "{:.2f}"), ("auroc", "{:.3f}"), ("brier", "{:.3f}")]
    cells: list[Cell] = [period.period, f"{period.patients:,}", f"{period.judged:,}"]
    cells += [f"{period.expected:,.1f}" if period.judged else "-", f"{period.admitted:,}" if period.judged else "-"]
    for name, form in figures:
        figure = period.figure(name)
        beyond = figure is not None and verdict.beyond(period, figure)
        text = "-" if figure is None else form.format(figure.value * (100 if name == "calibration" else 1))
        cells.append(style_text(f"{text} *", "red") if beyond else text)
    words = next((drift for drift in period.drift if drift.kind == "words"), None)
    share = f"{words.value:.1%}" if words else "-"
    cells.append(style_text(f"{share} *", "red") if words and words.alarm else share)
    return cells


def _total(verdict: Verdict) -> list[list[Cell]]:
    """The row of all periods together, if there are several whose outcomes are judged."""
    line = verdict.cumulative()
    if len(line) < 2:
        return []
    _, off, reach = line[-1]
    judged, admitted = (sum(getattr(period, field) for period, *_ in line) for field in ("judged", "admitted"))
    points = f"{round(100 * off / judged, 1) + 0:+.1f}"  # never -0.0
    counts = [
        f"{sum(period.patients for period in verdict.periods):,}",
        f"{judged:,}",
        f"{admitted - off:,.1f}",
        f"{admitted:,}",
    ]
    return [["all", *counts, style_text(f"{points} *", "red") if abs(off) > reach else points, *["-"] * 4]]
