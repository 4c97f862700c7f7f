"""Beds = admissions among those present + admissions among those who arrive in the window, as distributions.

A bed counts for every patient who is present at the moment or arrives before the window ends, and who is admitted in the end,
even if the patient goes to the ward after the window. So only arrivals, departures and outcomes are needed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonmf.beds.arrival_rates import Rates, expected_between
from sonmf.beds.clock import Clock
from sonmf.beds.present_patients import TimedPatients
from sonmf.triage.admission_count import distribution, interval
from sonmf.types import Array

LEVEL = 0.9


class Forecast(NamedTuple):
    """Distributions of the number of beds: P(0), P(1), ...

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import Forecast
    >>> Forecast(np.array([0.5, 0.5]), np.array([0.25, 0.5, 0.25])).total
    array([0.125, 0.375, 0.375, 0.125])
    """

    present: Array
    arriving: Array

    @property
    def total(self) -> Array:
        """The distribution of all beds, those of present and of arriving patients, which are independent."""
        return np.convolve(self.present, self.arriving)

    def interval(self, level: float = LEVEL) -> tuple[int, int]:
        """The lowest and the highest number of beds, with (1 - level)/2 left on either side."""
        return interval(self.total, level)


def mean(mass: Array) -> float:
    """The mean of a distribution."""
    return float(np.arange(len(mass)) @ mass)


def forecast(
    there: TimedPatients, rates: Rates, shares: Array, start: np.datetime64, end: np.datetime64, clock: Clock
) -> Forecast:
    """P(beds = k) = sum over j of P(j among those present) P(k - j among those who arrive).

    The first is the exact Poisson binomial of the probabilities of those present. The second is negative binomial: arrivals by
    hour and weekday, each of whom needs a bed with the share of their hour.

    Parameters
    ----------
    there : TimedPatients
        Those present at ``start``, from ``still_there``.
    rates : Rates
    shares : ndarray of shape (24,)
        From ``shares_by_hour``.
    start, end : datetime64
        Moments at which the window starts and ends.
    clock : Clock

    Returns
    -------
    Forecast

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import Clock, TimedPatients, forecast, learn_rates
    >>> arrivals = np.arange("2024-01-01", "2024-02-01", np.timedelta64(1800, "s"), dtype="datetime64[s]")
    >>> rates, now = learn_rates(arrivals, Clock()), np.datetime64("2024-02-01T09:00", "s")
    >>> none = np.array([])
    >>> there = TimedPatients(none, none, np.array([0.9, 0.5, 0.1]), none, none)
    >>> beds = forecast(there, rates, np.full(24, 0.25), now, now + np.timedelta64(8, "h"), Clock())
    >>> beds.present.round(3), beds.interval()
    (array([0.045, 0.455, 0.455, 0.045]), (2, 9))
    """
    return Forecast(distribution(there.probability), expected_between(rates, start, end, clock, shares).mass())
