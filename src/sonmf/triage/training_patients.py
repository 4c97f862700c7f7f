"""Patients by complaint: what a model is fitted to, wherever their notes are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from sonmf.triage.columns import Columns
from sonmf.triage.inputs import FEWEST, POOLED, one_sided
from sonmf.types import Array


class Count(NamedTuple):
    """How many notes there are, and how many of them of admitted patients."""

    notes: int
    admitted: int


class Part(NamedTuple):
    """The notes that one model is fitted to, in the order they were given."""

    notes: Sequence[object]
    y: Array
    """1 for admitted."""
    subgroups: dict[str, Array]
    columns: Columns


class Patients(Protocol):
    """What ``TriageModel`` asks for, one complaint after another."""

    classes: Array
    """The two dispositions, the one that means admitted last."""

    def counts(self) -> dict[str, Count]:
        """By complaint, in the order of their names; patients without one are under the empty name."""
        ...

    def part(self, complaint: str) -> Part:
        """The patients of a complaint; all of them for the empty name."""
        ...

    def columns(self) -> Mapping[str, Array]:
        """Of all patients, by name."""
        ...

    def outcomes(self) -> Array:
        """Of all patients: 1 for admitted."""
        ...


def split_by_size(
    counts: Mapping[str, Count], min_notes: int, named: int, fewest: int = FEWEST
) -> tuple[list[str], dict[str, str]]:
    """The complaints that get a model of their own, and why the others do not.

    Those of fewer than ``named`` patients stand together under one name, because their own could identify a patient.
    """
    complaints = {name: count for name, count in counts.items() if name != POOLED}
    rare = [name for name, count in complaints.items() if count.notes < named]
    reasons = {name: too_few(count, min_notes, fewest) for name, count in complaints.items() if count.notes >= named}
    small = {name: reason for name, reason in reasons.items() if reason}
    if rare:
        word, each = ("complaint", "") if len(rare) == 1 else ("complaints", " each")
        small[f"{len(rare)} {word} with fewer than {named} patients{each}"] = "too few patients"
    return [name for name, reason in reasons.items() if not reason], small


def too_few(count: Count, min_notes: int, fewest: int = FEWEST) -> str:
    """Why there are too few notes for a model; empty if there are enough."""
    if count.notes < min_notes:
        return f"it has {count.notes} notes, fewer than min_notes={min_notes}"
    return one_sided(*count, fewest)


class PatientsInMemory:
    """Patients in memory."""

    def __init__(
        self,
        notes: Sequence[object],
        outcomes: Array,
        names: Array,
        classes: Array,
        subgroups: dict[str, Array],
        columns: Columns,
    ) -> None:
        self.notes, self.classes = notes, classes
        self.subgroups, self._columns = subgroups, columns
        self.y: Array = (outcomes == classes[1]).astype(float)
        self.names, self.place = np.unique(names, return_inverse=True)

    def counts(self) -> dict[str, Count]:
        """As ``Patients`` says."""
        notes, admitted = np.bincount(self.place), np.bincount(self.place, self.y)
        return {str(name): Count(int(n), int(a)) for name, n, a in zip(self.names, notes, admitted, strict=True)}

    def part(self, complaint: str) -> Part:
        """As ``Patients`` says."""
        rows = np.arange(len(self.y)) if complaint == POOLED else np.flatnonzero(self.names[self.place] == complaint)
        subgroups, columns = ({name: values[rows] for name, values in some.items()} for some in (self.subgroups, self._columns))
        return Part([self.notes[i] for i in rows.tolist()], self.y[rows], subgroups, columns)

    def columns(self) -> Columns:
        """As ``Patients`` says."""
        return self._columns

    def outcomes(self) -> Array:
        """As ``Patients`` says."""
        return self.y
