"""The other columns of a table of notes: age, sex, vital signs and triage level, with missing values; times and wards."""

from __future__ import annotations

import numpy as np

from sonmf.datasets.cases import Cases
from sonmf.datasets.complaints import COMPLAINTS
from sonmf.datasets.vitals import VITALS
from sonmf.types import Array

MISSING = {  # share of the patients; blood pressure is taken as a pair or not at all
    ("temperature",): 0.06,
    ("heart_rate",): 0.03,
    ("respiratory_rate",): 0.05,
    ("systolic", "diastolic"): 0.05,
    ("saturation",): 0.05,
    ("esi",): 0.02,
}
LESS_MISSING = 0.4  # log-odds for a unit of severity: patients who look well are measured less
LEVELS = (-4.5, -2.7, 0.9, 3.8)  # log-odds of admission between the triage levels 5, 4, 3, 2 and 1
DOUBT = 1.0  # standard deviation of the nurse's judgement around them
A_DAY = 120  # patients
BY_HOUR = np.array([38, 30, 25, 22, 21, 25, 36, 55, 80, 100, 108, 108, 104, 101, 99, 97, 97, 98, 98, 95, 88, 76, 62, 49], float)
BY_WEEKDAY = np.array([1.12, 1.03, 1.0, 0.98, 0.99, 0.93, 0.95])  # from Monday on
STAY = np.log([3.2, 5.5])  # hours, median of those who go home and of the admitted
SPREAD = 0.55  # standard deviation of the logarithm of a stay
WARDS = {"Lower Extremity Injury": "surgery", "Stroke": "neurology"}  # the others go to medicine
CHILD = 16  # age from which patients no longer go to the children's ward


def columns(cases: Cases, probability: Array, rng: np.random.Generator) -> dict[str, Array]:
    """The columns by name, in the order of a table; numbers that may be missing are floats, and the temperature is in °C."""
    found = dict(zip(VITALS, cases.vitals.T, strict=True))
    found["temperature"] = np.round((found["temperature"] - 32) / 1.8, 1)
    del found["pain"]  # left to the notes
    found["esi"] = _level(probability, rng)
    for names, share in MISSING.items():
        gone = _gone(share, cases.severity, rng)
        found |= {name: np.where(gone, np.nan, found[name]) for name in names}
    sex = np.where(cases.female, "F", "M").astype(object)
    return {"age": cases.age, "sex": sex, **found, "ambulance": cases.ambulance}


def _level(probability: Array, rng: np.random.Generator) -> Array:
    """The emergency severity index, 1 for the most urgent."""
    thought = np.log(probability / (1 - probability)) + DOUBT * rng.standard_normal(len(probability))
    return np.asarray(5.0 - np.searchsorted(LEVELS, thought))


def _gone(share: float, severity: Array, rng: np.random.Generator) -> Array:
    odds = share / (1 - share) * np.exp(-LESS_MISSING * severity)
    return np.asarray(rng.random(len(severity)) < odds / (1 + odds))


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
