"""The line of ``sonmf compare``: its options and their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from sonmf.cli import options

EXAMPLES = (
    "[bold]sonmf compare old.sonmf new.sonmf july.csv[/bold]  on patients that neither model has seen",
    "[bold]sonmf compare old.sonmf new.sonmf july.csv --threshold 0.1,0.5 -o comparison.json[/bold]  three groups of risk",
)


def compare(
    a: Annotated[Path, Argument(help="A model that `sonmf fit` or `sonmf update` wrote.")],
    b: Annotated[Path, Argument(help="The model to compare it with.")],
    notes: options.Notes = None,
    threshold: Annotated[
        str, Option(help="Probabilities that separate groups of risk, with commas; patients who change groups are counted.")
    ] = "0.5",
    out: Annotated[Path | None, Option("-o", "--out", help="JSON file with all figures. (default: none)")] = None,
    sep: options.Sep = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    sql: options.Sql = None,
    database: options.Database = None,
    expect_sha256: Annotated[
        list[str] | None,
        Option(help="Refuse the models unless their files have these SHA-256: give it twice, first for A and then for B."),
    ] = None,
    force: options.Force = False,
) -> None:
    """Compare two models on the same new patients: how much they differ, and whether that could be chance."""
    from sonmf.cli.actions import compare as action
    from sonmf.cli.option_values import open_patients
    from sonmf.cli.output_files import check_target

    limits = action.thresholds(threshold)
    source = open_patients(notes, sep, encoding, sheet, sql, database)
    if out is not None:
        check_target(out, force, *source.places, a, b)
    action.run(a, b, source, limits, out, expect_sha256 or ())
