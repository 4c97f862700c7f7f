"""Generated triage notes."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np

from sonmf.datasets import cases
from sonmf.datasets.complaints import COMPLAINTS
from sonmf.datasets.nearest import hint
from sonmf.datasets.piece import Array
from sonmf.datasets.writing import write
from sonmf.frames import pandas

RandomState = None | int | np.random.Generator


def make_triage_notes(
    n: int, *, complaints: Sequence[str] | None = None, details: bool = False, random_state: RandomState = None
) -> Any:
    r"""logit P(admitted) = shift + scale (picture + severity + age + history), and a nurse's note that hints at each of them.

    A patient has one of the seven complaints of the paper, behind it one of 8 to 10 clinical pictures (for cough: a cold,
    asthma, pneumonia, tuberculosis ...), a severity ~ N(0, 1) that is never written down, an age and up to three long-standing
    illnesses. All of them choose the phrases, the vital signs and the probability of admission. Complaints, and admissions
    within each, have the frequencies of the paper's table 5. No note says what became of the patient.

    Shift and scale are such that the true probability has an AUROC of 0.85 within each complaint: no model can do better, and
    a note tells less than the truth. Needs the extra ``app`` (pandas).

    Parameters
    ----------
    n : int
        Number of notes.
    complaints : sequence of str, optional
        Some of ``COMPLAINTS``; by default all.
    details : bool, default=False
        Whether to add the columns age (in years) and sex ("F" or "M").
    random_state : int or numpy.random.Generator, optional
        Give an int for notes that repeat.

    Returns
    -------
    pandas.DataFrame with the columns complaint, note and disposition ("admitted" or "discharged")

    Examples
    --------
    >>> from sonmf.datasets import make_triage_notes
    >>> frame = make_triage_notes(1000, complaints=["Cough", "Stroke"], random_state=0)
    >>> list(frame.columns), sorted(set(frame["disposition"]))
    (['complaint', 'note', 'disposition'], ['admitted', 'discharged'])
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
        columns |= {"age": patients.age, "sex": np.where(patients.female, "F", "M").astype(object)}
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
            raise ValueError(f"complaint {name!r} is unknown{hint(str(name), names)}: choose among {', '.join(names)}")
    return [names.index(name) for name in complaints]
