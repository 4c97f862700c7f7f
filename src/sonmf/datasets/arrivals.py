"""When generated patients come and go, and which ward would take them."""

from __future__ import annotations

import numpy as np

from sonmf.datasets.cases import Cases
from sonmf.datasets.complaints import COMPLAINTS
from sonmf.types import Array

A_DAY = 120  # patients
BY_HOUR = np.array([38, 30, 25, 22, 21, 25, 36, 55, 80, 100, 108, 108, 104, 101, 99, 97, 97, 98, 98, 95, 88, 76, 62, 49], float)
BY_WEEKDAY = np.array([1.12, 1.03, 1.0, 0.98, 0.99, 0.93, 0.95])  # from Monday on
STAY = np.log([3.2, 5.5])  # hours, median of those who go home and of the admitted
SPREAD = 0.55  # standard deviation of the logarithm of a stay
WARDS = {"Lower Extremity Injury": "surgery", "Stroke": "neurology"}  # the others go to medicine
CHILD = 16  # age from which patients no longer go to the children's ward


def arrival_columns(cases: Cases, admitted: Array, first_day: str, rng: np.random.Generator) -> dict[str, Array]:
    """arrival, departure (to the minute, without daylight saving time) and ward of patients in order of arrival.

    Arrivals are a Poisson process whose rate is a product of hour and weekday; stays are lognormal, longer for the admitted.
    """
    try:
        first = np.datetime64(first_day, "D")
    except ValueError:
        raise ValueError(f"first_day={first_day!r} must be a day such as 2024-01-01") from None
    arrival = first.astype("datetime64[s]") + _seconds(len(admitted), first, rng)
    hours = np.exp(STAY[admitted.astype(int)] + SPREAD * rng.standard_normal(len(admitted)))
    departure = arrival + (3600 * hours).astype("timedelta64[s]")
    names = np.array([WARDS.get(name, "medicine") for name in COMPLAINTS], object)[cases.complaint]
    return {
        "arrival": _to_the_minute(arrival),
        "departure": _to_the_minute(departure),
        "ward": np.where(cases.age < CHILD, "paediatrics", names),
    }


def _seconds(n: int, first: np.datetime64, rng: np.random.Generator) -> Array:
    """Seconds after the first midnight: unit exponential gaps, scaled by the rate of each hour."""
    count = rng.exponential(size=n).cumsum()
    weekday = (first.astype(int) + 3) % 7
    week = (np.roll(BY_WEEKDAY, -weekday)[:, None] * BY_HOUR * A_DAY / BY_HOUR.sum()).ravel()
    weeks = int(count[-1] / week.sum()) + 1
    rates = np.concatenate([[0.0], np.tile(week, weeks).cumsum()])
    return np.asarray(np.interp(count, rates, 3600.0 * np.arange(len(rates))).astype("timedelta64[s]"))


def _to_the_minute(times: Array) -> Array:
    return np.asarray(times.astype("datetime64[m]").astype("datetime64[s]"))
