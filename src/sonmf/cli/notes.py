"""What options say of words, topics and methods, and what there is to say of notes once they are read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sonmf.cli.say import refuse
from sonmf.cli.terminal import Terminal
from sonmf.sources import open_table
from sonmf.text import NotesVectorizer
from sonmf.triage import TriageModel
from sonmf.triage.file_columns import FileColumns
from sonmf.triage.labelled import given_notes
from sonmf.triage.scoring import patient_columns


def say_remarks(console: Terminal, remarks: Iterable[str]) -> None:
    """A line each."""
    for remark in remarks:
        console.print(remark)


def vectorizer(
    weighting: str | None, negation: bool, min_df: int, drop_words: str | None, leaking: tuple[str, ...], method: str
) -> NotesVectorizer:
    """How the options want notes to become words."""
    from sonmf.triage.methods import METHODS

    words = [*leaking, *word_list(drop_words or "")]
    return NotesVectorizer(
        weighting=weighting or METHODS[method].weighting,
        negation="mark" if negation else None,
        min_df=min_df,
        drop_words=words or None,
    )


def word_list(text: str) -> list[str]:
    """ "admitted, icu" as words."""
    return [word.strip() for word in text.split(",") if word.strip()]


def beside(columns: list[str] | None) -> dict[str, str | None] | None:
    """ "age" and "esi:category" as names with their kinds; None where nothing was said."""
    from sonmf.triage.columns import KINDS

    found: dict[str, str | None] = {}
    for column in columns or []:
        name, _, kind = column.rpartition(":")
        name, kind = (name, kind) if name and kind in KINDS else (column, "")
        refuse(name in found, f"--column {name} is given twice: name each column once")
        found[name] = kind or None
    return None if columns is None else found


def codes(text: str | None) -> tuple[str, ...] | None:
    """ "-9,-8" as values that mean missing."""
    return None if text is None else tuple(word_list(text))


def check_missing(columns: FileColumns) -> None:
    """Refuse --missing where no column is there to have such values."""
    asked = columns.filled()
    usual = asked.known.columns if asked.known else ()
    there = usual if asked.columns is None else asked.columns
    refuse(columns.missing is not None and not there, "--missing is for columns beside the note: name them with --column")


def typical_notes(model: TriageModel, path: Path | None, text: str | None, group: str | None) -> dict[str, list[str]] | None:
    """Notes of a file by complaint, from the columns that were named, else from those of the fit; None without a file."""
    if path is None:
        return None
    names = patient_columns(model, text, group).among(open_table(path))
    return given_notes(path, names.text, names.group or None)


def numbers(text: str, option: str) -> list[int]:
    """ "10,30,50" as numbers of topics."""
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        found = []
    refuse(not found or min(found) < 1, f"{option} {text}: give a number such as 50, or several to choose from: 10,30,50")
    return found


def check_method(name: str) -> None:
    from sonmf.triage.methods import METHODS

    refuse(name not in METHODS, f"--method {name}: there are {', '.join(METHODS)}")
