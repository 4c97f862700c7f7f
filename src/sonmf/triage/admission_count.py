"""How many of these patients will be admitted: the Poisson-binomial distribution of a sum of independent admissions."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.signal import fftconvolve

from sonmf.errors import InputError
from sonmf.types import Array

BLOCK = 64  # factors of a block; all blocks multiply theirs one after another, at the same time


class Beds(NamedTuple):
    """Beds to prepare.

    Examples
    --------
    >>> from sonmf.triage import expected_admissions
    >>> beds = expected_admissions([0.9, 0.5, 0.1])
    >>> beds.expected, beds.low, beds.high
    (1.5, 1, 2)
    """

    expected: float
    low: int
    high: int
    level: float
    patients: int

    def __str__(self) -> str:
        share = f"{self.level:.0%}"
        return f"{self.expected:,.1f} of {self.patients:,} patients expected ({share} interval {self.low:,} to {self.high:,})"


def expected_admissions(probabilities: ArrayLike, level: float = 0.9) -> Beds:
    """sum of p, and the interval that leaves (1 - level)/2 on either side of the exact distribution.

    Exact if patients are independent and the probabilities are right; the uncertainty of the model itself is not included.

    Parameters
    ----------
    probabilities : array-like of shape (n_patients,)
    level : float, default=0.9

    Returns
    -------
    Beds

    Examples
    --------
    >>> from sonmf.triage import expected_admissions
    >>> print(expected_admissions([0.9, 0.8, 0.5, 0.5, 0.1, 0.1]))
    2.9 of 6 patients expected (90% interval 1 to 4)
    """
    p = np.asarray(probabilities, np.float64)
    if not 0 < level < 1:
        raise InputError(f"level={level} must be between 0 and 1, such as 0.9")
    if p.size and not (p.min() >= 0 and p.max() <= 1):
        raise InputError("probabilities must be between 0 and 1")
    return Beds(float(p.sum()), *interval(distribution(p), level), level, len(p))


def interval(mass: Array, level: float) -> tuple[int, int]:
    """The numbers that leave (1 - level)/2 of a distribution on either side."""
    cumulative, tail = np.cumsum(mass), (1 - level) / 2
    low, high = (int(np.searchsorted(cumulative, bound - 1e-12)) for bound in (tail, 1 - tail))
    return low, min(high, len(mass) - 1)


def distribution(p: Array) -> Array:
    """P(0 admitted), P(1 admitted), ...: the product of the polynomials (1 - p) + p t, computed in blocks that FFT joins."""
    blocks = max(1, -(-len(p) // BLOCK))
    mass = _certain(blocks, BLOCK + 1)
    for chance in np.pad(p, (0, blocks * BLOCK - len(p))).reshape(blocks, BLOCK, 1).swapaxes(0, 1):
        mass[:, 1:] = mass[:, 1:] * (1 - chance) + mass[:, :-1] * chance
        mass[:, :1] *= 1 - chance
    while len(mass) > 1:
        if len(mass) % 2:
            mass = np.concatenate([mass, _certain(1, mass.shape[1])])
        mass = fftconvolve(mass[::2], mass[1::2], axes=1).clip(0)
    return np.asarray(mass[0, : len(p) + 1])


def _certain(rows: int, columns: int) -> Array:
    """A distribution of a count that is certainly 0, in each row."""
    mass = np.zeros((rows, columns))
    mass[:, 0] = 1
    return mass
