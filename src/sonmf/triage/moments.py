"""What a column that is missing is expected to add to the log-odds, from the topics of the note and the columns that are known.

Over the patients of the fit, topics and effects of columns have a mean and a covariance C. Where the effects m are missing and
the others and the topics, o, are known, a normal distribution would give

    E[m | o] = mean_m + C_mo C_oo^-1 (o - mean_o),        V = C_mm - C_mo C_oo^-1 C_om.

The forecast is the mean of sigma(eta + e) over what stays open, e ~ N(0, v) with v the sum of V: nearly sigma(kappa eta) with
kappa = 1 / sqrt(1 + pi v / 8), as in MacKay, "The evidence framework applied to classification networks", Neural Computation 4
(1992). The missing columns add the difference between kappa eta and eta, so that log-odds stay a sum.
"""

from __future__ import annotations

from typing import Self

import numpy as np
from msgspec import Struct

from sonmf.triage.strict_json import require
from sonmf.types import Array

RIDGE = 1e-3  # on the correlations of what is known: topics of few notes correlate by chance
TOLERANCE = 1e-6


class Moments(Struct, frozen=True, forbid_unknown_fields=True, eq=False):
    """Mean and covariance of the topics, and then of what each column adds to the log-odds, over the patients of the fit."""

    centre: Array
    covariance: Array

    def __post_init__(self) -> None:
        n = len(self.centre)
        require(self.centre.shape == (n,) and self.covariance.shape == (n, n), "the moments are not all of the same variables")
        scale = np.sqrt(np.maximum(np.diag(self.covariance), 0))
        bound = (1 + TOLERANCE) * np.outer(scale, scale)
        require(np.array_equal(self.covariance, self.covariance.T), "array covariance is not symmetric")
        require((np.abs(self.covariance) <= bound).all(), "array covariance has a correlation beyond 1")

    @classmethod
    def of(cls, topics: Array, parts: Array, missing: Array) -> Self:
        """The moments of the topics of patients and the effects of their columns; ``missing`` marks effects that lack."""
        known = np.hstack([np.ones(topics.shape, bool), ~missing])
        values = np.where(known, np.hstack([topics, parts]), 0.0)
        centre = values.sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        away = np.where(known, values - centre, 0.0)
        together = known.T.astype(float) @ known
        covariance = away.T @ away / np.maximum(together, 1)
        return cls(centre, _positive(np.sqrt(np.diag(covariance)), covariance))

    @property
    def scale(self) -> Array:
        """The standard deviation of each variable."""
        return np.asarray(np.sqrt(np.diag(self.covariance)))

    def expect(self, topics: Array, parts: Array, missing: Array) -> tuple[Array, Array]:
        """The effects of all columns, where one is missing the expected one; and what stays open of each, as a variance.

        The variances of a patient add up to that of all effects that are missing.
        """
        n_topics = topics.shape[1]
        known_values = np.hstack([topics, parts]) - self.centre
        scale = np.where(self.scale > 0, self.scale, np.inf)
        correlation = self.covariance / np.outer(scale, scale)
        parts, variance = parts.copy(), np.zeros(parts.shape)
        for pattern in np.unique(missing[missing.any(axis=1)], axis=0):
            rows = np.flatnonzero((missing == pattern).all(axis=1))
            gone = np.append(np.zeros(n_topics, bool), pattern)
            there = ~gone & (self.scale > 0)
            among = correlation[np.ix_(there, there)] + RIDGE * np.eye(there.sum())
            weights = np.linalg.solve(among, correlation[np.ix_(there, gone)]) * self.scale[gone]
            expected = (known_values[np.ix_(rows, there)] / scale[there]) @ weights
            parts[np.ix_(rows, pattern)] = self.centre[gone] + expected
            left = self.covariance[np.ix_(gone, gone)] - weights.T @ among @ weights
            own = np.maximum(np.diag(left), 0)
            total = max(float(left.sum()), 0.0)
            variance[np.ix_(rows, pattern)] = total * own / max(own.sum(), 1e-300)
        return parts, variance


def _positive(scale: Array, covariance: Array) -> Array:
    """The covariance with correlations that all variables can have together.

    Each covariance is over other patients if columns are missing, and together they may contradict each other: what solves
    their equations would then be of any size.
    """
    outer = np.outer(scale, scale)
    correlation = np.divide(covariance, outer, out=np.zeros_like(covariance), where=outer > 0)
    values, vectors = np.linalg.eigh((correlation + correlation.T) / 2)
    if values.min(initial=0.0) < -TOLERANCE:
        correlation = (vectors * np.maximum(values, 0)) @ vectors.T
        length = np.sqrt(np.maximum(np.diag(correlation), TOLERANCE))
        covariance = outer * correlation / np.outer(length, length)
    return np.asarray(np.clip((covariance + covariance.T) / 2, -outer, outer))


def shrinkage(variance: Array) -> Array:
    """kappa: by how much log-odds shrink when the probability is averaged over what stays open."""
    return np.asarray(1 / np.sqrt(1 + np.pi * variance / 8))
