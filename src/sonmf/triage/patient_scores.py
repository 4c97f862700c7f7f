"""Many patients at once: for each a probability, and in a few words where it comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sonmf.errors import InputError
from sonmf.sources.errors import did_you_mean
from sonmf.text.note_numbers import read_measurements
from sonmf.triage import measures
from sonmf.triage.column_effects import Number
from sonmf.triage.columns import convert_values
from sonmf.triage.complaint import ComplaintModel, plain_value
from sonmf.triage.factorisations import project
from sonmf.triage.forecaster import NO_KNOWN_WORD, EncodedPatients
from sonmf.triage.inputs import POOLED, complaint_name
from sonmf.triage.patients import Patients, columns_of
from sonmf.types import Array

if TYPE_CHECKING:
    from sonmf.triage.forecasts import Forecasts
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
    """What a person should know of the forecast."""
    left_out: bool = False
    """Whether the fit left out patients with this outcome: then the patient does not count among the beds."""

    @property
    def full_remark(self) -> str:
        """The remark, and that the patient does not count."""
        return "; ".join(filter(None, [self.remark, LEFT_OUT if self.left_out else ""]))


class FarOutside:
    """How many values of each column of numbers are far outside the range of the fit: usually they have another unit."""

    def __init__(self) -> None:
        self.values: Counter[str] = Counter()
        self.far: Counter[str] = Counter()
        self.ranges: dict[str, tuple[float, float]] = {}

    def add(self, model: ComplaintModel, encoded: EncodedPatients, remarks: list[list[str]]) -> None:
        """Patients of one model, with what is strange about each: only those with a remark are looked at again."""
        rows = [i for i, some in enumerate(remarks) if some]
        for column, values in zip(model.columns, encoded.values, strict=True):
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


class Scored:
    """A chunk of patients with the log-odds of each; what else there is to say of them is found when it is asked for."""

    def __init__(self, model: Forecasts, patients: Patients, outside: FarOutside | None = None) -> None:
        self.model, self.patients, self._outside = model, patients, outside or FarOutside()
        self._stated = read_measurements(patients.notes) if model.measured_ else {}
        self.served = [
            (one, places, self.encoded_by(one, places)) for one, places in model.by_model(patients.complaint, len(patients))
        ]
        """Each model that serves some of them, the places of these, and what it reads."""
        self.log_odds = np.empty(len(patients))
        for one, places, encoded in self.served:
            self.log_odds[places] = one.forecaster.log_odds(encoded)

    def encoded_by(self, model: ComplaintModel, places: Array) -> EncodedPatients:
        """Some of the patients as a model reads them."""
        notes, rows = [self.patients.notes[place] for place in places], self.patients.rows
        given, stated = (
            {name: values[places] for name, values in all_.items()} for all_ in (self.patients.columns, self._stated)
        )
        return model.forecaster.encode(notes, given, places if rows is None else rows[places], stated)

    @property
    def probability(self) -> Array:
        """P(admitted) of each."""
        return measures.probability(self.log_odds)

    def explained(self, top: int = 3) -> list[Score]:
        """For each patient where the forecast comes from, and remarks; values far outside their range are counted.

        Columns that are not given are not remarked on (see ``Forecaster.not_given``).
        """
        found: dict[int, Score] = {}
        complaints, away = self.patients.complaint or [None] * len(self.patients), self.patients.left_out
        for one, places, encoded in self.served:
            remarks = one.forecaster.remarks(encoded)
            self._outside.add(one, encoded, remarks)
            for place, each, strange in zip(places.tolist(), _scores(one, encoded, top), remarks, strict=True):
                said = [self._served_by(complaints[place]), each.remark, *strange]
                found[place] = each._replace(remark="; ".join(filter(None, said)), left_out=bool(away[place]))
        return [found[place] for place in range(len(self.patients))]

    def _served_by(self, complaint: object) -> str:
        """Why the model of all complaints serves a patient; empty if another does, or if there is none."""
        missing = not isinstance(complaint, str) and complaint_name(complaint) == POOLED
        return NO_COMPLAINT if missing and self.model.models_ else self.model.remark(complaint)


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
            raise InputError(f"the model has no column {asked!r}{did_you_mean(asked, known)}: it has {there}")
        if name in found:
            raise InputError(f"column {name!r} is given twice: give one value")
        read = columns_of({name: [value]}, [name], (model.provenance_.missing if model.provenance_ else None) or ())[name]
        convert_values(name, known[name].kind, read, rows=())
        found[name] = read[0]
    return found


def _scores(model: ComplaintModel, encoded: EncodedPatients, top: int) -> Iterable[Score]:
    """Without what is strange about their values."""
    X, p = encoded.X, measures.probability(model.forecaster.log_odds(encoded))
    by_topic = project(X, model.components) * model.effects
    topics = model.names
    for i, (a, b) in enumerate(zip(X.indptr[:-1], X.indptr[1:], strict=True)):
        words = X.indices[a:b]
        parts = X.data[a:b] * model.forecaster.word_effects[words]
        known = b > a
        yield Score(
            float(p[i]),
            [(topics[k], float(by_topic[i, k])) for k in _largest(by_topic[i], top)] if known else [],
            [(model.spellings[words[j]], float(parts[j])) for j in _largest(parts, top)],
            [
                (_stated(model, encoded, j, i), float(encoded.column_parts[i, j]))
                for j in _largest(encoded.column_parts[i], top)
            ],
            "" if known else NO_KNOWN_WORD,
        )


def _stated(model: ComplaintModel, encoded: EncodedPatients, column: int, row: int) -> str:
    """A column with its value, such as "age 81"."""
    values = encoded.values[column]
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
