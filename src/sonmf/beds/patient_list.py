"""A list of patients with times: scored one part at a time, then sorted by arrival."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from sonmf.beds.clock import Clock
from sonmf.beds.options import BedOptions, BedSettings
from sonmf.beds.present_patients import TimedPatients
from sonmf.frames import pandas
from sonmf.sources import TableError, dates
from sonmf.triage import TriageModel
from sonmf.triage.inputs import complaint_name
from sonmf.triage.lineage import has_seen
from sonmf.triage.patient_scores import left_out, read_columns
from sonmf.triage.provenance import Fingerprint
from sonmf.types import Array

LOST = np.timedelta64(48, "h")  # after which a patient without a departure counts as gone
UNKNOWN = "unknown"


class PatientList:
    """The patients of one table, added part by part; ``where`` is what messages call the table."""

    def __init__(self, model: TriageModel, asked: BedOptions, where: object) -> None:
        self.model, self.asked, self.where = model, asked, where
        self.arrival, self.order = dates.column_and_order(asked.time)
        self.probabilities: list[Array] = []
        self.outcomes: list[float] = []
        """1 or 0, NaN if it is not known."""
        self.away: list[bool] = []
        """Whether the fit of the model left out patients with this outcome."""
        self.mark = Fingerprint()
        """Fingerprint of the patients with an outcome that counts, as the fit computes it."""
        self.cells: dict[str, list[object]] = {name: [] for name in asked.columns}

    def add(
        self,
        notes: list[object],
        complaints: list[object] | None,
        outcomes: Iterable[object] | None,
        columns: Mapping[str, Sequence[object]],
        times: Mapping[str, Iterable[object]],
    ) -> None:
        """Add rows: ``columns`` are those of the model, ``times`` those of the options."""
        known = list(outcomes) if outcomes is not None else [None] * len(notes)
        self.probabilities.append(self.model.predict_proba(notes, complaints, read_columns(self.model, columns, columns))[:, 1])
        admitted, away = [_admitted(self.model, value) for value in known], left_out(self.model, known)
        self.outcomes += admitted
        self.away += away
        rows = np.flatnonzero(~np.isnan(admitted) & ~np.array(away, bool))
        classes = [str(self.model.classes_[int(admitted[row])]) for row in rows]
        self.mark.add([notes[row] for row in rows], classes, [complaints[row] for row in rows] if complaints else None)
        for name, found in self.cells.items():
            found += times[name]

    def patients(self, settings: BedSettings) -> tuple[TimedPatients, list[str]]:
        """All patients, and remarks on rows that do not count or look wrong."""
        asked, clock = self.asked, settings.clock
        arrival, instants = self._times(asked.time, clock)
        departure, lost = self._departures(arrival, instants, settings)
        counts = ~np.isnat(arrival) & ~np.array(self.away, bool)
        names = (
            [complaint_name(value).strip() or UNKNOWN for value in self.cells[asked.by]] if asked.by else [""] * len(arrival)
        )
        chance, admitted = np.concatenate([np.zeros(0), *self.probabilities]), np.array(self.outcomes, float)
        found = TimedPatients(arrival, departure, chance, admitted, np.array(names, object)).only(counts)
        if not len(found.arrival):
            raise TableError(f"{self.where} has no row with a time in column {self.arrival!r}: name another column")
        found = TimedPatients.ordered(*found)
        repeated = int(pandas().DataFrame(found._asdict()).duplicated().sum())
        return found, self._remarks(arrival, lost, repeated)

    def _times(self, asked: str, clock: Clock) -> tuple[Array, bool]:
        """The moments of a column, and whether it had offsets."""
        name, order = dates.column_and_order(asked)
        found = dates.read_times(self.cells[name], name, self.where, order or self.order)
        if found.instants and clock.zone is None:
            raise TableError(
                f"{self.where} column {name!r} has times with an offset: give the zone of the clock, "
                "such as --zone Europe/Berlin or --zone UTC"
            )
        return (found.values if found.instants else clock.moments(found.values)), found.instants

    def _departures(self, arrival: Array, instants: bool, settings: BedSettings) -> tuple[Array, int]:
        """The moments of departure, and how many are unknown and long past; a departure before the arrival is refused."""
        asked, clock = self.asked, settings.clock
        if not asked.until:
            return arrival + settings.stay, 0
        departure, others = self._times(asked.until, clock)
        name, first = dates.column_and_order(asked.until)[0], self.arrival
        known = ~np.isnat(departure) & ~np.isnat(arrival)
        if known.any() and others != instants:
            raise TableError(
                f"{self.where}: of the columns {first!r} and {name!r} only one has times with a zone: write both the same way"
            )
        if not others:  # in an hour that the clock repeats
            again = clock.moments(clock.local(departure), later=True)
            departure = np.where(known & (departure < arrival), again, departure)
        wrong = known & (departure < arrival)
        if wrong.any():
            row = int(wrong.argmax())
            raise TableError(
                f"rows of {self.where} with a {name} before their {first}: {int(wrong.sum()):,}, first row {row + 1} "
                f"({clock.written(departure[row])} before {clock.written(arrival[row])}): correct them, or empty these cells"
                + (", or give the zone of a clock that was set back (--zone)" if clock.zone is None else "")
            )
        open_ones = np.isnat(departure) & ~np.isnat(arrival)
        lost = int((open_ones & (arrival + LOST < np.nanmax(arrival))).sum()) if open_ones.any() else 0
        return np.where(open_ones, arrival + LOST, departure), lost

    def _remarks(self, arrival: Array, lost: int, repeated: int) -> list[str]:
        until = dates.column_and_order(self.asked.until)[0]
        found = {
            f"rows of {self.where} without {self.arrival}, which are left out": int(np.isnat(arrival).sum()),
            f"rows of {self.where} that do not count, because the fit left out patients with their outcome": sum(self.away),
            f"patients of {self.where} without {until} two days after their arrival, who count as gone": lost,
            f"rows of {self.where} with the times, ward, outcome and forecast of another row, which count separately": repeated,
        }
        said = [f"{what}: {count:,}" for what, count in found.items() if count]
        if made := has_seen(self.model, self.mark.hexdigest()):
            said.append(
                f"the model was {made} on the patients of {self.where}: forecasts of past days look better than they are"
            )
        return said


def _admitted(model: TriageModel, value: object) -> float:
    """1 or 0, as in the fit; NaN if the outcome is not known."""
    asked, outcome = model.provenance_, complaint_name(value).strip()
    if asked is None or not outcome:
        return np.nan
    return float(outcome in asked.positive)
