"""A person's file of notes: which columns mean what, which rows count, and how to say what is missing."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from sonmf.cli.say import refuse
from sonmf.datasets import PRESETS, make_triage_notes, tables
from sonmf.text import NotesVectorizer
from sonmf.triage.inputs import complaint_names

MOST_NOTES = 2000  # of a complaint, to pick typical ones from


class Columns(NamedTuple):
    """What the options say about a file; None where nothing was said."""

    text: str | None
    label: str | None
    positive: str | None
    negative: str | None
    group: str | None
    preset: str | None


class Labelled(NamedTuple):
    """Notes with an outcome."""

    notes: list[Any]
    disposition: list[str]
    complaint: list[Any] | None
    positive: str
    frame: Any
    drop_words: tuple[str, ...]
    subgroups: tuple[str, ...]
    """Columns to report figures for, where nothing else was asked."""


def read_labelled(path: Path, columns: Columns, console: Console) -> Labelled:
    """The rows that have one of the two outcomes; what was left out is said."""
    preset = named_preset(columns.preset)
    frame = preset.read(path) if preset else tables.read(path)
    text = column(frame, columns.text or (preset.text if preset else "note"), path)
    label = column(frame, columns.label or (preset.label if preset else "disposition"), path)
    positive = _values(columns.positive, preset.positive if preset else ("admitted",))
    negative = _values(columns.negative, preset.negative if preset else ())
    values = frame[label].astype("string").str.strip()
    found = sorted(values.dropna().unique())
    for option, wanted in (("--positive", positive), ("--negative", negative)):
        missing = [value for value in wanted if value not in found]
        refuse(missing and option == "--positive" and len(missing) == len(wanted), _no_such_value(option, wanted, label, found))
        refuse(columns.negative and missing and option == "--negative", _no_such_value(option, missing, label, found))
    admitted = values.isin(positive)
    counted = admitted | (values.isin(negative) if negative else values.notna())
    _report_left_out(values, counted, label, console)
    frame, admitted = frame[counted], admitted[counted]
    others = sorted(set(values[counted][~admitted]))
    refuse(
        not others,
        f"every row of {path} that counts is {positive[0]!r} in column {label!r}: patients of both outcomes are needed",
    )
    name = others[0] if len(others) == 1 else f"not {positive[0]}"
    if len(others) > 1 and not negative:
        console.print(f"not admitted: {', '.join(others)} (choose with --negative)", highlight=False, markup=False)
    group = _group(frame, columns.group or (preset.group if preset else None), path)
    return Labelled(
        notes=list(frame[text]),
        disposition=[positive[0] if one else name for one in admitted],
        complaint=list(frame[group]) if group else None,
        positive=positive[0],
        frame=frame,
        drop_words=preset.drop_words if preset else (),
        subgroups=tuple(name for name in preset.subgroups if name in frame.columns) if preset else (),
    )


def generated(n: int, seed: int) -> Labelled:
    """Notes of our own making, with age and sex for the figures by subgroup."""
    frame = make_triage_notes(n, details=True, random_state=seed)
    return Labelled(
        list(frame["note"]), list(frame["disposition"]), list(frame["complaint"]), "admitted", frame, (), ("sex", "age")
    )


def subgroup_columns(data: Labelled, asked: list[str], path: Path) -> dict[str, list[Any]]:
    """Columns to report figures for; an age becomes bands of twenty years."""
    found = {}
    for name in asked or data.subgroups:
        values = data.frame[column(data.frame, name, path)]
        found[name] = [age_band(value) if name.lower() == "age" else value for value in values]
    return found


def age_band(age: Any) -> str:
    """Twenty years, or unknown."""
    try:
        low = min(int(float(age)) // 20 * 20, 80)
    except (TypeError, ValueError):
        return "unknown"
    return f"{low}-{low + 19}" if low < 80 else "80+"


def vectorizer(
    weighting: str | None, negation: bool, min_df: int, drop_words: str | None, leaking: tuple[str, ...], method: str
) -> NotesVectorizer:
    """How the options want notes to become words."""
    from sonmf.triage.methods import METHODS

    words = [*leaking, *(word.strip() for word in (drop_words or "").split(",") if word.strip())]
    return NotesVectorizer(
        weighting=weighting or METHODS[method].weighting,
        negation="mark" if negation else None,
        min_df=min_df,
        drop_words=words or None,
    )


def numbers(text: str, option: str) -> list[int]:
    """ "10,30,50" as numbers of topics."""
    try:
        found = [int(part) for part in text.split(",")]
    except ValueError:
        found = []
    refuse(not found or min(found) < 1, f"{option} {text}: give a number such as 50, or several to choose from: 10,30,50")
    return found


def named_preset(name: str | None) -> Any:
    """The preset of that name, None for None."""
    refuse(name is not None and name not in PRESETS, f"--preset {name}: there are {', '.join(PRESETS)}")
    return PRESETS[name] if name else None


def column(frame: Any, name: str, path: Path) -> str:
    tables.require(frame, name, path)
    return name


def _group(frame: Any, asked: str | None, path: Path) -> str | None:
    """The column that was asked for, or ``complaint`` where there is one."""
    if asked is None:
        return "complaint" if "complaint" in frame.columns else None
    return column(frame, asked, path)


def _values(asked: str | None, default: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(value.strip() for value in asked.split(",")) if asked else default


def _no_such_value(option: str, wanted: Any, label: str, found: list[str]) -> str:
    shown = ", ".join(repr(value) for value in found[:12]) + (", ..." if len(found) > 12 else "")
    return f"{option} {', '.join(wanted)}: column {label!r} has no such value; it has {shown or 'no values at all'}"


def _report_left_out(values: Any, counted: Any, label: str, console: Console) -> None:
    left = values[~counted].fillna("(missing)").value_counts()
    if len(left):
        reasons = ", ".join(f"{count} {value}" for value, count in left.items())
        console.print(f"{int(left.sum())} rows left out for their {label}: {reasons}", highlight=False, markup=False)


def check_method(name: str) -> None:
    from sonmf.triage.methods import METHODS

    refuse(name not in METHODS, f"--method {name}: there are {', '.join(METHODS)}")


def given_notes(path: Path, text: str, group: str | None) -> dict[str, list[str]]:
    """The notes of a file by complaint, and all of them under the empty name."""
    frame = tables.read(path)
    notes = frame[column(frame, text, path)]
    named = _group(frame, group, path)
    found: dict[str, list[str]] = {"": []}
    names = complaint_names(list(frame[named]) if named else None, len(frame))
    for name, note in zip(names, notes, strict=True):
        if isinstance(note, str):
            for key in {"", name}:
                found.setdefault(key, []).append(note)
    return {name: some[:MOST_NOTES] for name, some in found.items()}
