"""Folds that are periods: each is judged by a fit to all patients before it, as a model is used."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from sonmf.errors import InputError
from sonmf.triage.inputs import FEWEST, one_sided
from sonmf.types import Array

LATER = 0.3  # share of the patients that is judged, unless a beginning is given


def edges_of(times: Array, folds: int, since: np.datetime64 | str | None = None) -> Array:
    """Where each period begins, and where the last one ends; all have about equally many patients.

    Times that are not known are NaT. The first period begins ``since``; by default the last 30% of the patients are judged.
    """
    known = np.sort(times[~np.isnat(times)])
    if not len(known):
        raise InputError("times has no value at all: name another column")
    begin = known[int((1 - LATER) * len(known))] if since is None else np.array(since, known.dtype)[()]
    later = known[known >= begin]
    if not len(later) or len(later) == len(known):
        raise InputError(
            f"from {begin} on there are {len(later):,} of {len(known):,} patients: some must be before it, and some after; "
            f"they came from {known[0]} to {known[-1]}"
        )
    inner = later[[len(later) * k // folds for k in range(1, folds)]]
    edges = np.array([begin, *inner, later[-1] + 1], known.dtype)
    if (edges[1:] <= edges[:-1]).any():
        raise InputError(
            f"folds={folds}: the patients from {begin} on have too few different times for so many periods: ask for fewer"
        )
    return edges


def before_and_within(times: Array, edges: Array, fold: int) -> tuple[Array, Array]:
    """The numbers of the patients before a period, and of those in it."""
    return np.flatnonzero(times < edges[fold]), np.flatnonzero((times >= edges[fold]) & (times < edges[fold + 1]))


def complaints_to_judge(
    members: Mapping[str, Array], y: Array, times: Array, edges: Array
) -> tuple[dict[str, Array], dict[str, str]]:
    """The complaints that have enough patients of both outcomes before each period and in it, and why the others have not."""
    left_out: dict[str, str] = {}
    for name, rows in members.items():
        for fold, begin in enumerate(edges[:-1]):
            before, within = (y[rows[part]] for part in before_and_within(times[rows], edges, fold))
            for outcomes, when, fewest in ((before, "before", FEWEST), (within, "in the period from", 1)):
                if reason := one_sided(len(outcomes), int(outcomes.sum()), fewest):
                    left_out.setdefault(name, f"{when} {np.datetime_as_string(begin, 'D')} {reason}")
    return {name: rows for name, rows in members.items() if name not in left_out}, left_out
