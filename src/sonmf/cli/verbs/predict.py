"""The line of ``sonmf predict``: its options and their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Argument, Context, Option

from sonmf.cli import options
from sonmf.cli.verbs import refuse_options

EXAMPLES = (
    "[bold]sonmf predict model.sonmf patients.csv --keep arrival,ward -o forecast.csv[/bold]",
    '[bold]sonmf predict model.sonmf --note "78yo f sob x3d, hx chf" --complaint "Shortness of Breath"[/bold]  explained',
    '[bold]sonmf predict model.sonmf --note "sob x3d" --column age=78 --column hr=120[/bold]  with columns beside the note',
)


def predict(
    ctx: Context,
    model: options.ModelFile,
    notes: Annotated[
        Path | None,
        Argument(help="Patients: a CSV, TSV (also .gz), Excel or Parquet file, a folder of them, or - for standard input."),
    ] = None,
    out: Annotated[
        Path | None,
        Option(
            "-o", "--out", help="File to write: .csv, .tsv (.gz) or .parquet. (default: a table on the terminal, CSV in a pipe)"
        ),
    ] = None,
    text: options.FittedText = None,
    group: options.FittedGroup = None,
    preset: options.Preset = None,
    id_: Annotated[str | None, Option("--id", help="Column that identifies a patient. (default: id, else row numbers)")] = None,
    keep: Annotated[str | None, Option(help="Other columns to copy, separated by commas: arrival,ward.")] = None,
    top: Annotated[int, Option(min=0, help="Number of topics, words and columns to name for each patient.")] = 3,
    note: Annotated[str | None, Option(help="One note to explain instead of a file.")] = None,
    complaint: Annotated[str | None, Option(help="Complaint of --note.")] = None,
    column: Annotated[
        list[str] | None, Option(help="Value of a column for --note, as NAME=VALUE: age=81; repeat for more.")
    ] = None,
    sep: options.Sep = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    sql: options.Sql = None,
    database: options.Database = None,
    expect_sha256: options.Expected = None,
    all_rows: Annotated[
        bool, Option("--all-rows", help="Count all rows among the beds, even those with outcomes that the fit left out.")
    ] = False,
    raw: Annotated[
        bool, Option("--raw", help="Copy cells as they are, even those that a spreadsheet would run as a formula.")
    ] = False,
    force: options.Force = False,
) -> None:
    """Forecast admission: a probability for each patient, the topics and words behind it, and the beds to prepare."""
    from sonmf.cli.actions import predict as action
    from sonmf.cli.option_values import load_model, open_patients, word_list
    from sonmf.cli.say import refuse
    from sonmf.cli.terminal import Terminal

    listed = notes is not None or sql is not None
    refuse(notes is not None if note is not None else not listed, "give a file of patients, or one note with --note")
    if note is not None:
        refuse_options(ctx, options.OF_A_FILE, "only for a file of patients; --note explains one patient on the terminal")
        loaded = load_model(model, expect_sha256)
        action.explain(Terminal(), loaded.explain(note, complaint, action.column_values(column or [], loaded)), note)
        return
    refuse_options(
        ctx,
        options.OF_A_NOTE,
        "only for --note; a file has columns of its own: --group names the one with the complaint, "
        "and those of the model are found by name",
    )
    asked = action.Asked(
        preset, text, group, id_, word_list(keep or ""), top, out, all_rows=all_rows, force=force, raw=raw, model_path=model
    )
    source = open_patients(notes, sep, encoding, sheet, sql, database)
    action.run(load_model(model, expect_sha256), source, asked)
