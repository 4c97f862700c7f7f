"""Whether patients have changed, before outcomes are known: their words, topics, columns and forecasts against the fit's.

PSI = sum over cells of (a - b) log(a / b), a and b the shares of the cell then and now. Where nothing has changed,
PSI / (1/n + 1/m) for n and m patients is about chi-square with one degree of freedom less than there are cells (Yurdakul 2018):
small samples exceed the usual thresholds of 0.1 and 0.25 by chance, and large ones never do. An alarm needs a PSI that a true
PSI of 0.1 does not explain: beyond a quantile of the noncentral chi-square distribution with noncentrality 0.1 / (1/n + 1/m)
(Potgieter et al. 2023).
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from scipy.special import ndtri
from scipy.stats import chi2, ncx2

from sonmf.monitoring.alarm_limits import WORDS
from sonmf.triage.records import WordCounts
from sonmf.triage.strict_json import NumberOrNaN
from sonmf.types import Array

TOLERATED = 0.1
"""A PSI up to which there is no reason to act: the usual threshold of a moderate change."""
MUCH = 0.25
"""The usual threshold of a large change."""
MORE_UNKNOWN = 0.02
"""Share of words that may become unknown before there is a reason to act."""
FEWEST = 50  # patients of a period: fewer tell too little


class Drift(Struct, frozen=True):
    """How far one part of what the model reads has moved.

    Examples
    --------
    >>> from sonmf.monitoring import Drift
    >>> Drift("words", "", value=0.2, reference=0.08, chance=0.1, limit=0.12).alarm
    True
    """

    kind: str
    """One of ``alarm_limits.DRIFTS``."""
    name: str
    """The name of the column, or the number of the topic; otherwise empty."""
    value: NumberOrNaN
    """PSI, or the share of unknown words."""
    reference: NumberOrNaN
    """The value in the fit: 0 for a PSI, and for words the share that was unknown."""
    chance: NumberOrNaN
    """The value that chance alone exceeds only as often as the budget allows."""
    limit: NumberOrNaN
    """The value beyond which it is an alarm."""

    @property
    def alarm(self) -> bool:
        """Whether the value is beyond its limit."""
        return self.value > self.limit


def psi(then: Array, now: Array) -> float:
    """sum (a - b) log(a / b) over the shares of counts, half a patient added to each cell so that none is empty.

    Parameters
    ----------
    then, now : array-like of shape (n_cells,)
        Patients in each cell.

    Returns
    -------
    float

    Examples
    --------
    >>> from sonmf.monitoring import psi
    >>> (
    ...     round(psi([500, 300, 200], [250, 150, 100]), 3),
    ...     round(psi([500, 300, 200], [150, 150, 200]), 3),
    ... )
    (0.0, 0.24)
    """
    a, b = ((np.asarray(counts) + 0.5) / (np.sum(counts) + len(counts) / 2) for counts in (then, now))
    return float((a - b) @ np.log(a / b))


def of_counts(kind: str, name: str, then: Array, now: Array, chance: float) -> Drift | None:
    """The drift of one histogram, with this chance of a false alarm; None if only one cell is used."""
    used = (np.asarray(then) > 0) | (np.asarray(now) > 0)
    freedom = int(used.sum()) - 1
    if freedom < 1:
        return None
    unit = 1 / np.sum(then) + 1 / np.sum(now)
    by_chance = unit * chi2.isf(chance, freedom)
    limit = unit * ncx2.isf(chance, freedom, TOLERATED / unit)
    return Drift(kind, name, psi(np.asarray(then)[used], np.asarray(now)[used]), 0.0, float(by_chance), float(limit))


def of_words(then: WordCounts, now: WordCounts, chance: float) -> Drift | None:
    """The share of unknown words; notes are independent of each other, words are not. None if there are no words."""
    if not then.words or not now.words:
        return None
    error = (sum(counts.spread / counts.words**2 for counts in (then, now))) ** 0.5
    before, reach = then.unknown / then.words, -float(ndtri(chance)) * error
    return Drift(WORDS, "", now.unknown / now.words, before, before + reach, before + MORE_UNKNOWN + reach)
