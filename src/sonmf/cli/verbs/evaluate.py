"""The line of ``sonmf evaluate``: its options and their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from sonmf.cli import options

EXAMPLES = (
    "[bold]sonmf evaluate notes.csv --topics 10,50 --repeats 2[/bold]  all methods side by side",
    "[bold]sonmf evaluate notes.csv --split time --time arrival --since 2024-01[/bold]  trained on the past",
    "[bold]sonmf evaluate notes/ --methods sonmf,words --subgroup sex --model model.sonmf[/bold]  as the model was fitted",
)


def evaluate(
    notes: options.Notes = None,
    out: Annotated[Path, Option("-o", "--out", help="Folder for tables and finished fits.")] = Path("evaluation"),
    text: options.Text = None,
    label: options.Label = None,
    positive: options.Positive = None,
    negative: options.Negative = None,
    group: options.Group = None,
    preset: options.Preset = None,
    topics: options.Topics = None,
    methods: Annotated[
        str | None,
        Option(
            help="Methods, separated by commas: those of fit, and words for the plain bag of words. "
            "(default: sonmf,nmf,onmf,semi-nmf,svd,words)"
        ),
    ] = None,
    split: Annotated[
        str, Option(help="random: shuffled folds; time: periods, each judged by a fit to all patients before it.")
    ] = "random",
    since: Annotated[
        str | None,
        Option(help="Start of the first period of --split time, such as 2019-12. (default: the last 30% of the patients)"),
    ] = None,
    folds: Annotated[int, Option(min=1, help="Number of folds, or of periods.")] = 5,
    repeats: Annotated[int, Option(min=1, help="How often the folds are shuffled; 20 in the paper.")] = 1,
    weighting: options.Weighting = None,
    mark_negation: options.Negation = None,
    min_df: options.MinDf = None,
    drop_words: options.DropWords = None,
    column: options.Column = None,
    missing: options.Missing = None,
    time: options.Time = None,
    measurements: options.Measurements = None,
    subgroup: options.Subgroup = None,
    min_notes: options.MinNotes = None,
    rule: options.Rule = None,
    sep: options.Sep = None,
    encoding: options.Encoding = None,
    sheet: options.Sheet = None,
    sql: options.Sql = None,
    database: options.Database = None,
    model: Annotated[
        Path | None,
        Option(
            help="Model to judge as it was fitted: its columns, outcomes, topics and words are the defaults, "
            "and the figures are kept beside it for its report."
        ),
    ] = None,
    expect_sha256: options.Expected = None,
    jobs: options.Jobs = None,
    seed: options.Seed = 0,
) -> None:
    """Compare the methods on patients that they have not seen: everything is learned from the training folds.

    Finished fits are kept in the folder. After an interruption, the same command continues.
    """
    from sonmf.cli.actions import evaluate as action
    from sonmf.cli.option_values import missing_codes, open_patients, topic_counts, with_kinds, word_settings
    from sonmf.triage.file_columns import FileColumns

    columns = FileColumns(text, label, positive, negative, group, preset, with_kinds(column), missing_codes(missing), time)
    words = word_settings(weighting, mark_negation, min_df, drop_words)
    settings = {
        "methods": methods and [name.strip() for name in methods.split(",")],
        "folds": folds,
        "repeats": repeats,
        "since": action.check_split(split, folds, repeats, since),
        "random_state": seed,
        "processes": jobs,
        "n_topics": topic_counts(topics),
        "rule": rule,
        "min_notes": min_notes,
        "measurements": measurements,
    }
    source = open_patients(notes, sep, encoding, sheet, sql, database)
    asked = action.Asked(columns, words, settings, subgroup or [], by_time=split == "time")
    action.run(source, asked, out, model, expect_sha256)
