"""The paper's "merit" system: how many of the topics and columns that signal admission most does a patient show?"""

from __future__ import annotations

import numpy as np

from sonmf.triage import lasso
from sonmf.triage.records import Merit
from sonmf.types import Array

SIGNALS = 5
STRONG = 0.95
SHOWN = 1.0  # standard deviations beyond the average patient, in the direction of admission


def signals(parts: Array) -> list[int]:
    """The parts of the log-odds, topics and then columns, that raise them most in the patients who show them most.

    Judged by the 95th percentile of what a part adds: a topic whose absence matters, but not its presence, is no signal.
    """
    strength = np.quantile(parts - parts.mean(axis=0), STRONG, axis=0)
    order = np.argsort(-strength, kind="stable")[:SIGNALS]
    return [int(j) for j in order if strength[j] > 0]


def count(parts: Array, signals: list[int], centre: Array, scale: Array) -> Array:
    """How many of the signals each patient shows, from the mean and standard deviation of each part over the fit."""
    towards = lasso.per_scale(parts[:, signals] - centre[signals], scale[signals])
    return np.asarray((towards > SHOWN).sum(axis=1))


def judge(seen: Array, parts: Array, y: Array) -> Merit:
    """Admission rate of patients by the signals they show, which ``seen``, the parts of the patients of the fit, tell."""
    shown = signals(seen)
    return tally(count(parts, shown, seen.mean(axis=0), lasso.without_rounding(seen.std(axis=0))), y, shown)


def tally(counts: Array, y: Array, topics: list[int]) -> Merit:
    """Patients and admissions by count."""
    length = len(topics) + 1
    patients = np.bincount(counts, minlength=length)
    admitted = np.bincount(counts, weights=y, minlength=length)
    return Merit(topics, [int(n) for n in patients], [int(a) for a in admitted])
