"""Who is present, arrival <= t < departure, and how likely these patients are to be admitted.

log-odds(e) = log-odds + log S_admitted(e) - log S_others(e), S the share of stays longer than e, the hours since the arrival.
Admitted patients wait for a bed and so stay longer: those present at a moment are not a random sample of those who arrived.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit, logit

from sonmf.types import Array

FEWEST = 30  # stays of each outcome to learn from, and stays beyond which the ratio counts as unknown
SETTLED = np.timedelta64(48, "h")  # after which nearly everyone has left; of later arrivals only short stays are known


class TimedPatients(NamedTuple):
    """Patients in the order of their arrival, one entry each.

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import TimedPatients
    >>> arrival = np.array(["2024-01-01T10:00", "2024-01-01T09:00"], "datetime64[s]")
    >>> p, unknown, ward = (
    ...     np.array([0.2, 0.7]),
    ...     np.full(2, np.nan),
    ...     np.array(["surgery", "medicine"]),
    ... )
    >>> TimedPatients.ordered(
    ...     arrival, arrival + np.timedelta64(3, "h"), p, unknown, ward
    ... ).probability
    array([0.7, 0.2])
    """

    arrival: Array
    """Moments of arrival."""
    departure: Array
    """The moment at which each patient left, or is assumed to leave."""
    probability: Array
    """Probability of admission."""
    admitted: Array
    """The outcome: 1 for admitted, 0 for others, NaN if it is not known."""
    group: Array
    """The ward, or another group; all empty if there are no groups."""

    @classmethod
    def ordered(cls, arrival: Array, departure: Array, probability: Array, admitted: Array, group: Array) -> TimedPatients:
        """Sort patients who come in any order by their arrival."""
        order = np.argsort(arrival, kind="stable")
        return cls(*(values[order] for values in (arrival, departure, probability, admitted, group)))

    def only(self, chosen: Array | slice) -> TimedPatients:
        """The patients of a mask or a slice."""
        return TimedPatients(*(values[chosen] for values in self))


def present(patients: TimedPatients, moment: np.datetime64) -> TimedPatients:
    """Patients with arrival <= moment < departure: a patient who leaves at a moment is no longer present.

    Parameters
    ----------
    patients : TimedPatients
    moment : datetime64

    Returns
    -------
    TimedPatients

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import TimedPatients, present
    >>> nine, ten, noon = np.array(
    ...     ["2024-01-01T09", "2024-01-01T10", "2024-01-01T12"], "datetime64[s]"
    ... )
    >>> unknown = np.full(2, np.nan)
    >>> two = TimedPatients(
    ...     np.array([nine, ten]),
    ...     np.array([ten, noon]),
    ...     np.array([0.2, 0.7]),
    ...     unknown,
    ...     np.array(["", ""]),
    ... )
    >>> present(two, ten).probability
    array([0.7])
    """
    come = patients.only(slice(0, int(np.searchsorted(patients.arrival, moment, side="right"))))
    return come.only(come.departure > moment)


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
    """Of patients who were admitted."""
    others: Array
    """Of patients who were not."""
    longest: np.timedelta64
    """The stay beyond which too few patients are left to compare: from there on the ratio is constant."""


def learn_stays(patients: TimedPatients, before: np.datetime64) -> Stays | None:
    """Lengths of stay of patients with a known outcome who came at least two days before a moment; None if there are too few.

    Parameters
    ----------
    patients : TimedPatients
    before : datetime64

    Returns
    -------
    Stays or None

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import TimedPatients, learn_stays
    >>> hour = np.timedelta64(3600, "s")
    >>> came = np.arange("2024-01-01", "2024-01-05", hour, dtype="datetime64[s]")
    >>> admitted = np.arange(96) % 2.0
    >>> past = TimedPatients(
    ...     came,
    ...     came + (2 + 3 * admitted).astype(int) * hour,
    ...     np.full(96, 0.5),
    ...     admitted,
    ...     np.full(96, ""),
    ... )
    >>> stays = learn_stays(past, np.datetime64("2024-01-08", "s"))
    >>> stays.admitted[0], stays.others[0]
    (np.timedelta64(18000,'s'), np.timedelta64(7200,'s'))
    """
    settled = patients.only((patients.arrival < before - SETTLED) & ~np.isnan(patients.admitted))
    length, admitted = settled.departure - settled.arrival, settled.admitted > 0
    both = _sort(length[admitted]), _sort(length[~admitted])
    if min(map(len, both)) < FEWEST:
        return None
    return Stays(*both, _sort(np.concatenate([lengths[-FEWEST:] for lengths in both]))[-FEWEST])


def _sort(lengths: Array) -> Array:
    """Sort lengths of stay as integers, which takes a tenth of the time."""
    return np.sort(lengths.view(np.int64)).view(lengths.dtype)


def still_there(there: TimedPatients, moment: np.datetime64, stays: Stays | None) -> TimedPatients:
    """The patients who are present, with their probabilities given that they have not left yet.

    Parameters
    ----------
    there : TimedPatients
        Patients who are present.
    moment : datetime64
    stays : Stays, optional
        From ``learn_stays``; without them nothing changes.

    Returns
    -------
    TimedPatients

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import TimedPatients, Stays, still_there
    >>> hours = np.arange(1, 101) * np.timedelta64(3600, "s")
    >>> stays = Stays(admitted=hours, others=hours // 4, longest=hours[-1])
    >>> noon = np.datetime64("2024-01-01T12:00", "s")
    >>> came = np.array([noon - hours[9]])
    >>> patient = TimedPatients(
    ...     came, came + hours[50], np.array([0.5]), np.array([np.nan]), np.array([""])
    ... )
    >>> still_there(patient, noon, stays).probability.round(2)
    array([0.6])
    """
    if stays is None:
        return there
    elapsed = np.minimum(moment - there.arrival, stays.longest)
    odds = np.log(_longer(stays.admitted, elapsed)) - np.log(_longer(stays.others, elapsed))
    return there._replace(probability=expit(logit(there.probability) + odds))


def _longer(lengths: Array, elapsed: Array) -> Array:
    """The share of stays that are longer than the time elapsed; never zero."""
    return np.asarray((len(lengths) - np.searchsorted(lengths, elapsed, side="right") + 0.5) / (len(lengths) + 0.5))
