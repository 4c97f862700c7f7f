"""The other columns of a table of notes: age, sex, vital signs, triage level and arrival, with missing values."""

from __future__ import annotations

import numpy as np

from sonmf.datasets.cases import Cases
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
