"""The line of ``sonmf fit``: its options and their help."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from typer import Option

from sonmf.cli import options

EXAMPLES = (
    "[bold]sonmf fit notes.csv -o model.sonmf[/bold]  columns note, disposition, complaint",
    (
        "[bold]sonmf fit notes.csv --text note --label disposition --positive admitted --group complaint --topics 50 "
        "-o model.sonmf[/bold]"
    ),
    "[bold]sonmf fit notes.csv --column age --column hr --column esi:category[/bold]  columns beside the note",
    "[bold]sonmf fit neiss2022.tsv --preset neiss --topics 10,50,100 -o neiss.sonmf[/bold]",
    "[bold]sonmf fit notes.csv --topics auto[/bold]  as many topics as the notes of each complaint hold",
    "[bold]sonmf fit notes.csv --stability 20[/bold]  see which topics would come back with other patients",
    '[bold]sonmf fit notes.csv --seed-topic "chest pain pressure"[/bold]  a topic about these words',
    "[bold]sonmf fit notes/ --memory 2GB[/bold]  a folder larger than memory, one complaint at a time",
    '[bold]sonmf fit --sql "select note, disposition from triage" --database sqlite:///clinic.db[/bold]  from a database',
)


def fit(
    notes: options.Notes = None,
    out: Annotated[Path, Option("-o", "--out", help="Model file to write.")] = Path("model.sonmf"),
    text: options.Text = None,
    label: options.Label = None,
    positive: options.Positive = None,
    negative: options.Negative = None,
    group: options.Group = None,
    preset: options.Preset = None,
    topics: options.TopicsOrAuto = None,
    method: options.Method = "sonmf",
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
    stability: options.Stability = 0,
    seed_topic: options.SeedTopic = None,
    memory: Annotated[
        str | None, Option(help="Memory to stay within, such as 2GB: notes wait on disk until their complaint is fitted.")
    ] = None,
    seed: options.Seed = 0,
    force: options.Force = False,
) -> None:
    """Learn topics and a calibrated forecast of admission for each complaint."""
    from sonmf.cli.actions import fit as action
    from sonmf.cli.option_values import (
        check_missing,
        given,
        missing_codes,
        open_patients,
        topic_counts,
        with_kinds,
        word_settings,
    )
    from sonmf.triage import TriageModel
    from sonmf.triage.file_columns import FileColumns
    from sonmf.triage.inputs import AUTO

    action.check_method(method)
    counts = AUTO if topics == AUTO else topic_counts(topics, AUTO)
    settings = given(n_topics=counts, rule=rule, min_notes=min_notes, measurements=measurements)
    model = TriageModel(method=method, random_state=seed, seed_topics=seed_topic or None, **settings)
    words = word_settings(weighting, mark_negation, min_df, drop_words)
    columns = FileColumns(text, label, positive, negative, group, preset, with_kinds(column), missing_codes(missing), time)
    check_missing(columns)  # before anything is read
    source = open_patients(notes, sep, encoding, sheet, sql, database)
    action.run(source, action.Asked(columns, subgroup or [], words, stability, memory), model, out, force=force)
