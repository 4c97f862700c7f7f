"""Beds = admissions among those present + admissions among those who arrive in the window, as distributions.

A bed counts for every patient who is present at the moment or arrives before the window ends, and who is admitted in the end,
even if the patient goes to the ward after the window. So only arrivals, departures and outcomes are needed.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonmf.beds.arrival_rates import Rates, expected_between, negative_binomial
from sonmf.beds.local_hours import LocalHours
from sonmf.beds.present_patients import TimedPatients
from sonmf.triage.admission_count import distribution, interval
from sonmf.types import Array

LEVEL = 0.9
NOTHING = 1e-12  # probabilities below this are cut off at the end of a distribution


class BedsUntil(NamedTuple):
    """The beds expected up to a moment, for patients who are present and for those who arrive by then.

    Examples
    --------
    >>> from sonmf.beds import BedsUntil
    >>> BedsUntil._fields[:8]
    ('until', 'hours', 'arrivals', 'present', 'arriving', 'expected', 'low', 'high')
    """

    until: str
    hours: float
    """Time from now until then."""
    arrivals: float
    """Patients expected until then, with or without a bed."""
    present: float
    """Beds expected for patients who are present; ``arriving`` is for those who arrive, ``expected`` for both."""
    arriving: float
    expected: float
    low: int
    """The ends of the interval for the number of beds, with (1 - level)/2 left on either side."""
    high: int
    arriving_distribution: Array
    """P(0), P(1), ... of the beds for patients who arrive."""
    distribution: Array
    """P(0), P(1), ... of all beds."""


def forecast(
    there: TimedPatients, rates: Rates, shares: Array, start: np.datetime64, end: np.datetime64, hours: LocalHours
) -> BedsUntil:
    """P(beds = k) = sum over j of P(j among those present) P(k - j among those who arrive).

    The first is the exact Poisson binomial of the probabilities of those present. The second is negative binomial: arrivals by
    hour and weekday, each of whom needs a bed with the share of their hour. Both are independent.

    Parameters
    ----------
    there : TimedPatients
        Those present at ``start``, from ``still_there``.
    rates : Rates
    shares : ndarray of shape (24,)
        From ``shares_by_hour``.
    start, end : datetime64
        Moments at which the window starts and ends.
    hours : LocalHours
        Of the time between them.

    Returns
    -------
    BedsUntil

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import LocalHours, TimedPatients, forecast, learn_rates
    >>> arrivals = np.arange(
    ...     "2024-01-01", "2024-02-01", np.timedelta64(1800, "s"), dtype="datetime64[s]"
    ... )
    >>> now, end = np.array(["2024-02-01T09:00", "2024-02-01T17:00"], "datetime64[s]")
    >>> hours = LocalHours(arrivals[0], end)
    >>> none = np.array([])
    >>> there = TimedPatients(none, none, np.array([0.9, 0.5, 0.1]), none, none)
    >>> beds = forecast(
    ...     there, learn_rates(arrivals, hours), np.full(24, 0.25), now, end, hours
    ... )
    >>> round(beds.present, 2), round(beds.arriving, 2), beds.low, beds.high
    (1.5, 4.0, 2, 9)
    """
    coming, spread = expected_between(rates, start, end, hours, shares)
    arriving = negative_binomial(coming, spread)
    total, present = np.convolve(distribution(there.probability), arriving), float(there.probability.sum())
    return BedsUntil(
        hours.written(end),
        float((end - start) / np.timedelta64(1, "h")),
        float(rates.hourly @ hours.lengths(start, end)),
        present,
        coming,
        present + coming,
        *interval(total, LEVEL),
        *(mass[: int(np.flatnonzero(mass > NOTHING)[-1]) + 1] for mass in (arriving, total)),
    )
