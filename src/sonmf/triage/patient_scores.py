"""Many patients at once: for each a probability, and in a few words where it comes from."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sonmf.errors import InputError
from sonmf.sources.errors import did_you_mean
from sonmf.text.note_numbers import read_measurements
from sonmf.triage import measures
from sonmf.triage.columns import convert_values
from sonmf.triage.complaint import ComplaintModel, plain_value
from sonmf.triage.factorisations import project
from sonmf.triage.forecaster import NO_KNOWN_WORD, EncodedPatients
from sonmf.triage.inputs import POOLED, complaint_name
from sonmf.triage.labels import stated
from sonmf.triage.patients import Patients, columns_of
from sonmf.types import Array

if TYPE_CHECKING:
    from sonmf.triage.forecasts import Forecasts
    from sonmf.triage.model import TriageModel

NO_COMPLAINT = "no complaint is given: the model of all complaints is used"
LEFT_OUT = "not counted among the beds: patients with this outcome were left out when the model was fitted"


class PatientForecast(NamedTuple):
    """The forecast of a patient, and in a few words where it comes from."""

    probability: float
    topics: list[tuple[str, float]]
    """The topics and outcome axes that move the log-odds most, by name, largest first in either direction."""
    words: list[tuple[str, float]]
    """The words that move the log-odds most."""
    columns: list[tuple[str, float]]
    """The columns and measurements that move the log-odds most, each with its value."""
    remark: str
    """What a person should know of the forecast."""
    left_out: bool = False
    """Whether the fit left out patients with this outcome: then the patient does not count among the beds."""

    @property
    def full_remark(self) -> str:
        """The remark, and that the patient does not count if that is so."""
        return "; ".join(filter(None, [self.remark, LEFT_OUT if self.left_out else ""]))


class Scored:
    """A chunk of patients with the log-odds of each; topics, words and columns behind them are found on request."""

    def __init__(self, model: Forecasts, patients: Patients) -> None:
        self.model, self.patients = model, patients
        reads_numbers = any(fitted.forecaster.reads_numbers for fitted in model.by_name_.values())
        self._stated = read_measurements(patients.notes) if reads_numbers else {}
        self.served = [
            (fitted, places, self.encoded_by(fitted, places))
            for fitted, places in model.by_model(patients.complaint, len(patients))
        ]
        """Each model that serves some of the patients, with their places and what the model reads of them."""
        self.log_odds = np.empty(len(patients))
        for fitted, places, encoded in self.served:
            self.log_odds[places] = fitted.forecaster.log_odds(encoded)

    def encoded_by(self, model: ComplaintModel, places: Array) -> EncodedPatients:
        """The patients at these places, as a model reads them."""
        notes, rows = [self.patients.notes[place] for place in places], self.patients.rows
        given, stated = (
            {name: values[places] for name, values in all_.items()} for all_ in (self.patients.columns, self._stated)
        )
        return model.forecaster.encode(notes, given, places if rows is None else rows[places], stated)

    @property
    def probability(self) -> Array:
        """P(admitted) of each."""
        return measures.probability(self.log_odds)

    def explained(self, top: int = 3) -> list[PatientForecast]:
        """The forecast of each patient with remarks; columns that no patient has are not remarked on.

        At most ``top`` topics, words and columns are named.
        """
        forecasts: dict[int, PatientForecast] = {}
        complaints, left_out = self.patients.complaint or [None] * len(self.patients), self.patients.left_out
        for fitted, places, encoded in self.served:
            of_values = fitted.forecaster.remarks(encoded)
            for place, forecast, strange in zip(places.tolist(), _forecasts(fitted, encoded, top), of_values, strict=True):
                remark = "; ".join(filter(None, [self._served_by(complaints[place]), forecast.remark, *strange]))
                forecasts[place] = forecast._replace(remark=remark, left_out=bool(left_out[place]))
        return [forecasts[place] for place in range(len(self.patients))]

    def _served_by(self, complaint: object) -> str:
        """Why the model of all complaints serves a patient; empty if another does, or if there is none."""
        missing = not isinstance(complaint, str) and complaint_name(complaint) == POOLED
        return NO_COMPLAINT if missing and self.model.models_ else self.model.remark(complaint)


def values_of_one(model: TriageModel, given: Iterable[tuple[str, object]]) -> dict[str, object]:
    """Values of one patient by name, as the model reads them; upper and lower case are one for what notes state.

    A column that the model does not have, one given twice, and a value that cannot be read are refused.
    """
    known = {column.name: column for fitted in model.by_name_.values() for column in fitted.columns}
    measured = set(model.measured_)
    values: dict[str, object] = {}
    for asked, value in given:
        name = asked.lower() if asked.lower() in measured else asked
        if name not in known:
            there = ", ".join(sorted(known, key=measured.__contains__)) or "none"
            raise InputError(f"the model has no column {asked!r}{did_you_mean(asked, known)}: it has {there}")
        if name in values:
            raise InputError(f"column {name!r} is given twice: give one value")
        read = columns_of({name: [value]}, [name], (model.provenance_.missing if model.provenance_ else None) or ())[name]
        convert_values(name, known[name].kind, read, rows=())
        values[name] = read[0]
    return values


def _forecasts(model: ComplaintModel, encoded: EncodedPatients, top: int) -> Iterable[PatientForecast]:
    """The forecasts of patients, without remarks on their values."""
    X, p = encoded.X, measures.probability(model.forecaster.log_odds(encoded))
    by_topic = np.hstack([project(X, model.components) * model.effects, encoded.axis_scores * model.axis_effects])
    topics = model.direction_names
    for i, (a, b) in enumerate(zip(X.indptr[:-1], X.indptr[1:], strict=True)):
        words = X.indices[a:b]
        parts = X.data[a:b] * model.forecaster.word_effects[words]
        known = b > a
        yield PatientForecast(
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
    return stated(model.columns[column].name, value)


def _largest(values: Array, top: int) -> list[int]:
    order = np.argsort(-np.abs(values), kind="stable")[:top]
    return [int(j) for j in order if values[j] != 0]
