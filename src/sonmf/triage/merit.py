"""The paper's "merit" of a patient: how many signals of admission the patient shows."""

from __future__ import annotations

import numpy as np

from sonmf.triage import lasso
from sonmf.triage.records import Merit
from sonmf.types import Array

SIGNALS = 5
STRONG = 0.95
SHOWN = 1.0  # standard deviations beyond the average patient, in the direction of admission


def judge(seen: Array, parts: Array, y: Array) -> Merit:
    """Admissions by the number of signals that patients show; the signals come from ``seen``, the parts of the fit.

    Signals are the parts of the log-odds that raise them most in the patients who show them most. Topics are numbered before
    columns. A part is judged by the 95th percentile of what it adds: if only its absence matters, it is no signal.
    """
    centre = seen.mean(axis=0)
    strength = np.quantile(seen - centre, STRONG, axis=0)
    order = np.argsort(-strength, kind="stable")[:SIGNALS]
    signals = [int(j) for j in order if strength[j] > 0]
    return tally(parts, y, signals, centre, lasso.without_rounding(seen.std(axis=0)))


def tally(parts: Array, y: Array, signals: list[int], centre: Array, scale: Array) -> Merit:
    """Patients and admissions by the number of signals shown, from mean and standard deviation of each part over the fit."""
    shown = (lasso.per_scale(parts[:, signals] - centre[signals], scale[signals]) > SHOWN).sum(axis=1)
    length = len(signals) + 1
    patients = np.bincount(shown, minlength=length)
    admitted = np.bincount(shown, weights=y, minlength=length)
    return Merit(signals, [int(n) for n in patients], [int(a) for a in admitted])
