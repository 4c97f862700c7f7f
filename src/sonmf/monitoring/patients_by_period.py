"""Patients of a stream by the period of their arrival, with remarks on their outcomes once all are read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import compress

import numpy as np

from sonmf.errors import InputError
from sonmf.frames import DataFrame, pandas
from sonmf.monitoring.calendar import Calendar
from sonmf.sources import Source, dates
from sonmf.triage.inputs import FEWEST_NAMED, values_in_words
from sonmf.triage.lineage import has_seen
from sonmf.triage.model import TriageModel
from sonmf.triage.patient_scores import Scored
from sonmf.triage.patient_stream import PatientStream, how_asked
from sonmf.triage.patients import Patients
from sonmf.triage.provenance import (
    Fingerprint,
    Provenance,
    in_one_spelling,
    in_words,
    outcome_key,
    outcome_text,
    rows_by_value,
)
from sonmf.types import Array

CHUNK = 2000  # patients at a time


class PatientsByPeriod:
    """The patients who have a time and whose outcome the fit does not leave out, scored, with the period of each.

    ``asked`` is what a person says of the source; ``asked.time`` is the column of the arrival, by default that of the fit.
    """

    def __init__(self, model: TriageModel, source: Source | DataFrame, asked: Provenance, calendar: Calendar) -> None:
        time = asked.time or how_asked(model).time
        if time is None:
            raise InputError("the model does not know the column of the arrival: name it with --time")
        self.calendar = calendar
        self.time, order = dates.column_and_order(time)
        self.stream = PatientStream(model, source, asked, keep=[self.time], rows=CHUNK)
        self.values: Counter[str | None] = Counter()
        """Rows with a time by the value of their outcome."""
        self.repeated = self.visits = 0
        """Rows that are the same as another one, and further rows of a patient."""
        self._rows: set[int] = set()
        self._patients: set[str] = set()
        self._fingerprint = Fingerprint()
        table = self.stream.source
        cells = [cell for frame in table.chunks(columns=[self.time]) for cell in frame[self.time]]
        times = dates.parse_times(cells, self.time, table, order)
        self.periods = calendar.periods(times)
        clock = (times - times.astype("datetime64[D]"))[~np.isnat(times)]
        self.tells_apart = self.stream.asked.patient is not None or len(np.unique(clock)) > 1
        """Whether two patients never have the same row: there is an identifier, or a time of day."""

    @property
    def chunks(self) -> int:
        """How many there are, about."""
        return -(-len(self.periods) // self.stream.rows)

    def __iter__(self) -> Iterator[tuple[Scored, list[str]]]:
        first, label = 0, self.stream.asked.label
        for patients in self.stream:
            periods = self.periods[first : first + len(patients)]
            first += len(patients)
            timely = np.array([bool(period) for period in periods], bool)
            if label:
                self.values.update(map(outcome_text, compress(patients.cells(label), timely)))
            known = patients.only(np.flatnonzero(np.isfinite(patients.outcomes)))
            self._fingerprint.add(known.notes, map(str, known.disposition), known.complaint)
            again = self._seen_before(patients)
            counted = np.flatnonzero(timely & ~patients.left_out & ~(again & self.tells_apart))
            if len(counted):
                yield self.stream.score(patients.only(counted)), [periods[place] for place in counted]
        self._refuse_other_codes()
        if made := has_seen(self.stream.model, self._fingerprint.hexdigest()):
            raise InputError(
                f"the model was {made} on the patients of {self.stream.source}, whom it forecasts better than others: "
                "give patients who came later"
            )

    def _seen_before(self, patients: Patients) -> Array:
        """Whether each row is the same as one before it; further visits of a patient are counted too."""
        frame = patients.frame
        assert frame is not None, "patients of a stream have their rows"
        again = np.zeros(len(frame), bool)
        for place, row in enumerate(pandas().util.hash_pandas_object(frame.astype(str), index=False).tolist()):
            again[place] = row in self._rows
            self._rows.add(row)
        self.repeated += int(again.sum())
        if name := self.stream.asked.patient:
            for patient in compress(map(str, frame[name]), ~again):
                self.visits += patient in self._patients
                self._patients.add(patient)
        return again

    @property
    def before(self) -> list[str]:
        """Remarks that can be made before the patients are read."""
        source, label = self.stream.source, self.stream.asked.label
        none = f"{source} has no column of outcomes: only drift is judged (--label names one)"
        return [*self.stream.remarks, *([] if label else [none])]

    @property
    def after(self) -> list[str]:
        """Remarks on the patients once all are read."""
        asked, timeless = self.stream.asked, sum(not period for period in self.periods)
        remarks = [f"{timeless:,} rows have no time in column {self.time}: they are left out"] if timeless else []
        if self.repeated:
            once = "they count once" if self.tells_apart else "without a time of day or an identifier they count separately"
            remarks.append(f"{self.repeated:,} rows are the same as another row: {once}")
        if self.visits:
            remarks.append(
                f"{self.visits:,} rows are further visits of a patient (column {asked.patient}): limits are for "
                "independent patients, so they are somewhat too narrow"
            )
        if unknown := self.values[None]:
            remarks.append(f"{unknown:,} rows have no outcome yet: they count for drift alone")
        rows = {value: count for value, count in self._spelled.items() if value}
        seen = {outcome_key(value) for value in asked.not_admitted}
        left = {value: rows[value] for value in rows if asked.leaves_out(value)}
        neither = {value: rows[value] for value in rows if value not in left and np.isnan(asked.outcome(value))}
        new = [value for value in rows if not asked.negative and seen and outcome_key(value) not in seen]
        strange = {value: rows[value] for value in new if asked.outcome(value) == 0}
        for counts, what in (
            (left, "left out, as in the fit"),
            (neither, "that the model does not know, so they count for drift alone"),
            (strange, "not seen in the fit, so counted as not admitted"),
        ):
            if counts:
                remarks.append(f"outcomes {what}: {in_words(rows_by_value(counts, FEWEST_NAMED, asked.not_admitted))}")
        return remarks

    @property
    def _spelled(self) -> dict[str | None, int]:
        asked = self.stream.asked
        return in_one_spelling(self.values, (*asked.positive, *asked.negative, *asked.not_admitted))

    def _refuse_other_codes(self) -> None:
        """Refuse outcomes of which none means admitted, unless the fit has seen them all: the codes or the column are wrong."""
        asked = self.stream.asked
        rows = {value: count for value, count in self._spelled.items() if value is not None}
        known = {*asked.positive, *asked.negative, *asked.not_admitted}
        if not rows.keys() & set(asked.positive) and rows.keys() - known:
            raise InputError(
                f"{self.stream.source} column {asked.label!r} has {values_in_words(rows)}, and none that means "
                f"admitted ({', '.join(sorted(asked.positive))}): write them as in the fit, or name another column with --label"
            )
