"""The values of options that several verbs share, turned into settings, and the remarks on a file that was read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sonmf.cli.say import refuse
from sonmf.cli.terminal import Terminal
from sonmf.sources import Source
from sonmf.text import NotesVectorizer
from sonmf.triage import TriageModel
from sonmf.triage.file_columns import FileColumns
from sonmf.triage.labelled_notes import given_notes
from sonmf.triage.patient_scores import as_fitted, patient_columns

Settings = dict[str, Any]
"""Parameters of a model, an evaluation or a vectoriser by name; those classes check the values."""


def say_remarks(console: Terminal, remarks: Iterable[str]) -> None:
    """A line each."""
    for remark in remarks:
        console.print(remark)


def word_settings(weighting: str | None, negation: bool | None, min_df: int | None, drop_words: str | None) -> Settings:
    """The settings of ``NotesVectorizer`` that were given."""
    dropped = None if drop_words is None else word_list(drop_words)
    marked = {} if negation is None else {"negation": "mark" if negation else None}
    return _said(weighting=weighting, min_df=min_df, drop_words=dropped) | marked


def model_settings(
    n_topics: list[int] | str | None, rule: str | None, min_notes: int | None, measurements: bool | None
) -> Settings:
    """The settings of ``TriageModel`` that were given."""
    return _said(n_topics=n_topics, rule=rule, min_notes=min_notes, measurements=measurements)


def _said(**settings: object) -> Settings:
    return {name: value for name, value in settings.items() if value is not None}


def vectorizer(words: Settings, method: str, leaking: Iterable[str] = ()) -> NotesVectorizer:
    """A vectoriser with these settings; by default it weights as the method needs it. Leaking words are left out."""
    from sonmf.triage.factorisations import METHODS, NEGATION

    dropped = [*leaking, *words.get("drop_words", ())]
    usual: Settings = {"weighting": METHODS[method].weighting, "negation": NEGATION}
    return NotesVectorizer(**usual | words | {"drop_words": dropped or None})


def word_list(text: str) -> list[str]:
    """ "admitted, icu" as words."""
    return [word.strip() for word in text.split(",") if word.strip()]


def columns_with_kinds(columns: list[str] | None) -> dict[str, str | None] | None:
    """ "age" and "esi:category" as names with their kinds; None if no column was given."""
    from sonmf.triage.columns import KINDS

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
    say_remarks(console, source.remarks)
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


def check_method(name: str) -> None:
    from sonmf.triage.factorisations import METHODS

    refuse(name not in METHODS, f"--method {name}: choose one of {', '.join(METHODS)}")
