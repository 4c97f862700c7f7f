"""Patients of a source by period, read as for the fit: its columns, the meaning of its outcomes, the rows it leaves out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from sonmf.monitoring.calendar import Calendar
from sonmf.monitoring.observations import Patients
from sonmf.sources import PatientColumns, Source, dates
from sonmf.triage.file_columns import label_texts
from sonmf.triage.forecaster import not_given_sentence
from sonmf.triage.inputs import FEWEST_NAMED, values_in_words
from sonmf.triage.model import TriageModel
from sonmf.triage.patient_scores import not_as_fitted, patient_columns, read_columns
from sonmf.triage.provenance import in_words, rows_by_value

PART = 2000  # patients at a time


class Names(NamedTuple):
    """Which columns of a source hold what."""

    patients: PatientColumns
    time: str
    order: str | None
    """Of day and month in dates, where it was said."""

    @property
    def needed(self) -> list[str]:
        """Each once."""
        return list(dict.fromkeys([*self.patients.needed, self.time]))


class Asked(NamedTuple):
    """Columns as a person names them; the model knows the others."""

    text: str | None = None
    label: str | None = None
    group: str | None = None
    time: str | None = None

    def among(self, source: Source, model: TriageModel) -> Names:
        """Those of a source; one that is needed and missing is refused. The outcome may be missing."""
        fitted = model.provenance_
        time = self.time or (fitted.time if fitted else None)
        if time is None:
            raise ValueError("the model does not know the column of the arrival: name it with --time")
        name, order = dates.column_and_order(time)
        return Names(self.without_time(source, model), source.require(name), order)

    def without_time(self, source: Source, model: TriageModel) -> PatientColumns:
        """The same for patients who may have come at any time."""
        columns = patient_columns(model, self.text, self.group)
        label = source.require(self.label) if self.label else columns.label or "disposition"
        return columns._replace(label=label).among(source)._replace(id="")


class Meaning(NamedTuple):
    """What the values of an outcome mean."""

    positive: frozenset[str]
    negative: frozenset[str]
    """None named: all others mean not admitted."""
    named: frozenset[str]
    """Values that the fit has seen, where there is no doubt what they were."""

    @classmethod
    def of(cls, model: TriageModel) -> Meaning:
        """As in the fit."""
        asked = model.provenance_
        if asked is None:
            other, admitted = map(str, model.classes_)
            return cls(frozenset([admitted]), frozenset([other]), frozenset())
        return cls(frozenset(asked.positive), frozenset(asked.negative), frozenset(asked.not_admitted))

    def outcome(self, value: str | None) -> float | None:
        """1 or 0; NaN where nothing is known yet; None for a patient who is left out."""
        if value is None:
            return float("nan")
        if value in self.positive:
            return 1.0
        return 0.0 if value in self.negative or not self.negative else None


class Reader:
    """The patients of a source, a part at a time, and what there is to say of them once all are read."""

    def __init__(self, source: Source, names: Names, model: TriageModel, calendar: Calendar) -> None:
        self.source, self.names, self.model, self.calendar = source, names, model, calendar
        self.meaning = Meaning.of(model)
        self.values: Counter[str | None] = Counter()
        cells = [cell for frame in source.chunks(columns=[names.time]) for cell in frame[names.time]]
        self.periods = calendar.periods(dates.parse_times(cells, names.time, source, names.order))

    @property
    def parts(self) -> int:
        """How many there are, about."""
        return -(-len(self.periods) // PART)

    @property
    def before(self) -> list[str]:
        """What is said of a source before its patients are read."""
        columns, source = self.names.patients, self.source
        absent = [name for name in self.model.columns_ if name not in columns.columns]
        found = [*source.remarks, not_as_fitted(self.model, source)]
        if absent:
            found.append(f"{source}: {not_given_sentence(absent)}")
        if not columns.label:
            found.append(f"{source} has no column of outcomes: only drift is judged (--label names one)")
        if self.model.models_ and not columns.group:
            found.append(f"{source} has no column of complaints: all get the model of all complaints (--group names one)")
        return [one for one in found if one]

    @property
    def after(self) -> list[str]:
        """What is said once they are."""
        timeless = sum(not one for one in self.periods)
        found = [f"{timeless:,} rows have no time in column {self.names.time}: they are left out"] if timeless else []
        outcomes = [(value, self.meaning.outcome(value)) for value in self.values]
        unknown, left = self.values[None], {v: self.values[v] for v, outcome in outcomes if outcome is None}
        named = self.meaning.named if not self.meaning.negative else frozenset()
        strange = {v: self.values[v] for v, outcome in outcomes if outcome == 0 and named and v not in named}
        if self.names.patients.label and unknown:
            found.append(
                f"{unknown:,} rows have no outcome yet: they count for drift alone, "
                f"and a {self.calendar.every} is judged fairly once all its outcomes are known"
            )
        for rows, what in ((left, "left out, as in the fit"), (strange, "not seen in the fit, so counted as not admitted")):
            if rows:
                told = in_words(rows_by_value(rows, FEWEST_NAMED, self.meaning.named))
                found.append(f"outcomes {what}: {told}")
        return found

    def __iter__(self) -> Iterator[tuple[Patients, int]]:
        first, columns = 0, self.names.patients
        for frame in self.source.chunks(PART, self.names.needed):
            periods = self.periods[first : first + len(frame)]
            values = label_texts(frame[columns.label]) if columns.label else [None] * len(frame)
            outcomes = [self.meaning.outcome(value) for value in values]
            rows = [
                i for i, (period, outcome) in enumerate(zip(periods, outcomes, strict=True)) if period and outcome is not None
            ]
            self.values.update(value for value, period in zip(values, periods, strict=True) if period)
            counted = frame.iloc[rows]
            some = Patients(
                list(counted[columns.text]),
                list(counted[columns.group]) if columns.group else None,
                read_columns(self.model, counted, columns.columns),
                [periods[i] for i in rows],
                np.array([outcomes[i] for i in rows], float),
            )
            yield some, first
            first += len(frame)
        self._refuse_other_codes()

    def _refuse_other_codes(self) -> None:
        """Outcomes none of which means admitted are other codes, or another column, unless the fit has seen them all."""
        found = {value: rows for value, rows in self.values.items() if value is not None}
        known = self.meaning.positive | self.meaning.negative | self.meaning.named
        if not self.meaning.positive & found.keys() and found.keys() - known:
            wanted = ", ".join(sorted(self.meaning.positive))
            raise ValueError(
                f"{self.source} column {self.names.patients.label!r} has {values_in_words(found)}, and none that means "
                f"admitted ({wanted}): write them as in the fit, or name another column with --label"
            )
