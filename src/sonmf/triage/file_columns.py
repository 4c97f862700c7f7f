"""Which columns of a source hold what: as the options say, else as in the fit of the model, else the usual ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from sonmf.sources import Source, dates
from sonmf.sources.presets import Preset, as_data_set, preset_named
from sonmf.triage.inputs import FEWEST_NAMED
from sonmf.triage.provenance import Provenance


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
