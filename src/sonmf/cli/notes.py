"""A person's file or folder of notes: which columns mean what, which rows count, and how to say what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from rich.console import Console

from sonmf.cli.say import refuse
from sonmf.datasets import PRESETS, make_triage_notes, tables
from sonmf.text import NotesVectorizer
from sonmf.triage.inputs import complaint_names

MOST_NOTES = 2000  # of a complaint, to pick typical ones from
PART = 2000  # notes on their way to a shelf


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


class Plan(NamedTuple):
    """Which columns of a file are read, and what the values of the label mean."""

    text: str
    label: str
    group: str | None
    subgroups: tuple[str, ...]
    meaning: dict[str, str]
    """The disposition that each value of the label stands for; rows with any other are left out."""
    positive: str
    drop_words: tuple[str, ...] = ()

    @property
    def columns(self) -> list[str]:
        return list(dict.fromkeys(filter(None, [self.text, self.label, self.group, *self.subgroups])))

    @property
    def classes(self) -> list[str]:
        """The other disposition, and the one that means admitted."""
        return [*({*self.meaning.values()} - {self.positive}), self.positive]

    def labelled(self, frame: Any) -> Labelled:
        """The rows of a table, or of a part of it, that have one of the two outcomes."""
        values = _texts(frame[self.label])
        frame = frame[[value in self.meaning for value in values]]
        return Labelled(
            notes=list(frame[self.text]),
            disposition=[self.meaning[value] for value in values if value in self.meaning],
            complaint=list(frame[self.group]) if self.group else None,
            positive=self.positive,
            frame=frame,
            drop_words=self.drop_words,
            subgroups=self.subgroups,
        )


def read_labelled(path: Path, columns: Columns, console: Console, subgroups: Sequence[str] = ()) -> Labelled:
    """The rows that have one of the two outcomes, with the columns that are needed; what was left out is said."""
    preset = named_preset(columns.preset)
    if preset is None:
        named = named_columns(tables.columns_of(path), columns, None, subgroups, path)
        frame = tables.read(path, named.columns)
    else:
        frame = read_with_remarks(preset, path, console)
        named = named_columns(list(frame.columns), columns, preset, subgroups, path)
    return with_meaning(named, Counter(_texts(frame[named.label])), columns, preset, path, console).labelled(frame)


def read_with_remarks(preset: Any, path: Path, console: Console) -> Any:
    """The table of a preset; what its reader has to say is said."""
    frame = preset.read(path)
    for remark in frame.attrs.get("remarks", ()):
        console.print(remark, highlight=False, markup=False)
    return frame


def read_parts(path: Path, columns: Columns, console: Console, subgroups: Sequence[str]) -> tuple[Plan, Iterator[Labelled]]:
    """The same a part at a time; the labels are read first, alone, to see what they mean."""
    refuse(columns.preset, f"--preset {columns.preset} reads its files whole: leave out --memory, or name the columns instead")
    named = named_columns(tables.columns_of(path), columns, None, subgroups, path)
    counts: Counter[str | None] = Counter()
    for frame in tables.chunks(path, columns=[named.label]):
        counts.update(_texts(frame[named.label]))
    plan = with_meaning(named, counts, columns, None, path, console)
    return plan, map(plan.labelled, tables.chunks(path, PART, plan.columns))


def named_columns(there: list[str], columns: Columns, preset: Any, subgroups: Sequence[str], path: Path) -> Plan:
    """The columns that were asked for, or the usual ones; a missing one is refused."""
    known = tuple(name for name in preset.subgroups if name in there) if preset else ()
    return Plan(
        text=column(there, columns.text or (preset.text if preset else "note"), path),
        label=column(there, columns.label or (preset.label if preset else "disposition"), path),
        group=_group(there, columns.group or (preset.group if preset else None), path),
        subgroups=tuple(column(there, name, path) for name in subgroups) or known,
        meaning={},
        positive="",
        drop_words=preset.drop_words if preset else (),
    )


def with_meaning(plan: Plan, counts: Counter[str | None], columns: Columns, preset: Any, path: Path, console: Console) -> Plan:
    """What the values of the label mean, from how often each occurs; what is left out is said."""
    positive = _values(columns.positive, preset.positive if preset else ("admitted",))
    negative = _values(columns.negative, preset.negative if preset else ())
    found = sorted(value for value in counts if value is not None)
    refuse(not set(positive) & set(found), _no_such_value("--positive", positive, plan.label, found))
    missing = [value for value in negative if value not in found]
    refuse(columns.negative and missing, _no_such_value("--negative", missing, plan.label, found))
    others = [value for value in found if value not in positive and (value in negative or not negative)]
    _report_left_out(counts, {*positive, *others}, plan.label, console)
    refuse(
        not others,
        f"every row of {path} that counts is {positive[0]!r} in column {plan.label!r}: patients of both outcomes are needed",
    )
    name = others[0] if len(others) == 1 else f"not {positive[0]}"
    if len(others) > 1 and not negative:
        console.print(f"not admitted: {', '.join(others)} (choose with --negative)", highlight=False, markup=False)
    return plan._replace(meaning=dict.fromkeys(others, name) | dict.fromkeys(positive, positive[0]), positive=positive[0])


def generated(n: int, seed: int) -> Labelled:
    """Notes of our own making, with age and sex for the figures by subgroup."""
    frame = make_triage_notes(n, details=True, random_state=seed)
    return Labelled(
        list(frame["note"]), list(frame["disposition"]), list(frame["complaint"]), "admitted", frame, (), ("sex", "age")
    )


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


def _no_such_value(option: str, wanted: Any, label: str, found: list[str]) -> str:
    shown = ", ".join(repr(value) for value in found[:12]) + (", ..." if len(found) > 12 else "")
    return f"{option} {', '.join(wanted)}: column {label!r} has no such value; it has {shown or 'no values at all'}"


def _report_left_out(counts: Counter[str | None], kept: set[str], label: str, console: Console) -> None:
    left = {value: count for value, count in counts.most_common() if value not in kept}
    if left:
        reasons = ", ".join(f"{count} {'(missing)' if value is None else value}" for value, count in left.items())
        console.print(f"{sum(left.values())} rows left out for their {label}: {reasons}", highlight=False, markup=False)


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
