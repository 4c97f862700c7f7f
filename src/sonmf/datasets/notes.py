"""Generated triage notes."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral

import numpy as np

from sonmf.datasets import cases
from sonmf.datasets.complaints import COMPLAINTS
from sonmf.datasets.structured import arrival_columns
from sonmf.datasets.structured import columns as structured_columns
from sonmf.datasets.writing import write
from sonmf.frames import DataFrame, pandas
from sonmf.sources.errors import did_you_mean
from sonmf.types import Array

RandomState = None | int | np.random.Generator


def make_triage_notes(
    n: int,
    *,
    complaints: Sequence[str] | None = None,
    details: bool = False,
    first_day: str | None = None,
    random_state: RandomState = None,
) -> DataFrame:
    """logit P(admitted) = shift + scale (picture + severity + age + history + vital signs), and a note that hints at each.

    A patient has one of the seven complaints of the paper, behind it one of 8 to 10 clinical pictures (for cough: a cold,
    asthma, pneumonia, tuberculosis ...), a severity ~ N(0, 1) that is never written down, an age and up to three long-standing
    illnesses. All of them choose the phrases, the vital signs and the probability of admission. Fever, a fast heart, fast
    breaths, low saturation and low pressure raise that probability beyond what picture and severity explain. Complaints, and
    admissions within each, have the frequencies of the paper's table 5. No note states the outcome.

    Shift and scale are such that the true probability has an AUROC of 0.85 within each complaint: no model can do better, and
    a note tells less than the truth. Needs the extra ``app`` (pandas).

    Parameters
    ----------
    n : int
        Number of notes.
    complaints : sequence of str, optional
        Some of ``COMPLAINTS``; by default all.
    details : bool, default=False
        Whether to add the columns age (whole years), sex ("F" or "M"), temperature (°C), heart_rate, respiratory_rate,
        systolic, diastolic, saturation (%), esi (triage level, 1 is the most urgent) and ambulance (whether they came by one).
        Age, sex and ambulance are always there; of each of the others 2% to 6% are missing, more often in patients who look
        well. Where the note states a vital sign as taken at triage, it is the one of the column.
    first_day : str, optional
        Such as 2024-01-01: adds the columns arrival and departure, from this day on, and ward, the one that would take the
        patient. About 120 patients come a day, more by day and on Mondays (a Poisson process); stays are lognormal, and longer
        for the admitted. The clock has no zone and never changes.
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
    >>> bool((clocked["arrival"] < clocked["departure"]).all()), clocked["arrival"].is_monotonic_increasing
    (True, True)
    >>> patients = make_triage_notes(1000, complaints=["Cough"], details=True, random_state=0)
    >>> hypoxic = patients[patients["saturation"] < 92]
    >>> bool((hypoxic["disposition"] == "admitted").mean() > (patients["disposition"] == "admitted").mean())
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
        columns |= structured_columns(patients, probability, rng)
    if first_day is not None:
        columns |= arrival_columns(patients, admitted, first_day, rng)
    return pandas().DataFrame(columns)


def _patients(n: int, complaints: Sequence[str] | None, rng: np.random.Generator) -> tuple[cases.Cases, Array]:
    """n patients, and the true probability that each is admitted."""
    if not isinstance(n, Integral) or n < 1:
        raise ValueError(f"n={n!r} must be a whole number of notes, at least 1")
    chosen = _positions(complaints)
    documents = np.array([facts.documents for facts in COMPLAINTS.values()])[chosen]
    patients = cases.draw(rng.choice(chosen, n, p=documents / documents.sum()), rng)
    return patients, cases.probability(patients)


def _positions(complaints: Sequence[str] | None) -> list[int]:
    names = list(COMPLAINTS)
    if complaints is None:
        return list(range(len(names)))
    if isinstance(complaints, str) or not complaints:
        raise ValueError(f"complaints={complaints!r} must be a list of names, such as ['Cough', 'Fever']")
    for name in complaints:
        if name not in names:
            raise ValueError(f"complaint {name!r} is unknown{did_you_mean(str(name), names)}: choose among {', '.join(names)}")
    return [names.index(name) for name in complaints]
