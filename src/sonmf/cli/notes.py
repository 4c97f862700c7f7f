"""A person's file or folder of notes: which columns mean what, which rows count, and how to say what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from sonmf.cli.say import refuse, stop
from sonmf.cli.terminal import Terminal
from sonmf.datasets import PRESETS, make_triage_notes, tables
from sonmf.datasets.nearest import hint
from sonmf.text import NotesVectorizer
from sonmf.triage.inputs import FEWEST_NAMED, complaint_names, values_in_words
from sonmf.triage.provenance import Fingerprint, Provenance, in_words, rows_by_value

MOST_NOTES = 2000  # of a complaint, to pick typical ones from
PART = 2000  # notes on their way to a temporary store


class Columns(NamedTuple):
    """What the options say about a file; None where nothing was said, and then ``like`` counts, then the usual."""

    text: str | None
    label: str | None
    positive: str | None
    negative: str | None
    group: str | None
    preset: str | None
    like: Provenance | None = None
    """How the model was asked for that the file is held against."""
    min_df: int = FEWEST_NAMED

    def filled(self) -> Columns:
        """With what the model remembers; the meaning of its outcomes only if no other preset or column of outcomes is named."""
        like = self.like
        if like is None or (self.preset and self.preset != like.preset):
            return self._replace(like=None)
        own = self.label is None or self.label == like.label
        return self._replace(
            text=self.text or like.text,
            label=self.label or like.label,
            group=self.group or like.group,
            preset=self.preset or like.preset,
            like=like if own else None,
        )


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
    provenance: Provenance
    """Without the fingerprint of the notes: they may come in parts."""


class Named(NamedTuple):
    """Which columns of a file are read."""

    text: str
    label: str
    group: str | None
    subgroups: tuple[str, ...]
    drop_words: tuple[str, ...]

    @property
    def columns(self) -> list[str]:
        return list(dict.fromkeys(filter(None, [self.text, self.label, self.group, *self.subgroups])))


class Plan(NamedTuple):
    """The columns, and what the values of the label mean."""

    named: Named
    meaning: dict[str, str]
    """The disposition that each value of the label stands for; rows with any other are left out."""
    positive: str
    provenance: Provenance

    @property
    def classes(self) -> list[str]:
        """The other disposition, and the one that means admitted."""
        return [*({*self.meaning.values()} - {self.positive}), self.positive]

    def labelled(self, frame: Any) -> Labelled:
        """The rows of a table, or of a part of it, that have one of the two outcomes."""
        named, values = self.named, _texts(frame[self.named.label])
        frame = frame[[value in self.meaning for value in values]]
        return Labelled(
            notes=list(frame[named.text]),
            disposition=[self.meaning[value] for value in values if value in self.meaning],
            complaint=list(frame[named.group]) if named.group else None,
            positive=self.positive,
            frame=frame,
            drop_words=named.drop_words,
            subgroups=named.subgroups,
            provenance=self.provenance,
        )


def read_labelled(path: Path, columns: Columns, console: Terminal, subgroups: Sequence[str] = ()) -> Labelled:
    """The rows that have one of the two outcomes, with the columns that are needed; what was left out is said."""
    columns = columns.filled()
    preset = named_preset(columns.preset)
    if preset is None:
        named = named_columns(tables.columns_of(path), columns, None, subgroups, path)
        frame = tables.read(path, named.columns)
    else:
        frame = read_with_remarks(preset, path, console)
        named = named_columns(list(frame.columns), columns, preset, subgroups, path)
    return with_meaning(named, Counter(_texts(frame[named.label])), columns, preset, path, console).labelled(frame)


def read_with_remarks(preset: Any, path: Path, console: Terminal) -> Any:
    """The table of a preset; what its reader has to say is said."""
    frame = preset.read(path)
    for remark in frame.attrs.get("remarks", ()):
        console.print(remark)
    return frame


def read_parts(path: Path, columns: Columns, console: Terminal, subgroups: Sequence[str]) -> tuple[Plan, Iterator[Labelled]]:
    """The same a part at a time; the labels are read first, alone, to see what they mean."""
    columns = columns.filled()
    refuse(columns.preset, f"--preset {columns.preset} reads its files whole: leave out --memory, or name the columns instead")
    named = named_columns(tables.columns_of(path), columns, None, subgroups, path)
    counts: Counter[str | None] = Counter()
    for frame in tables.chunks(path, columns=[named.label]):
        counts.update(_texts(frame[named.label]))
    plan = with_meaning(named, counts, columns, None, path, console)
    return plan, map(plan.labelled, tables.chunks(path, PART, named.columns))


def named_columns(there: list[str], columns: Columns, preset: Any, subgroups: Sequence[str], path: Path) -> Named:
    """The columns that were asked for, or the usual ones; a missing one is refused."""
    usual = preset.subgroups if preset else columns.like.subgroups if columns.like else ()
    known = tuple(name for name in usual if name in there)
    return Named(
        text=column(there, columns.text or (preset.text if preset else "note"), path),
        label=column(there, columns.label or (preset.label if preset else "disposition"), path),
        group=_group(there, columns.group or (preset.group if preset else None), path),
        subgroups=tuple(column(there, name, path) for name in subgroups) or known,
        drop_words=preset.drop_words if preset else (),
    )


def with_meaning(
    named: Named, counts: Counter[str | None], columns: Columns, preset: Any, path: Path, console: Terminal
) -> Plan:
    """What the values of the label mean, from how often each occurs; what is left out is said."""
    usual = columns.like or preset
    positive = _values(columns.positive, usual.positive if usual else ("admitted",))
    negative = _values(columns.negative, usual.negative if usual else ())
    found = {value: count for value, count in counts.items() if value is not None}
    _refuse_missing("--positive", positive, columns.positive, named.label, found, columns.min_df)
    _refuse_missing("--negative", negative, columns.negative, named.label, found, columns.min_df)
    others = [value for value in sorted(found) if value not in positive and (value in negative or not negative)]
    neither = [value for value in counts if value not in positive and value not in others]
    admitted, not_admitted, left_out = (
        rows_by_value({value: counts[value] for value in values if value in counts}, columns.min_df, len(found))
        for values in (positive, others, neither)
    )
    if left_out:
        console.print(f"{sum(left_out.values())} rows left out for their {named.label}: {in_words(left_out)}")
    refuse(
        not others,
        f"every row of {path} that counts is {positive[0]!r} in column {named.label!r}: patients of both outcomes are needed",
    )
    if len(others) > 1 and not negative:
        console.print(f"not admitted: {in_words(not_admitted)} (choose with --negative)")
    yes = positive[0] if len(positive) == 1 else "admitted"
    no = others[0] if len(others) == 1 and others[0] != yes else f"not {yes}"
    asked = Provenance(
        source=path.resolve().name, text=named.text, label=named.label, group=named.group, positive=positive, negative=negative,
        admitted=admitted, not_admitted=not_admitted, left_out=left_out, rows=sum(counts.values()), preset=columns.preset,
        subgroups=named.subgroups,
    )  # fmt: skip
    return Plan(named, dict.fromkeys(others, no) | dict.fromkeys(positive, yes), yes, asked)


def generated(n: int, seed: int) -> Labelled:
    """Notes of our own making, with age and sex for the figures by subgroup."""
    frame = make_triage_notes(n, details=True, random_state=seed)
    rows = frame["disposition"].value_counts().to_dict()
    asked = Provenance(
        source="generated notes", text="note", label="disposition", group="complaint", positive=("admitted",), negative=(),
        admitted={"admitted": rows["admitted"]}, not_admitted={"discharged": rows["discharged"]}, left_out={}, rows=n,
        subgroups=("sex", "age"),
    )  # fmt: skip
    notes, dispositions, complaints = (list(frame[name]) for name in ("note", "disposition", "complaint"))
    return Labelled(notes, dispositions, complaints, "admitted", frame, (), asked.subgroups, asked)


def sealed(data: Labelled) -> Provenance:
    """How these notes were asked for, with their fingerprint."""
    mark = Fingerprint()
    mark.add(data.notes, data.disposition, data.complaint)
    return replace(data.provenance, data=mark.hexdigest())


def subgroup_columns(data: Labelled) -> dict[str, list[Any]]:
    """Columns to report figures for; an age becomes bands of twenty years."""
    return {
        name: [age_band(value) if name.lower() == "age" else value for value in data.frame[name]] for name in data.subgroups
    }


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


def column(there: Any, name: str, path: Path) -> str:
    tables.require(there, name, path)
    return name


def _group(there: Any, asked: str | None, path: Path) -> str | None:
    """The column that was asked for, or ``complaint`` where there is one."""
    if asked is None:
        return "complaint" if "complaint" in there else None
    return column(there, asked, path)


def _texts(cells: Any) -> list[str | None]:
    """Trimmed, None where nothing is."""
    values = cells.astype("string").str.strip()
    return [value if there else None for value, there in zip(values, values.notna(), strict=True)]


def _values(asked: str | None, default: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(value.strip() for value in asked.split(",")) if asked else default


def _refuse_missing(
    option: str, wanted: tuple[str, ...], asked: str | None, label: str, found: dict[str, int], fewest: int
) -> None:
    """Each value that was asked for must occur, and of those of a preset or a model at least one."""
    missing = [value for value in wanted if value not in found]
    if missing and (asked or len(missing) == len(wanted)):
        stop(_no_such_value(option, missing, label, found, fewest))


def _no_such_value(option: str, wanted: Sequence[str], label: str, found: dict[str, int], fewest: int) -> str:
    """Values of a few rows are not shown: they may be something else than outcomes, such as notes."""
    near = hint(wanted[0], [value for value, count in found.items() if count >= fewest])
    there = values_in_words(found, fewest)
    return f"{option} {', '.join(wanted)}: column {label!r} has no such value{near}; it has {there}"


def check_method(name: str) -> None:
    from sonmf.triage.methods import METHODS

    refuse(name not in METHODS, f"--method {name}: there are {', '.join(METHODS)}")


def given_notes(path: Path, text: str, group: str | None) -> dict[str, list[str]]:
    """Up to MOST_NOTES notes of each complaint of a file, and of all of them under the empty name."""
    named = _group(tables.columns_of(path), group, path)
    found: dict[str, list[str]] = {"": []}
    for frame in tables.chunks(path, columns=[text, *([named] if named else [])]):
        names = complaint_names(list(frame[named]) if named else None, len(frame))
        for name, note in zip(names, frame[text], strict=True):
            for key in {"", name} if isinstance(note, str) else ():
                if len(some := found.setdefault(key, [])) < MOST_NOTES:
                    some.append(note)
    return found
