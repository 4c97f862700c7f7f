"""Generated triage notes."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral

import numpy as np

from sonmf.datasets import cases
from sonmf.datasets.cases import COMPLAINTS, VITALS, Cases
from sonmf.datasets.writing import write
from sonmf.errors import InputError
from sonmf.frames import DataFrame, pandas
from sonmf.sources.errors import did_you_mean
from sonmf.types import Array

RandomState = None | int | np.random.Generator
MISSING = {  # share of the patients; blood pressure is taken as a pair or not at all
    ("temperature",): 0.06,
    ("heart_rate",): 0.03,
    ("respiratory_rate",): 0.05,
    ("systolic", "diastolic"): 0.05,
    ("saturation",): 0.05,
    ("esi",): 0.02,
}
LESS_MISSING = 0.4  # log-odds for a unit of severity: patients who look well are measured less
LEVELS = (-3.3, -1.9, 1.2, 3.7)  # urgency between the triage levels 5, 4, 3, 2 and 1
SEEN = 0.3  # share of the log-odds of admission that counts as urgent at the desk
DOUBT = 1.6  # standard deviation of the nurse's judgement around it
A_DAY = 120  # patients
BY_HOUR = np.array([38, 30, 25, 22, 21, 25, 36, 55, 80, 100, 108, 108, 104, 101, 99, 97, 97, 98, 98, 95, 88, 76, 62, 49], float)
BY_WEEKDAY = np.array([1.12, 1.03, 1.0, 0.98, 0.99, 0.93, 0.95])  # from Monday on
STAY = np.log([3.2, 5.5])  # hours, median of those who go home and of the admitted
SPREAD = 0.55  # standard deviation of the logarithm of a stay
WARDS = {"Lower Extremity Injury": "surgery", "Stroke": "neurology"}  # the others go to medicine
CHILD = 16  # age from which patients no longer go to the children's ward


def make_triage_notes(
    n: int,
    *,
    complaints: Sequence[str] | None = None,
    details: bool = False,
    first_day: str | None = None,
    random_state: RandomState = None,
) -> DataFrame:
    """logit P(admitted) = shift + scale (picture + severity + age + history + vital signs), and a note that hints at each.

    A patient has one of the seven complaints of the paper, and behind it one of 8 to 10 clinical pictures (for cough: a cold,
    asthma, pneumonia, tuberculosis ...). There is also a severity ~ N(0, 1) that is never written down, an age, and up to three
    long-standing illnesses. All of them choose the phrases, the vital signs and the probability of admission. Fever, a high
    heart rate, a high respiratory rate, low saturation and low blood pressure raise that probability beyond what picture and
    severity explain. Severity counts most, and shows in the words much more than in the vital signs. So a note says more than
    all columns together. Complaints, and admissions within each, have the frequencies of the paper's table 5. No note states
    the outcome.

    Shift and scale are such that the true probability has an AUROC of 0.93 within each complaint. No model can do better,
    because a note does not reveal all of it. Needs the extra ``text`` (pandas).

    Parameters
    ----------
    n : int
        Number of notes.
    complaints : sequence of str, optional
        Some of ``COMPLAINTS``; by default all.
    details : bool, default=False
        Whether to add the columns age (whole years), sex ("F" or "M"), temperature (°C), heart_rate, respiratory_rate,
        systolic, diastolic, saturation (%), esi (triage level, 1 is the most urgent) and ambulance (whether they came by one).
        Age, sex and ambulance are never missing. Of each of the others 2% to 6% are, more often in patients who look well.
        Where the note states a vital sign as taken at triage, it is the one of the column.
    first_day : str, optional
        Such as 2024-01-01: adds the columns arrival and departure, from this day on, and ward, the one that would take the
        patient. About 120 patients arrive per day, more by day and on Mondays (a Poisson process). Stays are lognormal, and
        longer for the admitted. The clock has no zone and never changes.
    random_state : int or numpy.random.Generator, optional
        Give an int to get the same notes again.

    Returns
    -------
    pandas.DataFrame with the columns complaint, note and disposition ("admitted" or "discharged"), then those of ``details``
    and of ``first_day``

    Examples
    --------
    >>> from sonmf.datasets import make_triage_notes
    >>> frame = make_triage_notes(1000, complaints=["Cough", "Stroke"], random_state=0)
    >>> list(frame.columns), sorted(set(frame["disposition"]))
    (['complaint', 'note', 'disposition'], ['admitted', 'discharged'])
    >>> clocked = make_triage_notes(1000, first_day="2024-01-01", random_state=0)
    >>> (
    ...     bool((clocked["arrival"] < clocked["departure"]).all()),
    ...     clocked["arrival"].is_monotonic_increasing,
    ... )
    (True, True)
    >>> patients = make_triage_notes(
    ...     1000, complaints=["Cough"], details=True, random_state=0
    ... )
    >>> hypoxic = patients[patients["saturation"] < 92]
    >>> bool(
    ...     (hypoxic["disposition"] == "admitted").mean()
    ...     > (patients["disposition"] == "admitted").mean()
    ... )
    True
    """
    rng = np.random.default_rng(random_state)
    patients, probability = _patients(n, complaints, rng)
    admitted = rng.random(n) < probability
    columns = {
        "complaint": np.array(list(COMPLAINTS), object)[patients.complaint],
        "note": write(patients, rng),
        "disposition": np.where(admitted, "admitted", "discharged").astype(object),
    }
    if details:
        columns |= _detail_columns(patients, probability, rng)
    if first_day is not None:
        columns |= _arrival_columns(patients, admitted, first_day, rng)
    return pandas().DataFrame(columns)


def _patients(n: int, complaints: Sequence[str] | None, rng: np.random.Generator) -> tuple[Cases, Array]:
    """n patients, and the true probability that each is admitted."""
    if not isinstance(n, Integral) or n < 1:
        raise InputError(f"n={n!r} must be a whole number of notes, at least 1")
    chosen = _positions(complaints)
    documents = np.array([facts.documents for facts in COMPLAINTS.values()])[chosen]
    patients = cases.draw(rng.choice(chosen, n, p=documents / documents.sum()), rng)
    return patients, cases.probability(patients)


def _positions(complaints: Sequence[str] | None) -> list[int]:
    names = list(COMPLAINTS)
    if complaints is None:
        return list(range(len(names)))
    if isinstance(complaints, str) or not complaints:
        raise InputError(f"complaints={complaints!r} must be a list of names, such as ['Cough', 'Fever']")
    for name in complaints:
        if name not in names:
            raise InputError(f"complaint {name!r} is unknown{did_you_mean(str(name), names)}: choose among {', '.join(names)}")
    return [names.index(name) for name in complaints]


def _detail_columns(patients: Cases, probability: Array, rng: np.random.Generator) -> dict[str, Array]:
    """The columns by name, in the order of a table; numbers that may be missing are floats, and the temperature is in °C."""
    columns = dict(zip(VITALS, patients.vitals.T, strict=True))
    columns["temperature"] = np.round((columns["temperature"] - 32) / 1.8, 1)
    del columns["pain"]  # left to the notes
    columns["esi"] = _level(probability, rng)
    for names, share in MISSING.items():
        gone = _gone(share, patients.severity, rng)
        columns |= {name: np.where(gone, np.nan, columns[name]) for name in names}
    sex = np.where(patients.female, "F", "M").astype(object)
    return {"age": patients.age, "sex": sex, **columns, "ambulance": patients.ambulance}


def _level(probability: Array, rng: np.random.Generator) -> Array:
    """The emergency severity index, 1 for the most urgent."""
    thought = SEEN * np.log(probability / (1 - probability)) + DOUBT * rng.standard_normal(len(probability))
    return np.asarray(5.0 - np.searchsorted(LEVELS, thought))


def _gone(share: float, severity: Array, rng: np.random.Generator) -> Array:
    odds = share / (1 - share) * np.exp(-LESS_MISSING * severity)
    return np.asarray(rng.random(len(severity)) < odds / (1 + odds))


def _arrival_columns(patients: Cases, admitted: Array, first_day: str, rng: np.random.Generator) -> dict[str, Array]:
    """arrival, departure (to the minute, without daylight saving time) and ward of patients in order of arrival.

    Arrivals are a Poisson process whose rate is a product of hour and weekday; stays are lognormal, longer for the admitted.
    """
    try:
        first = np.datetime64(first_day, "D")
    except ValueError:
        raise InputError(f"first_day={first_day!r} must be a day such as 2024-01-01") from None
    arrival = first.astype("datetime64[s]") + _seconds(len(admitted), first, rng)
    hours = np.exp(STAY[admitted.astype(int)] + SPREAD * rng.standard_normal(len(admitted)))
    departure = arrival + (3600 * hours).astype("timedelta64[s]")
    names = np.array([WARDS.get(name, "medicine") for name in COMPLAINTS], object)[patients.complaint]
    return {
        "arrival": _to_the_minute(arrival),
        "departure": _to_the_minute(departure),
        "ward": np.where(patients.age < CHILD, "paediatrics", names),
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
