"""Past days forecast again with what was known then, against what came: expected, PIT, CRPS, coverage, and a naive forecast."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import kstest

from sonmf.beds.arrivals import FORTNIGHT, learn_rates, shares_by_hour
from sonmf.beds.clock import HOURS, Clock, hour_of_week
from sonmf.beds.forecast import LEVEL, Forecast, forecast, mean
from sonmf.beds.presence import Patients, arriving, present
from sonmf.beds.stays import learn_stays, still_there
from sonmf.types import Array

DAYS = 56  # that are judged, the last ones
FEWEST = 10  # moments without a patient in common, below which uniformity cannot be tested
BINS = 10  # of the histogram of PIT values


class Moments(NamedTuple):
    """Forecasts of the past, an entry for each moment."""

    local: Array
    """What the clock showed."""
    expected: Array
    observed: Array
    last_week: Array
    """Observed when the clock showed the same a week before."""
    crps: Array
    pit: Array
    inside: Array
    """Whether the interval held what was observed, and the probability that it would."""
    sure: Array
    apart: Array
    """Whether no patient is shared with the moment before that is marked so."""


class Hour(NamedTuple):
    """Beds a window that begins in an hour of the day, on average."""

    hour: int
    observed: float
    expected: float


class Judged(NamedTuple):
    """What the past tells about the forecast.

    Examples
    --------
    >>> from sonmf.beds import Judged
    >>> {"error", "last_week_error", "crps", "coverage", "pit", "uniform"} <= set(Judged._fields)
    True
    """

    moments: int
    days: int
    observed: float
    """Beds a window, on average."""
    expected: float
    error: float
    """Mean absolute error of the expected number; of what was observed a week before."""
    last_week_error: float
    crps: float
    """Continuous ranked probability score, in beds; that of the naive forecast, which is sure of its number, is its error."""
    coverage: float
    """Share of windows inside the interval, and the share that the forecasts themselves promised."""
    promised: float
    pit: list[float]
    """Share of the PIT values in each tenth: all alike where the forecast is right."""
    independent: int
    """Moments without a patient in common."""
    uniform: float | None
    """p-value of a Kolmogorov-Smirnov test that their PIT values are uniform; None where they are too few."""
    hours: list[Hour]


def randomised_pit(mass: Array, observed: int, chance: float) -> float:
    """u = F(y - 1) + v P(y), v uniform: uniform itself where y has the distribution that was forecast.

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
    """Sum over k of (F(k) - [y <= k])^2: the absolute error, if the forecast is one number.

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


def judge(patients: Patients, every: Any, window: Any, clock: Clock, random_state: int = 0) -> Judged | None:
    """Forecasts at every moment of the last days, each from the days before it, against the admissions that came of it.

    Patients without a known outcome have no part. Nor do windows that reach one who is still there without an outcome: of these
    days the short stays are known first. None where no whole day is left behind two weeks of history.

    Parameters
    ----------
    patients : Patients
    every : timedelta64
        Between two moments of a day, from local midnight on.
    window : timedelta64
    clock : Clock
    random_state : int, default=0
        Of the randomised PIT.

    Returns
    -------
    Judged or None

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import Clock, Patients, judge
    >>> random, hour = np.random.default_rng(0), np.timedelta64(3600, "s")
    >>> arrival = np.sort(np.datetime64("2024-01-01", "s") + random.integers(0, 42 * 86400, 2000))
    >>> p = random.beta(1, 3, 2000)
    >>> group = np.full(2000, "")
    >>> patients = Patients(arrival, arrival + 4 * hour, p, random.random(2000) < p, group)
    >>> found = judge(patients, 6 * hour, 8 * hour, Clock())
    >>> found.moments, abs(found.observed - found.expected) < 0.5, found.crps < found.last_week_error
    (107, True, True)
    """
    patients = _settled(patients) if len(patients.arrival) else patients
    if not len(patients.arrival):
        return None
    found = list(_moments(patients, every, window, clock, np.random.default_rng(random_state)))
    return _summed(Moments(*map(np.array, zip(*found, strict=True)))) if found else None


def _settled(patients: Patients) -> Patients:
    """Those with an outcome who came before the first one who is still there without."""
    unknown = np.isnan(patients.admitted)
    waiting = patients.arrival[unknown & (patients.departure > patients.arrival[-1])]
    come = slice(int(np.searchsorted(patients.arrival, waiting[0]))) if len(waiting) else slice(None)
    return patients.only(come).only(~unknown[come])


def _moments(patients: Patients, every: Any, window: Any, clock: Clock, random: np.random.Generator) -> Iterator[Any]:
    """An entry of each field of ``Moments``, moment by moment."""
    first, last = patients.arrival[0] + FORTNIGHT, patients.arrival[-1]
    marks = clock.midnights(first, last)[-DAYS:]
    shared_until = first - FORTNIGHT
    for day, next_day in pairwise([*marks, last]):
        known = patients.only(patients.arrival < day)
        rates, shares = learn_rates(known.arrival, clock, day), shares_by_hour(known.arrival, known.probability, clock)
        stays = learn_stays(known, day)
        for moment in np.arange(day, next_day, every):
            if moment + window > last:
                return
            there = present(patients, moment)
            apart = moment >= shared_until and bool((there.arrival > shared_until).all())
            shared_until = moment + window if apart else shared_until
            made = forecast(still_there(there, moment, stays), rates, shares, moment, moment + window, clock)
            counts = _observed(patients, moment, window), _observed(patients, clock.week_before(moment), window)
            yield clock.local(moment), *_scored(made, *counts, random), apart


def _observed(patients: Patients, moment: Any, window: Any) -> int:
    both = present(patients, moment), arriving(patients, moment, moment + window)
    return int(sum(one.admitted.sum() for one in both))


def _scored(made: Forecast, observed: int, last_week: int, random: np.random.Generator) -> Iterator[Any]:
    total, (low, high) = made.total, made.interval(LEVEL)
    yield from (mean(total), observed, last_week, crps(total, observed), randomised_pit(total, observed, random.random()))
    yield from (low <= observed <= high, total[low : high + 1].sum())


def _summed(found: Moments) -> Judged:
    apart = found.pit[found.apart]
    hour = hour_of_week(found.local) % HOURS
    by_hour = [
        Hour(one, float(found.observed[hour == one].mean()), float(found.expected[hour == one].mean()))
        for one in np.unique(hour).tolist()
    ]
    return Judged(
        moments=len(found.local),
        days=len(np.unique(found.local.astype("datetime64[D]"))),
        observed=float(found.observed.mean()),
        expected=float(found.expected.mean()),
        error=float(np.abs(found.observed - found.expected).mean()),
        last_week_error=float(np.abs(found.observed - found.last_week).mean()),
        crps=float(found.crps.mean()),
        coverage=float(found.inside.mean()),
        promised=float(found.sure.mean()),
        pit=(np.histogram(found.pit, BINS, (0, 1))[0] / len(found.pit)).tolist(),
        independent=len(apart),
        uniform=float(kstest(apart, "uniform").pvalue) if len(apart) >= FEWEST else None,
        hours=by_hour,
    )
