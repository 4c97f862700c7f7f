"""Many patients at once: for each a probability, and in a few words where it comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sonmf.sources import PatientColumns, Source
from sonmf.sources.errors import did_you_mean
from sonmf.sources.known_data_set import KnownSource
from sonmf.sources.presets import as_data_set
from sonmf.triage import measures
from sonmf.triage.column_effects import Number
from sonmf.triage.columns import Columns, Table, convert_values
from sonmf.triage.complaint import ComplaintModel, plain_value
from sonmf.triage.factorisations import project
from sonmf.triage.forecaster import NO_KNOWN_WORD, Read
from sonmf.triage.inputs import POOLED, complaint_name
from sonmf.triage.labelled_notes import columns_of
from sonmf.types import Array

if TYPE_CHECKING:
    import pandas as pd

    from sonmf.triage.model import TriageModel

NO_COMPLAINT = "no complaint is given: the model of all complaints is used"
LEFT_OUT = "not counted among the beds: patients with this outcome were left out when the model was fitted"


class Score(NamedTuple):
    """One patient."""

    probability: float
    topics: list[tuple[str, float]]
    """The topics that move the log-odds most, by name, largest first in either direction."""
    words: list[tuple[str, float]]
    """The words that do."""
    columns: list[tuple[str, float]]
    """The columns and measurements that do, each with its value."""
    remark: str


class FarOutside:
    """How many values of each column of numbers are far outside the range of the fit: usually they have another unit."""

    def __init__(self) -> None:
        self.values: Counter[str] = Counter()
        self.far: Counter[str] = Counter()
        self.ranges: dict[str, tuple[float, float]] = {}

    def add(self, model: ComplaintModel, read: Read, remarks: list[list[str]]) -> None:
        """Patients of one model, with what is strange about each: only those with a remark are looked at again."""
        rows = [i for i, some in enumerate(remarks) if some]
        for column, values in zip(model.columns, read.values, strict=True):
            if isinstance(column, Number) and not column.measured and values is not None:
                self.values[column.name] += int(np.isfinite(values).sum())
                if far := sum(bool(column.remark(values[i])) for i in rows if np.isfinite(values[i])):
                    self.far[column.name] += far
                    low, high = self.ranges.get(column.name, (column.low, column.high))
                    self.ranges[column.name] = min(low, column.low), max(high, column.high)

    @property
    def sentences(self) -> list[str]:
        """One for each column that has such values."""
        return [
            f"{name}: {far:,} of {self.values[name]:,} values far outside the range of the fit "
            f"({self.ranges[name][0]:g} to {self.ranges[name][1]:g}): check its unit"
            for name, far in self.far.items()
        ]


def score(
    model: TriageModel,
    notes: Sequence[object],
    complaint: Iterable[object] | None = None,
    columns: Table = None,
    top: int = 3,
    first: int = 0,
    outside: FarOutside | None = None,
) -> list[Score]:
    """One score a note, in the order of the notes; ``first`` is the number of rows before these, for messages.

    Columns that are not given are not remarked on (see ``Forecaster.not_given``). ``outside`` is updated.
    """
    scores: dict[int, Score] = {}
    names = [None] * len(notes) if complaint is None else list(complaint)
    for one, rows, read in model.read(notes, complaint, columns, first):
        remarks = one.remarks(read)
        if outside is not None:
            outside.add(one, read, remarks)
        for i, found, strange in zip(rows, _scores(one, read, top), remarks, strict=True):
            missing = not isinstance(names[i], str) and complaint_name(names[i]) == POOLED
            pooled = NO_COMPLAINT if missing and model.models_ else model.remark(names[i])
            said = [pooled, found.remark, *strange]
            scores[int(i)] = found._replace(remark="; ".join(filter(None, said)))
    return [scores[i] for i in range(len(notes))]


def patient_columns(
    model: TriageModel, text: str | None = None, group: str | None = None, patient: str | None = None
) -> PatientColumns:
    """Where a list of patients has what the model needs: as a person says, else as in the file of the fit."""
    named = PatientColumns(text or "", group or "", patient or "", columns=tuple(model.columns_))
    asked = model.provenance_
    if asked is None:
        return named
    return named._replace(label=asked.label, fitted_text=asked.text, fitted_group=asked.group or named.fitted_group)


def as_fitted(model: TriageModel, source: Source, preset: str | None = None) -> Source:
    """A source as the data set that was named, else as the one that the model was fitted to, if it looks like that."""
    return as_data_set(source, preset, model.provenance_.preset if model.provenance_ else None)


def not_as_fitted(model: TriageModel, source: Source) -> str:
    """A sentence on a source that is not the data set that the model was fitted to; else nothing."""
    preset = model.provenance_.preset if model.provenance_ else None
    if preset is None or isinstance(source, KnownSource):
        return ""
    return f"{source} does not look like {preset}, which the model was fitted to: its columns are read as they are"


def left_out(model: TriageModel, outcomes: Iterable[object]) -> list[bool]:
    """For each outcome, None where none is known, whether it was left out when the model was fitted."""
    asked = model.provenance_
    return [asked is not None and asked.leaves_out(outcome) for outcome in outcomes]


def read_columns(model: TriageModel, cells: pd.DataFrame | Mapping[str, Sequence[object]], names: Iterable[str]) -> Columns:
    """Columns of a table; values that meant missing in the file of the fit are missing here too."""
    return columns_of(cells, names, model.provenance_.missing if model.provenance_ else ())


def values_of_one(model: TriageModel, given: Iterable[tuple[str, object]]) -> dict[str, object]:
    """Values of one patient by name, as the model reads them; upper and lower case are one for what notes state.

    A column that the model does not have, one given twice, and a value that cannot be read are refused.
    """
    known = {column.name: column for one in model.by_name_.values() for column in one.columns}
    measured = set(model.measured_)
    found: dict[str, object] = {}
    for asked, value in given:
        name = asked.lower() if asked.lower() in measured else asked
        if name not in known:
            there = ", ".join(sorted(known, key=measured.__contains__)) or "none"
            raise ValueError(f"the model has no column {asked!r}{did_you_mean(asked, known)}: it has {there}")
        if name in found:
            raise ValueError(f"column {name!r} is given twice: give one value")
        read = read_columns(model, {name: [value]}, [name])[name]
        convert_values(name, known[name].kind, read, rows=())
        found[name] = read[0]
    return found


def _scores(model: ComplaintModel, read: Read, top: int) -> Iterable[Score]:
    """Without what is strange about their values."""
    X, p = read.X, measures.probability(model.log_odds(read))
    by_topic = project(X, model.components) * model.effects
    topics = model.names
    for i, (a, b) in enumerate(zip(X.indptr[:-1], X.indptr[1:], strict=True)):
        words = X.indices[a:b]
        parts = X.data[a:b] * model.word_effects[words]
        known = b > a
        yield Score(
            float(p[i]),
            [(topics[k], float(by_topic[i, k])) for k in _largest(by_topic[i], top)] if known else [],
            [(model.spellings[words[j]], float(parts[j])) for j in _largest(parts, top)],
            [(_stated(model, read, j, i), float(read.parts[i, j])) for j in _largest(read.parts[i], top)],
            "" if known else NO_KNOWN_WORD,
        )


def _stated(model: ComplaintModel, read: Read, column: int, row: int) -> str:
    """A column with its value, such as "age 81"."""
    values = read.values[column]
    value = None if values is None else plain_value(values[row])
    return f"{model.columns[column].name} {in_short(value)}"


def in_short(value: float | str | None) -> str:
    """A value of a column as people read it."""
    if value is None:
        return "missing"
    return value if isinstance(value, str) else f"{value:.6g}"


def _largest(values: Array, top: int) -> list[int]:
    order = np.argsort(-np.abs(values), kind="stable")[:top]
    return [int(j) for j in order if values[j] != 0]
