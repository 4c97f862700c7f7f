"""Who is present: arrival <= t < departure."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sonmf.types import Array


class Patients(NamedTuple):
    """Patients in the order of their arrival, one entry each.

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import Patients
    >>> arrival = np.array(["2024-01-01T10:00", "2024-01-01T09:00"], "datetime64[s]")
    >>> p, unknown, ward = np.array([0.2, 0.7]), np.full(2, np.nan), np.array(["surgery", "medicine"])
    >>> Patients.ordered(arrival, arrival + np.timedelta64(3, "h"), p, unknown, ward).probability
    array([0.7, 0.2])
    """

    arrival: Array
    """Moments."""
    departure: Array
    """When they left, or are assumed to leave."""
    probability: Array
    """Probability of admission."""
    admitted: Array
    """1 or 0; NaN if the outcome is not known."""
    group: Array
    """The ward, or another group; all empty if there are no groups."""

    @classmethod
    def ordered(cls, arrival: Array, departure: Array, probability: Array, admitted: Array, group: Array) -> Patients:
        """From patients in any order."""
        order = np.argsort(arrival, kind="stable")
        return cls(*(values[order] for values in (arrival, departure, probability, admitted, group)))

    def only(self, chosen: Array | slice) -> Patients:
        """The patients of a mask or a slice."""
        return Patients(*(values[chosen] for values in self))


def present(patients: Patients, moment: np.datetime64) -> Patients:
    """Those with arrival <= moment < departure: a patient who leaves at a moment is no longer present.

    Parameters
    ----------
    patients : Patients
    moment : datetime64

    Returns
    -------
    Patients

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import Patients, present
    >>> nine, ten, noon = np.array(["2024-01-01T09", "2024-01-01T10", "2024-01-01T12"], "datetime64[s]")
    >>> unknown = np.full(2, np.nan)
    >>> two = Patients(np.array([nine, ten]), np.array([ten, noon]), np.array([0.2, 0.7]), unknown, np.array(["", ""]))
    >>> present(two, ten).probability
    array([0.7])
    """
    come = patients.only(slice(0, int(np.searchsorted(patients.arrival, moment, side="right"))))
    return come.only(come.departure > moment)


def arriving(patients: Patients, start: np.datetime64, end: np.datetime64) -> Patients:
    """Those with start < arrival <= end.

    Parameters
    ----------
    patients : Patients
    start, end : datetime64

    Returns
    -------
    Patients

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.beds import Patients, arriving
    >>> hours = np.arange("2024-01-01T09", "2024-01-01T14", dtype="datetime64[h]").astype("datetime64[s]")
    >>> five = Patients(hours, hours, np.arange(5) / 10, np.zeros(5), np.full(5, ""))
    >>> arriving(five, hours[1], hours[3]).probability
    array([0.2, 0.3])
    """
    first, last = np.searchsorted(patients.arrival, [start, end], side="right")
    return patients.only(slice(int(first), int(last)))
