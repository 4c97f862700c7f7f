"""Forecasts of past days from what was known then, judged by what happened: error, PIT, CRPS, coverage, a naive forecast."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.stats import kstest

from sonmf.beds.arrival_rates import FORTNIGHT, learn_rates, shares_by_hour
from sonmf.beds.bed_distribution import forecast, mean
from sonmf.beds.clock import HOURS, Clock, hour_of_week
from sonmf.beds.present_patients import TimedPatients, learn_stays, present, still_there
from sonmf.types import Array

DAYS = 56  # the last days, which are judged
FEWEST = 10  # independent moments that a test of uniformity needs
BINS = 10  # of the histogram of PIT values


class PastMoments(NamedTuple):
    """Forecasts of the past, one entry for each moment."""

    local: Array
    """The local time of each moment."""
    expected: Array
    observed: Array
    last_week: Array
    """Beds observed at the same local time one week before."""
    crps: Array
    pit: Array
    inside: Array
    """Whether the observed number was in the interval."""
    sure: Array
    """The probability that the forecast gave to the interval."""
    apart: Array
    """Whether the window shares no patient with the last window before it for which this is true."""


class Hour(NamedTuple):
    """Average beds of a window that starts in this hour of the day."""

    hour: int
    observed: float
    expected: float


class PastForecasts(NamedTuple):
    """How well forecasts of past days did.

    Examples
    --------
    >>> from sonmf.beds import PastForecasts
    >>> {"error", "last_week_error", "crps", "coverage", "pit", "uniform"} <= set(PastForecasts._fields)
    True
    """

    moments: int
    days: int
    observed: float
    """Average beds of a window."""
    expected: float
    error: float
    """Mean absolute error of the expected number."""
    last_week_error: float
    """Mean absolute error of the number observed one week before."""
    crps: float
    """Continuous ranked probability score, in beds; that of the naive forecast, a single number, is its error."""
    coverage: float
    """Share of windows whose number of beds lies inside the interval."""
    promised: float
    """Share of windows that the forecasts themselves promised to be inside."""
    pit: list[float]
    """Share of the PIT values in each tenth: all equal if the forecast is right."""
    independent: int
    """Number of moments whose windows have no patient in common."""
    uniform: float | None
    """p-value of a Kolmogorov-Smirnov test that the PIT values of these moments are uniform; None if there are too few."""
    hours: list[Hour]


def randomised_pit(mass: Array, observed: int, chance: float) -> float:
    """u = F(y - 1) + v P(y), v uniform: u is uniform if y has the distribution that was forecast.

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import randomised_pit
    >>> randomised_pit(np.array([0.25, 0.5, 0.25]), 1, chance=0.5)
    0.5
    """
    below = mass[:observed].sum()
    return float(below + chance * (mass[observed] if observed < len(mass) else 0.0))


def crps(mass: Array, observed: int) -> float:
    """Sum over k of (F(k) - [y <= k])^2: the absolute error if the forecast is a single number.

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import crps
    >>> crps(np.array([0.0, 0.0, 1.0]), 5), crps(np.array([0.25, 0.5, 0.25]), 1)
    (3.0, 0.125)
    """
    places = np.arange(max(len(mass), observed + 1))
    below = np.minimum(np.cumsum(np.pad(mass, (0, len(places) - len(mass)))), 1)
    return float(((below - (places >= observed)) ** 2).sum())


def judge(
    patients: TimedPatients, every: np.timedelta64, window: np.timedelta64, clock: Clock, random_state: int = 0
) -> PastForecasts | None:
    """Forecasts at every moment of the last days, each from the days before it, judged by the admissions that followed.

    Patients without a known outcome are left out, and so are windows from the first arrival on that is still present without an
    outcome: of these days only short stays are known. None if no whole day is left after two weeks of history.

    Parameters
    ----------
    patients : TimedPatients
    every : timedelta64
        Time between two forecasts of a day, from local midnight on.
    window : timedelta64
    clock : Clock
    random_state : int, default=0
        Seed of the randomised PIT.

    Returns
    -------
    PastForecasts or None

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import Clock, TimedPatients, judge
    >>> random, hour = np.random.default_rng(0), np.timedelta64(3600, "s")
    >>> arrival = np.sort(np.datetime64("2024-01-01", "s") + random.integers(0, 42 * 86400, 2000))
    >>> p = random.beta(1, 3, 2000)
    >>> group = np.full(2000, "")
    >>> patients = TimedPatients(arrival, arrival + 4 * hour, p, random.random(2000) < p, group)
    >>> judged = judge(patients, 6 * hour, 8 * hour, Clock())
    >>> judged.moments, abs(judged.observed - judged.expected) < 0.5, judged.crps < judged.last_week_error
    (107, True, True)
    """
    unknown = np.isnan(patients.admitted)
    waiting = patients.arrival[unknown & (patients.departure > patients.arrival[-1:])]
    come = slice(int(np.searchsorted(patients.arrival, waiting[0]))) if len(waiting) else slice(None)
    patients = patients.only(come).only(~unknown[come])
    if not len(patients.arrival):
        return None
    moments = list(_moments(patients, every, window, clock, np.random.default_rng(random_state)))
    return _summarise(PastMoments(*map(np.array, zip(*moments, strict=True)))) if moments else None


def _moments(
    patients: TimedPatients, every: np.timedelta64, window: np.timedelta64, clock: Clock, random: np.random.Generator
) -> Iterator[tuple[Array | float, ...]]:
    """For each moment, its entry of every field of ``PastMoments``."""
    first, last = patients.arrival[0] + FORTNIGHT, patients.arrival[-1]
    marks = clock.midnights(first, last)[-DAYS:]
    shared_until = first - FORTNIGHT
    beds = _Beds(patients)
    for day, next_day in pairwise([*marks, last]):
        known = patients.only(slice(int(np.searchsorted(patients.arrival, day))))
        near = patients.only((patients.departure > day) & (patients.arrival <= next_day))  # who can be present on this day
        rates, shares = learn_rates(known.arrival, clock, day), shares_by_hour(known.arrival, known.probability, clock)
        stays = learn_stays(known, day)
        moments = np.arange(day, next_day, every)
        moments = moments[moments + window <= last]
        for moment, local, week_before in zip(moments, clock.local(moments), clock.week_before(moments), strict=True):
            there = present(near, moment)
            apart = moment >= shared_until and bool((there.arrival > shared_until).all())
            shared_until = moment + window if apart else shared_until
            made = forecast(still_there(there, moment, stays), rates, shares, moment, moment + window, clock)
            total, (low, high) = made.total, made.interval()
            observed, last_week = beds.needed(moment, window), beds.needed(week_before, window)
            scores = crps(total, observed), randomised_pit(total, observed, random.random())
            inside, sure = low <= observed <= high, total[low : high + 1].sum()
            yield local, mean(total), observed, last_week, *scores, inside, sure, apart


class _Beds:
    """The beds that were needed: for admitted patients who were present at a moment or arrived in the window after it."""

    def __init__(self, patients: TimedPatients) -> None:
        admitted = patients.only(patients.admitted > 0)
        self.came, self.left = admitted.arrival, np.sort(np.maximum(admitted.arrival, admitted.departure))

    def needed(self, moment: Array | np.datetime64, window: np.timedelta64) -> int:
        came, left = np.searchsorted(self.came, moment + window, side="right"), np.searchsorted(self.left, moment, side="right")
        return int(came - left)


def _summarise(past: PastMoments) -> PastForecasts:
    apart = past.pit[past.apart]
    hour = hour_of_week(past.local) % HOURS
    by_hour = [
        Hour(start, float(past.observed[hour == start].mean()), float(past.expected[hour == start].mean()))
        for start in np.unique(hour).tolist()
    ]
    return PastForecasts(
        moments=len(past.local),
        days=len(np.unique(past.local.astype("datetime64[D]"))),
        observed=float(past.observed.mean()),
        expected=float(past.expected.mean()),
        error=float(np.abs(past.observed - past.expected).mean()),
        last_week_error=float(np.abs(past.observed - past.last_week).mean()),
        crps=float(past.crps.mean()),
        coverage=float(past.inside.mean()),
        promised=float(past.sure.mean()),
        pit=(np.histogram(past.pit, BINS, (0, 1))[0] / len(past.pit)).tolist(),
        independent=len(apart),
        uniform=float(kstest(apart, "uniform").pvalue) if len(apart) >= FEWEST else None,
        hours=by_hour,
    )
