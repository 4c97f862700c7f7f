"""What is kept of patients who are read in parts: for each the few numbers from which the figures of periods follow."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from sonmf.monitoring import alarm_limits, drift
from sonmf.monitoring.alarm_limits import Budget, widening
from sonmf.monitoring.calendar import Calendar
from sonmf.monitoring.drift import Drift
from sonmf.monitoring.figures import figures_of
from sonmf.monitoring.history import FEWEST, Period
from sonmf.triage import measures
from sonmf.triage.complaint import ComplaintModel
from sonmf.triage.drift_reference import COLUMN, FORECAST, histogram_cells, make_reference
from sonmf.triage.factorisations import project
from sonmf.triage.forecaster import EncodedPatients
from sonmf.triage.inputs import POOLED
from sonmf.triage.lineage import learned_from
from sonmf.triage.model import TriageModel
from sonmf.triage.patient_scores import Scored
from sonmf.triage.patients import Patients
from sonmf.triage.records import Histogram, Reference, WordCounts
from sonmf.types import Array

COMPLETE = 0.9  # share of the outcomes of the last period that must be known
References = Mapping[str, Reference]
"""The reference of each complaint, by its name."""


class PeriodCounts:
    """How the patients of one period are spread over words, topics, columns and forecasts, as one model reads them."""

    def __init__(self, histograms: Sequence[Histogram]) -> None:
        self.patients = 0
        self.counts: list[Array] = [np.zeros(len(histogram.counts), int) for histogram in histograms]
        self.given = [False] * len(histograms)
        self.products = np.zeros((2, 2))
        """Sums of squares and products of the words and unknown words of a note."""
        self.words = np.zeros(2, int)

    def add_words(self, counts: Array) -> None:
        """Add the numbers of words and of unknown words of notes."""
        self.patients += len(counts)
        self.words += counts.sum(axis=0)
        self.products += counts.T @ counts

    @property
    def word_counts(self) -> WordCounts:
        """The counts, with the sum over notes of (unknown - share x words)^2, from sums of products."""
        words, unknown = map(int, self.words)
        away = np.array([-(unknown / words if words else 0.0), 1.0])
        return WordCounts(self.patients, words, unknown, float(away @ self.products @ away))


class Observations:
    """What a model forecasts for patients by period, and what happened to them; drift is measured against references."""

    def __init__(self, model: TriageModel, calendar: Calendar, references: References) -> None:
        self.model, self.references = model, references
        self.budget = Budget(calendar, len(model.models_))
        self.log_odds, self.outcomes = array("d"), array("d")
        self.period, self.complaint = array("l"), array("l")
        self.names: dict[str, int] = {}
        """The number of each period, in the order they came."""
        self.served = list(model.by_name_)
        self.seen: dict[tuple[str, str], PeriodCounts] = {}

    def add(self, scored: Scored, periods: Sequence[str]) -> None:
        """Add patients, with the period of each."""
        complaint, own = np.empty(len(periods), int), []
        for model, places, encoded in scored.served:
            complaint[places] = self.served.index(model.name)
            self._count(model, encoded, scored, places, periods)
            own += [] if model.name == POOLED else [places]
        if own:  # drift of the model of all complaints is measured on all patients, also on those that others serve
            everyone, places = self.model.pooled_model_, np.sort(np.concatenate(own))
            self._count(everyone, scored.encoded_by(everyone, places), scored, places, periods)
        self.log_odds.extend(scored.log_odds)
        self.outcomes.extend(scored.patients.outcomes)
        self.complaint.extend(complaint)
        self.period.extend(self.names.setdefault(name, len(self.names)) for name in periods)

    def _count(
        self, model: ComplaintModel, encoded: EncodedPatients, scored: Scored, places: Array, of_all: Sequence[str]
    ) -> None:
        """Count what a model reads in the patients of these places."""
        if model.name not in self.references:
            return
        histograms = self.references[model.name].histograms
        names, period = np.unique([of_all[place] for place in places], return_inverse=True)
        words = model.vectorizer.count_words([scored.patients.notes[place] for place in places])
        seen = [self.seen.setdefault((str(name), model.name), PeriodCounts(histograms)) for name in names]
        for number, counted in enumerate(seen):
            counted.add_words(words[period == number])
        for number, (histogram, cells) in enumerate(zip(histograms, _cells(model, encoded, histograms), strict=True)):
            if cells is not None:
                size = len(histogram.counts)
                table = np.bincount(period * size + cells, minlength=len(names) * size).reshape(len(names), size)
                for counted, counts in zip(seen, table, strict=True):
                    counted.counts[number] += counts
                    counted.given[number] = True

    def periods(self) -> list[Period]:
        """Every period and complaint with at least FEWEST patients, in order of time."""
        odds, outcomes = np.frombuffer(self.log_odds), np.frombuffer(self.outcomes).copy()
        period, complaint = (np.frombuffer(numbers, numbers.typecode) for numbers in (self.period, self.complaint))
        if self.known_in_part:
            outcomes[period == self.names[self.known_in_part]] = np.nan
        periods = []
        for name in sorted(self.names):
            now = period == self.names[name]
            for served, title in enumerate(self.served):
                rows = np.flatnonzero(now if title == POOLED else now & (complaint == served))
                if len(rows) >= FEWEST:
                    mix = np.bincount(complaint[rows], minlength=len(self.served)) if title == POOLED else None
                    periods.append(self._period(name, title, odds[rows], outcomes[rows], mix))
        return periods

    @property
    def known_in_part(self) -> str:
        """The last period, if many of its outcomes are missing: discharges are known first, so it is not judged."""
        last = max(self.names)
        outcomes = np.frombuffer(self.outcomes)[np.frombuffer(self.period, self.period.typecode) == self.names[last]]
        return last if 0 < np.isfinite(outcomes).mean() < COMPLETE else ""

    def _period(self, name: str, complaint: str, odds: Array, outcomes: Array, mix: Array | None) -> Period:
        known = np.isfinite(outcomes)
        known &= known.sum() >= FEWEST  # the sums of a few would tell the forecast and the outcome of each
        odds, y, budget = odds[known], outcomes[known], self.budget
        wide = widening(len(y), learned_from(self.model, complaint))
        reach = {measure: budget.limit(measure, complaint) for measure in alarm_limits.OUTCOMES}
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
            drift=[moved for moved in self._drift(name, complaint, mix) if moved] if len(known) >= drift.FEWEST else [],
        )

    def _drift(self, name: str, complaint: str, mix: Array | None) -> Iterator[Drift | None]:
        """The drift of the mix of complaints, those without a model of their own first, of words, and of each histogram."""
        budget, then = self.budget, self.references.get(complaint)
        if mix is not None and len(self.served) > 1:
            own = [fitted.n_notes for fitted in self.model.models_.values()]
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


def _cells(model: ComplaintModel, encoded: EncodedPatients, histograms: Sequence[Histogram]) -> Iterator[Array | None]:
    """The cell of each patient in each histogram; None for a column that is not given."""
    topics = np.hstack([project(encoded.X, model.components), encoded.axis_scores])
    columns = {column.name: (column, values) for column, values in zip(model.columns, encoded.values, strict=True)}
    for histogram in histograms:
        if histogram.kind == COLUMN:
            column, values = columns[histogram.name]
            yield None if values is None else histogram_cells(histogram.edges, values, column)
        else:
            values = (
                measures.probability(model.forecaster.log_odds(encoded))
                if histogram.kind == FORECAST
                else topics[:, int(histogram.name)]
            )
            yield histogram_cells(histogram.edges, values)


def references_of(model: TriageModel) -> dict[str, Reference]:
    """What a model remembers of the patients of its fit."""
    return {name: fitted.record.reference for name, fitted in model.by_name_.items()}


def references_from(model: TriageModel, patients: Patients) -> dict[str, Reference]:
    """References for drift from other patients than those of the fit; a complaint with fewer than FEWEST has none."""
    references = {}
    own = [(fitted, rows) for fitted, rows in model.by_model(patients.complaint, len(patients)) if fitted.name != POOLED]
    for fitted, rows in [(model.pooled_model_, np.arange(len(patients))), *own]:
        if len(rows) >= drift.FEWEST:
            chosen = patients.only(rows)
            encoded = fitted.forecaster.encode(chosen.notes, chosen.columns, rows)
            forecasts = measures.probability(fitted.forecaster.log_odds(encoded))
            references[fitted.name] = make_reference(fitted.forecaster, encoded, chosen.notes, forecasts, of_the_fit=False)
    return references
