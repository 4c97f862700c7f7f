"""The line of ``sonmf beds``: its options and their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Context, Option

from sonmf.cli import options
from sonmf.cli.verbs import refuse_options

EXAMPLES = (
    "[bold]sonmf beds model.sonmf patients.csv --time arrival --until departure[/bold]  the next eight hours",
    (
        "[bold]sonmf beds model.sonmf patients.csv --until departure --by ward --zone Europe/Berlin --out beds[/bold]  with "
        "page and JSON"
    ),
    "[bold]sonmf beds model.sonmf present.csv --history last_year.csv --now 2024-03-31T09:00 --every 2h --window 12h[/bold]",
)


def beds(
    ctx: Context,
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
    sep: options.Sep = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    sql: options.Sql = None,
    database: options.Database = None,
    expect_sha256: options.Expected = None,
    force: options.Force = False,
) -> None:
    """Beds by the hour: for the patients who are present, and for those who will arrive.

    A bed counts for everyone who is present now or arrives before the window ends, and is admitted in the end. Past days are
    forecast again, each from the days before it, and judged by what came; that is fair for patients whom the model was not
    fitted to.
    """
    from sonmf.beds import BedOptions
    from sonmf.cli.actions import beds as action
    from sonmf.cli.option_values import open_if_given, open_patients
    from sonmf.cli.say import refuse

    if out is None:
        refuse_options(ctx, ["force"], "only for --out, so name a folder there too")
    refuse(until and stay, "--stay is for patients without a departure, and --until names the column of it: leave one out")
    asked = BedOptions(time or "", until or "", by or "", zone or "", every, window, stay or BedOptions().stay, now or "")
    source = open_patients(patients, sep, encoding, sheet, sql, database)
    past = open_if_given(history, sep, encoding, sheet)
    action.run(model, source, past, asked, action.Columns(text, group, preset), out, expect_sha256, force=force)
