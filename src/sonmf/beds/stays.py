"""Patients who are still present are more likely to be admitted: log-odds(e) = log-odds + log S_admitted(e) - log S_others(e).

S is the share of stays longer than e, the hours since the arrival. Admitted patients wait for a bed and so stay longer: those
present at a moment are not a random sample of those who arrived.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from sonmf.beds.presence import Patients
from sonmf.types import Array

FEWEST = 30  # stays of each outcome to learn from, and stays beyond which the ratio counts as unknown
SETTLED = np.timedelta64(48, "h")  # after which nearly everyone has left; of later arrivals only short stays are known


class Stays(NamedTuple):
    """Lengths of stay in order, by outcome.

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import Stays
    >>> hours = np.arange(1, 5) * np.timedelta64(3600, "s")
    >>> Stays(admitted=hours, others=hours // 2, longest=hours[-1]).others.max()
    np.timedelta64(7200,'s')
    """

    admitted: Array
    others: Array
    longest: np.timedelta64
    """Stay beyond which too few stayed: from there on the ratio is constant."""


def learn_stays(patients: Patients, before: np.datetime64) -> Stays | None:
    """Stays of those who came two days before a moment or earlier, and whose outcome is known; None if there are too few.

    Parameters
    ----------
    patients : Patients
    before : datetime64

    Returns
    -------
    Stays or None

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import Patients, learn_stays
    >>> hour = np.timedelta64(3600, "s")
    >>> came = np.arange("2024-01-01", "2024-01-05", hour, dtype="datetime64[s]")
    >>> admitted = np.arange(96) % 2.0
    >>> past = Patients(came, came + (2 + 3 * admitted).astype(int) * hour, np.full(96, 0.5), admitted, np.full(96, ""))
    >>> stays = learn_stays(past, np.datetime64("2024-01-08", "s"))
    >>> stays.admitted[0], stays.others[0]
    (np.timedelta64(18000,'s'), np.timedelta64(7200,'s'))
    """
    settled = patients.only((patients.arrival < before - SETTLED) & ~np.isnan(patients.admitted))
    length, admitted = settled.departure - settled.arrival, settled.admitted > 0
    both = _sort(length[admitted]), _sort(length[~admitted])
    if min(map(len, both)) < FEWEST:
        return None
    return Stays(*both, _sort(np.concatenate([one[-FEWEST:] for one in both]))[-FEWEST])


def _sort(lengths: Array) -> Array:
    """Sort as integers, which takes a tenth of the time."""
    return np.sort(lengths.view(np.int64)).view(lengths.dtype)


def still_there(there: Patients, moment: np.datetime64, stays: Stays | None) -> Patients:
    """The same patients, their probabilities given that they have not left yet.

    Parameters
    ----------
    there : Patients
        Those present.
    moment : datetime64
    stays : Stays, optional
        From ``learn_stays``; without them nothing changes.

    Returns
    -------
    Patients

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import Patients, Stays, still_there
    >>> hours = np.arange(1, 101) * np.timedelta64(3600, "s")
    >>> stays = Stays(admitted=hours, others=hours // 4, longest=hours[-1])
    >>> noon = np.datetime64("2024-01-01T12:00", "s")
    >>> came = np.array([noon - hours[9]])
    >>> one = Patients(came, came + hours[50], np.array([0.5]), np.array([np.nan]), np.array([""]))
    >>> still_there(one, noon, stays).probability.round(2)
    array([0.6])
    """
    if stays is None:
        return there
    elapsed = np.minimum(moment - there.arrival, stays.longest)
    odds = np.log(_longer(stays.admitted, elapsed)) - np.log(_longer(stays.others, elapsed))
    return there._replace(probability=expit(logit(there.probability) + odds))


def _longer(lengths: Array, elapsed: Array) -> Array:
    """The share of stays that are longer; never zero."""
    return np.asarray((len(lengths) - np.searchsorted(lengths, elapsed, side="right") + 0.5) / (len(lengths) + 0.5))
