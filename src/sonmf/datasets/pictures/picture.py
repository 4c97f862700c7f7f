"""A clinical picture: what a nurse writes about one kind of patient with a complaint."""

from __future__ import annotations

from typing import NamedTuple


class Picture(NamedTuple):
    """One latent cause behind a complaint, with its phrases; lists are separated by semicolons."""

    name: str
    share: float
    """How common it is among the patients with the complaint, relative to the others."""
    risk: float
    """What it adds to the log-odds of admission."""
    ages: tuple[int, int]
    """All patients are between these ages."""
    onset: str
    """Which list of durations it takes: minutes, hours, days or weeks."""
    mild: str
    usual: str
    severe: str
    denied: str
    """Symptoms that are asked for and absent."""
    conditions: str
    """Long-standing illnesses that go with it, names in ``conditions.py``."""
    vitals: str = ""
    """Which vital signs it disturbs: fever, fast, hypoxia, low, high, slow, pain."""
    women: float = 0.5
    chief: str = ""
    """What they say, beside what all patients with the complaint say."""
    ill: str = ""
    """How they look when it is not well, instead of how other patients with the complaint do."""


class Complaint(NamedTuple):
    """What all pictures of a complaint share."""

    chief: str
    calm: str
    """How the patient looks at the desk when all is well."""
    ill: str
    """How the patient looks at the desk when it is not."""
    pictures: tuple[Picture, ...]
