"""What people give: notes, complaints and outcomes, brought into one form or refused in one sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral
from typing import Any, Literal

import numpy as np

from sonmf.errors import InputError
from sonmf.types import Array

POOLED = ""
FEWEST = 10  # notes of either outcome that any model needs
FEWEST_NAMED = 5  # patients: the name of a smaller group may identify them
MOST_VALUES = 12  # of an outcome that has codes and not text
Rule = Literal["min", "1se"]
RULES = ("min", "1se")
AUTO = "auto"
"""What stands in place of a number of topics that is chosen from the words of the notes."""
CANDIDATES = (1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 70, 100, 150)
"""The numbers of topics that an automatic choice tries."""
N_TOPICS = 10
"""The default number of topics of a complaint. With outcome axes, 50 topics forecast no better than 10."""
OUTCOME_AXES = 2
"""The default number of outcome axes, the directions of words that are made from the outcome."""
MOST_AXES = 4  # each needs a fold more than the one before, and there are five
ADMITTED = ("admitted", "1", "true", "yes")


def one_sided(notes: int, admitted: int, fewest: int = FEWEST) -> str:
    """Why there are too few notes of one outcome; empty if there are enough."""
    few = min(admitted, notes - admitted)
    which = "admitted" if admitted == few else "not admitted"
    return f"only {few} of {notes} notes are {which}, and at least {fewest} are needed" if few < fewest else ""


def split_by_size(
    counts: Mapping[str, tuple[int, int]], min_notes: int, named: int, fewest: int = FEWEST
) -> tuple[list[str], dict[str, str]]:
    """The complaints that get a model of their own, and why the others do not.

    ``counts`` has the number of notes of each complaint, and how many of these are of admitted patients. Complaints of fewer
    than ``named`` patients stand together under one name, because their own could identify a patient.
    """
    complaints = {name: count for name, count in counts.items() if name != POOLED}
    rare = [name for name, (notes, _) in complaints.items() if notes < named]
    reasons = {name: too_few(*count, min_notes, fewest) for name, count in complaints.items() if name not in rare}
    small = {name: reason for name, reason in reasons.items() if reason}
    if rare:
        word, each = ("complaint", "") if len(rare) == 1 else ("complaints", " each")
        small[f"{len(rare)} {word} with fewer than {named} patients{each}"] = "too few patients"
    return [name for name, reason in reasons.items() if not reason], small


def too_few(notes: int, admitted: int, min_notes: int, fewest: int = FEWEST) -> str:
    """Why there are too few notes for a model; empty if there are enough."""
    if notes < min_notes:
        return f"it has {notes} notes, fewer than min_notes={min_notes}"
    return one_sided(notes, admitted, fewest)


def note_list(notes: Iterable[object]) -> list[object]:
    """Notes as a list; one string is a mistake."""
    if isinstance(notes, str):
        raise InputError("notes is one string: give a list of notes, [note] for a single one")
    return list(notes)


def complaint_name(value: object) -> str:
    """A missing complaint is the pooled one."""
    return POOLED if value is None or value != value or type(value).__name__ == "NAType" else str(value)


def complaint_names(complaint: Iterable[object] | None, n: int) -> Array:
    """Names as text, one a note; a single name stands for all notes."""
    values = [complaint] * n if complaint is None or isinstance(complaint, str) else list(complaint)
    return np.array([complaint_name(value) for value in values], object)


def values_in_words(counts: Mapping[str, int], fewest: int = FEWEST_NAMED) -> str:
    """The values of an outcome for a message; only their number where there are many or rare ones: they may be notes."""
    if len(counts) > MOST_VALUES or min(counts.values(), default=fewest) < fewest:
        return f"{len(counts)} different values"
    return f"the values {', '.join(repr(value) for value in sorted(counts, key=str))}" if counts else "no values at all"


def two_classes(outcomes: Array, positive: object, fewest: int = FEWEST_NAMED) -> Array:
    """The other value and the one that means admitted, or a sentence on what is wrong with them."""
    counts = Counter(outcomes.tolist())
    values, shown = sorted(counts, key=str), values_in_words(counts, fewest)
    if any(value is None or value != value for value in values):
        raise InputError("disposition has missing values: leave those rows out")
    if positive is None:
        usual = [value for value in values if str(value).lower() in ADMITTED]
        if len(usual) != 1:
            raise InputError(f"disposition has {shown}: say with positive= which one means admitted")
        positive = usual[0]
    elif positive not in values:
        raise InputError(f"no disposition is {positive!r}: it has {shown}")
    if len(values) == 1:
        raise InputError(f"every disposition is {positive!r}: a forecast needs patients of both outcomes")
    if len(values) > 2:
        raise InputError(f"disposition has {shown}, more than two: leave out the rows that are neither outcome")
    return np.array([value for value in values if value != positive] + [positive], object)


def check_outcome_axes(outcome_axes: object) -> None:
    """Refuse a number of outcome axes that cannot be made."""
    if isinstance(outcome_axes, bool) or not isinstance(outcome_axes, Integral) or not 0 <= int(outcome_axes) <= MOST_AXES:
        raise InputError(f"outcome_axes={outcome_axes!r} must be a whole number from 0 (none) to {MOST_AXES}")


def is_auto(n_topics: object) -> bool:
    """Whether the number of topics is to be chosen; an array of numbers cannot be compared with a text."""
    return isinstance(n_topics, str) and n_topics == AUTO


def topic_numbers(n_topics: int | Sequence[int] | str) -> list[int]:
    """Numbers of topics to try, each at least 1."""
    if is_auto(n_topics):
        return list(CANDIDATES)
    if isinstance(n_topics, str):
        raise InputError(f"n_topics={n_topics!r} must be a number, several numbers, or {AUTO!r}")
    topics = [int(k) for k in np.atleast_1d(np.asarray(n_topics))]
    if not topics or min(topics) < 1:
        raise InputError(f"n_topics={n_topics!r} must be at least 1")
    return topics


def check_rule(rule: str) -> None:
    """Refuse a rule for lambda that is not known."""
    if rule not in RULES:
        raise InputError(f"rule={rule!r} must be 'min' or '1se'")


def check_random_state(seed: object) -> None:
    """Refuse a seed that numpy does not accept."""
    if isinstance(seed, Integral) and not 0 <= int(seed) < 2**32:
        raise InputError(f"random_state={seed} must be a whole number from 0 to {2**32 - 1}")


def check_seeds(seeds: Sequence[str] | None, method: str, n_topics: Sequence[int]) -> None:
    """Refuse seed topics that no fit could have."""
    if not seeds:
        return
    if isinstance(seeds, str) or not all(isinstance(seed, str) and seed.strip() for seed in seeds):
        raise InputError(
            f'seed_topics={seeds!r}: give a list with the words of one topic each, such as ["chest pain pressure"]'
        )
    if method != "sonmf":
        raise InputError(f"seed_topics is for method='sonmf': method={method!r} cannot keep a topic as it is")
    if len(seeds) > max(n_topics):
        raise InputError(f"n_topics={max(n_topics)} leaves no room for {len(seeds)} seed topics: ask for more topics")


def plain(value: object) -> Any:
    """The value in a form that JSON can hold."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, set | frozenset):
        return sorted(value)
    return list(value) if isinstance(value, tuple | np.ndarray) else value


def check_lengths(n: int, columns: dict[str, Array]) -> None:
    """Refuse a column that has not as many values as there are notes."""
    if n == 0:
        raise InputError("there are no notes")
    for name, values in columns.items():
        if len(values) != n:
            raise InputError(f"{name} has {len(values)} values for {n} notes")
