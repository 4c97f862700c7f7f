"""A list of patients with times: scored one chunk at a time, then sorted by arrival."""

from __future__ import annotations

import numpy as np

from sonmf.beds.local_hours import to_moments, written
from sonmf.beds.options import BedOptions
from sonmf.beds.present_patients import TimedPatients
from sonmf.frames import pandas
from sonmf.sources import TableError, dates
from sonmf.triage.inputs import complaint_name
from sonmf.triage.lineage import has_seen
from sonmf.triage.patient_scores import Scored
from sonmf.triage.patient_stream import PatientStream
from sonmf.triage.provenance import Fingerprint
from sonmf.types import Array

LOST = np.timedelta64(48, "h")  # after which a patient without a departure counts as gone
UNKNOWN = "unknown"


class PatientList:
    """The patients of a stream, added chunk by chunk; the stream keeps the columns of the options."""

    def __init__(self, stream: PatientStream, options: BedOptions) -> None:
        self.model, self.where, self.options = stream.model, stream.source, options
        self.arrival, self.order = dates.column_and_order(options.time)
        self.probabilities: list[Array] = []
        self.outcomes: list[Array] = []
        self.away: list[Array] = []
        """Whether the fit of the model left out patients with this outcome."""
        self.mark = Fingerprint()
        """Fingerprint of the patients with an outcome that counts, as the fit computes it."""
        self.cells: dict[str, list[object]] = {name: [] for name in options.columns}

    def add(self, scored: Scored) -> None:
        """Add a chunk of the stream."""
        patients = scored.patients
        self.probabilities.append(scored.probability)
        self.outcomes.append(patients.outcomes)
        self.away.append(patients.left_out)
        known = patients.only(np.flatnonzero(np.isfinite(patients.outcomes)))
        self.mark.add(known.notes, map(str, known.disposition), known.complaint)
        for name, cells in self.cells.items():
            cells += patients.cells(name)

    def patients(self) -> tuple[TimedPatients, list[str]]:
        """All patients, and remarks on rows that do not count or look wrong."""
        times, by = self._times(self.options.time), self.options.by
        arrival = self._moments(times)
        departure, lost = self._departures(arrival, times.instants)
        nobody, away = np.zeros(0), np.concatenate([np.zeros(0, bool), *self.away])
        counts = ~np.isnat(arrival) & ~away
        names = [complaint_name(value).strip() or UNKNOWN for value in self.cells[by]] if by else [""] * len(arrival)
        chance, admitted = (np.concatenate([nobody, *values]) for values in (self.probabilities, self.outcomes))
        counted = TimedPatients(arrival, departure, chance, admitted, np.array(names, object)).only(counts)
        if not len(counted.arrival):
            raise TableError(f"{self.where} has no row with a time in column {self.arrival!r}: name another column")
        ordered = TimedPatients.ordered(*counted)
        repeated = int(pandas().DataFrame(ordered._asdict()).duplicated().sum())
        return ordered, self._remarks(arrival, int(away.sum()), lost, repeated)

    def _times(self, column: str) -> dates.Times:
        """The times of a column, which may be named with its order of day and month; those with an offset need a zone."""
        name, order = dates.column_and_order(column)
        times = dates.read_times(self.cells[name], name, self.where, order or self.order)
        if times.instants and not self.options.zone:
            raise TableError(
                f"{self.where} column {name!r} has times with an offset: give the zone of the clock, "
                "such as --zone Europe/Berlin or --zone UTC"
            )
        return times

    def _moments(self, times: dates.Times, later: bool = False) -> Array:
        """The moments of times; a local time that occurs twice means the first, or on request the later one."""
        return times.values if times.instants else to_moments(times.values, self.options.time_zone, later)

    def _departures(self, arrival: Array, instants: bool) -> tuple[Array, int]:
        """The moments of departure, and how many are unknown and long past; a departure before the arrival is refused."""
        if not self.options.until:
            return arrival + self.options.length("stay"), 0
        times = self._times(self.options.until)
        departure = self._moments(times)
        name, first, zone = dates.column_and_order(self.options.until)[0], self.arrival, self.options.time_zone
        known = ~np.isnat(departure) & ~np.isnat(arrival)
        if known.any() and times.instants != instants:
            raise TableError(
                f"{self.where}: of the columns {first!r} and {name!r} only one has times with a zone: write both the same way"
            )
        departure = np.where(known & (departure < arrival), self._moments(times, later=True), departure)
        wrong = known & (departure < arrival)
        if wrong.any():
            row = int(wrong.argmax())
            raise TableError(
                f"rows of {self.where} with a {name} before their {first}: {int(wrong.sum()):,}, first row {row + 1} "
                f"({written(departure[row], zone)} before {written(arrival[row], zone)}): correct them, or empty these cells"
                + (", or give the zone of a clock that was set back (--zone)" if zone is None else "")
            )
        open_ones = np.isnat(departure) & ~np.isnat(arrival)
        lost = int((open_ones & (arrival + LOST < np.nanmax(arrival))).sum()) if open_ones.any() else 0
        return np.where(open_ones, arrival + LOST, departure), lost

    def _remarks(self, arrival: Array, away: int, lost: int, repeated: int) -> list[str]:
        until = dates.column_and_order(self.options.until)[0]
        counts = {
            f"rows of {self.where} without {self.arrival}, which are left out": int(np.isnat(arrival).sum()),
            f"rows of {self.where} that do not count, because the fit left out patients with their outcome": away,
            f"patients of {self.where} without {until} two days after their arrival, who are assumed to have left": lost,
            f"rows of {self.where} with the times, ward, outcome and forecast of another row, which count separately": repeated,
        }
        remarks = [f"{what}: {count:,}" for what, count in counts.items() if count]
        if made := has_seen(self.model, self.mark.hexdigest()):
            remarks.append(
                f"the model was {made} on the patients of {self.where}: forecasts of past days look better than they are"
            )
        return remarks
