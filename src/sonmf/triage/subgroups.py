"""Groups of patients to report figures for: the values of a column, or the ranges between cuts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

import numpy as np

from sonmf.errors import InputError
from sonmf.types import Array

UNKNOWN = "unknown"
UNDER = "under "
AGES = (20.0, 40.0, 60.0, 80.0)  # cuts of ages, unless others are given


def column_and_cuts(asked: str) -> tuple[str, tuple[float, ...]]:
    """The column and the cuts of a grouping as a person writes it; without cuts each value is a group.

    Examples
    --------
    >>> from sonmf.triage.subgroups import column_and_cuts
    >>> column_and_cuts("age:18,65"), column_and_cuts("sex")
    (('age', (18.0, 65.0)), ('sex', ()))
    """
    name, _, after = asked.rpartition(":")
    try:
        cuts = {float(cut) for cut in after.split(",")}
    except ValueError:
        cuts = set()
    if name and cuts and np.isfinite(list(cuts)).all():
        return name, tuple(sorted(cuts))
    return asked, AGES if asked.lower() == "age" else ()


def groups(asked: str, values: Iterable[object]) -> Array:
    """The group of each value of the requested column; a value that is not a number is in none of the ranges.

    Ages that are not numbers, such as bands, are groups as they are.

    Examples
    --------
    >>> from sonmf.triage.subgroups import groups
    >>> groups("age:65", [64, "65.5", None]).tolist()
    ['under 65', '65 and over', 'unknown']
    """
    column, cuts = column_and_cuts(asked)
    cells = list(values)
    if not cuts:
        return np.array(cells, object)
    numbers = np.array([_number(cell) for cell in cells], float)
    known = np.isfinite(numbers) & ((numbers >= 0) | (column.lower() != "age"))
    if column == asked and not np.isfinite(numbers).any():
        return np.array(cells, object)
    if not known.any() and column != asked:
        raise InputError(f"--subgroup {asked}: column {column!r} has no number, so leave out the cuts")
    places, titles = np.searchsorted(cuts, np.where(known, numbers, 0), side="right"), in_words(cuts)
    return np.array([titles[place] if sure else UNKNOWN for place, sure in zip(places, known, strict=True)], object)


def in_words(cuts: Sequence[float]) -> list[str]:
    """The ranges between cuts, as people say them.

    Examples
    --------
    >>> from sonmf.triage.subgroups import in_words
    >>> in_words([18, 65])
    ['under 18', '18 to under 65', '65 and over']
    """
    between = [f"{low:g} to under {high:g}" for low, high in pairwise(cuts)]
    return [f"{UNDER}{cuts[0]:g}", *between, f"{cuts[-1]:g} and over"]


def in_order(titles: Iterable[str]) -> list[str]:
    """Groups in the order that people expect: ranges by their numbers, other values by name, those unknown last."""

    def key(title: str) -> tuple[bool, bool, float, str]:
        number = re.match(r"-?\d+(\.\d+)?", title)
        return title == UNKNOWN, not title.startswith(UNDER), float(number[0]) if number else 0.0, title

    return sorted(titles, key=key)


def _number(value: object) -> float:
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return float("nan")
