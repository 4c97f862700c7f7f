"""The values of options that several verbs share, turned into models, sources and settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sonmf.cli.say import refuse
from sonmf.cli.terminal import Terminal
from sonmf.sources import Query, Reading, Source, open_table
from sonmf.triage import TriageModel
from sonmf.triage.columns import KINDS
from sonmf.triage.file_columns import FileColumns
from sonmf.triage.labelled_notes import given_notes
from sonmf.triage.patient_scores import as_fitted, patient_columns

Settings = dict[str, Any]
"""Parameters of a model, an evaluation or a vectoriser by name; those classes check the values."""


def load_model(path: Path, expect_sha256: str | None) -> TriageModel:
    """The model of a file, whose SHA-256 is checked; the remarks on it are printed."""
    model = TriageModel.load(path, expect_sha256)
    Terminal(stderr=True).print_each(f"sonmf: {remark}" for remark in model.remarks_)
    return model


def say_digest(model: TriageModel) -> None:
    """Print the SHA-256 of the file, which other commands take as --expect-sha256."""
    Terminal().print(f"SHA-256 {model.sha256_}")


def open_patients(
    notes: Path | None, sep: str | None, encoding: str | None, sheet: str | None, sql: str | None, database: str | None
) -> Source:
    """A file, a folder, standard input or a query."""
    reading = Reading.asked(sep, encoding, sheet)
    refuse((notes is None) == (sql is None), "give a file of patients, a folder, - for standard input, or a query with --sql")
    if notes is not None:
        return open_table(notes, reading)
    refuse(database is None, "--sql asks a database: name it with --database, such as sqlite:///clinic.db")
    refuse(any(reading), "--sep, --encoding and --sheet say how a file is read, and --sql reads none: leave them out")
    return Query(str(sql), str(database))


def open_if_given(path: Path | None, sep: str | None, encoding: str | None, sheet: str | None) -> Source | None:
    """The patients of an option that may be left out."""
    return None if path is None else open_table(path, Reading.asked(sep, encoding, sheet))


def word_settings(weighting: str | None, negation: bool | None, min_df: int | None, drop_words: str | None) -> Settings:
    """The settings of ``NotesVectorizer`` that were given."""
    dropped = None if drop_words is None else word_list(drop_words)
    marked = {} if negation is None else {"negation": "mark" if negation else None}
    return given(weighting=weighting, min_df=min_df, drop_words=dropped) | marked


def given(**settings: object) -> Settings:
    """Those that were given."""
    return {name: value for name, value in settings.items() if value is not None}


def word_list(text: str) -> list[str]:
    """ "admitted, icu" as words."""
    return [word.strip() for word in text.split(",") if word.strip()]


def with_kinds(columns: list[str] | None) -> dict[str, str | None] | None:
    """ "age" and "esi:category" as names with their kinds; None if no column was given."""
    found: dict[str, str | None] = {}
    for column in columns or []:
        name, _, kind = column.rpartition(":")
        name, kind = (name, kind) if name and kind in KINDS else (column, "")
        refuse(name in found, f"--column {name} is given twice: name each column once")
        found[name] = kind or None
    return None if columns is None else found


def missing_codes(text: str | None) -> tuple[str, ...] | None:
    """ "-9,-8" as values that mean missing."""
    return None if text is None else tuple(word_list(text))


def check_missing(columns: FileColumns) -> None:
    """Refuse --missing if there is no column that could have such values."""
    asked = columns.filled()
    usual = asked.known.columns if asked.known else ()
    there = usual if asked.columns is None else asked.columns
    refuse(columns.missing is not None and not there, "--missing is for columns beside the note: name them with --column")


def typical_notes(
    model: TriageModel, source: Source | None, text: str | None, group: str | None, console: Terminal
) -> dict[str, list[str]] | None:
    """Notes of a source by complaint, from the named columns or those of the fit; None if there is no source."""
    if source is None:
        return None
    source = as_fitted(model, source)
    names = patient_columns(model, text, group).among(source)
    found = given_notes(source, names.text, names.group or None)
    console.print_each(source.remarks)
    return found


def topic_counts(text: str | None, *others: str) -> list[int] | None:
    """ "10,30,50" as numbers of topics; the message names the words that could be given instead."""
    if text is None:
        return None
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        found = []
    ways = ["give a number such as 50", "or several to choose from: 10,30,50", *(f"or {word}" for word in others)]
    refuse(not found or min(found) < 1, f"--topics {text}: {', '.join(ways)}")
    return found
