"""Which columns of a source hold what: as a person says, else as the model remembers, else the usual ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sonmf.sources import Source
from sonmf.sources.presets import Preset, preset_named
from sonmf.triage.inputs import FEWEST_NAMED
from sonmf.triage.provenance import Provenance


class Columns(NamedTuple):
    """What the options say about a file; None where nothing was said, and then ``like`` counts, then the usual."""

    text: str | None = None
    label: str | None = None
    positive: str | None = None
    negative: str | None = None
    group: str | None = None
    preset: str | None = None
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

    @property
    def columns(self) -> list[str]:
        """Each once."""
        return list(dict.fromkeys(filter(None, [self.text, self.label, self.group, *self.subgroups])))


def named_columns(source: Source, columns: Columns, subgroups: Sequence[str]) -> Named:
    """The columns that were asked for, or the usual ones; a missing one is refused."""
    preset = columns.known
    usual = preset.subgroups if preset else columns.like.subgroups if columns.like else ()
    there = tuple(name for name in usual if name in source.columns)
    return Named(
        text=source.require(columns.text or (preset.text if preset else "note")),
        label=source.require(columns.label or (preset.label if preset else "disposition")),
        group=group_column(source, columns.group or (preset.group if preset else None)),
        subgroups=tuple(source.require(name) for name in subgroups) or there,
        drop_words=preset.drop_words if preset else (),
    )


def group_column(source: Source, asked: str | None) -> str | None:
    """The column that was asked for, or ``complaint`` where there is one."""
    if asked is None:
        return "complaint" if "complaint" in source.columns else None
    return source.require(asked)
