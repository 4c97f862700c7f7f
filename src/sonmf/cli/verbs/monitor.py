"""The line of ``sonmf monitor``: its options and their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from sonmf.cli import options

EXAMPLES = (
    "[bold]sonmf monitor model.sonmf 2024.csv --time arrival --out monitoring[/bold]  each month against its limits",
    "[bold]sonmf monitor model.sonmf new.csv --out monitoring[/bold]  the next month, where the model knows the column",
    "[bold]sonmf monitor model.sonmf new.csv --time arrival --every week --out monitoring[/bold]",
    "[bold]sonmf monitor model.sonmf new.csv --out monitoring || mail -s 'sonmf alarm' ward@example.org[/bold]  for cron",
)


def monitor(
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
        Option(
            help="Patients to compare the new ones with, such as those of the fit; needed if the model file keeps no summary "
            "of them."
        ),
    ] = None,
    text: options.FittedText = None,
    label: Annotated[str | None, Option(help="Column with the outcome. (default: as in the fit, else disposition)")] = None,
    group: options.FittedGroup = None,
    preset: options.Preset = None,
    sep: options.Sep = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    sql: options.Sql = None,
    database: options.Database = None,
    expect_sha256: options.Expected = None,
) -> None:
    """Compare forecasts with outcomes: is the model still right, and are the patients still like those of the fit?

    By month: calibration in the large and its slope, AUROC and Brier score with control limits, expected against observed beds;
    and before outcomes are known, drift of words, topics and columns. Rows without an outcome count for drift alone.

    The folder gets monitor.html and history.jsonl, which only grows and holds no note. The same month read again is not
    written twice; one with more patients or outcomes than before replaces the earlier one.

    Exit code 0: all well. 3: an alarm, in at most 5 of 100 years in which nothing has changed. 2: wrong use.
    """
    from sonmf.cli.actions import monitor as action
    from sonmf.cli.option_values import open_if_given, open_patients
    from sonmf.monitoring.patient_reader import Asked

    source = open_patients(new, sep, encoding, sheet, sql, database)
    held_against = open_if_given(reference, sep, encoding, sheet)
    action.run(model, source, Asked(text, label, group, time), preset, every, held_against, out, expect_sha256)
