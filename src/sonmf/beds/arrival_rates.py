"""How many patients will arrive: N ~ negative binomial with mean Lambda and relative variance v beyond Poisson.

Lambda is the sum of the rates of the hours in a window. v is the uncertainty of these rates plus the variation between days.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln
from scipy.stats import nbinom

from sonmf.beds.local_hours import HOURS, WEEK, LocalHours
from sonmf.errors import InputError
from sonmf.types import Array

FORTNIGHT = np.timedelta64(14, "D")
TURNS = 30  # of the fit of hours and weekdays
UNSEEN = 0.5  # arrivals added to each hour of the day, so that no rate is zero
STRENGTHS = np.logspace(-1, 4, 41)  # weights, in hours, of the rate of hour x weekday beside the arrivals of the hour itself
PATIENTS = 100  # weight of the share of all hours in the share of one hour
SMALLEST = 1e-7  # relative variance beyond Poisson: with less the distribution is Poisson but for rounding
BEYOND = 20  # standard deviations above the mean at which a distribution ends


class Rates(NamedTuple):
    """Arrivals per hour, learned from a history.

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import LocalHours, learn_rates
    >>> hourly = np.arange(
    ...     "2024-01-01", "2024-02-01", np.timedelta64(1, "h"), dtype="datetime64[s]"
    ... )
    >>> learn_rates(hourly, LocalHours(hourly[0], hourly[-1])).hourly.reshape(7, 24).shape
    (7, 24)
    """

    hourly: Array
    """The rate of each hour of the week, from Monday 0 h on."""
    seen: Array
    """Arrivals of each hour of the week in the history."""
    hours: Array
    """Length of each hour of the week in the history, in hours."""
    strength: float
    """Weight of hour x weekday in each rate, in hours."""
    days_differ: float
    """Relative variance of a day's arrivals beyond Poisson."""


def learn_rates(arrivals: Array, hours: LocalHours, end: np.datetime64 | None = None) -> Rates:
    """lambda(hour, weekday) = (s m + c) / (s + t): c arrivals seen in t hours, shrunk towards m = hour x weekday.

    ``m`` is the Poisson fit of a product of hour and weekday. The strength ``s`` maximises the likelihood of the arrivals if
    rates are gamma distributed around ``m``: with few weeks the product counts most, with many weeks each hour has its own
    rate. The history runs from the first arrival to ``end``. An hour that a change of the clock skips or repeats counts as
    long as it lasted.

    Parameters
    ----------
    arrivals : ndarray of datetime64[s]
        Moments, in order.
    hours : LocalHours
        Of the time from the first arrival to ``end``.
    end : datetime64, optional
        End of the history; by default its last arrival.

    Returns
    -------
    Rates

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import LocalHours, learn_rates
    >>> noons = np.arange(
    ...     "2024-01-01T12:00", "2024-02-01", np.timedelta64(1, "D"), dtype="datetime64[s]"
    ... )
    >>> hours = LocalHours(noons[0], noons[-1] + 60)
    >>> rates = learn_rates(np.sort(np.concatenate([noons, noons + 60])), hours)
    >>> int(rates.hourly.argmax()) % 24, round(float(rates.hourly.sum() / 7), 1)
    (12, 2.0)
    """
    if end is None and len(arrivals):
        end = arrivals[-1]
    if end is None or not len(arrivals) or end - arrivals[0] < FORTNIGHT:
        there = "no arrival" if not len(arrivals) else f"{(end - arrivals[0]) / np.timedelta64(1, 'D'):.1f} days"
        raise InputError(
            f"the history has {there} before the moment of the forecast, and rates by hour and weekday need two weeks: "
            "give patients of more weeks (--history), or a later moment (--now)"
        )
    counted = arrivals[(arrivals > arrivals[0]) & (arrivals <= end)]  # the first one begins the history
    seen, lengths = np.bincount(hours.hour_of_week(counted), minlength=WEEK), hours.lengths(arrivals[0], end)
    product = _product(seen, lengths)
    strength = _strength(seen, lengths, product)
    hourly = (strength * product + seen) / (strength + lengths)
    return Rates(hourly, seen, lengths, strength, _days_differ(counted, end, hourly, hours))


def _product(seen: Array, hours: Array) -> Array:
    """The most likely rates that are a product of hour and weekday; their total is the number of arrivals."""
    c, t = seen.reshape(7, HOURS), hours.reshape(7, HOURS)
    weekday = np.ones(7)
    for _ in range(TURNS):
        hour = (c.sum(axis=0) + UNSEEN) / (weekday @ t)
        weekday = c.sum(axis=1) / (t @ hour)
    return np.outer(weekday, hour).ravel()


def _strength(seen: Array, hours: Array, product: Array) -> float:
    """The strength that maximises the likelihood of the arrivals: negative binomial with shape s m and mean m t."""
    possible = product > 0
    c, t, m = seen[possible], hours[possible], product[possible]
    s = STRENGTHS[:, None]
    likely = gammaln(s * m + c) - gammaln(s * m) + s * m * np.log(s / (s + t)) + c * np.log(t / (s + t))
    return float(STRENGTHS[likely.sum(axis=1).argmax()])


def _days_differ(arrivals: Array, end: np.datetime64, hourly: Array, hours: LocalHours) -> float:
    """v of E(N - mu)^2 = mu + v mu^2 over whole days, less the seven degrees of freedom that weekdays take.

    A day on which the clock changes counts as one of 24 hours.
    """
    marks = hours.days(arrivals[0], end) if len(arrivals) else np.array([], "datetime64[s]")
    if len(marks) <= 8:
        return 0.0
    counts = np.diff(np.searchsorted(arrivals, marks))
    means = hourly.reshape(7, HOURS).sum(axis=1)[hours.hour_of_week(marks[:-1]) // HOURS]
    scatter = ((counts - means) ** 2).sum() * len(counts) / (len(counts) - 7)
    return float(max(0.0, (scatter - means.sum()) / (means**2).sum()))


def shares_by_hour(arrivals: Array, probabilities: Array, hours: LocalHours) -> Array:
    """pi(hour) = (sum of p + k pi) / (n + k): the probability that a patient who arrives in this hour of the day needs a bed.

    The number of beds depends only on the mean of the patients' probabilities if these are drawn from the same distribution.
    Probabilities that are zero outside a ward give the shares of that ward, and add up over wards.

    Parameters
    ----------
    arrivals : ndarray of datetime64[s]
        Moments.
    probabilities : ndarray
        Of the same patients.
    hours : LocalHours
        Of the time of their arrivals.

    Returns
    -------
    ndarray of shape (24,)

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import LocalHours, shares_by_hour
    >>> came = np.array(["2024-01-01T09:10"], "datetime64[s]")
    >>> shares_by_hour(came, np.array([0.3]), LocalHours(came[0], came[0])).round(3).max()
    np.float64(0.3)
    """
    hour = hours.hour_of_week(arrivals) % HOURS
    n, beds = np.bincount(hour, minlength=HOURS), np.bincount(hour, probabilities, HOURS)
    overall = probabilities.mean() if len(probabilities) else 0.0
    return np.asarray((beds + PATIENTS * overall) / (n + PATIENTS))


def expected_between(
    rates: Rates, start: np.datetime64, end: np.datetime64, hours: LocalHours, shares: Array
) -> tuple[float, float]:
    """Lambda = sum of rate x share x hours; v = days differ x sum of (Lambda_d / Lambda)^2 + Var(Lambda) / Lambda^2.

    The number of patients who arrive between two moments and will need a bed. Lambda_d is the part of one day: days differ
    independently, so that a window of many days is relatively more certain than one of a few hours. Thinning keeps v.

    Parameters
    ----------
    rates : Rates
    start, end : datetime64
        Moments.
    hours : LocalHours
        Of the time between them.
    shares : ndarray of shape (24,)
        From ``shares_by_hour``; ones for all patients.

    Returns
    -------
    tuple of float
        The mean Lambda and the relative variance v beyond Poisson; ``negative_binomial`` makes a distribution of them.

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import LocalHours, expected_between, learn_rates, negative_binomial
    >>> hourly = np.arange(
    ...     "2024-01-01", "2024-03-01", np.timedelta64(1, "h"), dtype="datetime64[s]"
    ... )
    >>> start, end = np.array(["2024-03-01T09:00", "2024-03-01T17:00"], "datetime64[s]")
    >>> hours = LocalHours(hourly[0], end)
    >>> mean, spread = expected_between(
    ...     learn_rates(hourly, hours), start, end, hours, np.full(24, 0.25)
    ... )
    >>> round(mean, 2), negative_binomial(mean, spread)[:3].round(2)
    (2.0, array([0.14, 0.27, 0.27]))
    """
    marks = [start, *hours.days(start, end), end]
    needed = rates.hourly * np.tile(shares, 7)
    days = needed * np.array([hours.lengths(*day) for day in pairwise(marks)])
    mean = float(days.sum())
    if not mean > 0:
        return 0.0, 0.0
    differ = rates.days_differ * float(((days.sum(axis=1) / mean) ** 2).sum())
    return mean, differ + _doubt(rates, days.sum(axis=0) / mean)


def _doubt(rates: Rates, part: Array) -> float:
    """Relative variance of the sum of rates, given the part of each hour of the week.

    The first three terms are those of a product of two Poisson margins; the last is the deviation of single hours of the week.
    """
    seen, parts = rates.seen.reshape(7, HOURS), part.reshape(7, HOURS)
    by_hour, by_day = seen.sum(axis=0) + UNSEEN, seen.sum(axis=1) + UNSEEN
    product = (parts.sum(axis=0) ** 2 / by_hour).sum() + (parts.sum(axis=1) ** 2 / by_day).sum() - 1 / max(seen.sum(), 1)
    own = np.divide(part**2, rates.hourly * (rates.strength + rates.hours), out=np.zeros(WEEK), where=part > 0)
    return float(max(product, 0.0) + own.sum())


def negative_binomial(mean: float, spread: float) -> Array:
    """P(0), P(1), ... of a count with this mean and relative variance beyond Poisson, up to where the rest is negligible.

    Examples
    --------
    >>> from sonmf.beds import negative_binomial
    >>> negative_binomial(0.5, 0.0)[:3].round(3)  # Poisson
    array([0.607, 0.303, 0.076])
    """
    spread = max(spread, SMALLEST)
    counts = np.arange(int(mean + BEYOND * (np.sqrt(mean + spread * mean * mean) + 1)) + 1)
    mass = nbinom.pmf(counts, 1 / spread, 1 / (1 + mean * spread))
    return np.asarray(mass / mass.sum())
