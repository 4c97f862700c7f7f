"""The paper's "merit" system: how many of the topics that signal admission most does a patient show?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from sonmf.threads import Array
from sonmf.triage import lasso

SIGNALS = 5
STRONG = 0.95
SHOWN = 1.0  # standard deviations beyond the average patient, in the direction of admission


class Merit(NamedTuple):
    """The signalling topics, and for each number of them shown, the patients and the admitted among them."""

    topics: list[int]
    patients: list[int]
    admitted: list[int]

    def rates(self) -> list[float]:
        """Admission rate by the number of signals shown; NaN where there is no patient."""
        return [a / n if n else float("nan") for a, n in zip(self.admitted, self.patients, strict=True)]


def signals(features: Any, effects: Array) -> list[int]:
    """The topics that raise the log-odds most in the patients who show them most, strongest first.

    Judged by the 95th percentile of what a topic adds: a topic whose absence matters, but not its presence, is no signal.
    """
    added = effects * (features - features.mean(axis=0))
    strength = np.quantile(added, STRONG, axis=0)
    order = np.argsort(-strength, kind="stable")[:SIGNALS]
    return [int(j) for j in order if strength[j] > 0]


def count(features: Any, topics: list[int], effects: Array, centre: Array, scale: Array) -> Array:
    """How many of the signalling topics each patient shows."""
    towards = np.sign(effects[topics]) * lasso.per_scale(features[:, topics] - centre[topics], scale[topics])
    return np.asarray((towards > SHOWN).sum(axis=1))


def tally(counts: Array, y: Array, topics: list[int]) -> Merit:
    """Patients and admissions by count."""
    length = len(topics) + 1
    patients = np.bincount(counts, minlength=length)
    admitted = np.bincount(counts, weights=y, minlength=length)
    return Merit(topics, [int(n) for n in patients], [int(a) for a in admitted])
