"""Beds by the hour from now on, in total and by ward, and how such forecasts did in the past, for table, page and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from sonmf.beds.arrival_rates import Rates, learn_rates, shares_by_hour
from sonmf.beds.bed_distribution import LEVEL, BedsUntil, forecast
from sonmf.beds.local_hours import HOURS, LocalHours, written
from sonmf.beds.options import BedOptions
from sonmf.beds.past_forecasts import PastForecasts, judge
from sonmf.beds.present_patients import TimedPatients, learn_stays, present, still_there
from sonmf.errors import InputError
from sonmf.triage.admission_count import distribution
from sonmf.types import Array, Json

MOST_GROUPS = 50
DAY = np.timedelta64(1, "D")
NO_TIME = np.datetime64("NaT", "s")
LONG, TOO_LONG = 7 * DAY, 366 * DAY  # without an arrival: remarked on, and refused
MOST_YEARS = 100  # of a history: a longer one has a mistyped year
WRONG = 0.001  # p-value of the PIT values of past days below which their forecasts count as wrong
MISSED = 20  # expected arrivals since the last one, above which the list counts as old


class Group(NamedTuple):
    """The beds of a ward, or of all patients under an empty name."""

    name: str
    patients: int
    """Number of patients who are present."""
    probabilities: Array
    """Probabilities of admission of those present, in order of arrival, given that they have not left yet."""
    distribution: Array
    """P(0), P(1), ... of the beds for those present."""
    lines: list[BedsUntil]


class History(NamedTuple):
    """The arrivals from which the rates were learned."""

    first: str
    last: str
    arrivals: int
    a_day: float
    rates: list[list[float]]
    """Arrivals per hour, for each weekday from Monday on and each hour."""
    days_differ: float
    """Relative standard deviation of a day's arrivals beyond Poisson."""
    share: float
    """Share of arrivals who need a bed, as the model expects."""


class Outlook(NamedTuple):
    """The forecast at one moment, made by ``look_ahead``.

    Examples
    --------
    >>> from sonmf.beds import Outlook
    >>> Outlook._fields[:6]
    ('now', 'zone', 'every', 'window', 'level', 'everyone')
    """

    now: str
    """The moment of the forecast, on the clock of ``zone``."""
    zone: str | None
    """The time zone; None for a clock that never changes."""
    every: str
    """The step between two lines of the forecast, such as "1h"."""
    window: str
    """How far the forecast looks ahead, such as "8h"."""
    level: float
    """Probability that the intervals hold."""
    everyone: Group
    """The forecast for all patients."""
    by: str
    """The column of ``groups``; empty if there is none."""
    groups: list[Group]
    """The wards, those that need most beds first; their expected numbers add up to those of everyone."""
    history: History
    """The arrivals from which the rates were learned."""
    judged: PastForecasts | None
    """How good such forecasts were on past days; None if the history is too short."""
    remarks: list[str]
    """What a reader must know, one sentence each."""

    def as_json(self) -> dict[str, Json]:
        """The forecast as JSON: records as objects, numbers unrounded."""
        return {name: _plain(value) for name, value in self._asdict().items()}


def _plain(value: Any) -> Json:
    if hasattr(value, "_asdict"):
        return {name: _plain(entry) for name, entry in value._asdict().items()}
    if isinstance(value, np.ndarray):
        return value.tolist()  # type: ignore[no-any-return]
    return [_plain(entry) for entry in value] if isinstance(value, list | tuple) else value


def look_ahead(patients: TimedPatients, history: TimedPatients, options: BedOptions, remarks: Sequence[str] = ()) -> Outlook:
    """Beds at now, now + every, ... until the window ends; rates, shares and judgement from the history up to now.

    Parameters
    ----------
    patients : TimedPatients
        Patients who may be present.
    history : TimedPatients
        The same or other patients, who arrived before.
    options : BedOptions
    remarks : sequence of str
        Remarks so far.

    Returns
    -------
    Outlook

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import BedOptions, TimedPatients, look_ahead
    >>> random, hour = np.random.default_rng(0), np.timedelta64(3600, "s")
    >>> arrival = np.sort(
    ...     np.datetime64("2024-01-01", "s") + random.integers(0, 42 * 86400, 2000)
    ... )
    >>> p, group = random.beta(1, 3, 2000), random.choice(["medicine", "surgery"], 2000)
    >>> patients = TimedPatients(
    ...     arrival, arrival + 4 * hour, p, random.random(2000) < p, group
    ... )
    >>> outlook = look_ahead(patients, patients, BedOptions(every="4h", by="ward"))
    >>> [
    ...     (line.until, round(line.expected, 1), line.low, line.high)
    ...     for line in outlook.everyone.lines
    ... ]
    [('2024-02-11T23:30', 2.4, 1, 5), ('2024-02-12T03:30', 4.5, 2, 8), ('2024-02-12T07:30', 6.6, 3, 11)]
    >>> bool(
    ...     np.isclose(
    ...         sum(ward.lines[-1].expected for ward in outlook.groups),
    ...         outlook.everyone.lines[-1].expected,
    ...     )
    ... )
    True
    """
    options.check()
    every, window, moment = options.length("every"), options.length("window"), options.moment
    now = patients.arrival[-1] if moment is None else moment
    past = history.only(history.arrival <= now)
    hours = _hours(patients, past, now, now + window, options)
    here = still_there(present(patients, now), now, learn_stays(past, now))
    names = sorted({*here.group, *past.group}) if options.by else []
    if len(names) > MOST_GROUPS:
        raise InputError(f"by {options.by}: the column has {len(names):,} values: name one with at most {MOST_GROUPS}")
    rates = learn_rates(past.arrival, hours)
    ends = now + np.append(np.arange(np.timedelta64(0, "s"), window, every), window)

    def group(name: str | None) -> Group:
        there, chance = here, past.probability
        if name is not None:
            there, chance = there.only(there.group == name), chance * (past.group == name)
        shares = shares_by_hour(past.arrival, chance, hours)
        lines = [forecast(there, rates, shares, now, end, hours) for end in ends]
        return Group(name or "", len(there.arrival), there.probability, distribution(there.probability), lines)

    judged = judge(past, every, window, hours)
    return Outlook(
        now=hours.written(now),
        zone=options.zone or None,
        every=options.every,
        window=options.window,
        level=LEVEL,
        everyone=group(None),
        by=options.by,
        groups=sorted(map(group, names), key=lambda ward: -ward.lines[-1].expected),
        history=_history(past, rates, hours),
        judged=judged,
        remarks=[*remarks, *_remarks(patients, past, now, rates, hours, judged)],
    )


def _hours(
    patients: TimedPatients, past: TimedPatients, now: np.datetime64, end: np.datetime64, options: BedOptions
) -> LocalHours:
    """The hours of the history and of the window; a history from which no rates can be learned is refused.

    Dates without a time of day say nothing about hours, and a year without patients means that a time is wrong.
    """
    zone = options.time_zone
    before, after, length = _longest_gap(past)
    if length > TOO_LONG:
        raise InputError(
            f"nobody came between {written(before, zone)} and {written(after, zone)}: correct these times, or give a moment "
            "before the gap (--now)"
        )
    first = min([now, *past.arrival[:1], *patients.arrival[:1]])
    if end - first > MOST_YEARS * 366 * DAY:
        raise InputError(
            f"the arrivals begin {written(first, zone)}, more than {MOST_YEARS} years before the end of the window: correct "
            "these times, or give fewer years"
        )
    hours = LocalHours(first, end, zone)
    if len(past.arrival) > 1 and np.isin(past.arrival, hours.midnights).all():
        raise InputError("the arrivals are dates without a time of day: name a column with times, such as 2024-03-31 14:05")
    return hours


def _longest_gap(past: TimedPatients) -> tuple[np.datetime64, np.datetime64, np.timedelta64]:
    """The ends and the length of the longest time without an arrival."""
    gaps = np.diff(past.arrival)
    if not len(gaps):
        return NO_TIME, NO_TIME, 0 * DAY
    k = int(gaps.argmax())
    return past.arrival[k], past.arrival[k + 1], gaps[k]


def _remarks(
    patients: TimedPatients,
    past: TimedPatients,
    now: np.datetime64,
    rates: Rates,
    hours: LocalHours,
    judged: PastForecasts | None,
) -> list[str]:
    """Remarks on times at which patients seem to be missing, on patients who do not count, and on forecasts of past days."""
    remarks = []
    before, after, length = _longest_gap(past)
    if length >= LONG:
        remarks.append(
            f"nobody came between {hours.written(before)} and {hours.written(after)}; these {length / DAY:.0f} days count in "
            "the rates: if patients are missing there, give a history without the gap (--history)"
        )
    come = patients.arrival[patients.arrival <= now]
    if len(come) and (missed := float(rates.hourly @ hours.lengths(come[-1], now))) > MISSED:
        remarks.append(
            f"the last patient came at {hours.written(come[-1])}, and {missed:,.0f} more should have come before the moment of "
            "the forecast: patients who are missing from the list do not count as present"
        )
    if later := int((patients.arrival > now).sum()):
        remarks.append(f"patients who arrive after the moment of the forecast and are left out: {later:,}")
    if judged is None and np.isnan(past.admitted).all():
        remarks.append("past days are not judged: no outcome of these patients is known")
    elif judged is None:
        remarks.append("past days are not judged: after the first two weeks of history no whole day with its window is left")
    elif unknown := int(np.isnan(past.admitted).sum()):
        remarks.append(f"patients without a known outcome, who are left out when past days are judged: {unknown:,}")
    if judged is not None and judged.uniform is not None and judged.uniform < WRONG:
        remarks.append(
            f"forecasts of past days do not agree with what happened: {judged.bias}. Check the model with sonmf monitor, and "
            "bring it up to date with sonmf update"
        )
    return remarks


def _history(past: TimedPatients, rates: Rates, hours: LocalHours) -> History:
    return History(
        first=hours.written(past.arrival[0]),
        last=hours.written(past.arrival[-1]),
        arrivals=len(past.arrival),
        a_day=float(rates.hourly.sum() / 7),
        rates=rates.hourly.reshape(7, HOURS).tolist(),
        days_differ=float(np.sqrt(rates.days_differ)),
        share=float(past.probability.mean()),
    )
