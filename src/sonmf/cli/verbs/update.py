"""The line of ``sonmf update``: its options and their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from sonmf.cli import options

EXAMPLES = (
    "[bold]sonmf update model.sonmf june.csv -o june.sonmf[/bold]  the same topics, forecasts as in June",
    "[bold]sonmf update model.sonmf last_year.csv --how refit -o new.sonmf[/bold]  topics and effects of the last year",
    "[bold]sonmf compare model.sonmf june.sonmf july.csv[/bold]  then see which is better on patients that neither has seen",
)


def update(
    model: options.ModelFile,
    notes: options.Notes = None,
    out: Annotated[Path | None, Option("-o", "--out", help="Model file to write; the old one is kept.")] = None,
    how: Annotated[
        str,
        Option(
            help="recalibrate: a new intercept and slope for each complaint whose outcomes differ from the forecasts; "
            "refit: words, topics and effects anew, from the old topics and with their names."
        ),
    ] = "recalibrate",
    sep: options.Sep = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    sql: options.Sql = None,
    database: options.Database = None,
    expect_sha256: options.Expected = None,
    force: options.Force = False,
) -> None:
    """Bring a model up to date with new patients and their outcomes; columns and outcomes are read as for its fit.

    The new model records its lineage, which `sonmf topics`, the report and the page show.
    """
    from sonmf.cli.actions import update as action
    from sonmf.cli.option_values import open_patients
    from sonmf.cli.say import refuse, stop
    from sonmf.triage.model_update import WAYS

    refuse(how not in WAYS, f"--how {how}: choose {' or '.join(WAYS)}")
    if out is None:
        stop("name the new model with -o, such as -o updated.sonmf: the old one stays as it is")
    source = open_patients(notes, sep, encoding, sheet, sql, database)
    action.run(model, source, how, out, expect_sha256, force=force)
