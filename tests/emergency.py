"""A department whose arrivals, stays and admissions have a known law."""

import numpy as np

from sonmf.beds import TimedPatients

HOUR = np.timedelta64(3600, "s")
START = np.datetime64("2024-01-01", "s")  # a Monday
BY_HOUR = 1 + 0.7 * np.sin(np.arange(24) / 24 * 2 * np.pi - 2)
BY_WEEKDAY = np.array([1.2, 1.0, 0.9, 1.0, 1.1, 0.8, 1.0])


def department(weeks=7, a_day=50, seed=0, days_differ=0.0, waits=1.0, wrong=1.0):
    """Poisson arrivals by hour and day; the admitted stay ``waits`` times as long; forecasts are ``wrong`` times too high."""
    random = np.random.default_rng(seed)
    rates = a_day / 24 * np.tile(np.outer(BY_WEEKDAY, BY_HOUR).ravel(), weeks).reshape(-1, 24)
    rates *= random.gamma(1 / days_differ**2, days_differ**2, (len(rates), 1)) if days_differ else 1
    counts = random.poisson(rates.ravel())
    begins = START + np.arange(len(counts)) * HOUR
    arrival = np.sort(np.repeat(begins, counts) + random.integers(0, 3600, counts.sum()))
    p = random.beta(1, 2.5, len(arrival))
    admitted = (random.random(len(p)) < p).astype(float)
    hours = np.exp(random.normal(1.1, 0.5, len(p))) * np.where(admitted, waits, 1)
    departure = arrival + (3600 * hours).astype("timedelta64[s]")
    return TimedPatients(
        arrival, departure, np.clip(wrong * p, 0, 1), admitted, random.choice(["medicine", "surgery", "x"], len(p))
    )
