"""Which columns of a source hold what, and what the values of the outcome mean.

As the options say, else as in the fit of the model, else as usual.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from sonmf.sources import Source, dates
from sonmf.sources.errors import did_you_mean
from sonmf.sources.presets import Preset, as_data_set, preset_named
from sonmf.triage.inputs import FEWEST_NAMED, values_in_words
from sonmf.triage.provenance import Provenance, in_words, rows_by_value

if TYPE_CHECKING:
    import pandas as pd


class FileColumns(NamedTuple):
    """What the options say about a file; where they say nothing (None), ``like`` is used, then the usual columns."""

    text: str | None = None
    label: str | None = None
    positive: str | None = None
    negative: str | None = None
    group: str | None = None
    preset: str | None = None
    columns: Mapping[str, str | None] | None = None
    """Columns beside the note that count, by name, each with its kind where one was said."""
    missing: tuple[str, ...] | None = None
    """Values that mean missing in these columns."""
    time: str | None = None
    """Column of the arrival, with the order of its days where that is said."""
    like: Provenance | None = None
    """How the model was asked for that the file is held against."""
    min_df: int = FEWEST_NAMED

    def filled(self) -> FileColumns:
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
            columns=dict.fromkeys(like.columns) if self.columns is None else self.columns,
            missing=like.missing if self.missing is None else self.missing,
            like=like if own else None,
        )

    def open(self, source: Source) -> tuple[FileColumns, Source]:
        """The same with what the model remembers, and the source as the data set that was named or that the model is about."""
        filled = self.filled()
        known = as_data_set(source, self.preset, filled.preset)
        return (filled if known is not source else filled._replace(preset=None)), known

    @property
    def known(self) -> Preset | None:
        """The preset that is named, if any; an unknown one is refused."""
        return None if self.preset is None else preset_named(self.preset)


class Named(NamedTuple):
    """Which columns of a source are read."""

    text: str
    label: str
    group: str | None
    subgroups: tuple[str, ...]
    drop_words: tuple[str, ...]
    beside: tuple[str, ...] = ()
    """Columns beside the note that count."""
    kinds: Mapping[str, str] = MappingProxyType({})
    """What those are, where it was said."""
    missing: frozenset[str] = frozenset()
    """Values that mean missing in them."""
    time: str | None = None
    """Column of the arrival."""

    @property
    def columns(self) -> list[str]:
        """Each once."""
        return list(dict.fromkeys(filter(None, [self.text, self.label, self.group, *self.subgroups, *self.beside, self.time])))


def named_columns(source: Source, columns: FileColumns, subgroups: Sequence[str]) -> Named:
    """The columns that were asked for, or the usual ones; a missing one is refused."""
    preset = columns.known
    usual = preset.subgroups if preset else columns.like.subgroups if columns.like else ()
    there = tuple(name for name in usual if name in source.columns)
    beside = columns.columns if columns.columns is not None else dict(preset.columns) if preset else {}
    named = Named(
        text=source.require(columns.text or (preset.text if preset else "note")),
        label=source.require(columns.label or (preset.label if preset else "disposition")),
        group=group_column(source, columns.group or (preset.group if preset else None)),
        subgroups=tuple(source.require(name) for name in subgroups) or there,
        drop_words=preset.drop_words if preset else (),
        beside=tuple(source.require(name) for name in beside),
        kinds={name: kind for name, kind in beside.items() if kind},
        missing=frozenset(columns.missing or ()),
        time=None if columns.time is None else source.require(dates.column_and_order(columns.time)[0]),
    )
    if taken := set(named.beside) & {named.text, named.label}:
        raise ValueError(f"--column {taken.pop()}: it is the note or the outcome, and cannot count beside them")
    return named


def group_column(source: Source, asked: str | None) -> str | None:
    """The column that was asked for, or ``complaint`` where there is one."""
    if asked is None:
        return "complaint" if "complaint" in source.columns else None
    return source.require(asked)


class Plan(NamedTuple):
    """The columns, and what the values of the label mean."""

    named: Named
    meaning: dict[str, str]
    """The disposition that each value of the label stands for; rows with any other are left out."""
    positive: str
    provenance: Provenance
    """Without the fingerprint of the notes."""
    source: Source
    left: tuple[str, ...]
    """What a person should know of the rows, a sentence each."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """The same, after what is known so far of how the source was read."""
        return (*self.source.remarks, *self.left)


def label_texts(cells: pd.Series) -> list[str | None]:
    """Values of a label without surrounding spaces; None for an empty one."""
    values = cells.astype("string").str.strip()
    return [value if there and value else None for value, there in zip(values, values.notna(), strict=True)]


def plan(named: Named, counts: Counter[str | None], columns: FileColumns, source: Source) -> Plan:
    """What the values of the label mean, from how often each occurs."""
    usual = columns.like or columns.known
    positive = _values(columns.positive, usual.positive if usual else ("admitted",))
    negative = _values(columns.negative, usual.negative if usual else ())
    found = {value: count for value, count in counts.items() if value is not None}
    _refuse_missing("--positive", positive, columns.positive, named.label, found, columns.min_df)
    _refuse_missing("--negative", negative, columns.negative, named.label, found, columns.min_df)
    others = [value for value in sorted(found) if value not in positive and (value in negative or not negative)]
    neither = [value for value in counts if value not in positive and value not in others]
    admitted, not_admitted, left_out = (
        rows_by_value({value: counts[value] for value in values if value in counts}, columns.min_df, {*positive, *negative})
        for values in (positive, others, neither)
    )
    said = [f"{sum(left_out.values())} rows left out for their {named.label}: {in_words(left_out)}"] if left_out else []
    if not others:
        why = f" ({said[0]})" if said else ""
        raise ValueError(
            f"every row of {source} that counts is {positive[0]!r} in column {named.label!r}{why}: "
            "patients of both outcomes are needed"
        )
    if len(others) > 1 and not negative:
        said.append(f"not admitted: {in_words(not_admitted)} (choose with --negative)")
    yes = positive[0] if len(positive) == 1 else "admitted"
    no = others[0] if len(others) == 1 and others[0] != yes else f"not {yes}"
    asked = Provenance(
        source=source.name, text=named.text, label=named.label, group=named.group, positive=positive, negative=negative,
        admitted=admitted, not_admitted=not_admitted, left_out=left_out, rows=sum(counts.values()), preset=columns.preset,
        subgroups=named.subgroups, columns=named.beside, missing=tuple(sorted(named.missing)), time=columns.time,
    )  # fmt: skip
    meaning = dict.fromkeys(others, no) | dict.fromkeys(positive, yes)
    return Plan(named, meaning, yes, asked, source, tuple(said))


def _values(asked: str | None, default: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(value.strip() for value in asked.split(",")) if asked else default


def _refuse_missing(
    option: str, wanted: tuple[str, ...], asked: str | None, label: str, found: dict[str, int], fewest: int
) -> None:
    """Each value that was asked for must occur; of the values of a preset or a model at least one."""
    missing = [value for value in wanted if value not in found]
    if missing and (asked or len(missing) == len(wanted)):
        # values of a few rows are not shown: they may be something else than outcomes, such as notes
        near = did_you_mean(missing[0], [value for value, count in found.items() if count >= fewest])
        there = values_in_words(found, fewest)
        raise ValueError(f"{option} {', '.join(missing)}: column {label!r} has no such value{near}; it has {there}")
