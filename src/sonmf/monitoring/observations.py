"""What is kept of patients that come in parts: the few numbers of each that the figures of periods are computed from."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sonmf.monitoring import alarm_limits, drift
from sonmf.monitoring.alarm_limits import Budget, widening
from sonmf.monitoring.calendar import Calendar
from sonmf.monitoring.drift import Drift
from sonmf.monitoring.figures import figures_of
from sonmf.monitoring.history import FEWEST, Period
from sonmf.text.note_numbers import read_measurements
from sonmf.triage import measures
from sonmf.triage.columns import Columns, column_arrays
from sonmf.triage.complaint import ComplaintModel
from sonmf.triage.drift_reference import COLUMN, FORECAST, histogram_cells, make_reference
from sonmf.triage.factorisations import project
from sonmf.triage.forecaster import Read
from sonmf.triage.inputs import POOLED
from sonmf.triage.lineage import learned_from
from sonmf.triage.model import TriageModel
from sonmf.triage.records import Histogram, Reference, WordCounts
from sonmf.types import Array

References = Mapping[str, Reference]
"""By complaint."""


class Patients(NamedTuple):
    """Some rows of a table."""

    notes: Sequence[object]
    complaint: Sequence[object] | None
    columns: Columns
    periods: list[str]
    outcomes: Array
    """1 admitted, 0 not, NaN where it is not known."""


class Seen:
    """What one model has read in one period."""

    def __init__(self, histograms: Sequence[Histogram]) -> None:
        self.patients = 0
        self.counts: list[Array] = [np.zeros(len(one.counts), int) for one in histograms]
        self.given = [False] * len(histograms)
        self.products = np.zeros((2, 2))
        """Sums of squares and products of the words and unknown words of a note."""
        self.words = np.zeros(2, int)

    def add_words(self, counts: Array) -> None:
        """Words and unknown words of some notes."""
        self.patients += len(counts)
        self.words += counts.sum(axis=0)
        self.products += counts.T @ counts

    @property
    def word_counts(self) -> WordCounts:
        """The same sum over notes of (unknown - share x words)^2, from sums of products."""
        words, unknown = map(int, self.words)
        away = np.array([-(unknown / words if words else 0.0), 1.0])
        return WordCounts(self.patients, words, unknown, float(away @ self.products @ away))


class Observations:
    """What a model forecasts for patients by period, and what happened to them; references are what drift is held against."""

    def __init__(self, model: TriageModel, calendar: Calendar, references: References) -> None:
        self.model, self.references = model, references
        self.budget = Budget(calendar, len(model.models_))
        self.log_odds, self.outcomes = array("d"), array("d")
        self.period, self.complaint = array("l"), array("l")
        self.names: dict[str, int] = {}
        """Of periods, in the order they came."""
        self.served = list(model.by_name_)
        self.seen: dict[tuple[str, str], Seen] = {}

    def add(self, some: Patients, first: int) -> None:
        """Patients of any periods; ``first`` is the number of rows before these, for messages."""
        n, rows = len(some.notes), first + np.arange(len(some.notes))
        given = column_arrays(some.columns, n)
        stated = read_measurements(some.notes) if self.model.measured_ else {}
        odds, complaint = np.empty(n), np.empty(n, int)
        everyone = self._read(self.model.pooled_model_, some, given, stated, np.arange(n), rows)
        for one, mine in self.model.by_model(some.complaint, n):
            pooled = one.name == POOLED
            odds[mine] = everyone[mine] if pooled else self._read(one, some, given, stated, mine, rows)
            complaint[mine] = self.served.index(one.name)
        self.log_odds.extend(odds)
        self.outcomes.extend(some.outcomes)
        self.complaint.extend(complaint)
        self.period.extend(self.names.setdefault(name, len(self.names)) for name in some.periods)

    def _read(self, model: ComplaintModel, some: Patients, given: Columns, stated: Columns, mine: Array, rows: Array) -> Array:
        """Log-odds of some of the patients; what their model reads is counted."""
        notes = [some.notes[i] for i in mine]
        columns, numbers = ({name: values[mine] for name, values in all_.items()} for all_ in (given, stated))
        read = model.read(notes, columns, rows[mine], numbers)
        odds = model.log_odds(read)
        if model.name in self.references:
            self._count(model, read, odds, model.vectorizer.count_words(notes), [some.periods[i] for i in mine])
        return odds

    def _count(self, model: ComplaintModel, read: Read, odds: Array, words: Array, periods: list[str]) -> None:
        histograms = self.references[model.name].histograms
        names, place = np.unique(periods, return_inverse=True)
        seen = [self.seen.setdefault((str(name), model.name), Seen(histograms)) for name in names]
        for at, mine in enumerate(seen):
            mine.add_words(words[place == at])
        for number, (histogram, found) in enumerate(zip(histograms, _cells(model, read, odds, histograms), strict=True)):
            if found is not None:
                size = len(histogram.counts)
                table = np.bincount(place * size + found, minlength=len(names) * size).reshape(len(names), size)
                for mine, counts in zip(seen, table, strict=True):
                    mine.counts[number] += counts
                    mine.given[number] = True

    def periods(self) -> list[Period]:
        """Every period and complaint with at least FEWEST patients, in the order of time."""
        odds, outcomes = np.frombuffer(self.log_odds), np.frombuffer(self.outcomes)
        period, complaint = (np.frombuffer(one, one.typecode) for one in (self.period, self.complaint))
        found = []
        for name in sorted(self.names):
            now = period == self.names[name]
            for served, title in enumerate(self.served):
                mine = np.flatnonzero(now if title == POOLED else now & (complaint == served))
                if len(mine) >= FEWEST:
                    mix = np.bincount(complaint[mine], minlength=len(self.served)) if title == POOLED else None
                    found.append(self._period(name, title, odds[mine], outcomes[mine], mix))
        return found

    def _period(self, name: str, complaint: str, odds: Array, outcomes: Array, mix: Array | None) -> Period:
        known = np.isfinite(outcomes)
        known &= known.sum() >= FEWEST  # the sums of a few would tell the forecast and the outcome of each
        odds, y, budget = odds[known], outcomes[known], self.budget
        wide = widening(len(y), learned_from(self.model, complaint))
        reach = {one: budget.limit(one, complaint) for one in alarm_limits.OUTCOMES}
        return Period(
            model=self.model.sha256_,
            every=budget.calendar.every,
            period=name,
            complaint=complaint,
            patients=len(known),
            judged=len(y),
            admitted=int(y.sum()),
            expected=float(measures.probability(odds).sum()),
            figures=figures_of(odds, y, reach, wide) if len(y) else [],
            drift=[one for one in self._drift(name, complaint, mix) if one] if len(known) >= drift.FEWEST else [],
        )

    def _drift(self, name: str, complaint: str, mix: Array | None) -> Iterator[Drift | None]:
        """Of the mix of complaints, first those without a model of their own, of words, and of each histogram."""
        budget, then = self.budget, self.references.get(complaint)
        if mix is not None and len(self.served) > 1:
            own = [one.n_notes for one in self.model.models_.values()]
            fitted = np.array([max(self.model.pooled_model_.n_notes - sum(own), 0), *own])
            kind = alarm_limits.COMPLAINTS
            yield drift.of_counts(kind, "", fitted, mix, budget.chance(kind, complaint))
        if then is None:
            return
        seen = self.seen[name, complaint]
        yield drift.of_words(then.words, seen.word_counts, budget.chance(alarm_limits.WORDS, complaint))
        given_histograms = zip(then.histograms, seen.given, strict=True)
        parts = Counter(histogram.kind for histogram, given in given_histograms if given)
        for histogram, now, given in zip(then.histograms, seen.counts, seen.given, strict=True):
            if given:
                chance = budget.chance(histogram.kind, complaint, parts[histogram.kind])
                yield drift.of_counts(histogram.kind, histogram.name, np.array(histogram.counts), now, chance)


def _cells(model: ComplaintModel, read: Read, odds: Array, histograms: Sequence[Histogram]) -> Iterator[Array | None]:
    """Of each histogram the cell of each patient; None for a column that is not given."""
    topics = project(read.X, model.components)
    columns = {column.name: (column, values) for column, values in zip(model.columns, read.values, strict=True)}
    for histogram in histograms:
        if histogram.kind == COLUMN:
            column, values = columns[histogram.name]
            yield None if values is None else histogram_cells(histogram.edges, values, column)
        else:
            values = measures.probability(odds) if histogram.kind == FORECAST else topics[:, int(histogram.name)]
            yield histogram_cells(histogram.edges, values)


def references_of(model: TriageModel) -> dict[str, Reference]:
    """What a model remembers of its patients; nothing where an earlier version wrote it."""
    return {name: one.record.reference for name, one in model.by_name_.items()}


def references_from(
    model: TriageModel, notes: Sequence[object], complaint: Sequence[object] | None, columns: Columns
) -> dict[str, Reference]:
    """The same from patients that are given; complaints of fewer than FEWEST of them have none."""
    found = {}
    everyone = (model.pooled_model_, np.arange(len(notes)))
    own = [(one, rows) for one, rows in model.by_model(complaint, len(notes)) if one.name != POOLED]
    for one, rows in [everyone, *own]:
        if len(rows) >= drift.FEWEST:
            mine = [notes[i] for i in rows]
            read = one.read(mine, {name: values[rows] for name, values in columns.items()}, rows)
            found[one.name] = make_reference(one, read, mine, measures.probability(one.log_odds(read)), of_the_fit=False)
    return found
