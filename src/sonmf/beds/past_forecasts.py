"""Forecasts of past days from what was known then, judged by what happened: error, PIT, CRPS, coverage, a naive forecast."""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.stats import kstest

from sonmf.beds.arrival_rates import FORTNIGHT, learn_rates, shares_by_hour
from sonmf.beds.bed_distribution import forecast
from sonmf.beds.local_hours import HOURS, LocalHours, to_moments
from sonmf.beds.present_patients import TimedPatients, learn_stays, present, still_there
from sonmf.frames import DataFrame, pandas
from sonmf.types import Array

DAYS = 56  # the last days, which are judged
FEWEST = 10  # independent moments that a test of uniformity needs
BINS = 10  # of the histogram of PIT values


class PastForecasts(NamedTuple):
    """How well forecasts of past days did.

    Examples
    --------
    >>> from sonmf.beds import PastForecasts
    >>> {"error", "last_week_error", "crps", "coverage", "pit", "uniform"} <= set(
    ...     PastForecasts._fields
    ... )
    True
    """

    moments: int
    """Number of past moments at which a forecast was made."""
    days: int
    """Number of days with such moments."""
    observed: float
    """Average number of beds in a window."""
    expected: float
    """Average number that was forecast."""
    error: float
    """Mean absolute error of the expected number."""
    last_week_error: float
    """Mean absolute error of the number observed one week before."""
    crps: float
    """Continuous ranked probability score, in beds; that of the naive forecast, a single number, is its error."""
    coverage: float
    """Share of windows whose number of beds lies inside the interval."""
    promised: float
    """Share of windows that would lie inside the interval if the forecasts were right."""
    pit: list[float]
    """Share of the PIT values in each tenth: all equal if the forecast is right."""
    independent: int
    """Number of moments whose windows have no patient in common."""
    uniform: float | None
    """p-value of a Kolmogorov-Smirnov test that the PIT values of these moments are uniform; None if there are too few."""
    bias: str
    """Whether forecasts ran high or low, in words, and whether chance explains it."""
    hours: list[dict[str, float]]
    """Average beds ``observed`` and ``expected`` of a window that starts in each ``hour`` of the day."""


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
    patients: TimedPatients, every: np.timedelta64, window: np.timedelta64, hours: LocalHours, random_state: int = 0
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
    hours : LocalHours
        Of the time of their arrivals.
    random_state : int, default=0
        Seed of the randomised PIT.

    Returns
    -------
    PastForecasts or None

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import LocalHours, TimedPatients, judge
    >>> random, hour = np.random.default_rng(0), np.timedelta64(3600, "s")
    >>> arrival = np.sort(
    ...     np.datetime64("2024-01-01", "s") + random.integers(0, 42 * 86400, 2000)
    ... )
    >>> p = random.beta(1, 3, 2000)
    >>> group = np.full(2000, "")
    >>> patients = TimedPatients(
    ...     arrival, arrival + 4 * hour, p, random.random(2000) < p, group
    ... )
    >>> judged = judge(patients, 6 * hour, 8 * hour, LocalHours(arrival[0], arrival[-1]))
    >>> (
    ...     judged.moments,
    ...     abs(judged.observed - judged.expected) < 0.5,
    ...     judged.crps < judged.last_week_error,
    ... )
    (107, True, True)
    """
    unknown = np.isnan(patients.admitted)
    waiting = patients.arrival[unknown & (patients.departure > patients.arrival[-1:])]
    come = slice(int(np.searchsorted(patients.arrival, waiting[0]))) if len(waiting) else slice(None)
    patients = patients.only(come).only(~unknown[come])
    if not len(patients.arrival):
        return None
    past = forecast_past(patients, every, window, hours, np.random.default_rng(random_state))
    return _summarise(past, patients, window, hours) if len(past) else None


def forecast_past(
    patients: TimedPatients, every: np.timedelta64, window: np.timedelta64, hours: LocalHours, random: np.random.Generator
) -> DataFrame:
    """A row for each moment of the last days: what was expected from the days before it, what happened, how they agree.

    ``sure`` is the probability that the forecast gave to its interval, and ``apart`` whether the window shares no patient with
    the last window before it for which this is true.
    """
    first, last = patients.arrival[0] + FORTNIGHT, patients.arrival[-1]
    shared_until, rows = patients.arrival[0], []
    for day, next_day in pairwise([*hours.days(first, last)[-DAYS:], last]):
        known = patients.only(slice(int(np.searchsorted(patients.arrival, day))))
        near = patients.only((patients.departure > day) & (patients.arrival <= next_day))  # who can be present on this day
        rates, shares = learn_rates(known.arrival, hours, day), shares_by_hour(known.arrival, known.probability, hours)
        stays, moments = learn_stays(known, day), np.arange(day, next_day, every)
        moments = moments[moments + window <= last]
        for moment, observed in zip(moments, beds_needed(patients, moments, window).tolist(), strict=True):
            there = present(near, moment)
            apart = moment >= shared_until and bool((there.arrival > shared_until).all())
            shared_until = moment + window if apart else shared_until
            beds = forecast(still_there(there, moment, stays), rates, shares, moment, moment + window, hours)
            scores = crps(beds.distribution, observed), randomised_pit(beds.distribution, observed, random.random())
            inside, sure = beds.low <= observed <= beds.high, float(beds.distribution[beds.low : beds.high + 1].sum())
            rows.append((moment, day, beds.expected, observed, *scores, inside, sure, apart))
    names = ["moment", "day", "expected", "observed", "crps", "pit", "inside", "sure", "apart"]
    return pandas().DataFrame(rows, columns=names)


def beds_needed(patients: TimedPatients, moments: Array, window: np.timedelta64) -> Array:
    """The admitted patients who were present at each moment or arrived in the window after it."""
    admitted = patients.only(patients.admitted > 0)
    left = np.sort(np.maximum(admitted.arrival, admitted.departure))
    came = np.searchsorted(admitted.arrival, moments + window, side="right")
    return np.asarray(came - np.searchsorted(left, moments, side="right"))


def _summarise(past: DataFrame, patients: TimedPatients, window: np.timedelta64, hours: LocalHours) -> PastForecasts:
    local = past["moment"].dt.tz_localize("UTC").dt.tz_convert(hours.zone).dt.tz_localize(None)
    week_before = to_moments((local - pandas().Timedelta(days=7)).to_numpy("datetime64[s]"), hours.zone)
    last_week = beds_needed(patients, week_before, window)
    by_hour = past.groupby(hours.hour_of_week(past["moment"].to_numpy("datetime64[s]")) % HOURS)[
        ["observed", "expected"]
    ].mean()
    apart = past["pit"][past["apart"]]
    return PastForecasts(
        bias=_bias(past),
        moments=len(past),
        days=past["day"].nunique(),
        observed=float(past["observed"].mean()),
        expected=float(past["expected"].mean()),
        error=float((past["observed"] - past["expected"]).abs().mean()),
        last_week_error=float((past["observed"] - last_week).abs().mean()),
        crps=float(past["crps"].mean()),
        coverage=float(past["inside"].mean()),
        promised=float(past["sure"].mean()),
        pit=(np.histogram(past["pit"], BINS, (0, 1))[0] / len(past)).tolist(),
        independent=len(apart),
        uniform=float(kstest(apart, "uniform").pvalue) if len(apart) >= FEWEST else None,
        hours=by_hour.rename_axis("hour").reset_index().to_dict("records"),
    )


def _bias(past: DataFrame) -> str:
    """Beds needed and expected on average, and what their difference means; its error is that of windows that share nobody."""
    observed, expected = past["observed"].mean(), past["expected"].mean()
    means = f"{observed:,.2f} beds were needed on average and {expected:,.2f} expected"
    off, apart = observed - expected, (past["observed"] - past["expected"])[past["apart"]]
    if len(apart) < FEWEST:
        return f"{means}; too few of these windows have no patient in common, so chance may explain the difference"
    if abs(off) <= 2 * apart.std() / len(apart) ** 0.5:
        return f"{means}, a difference that chance explains"
    size = f"{abs(off):,.2f} beds ({abs(off) / observed:.0%} of those needed)" if observed else f"{abs(off):,.2f} beds"
    return f"{means}: forecasts run {'low' if off > 0 else 'high'} by {size}, more than chance explains"
