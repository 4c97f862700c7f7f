"""The most memory a fit takes: n notes take text + n x (features x copies + lambdas x (tries + folds)) + words x topics."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from sonmf.engines.blocks import parse_bytes, resident
from sonmf.text.note_numbers import read_measurements
from sonmf.triage import lasso
from sonmf.triage.column_effects import KNOTS, MOST_LEVELS
from sonmf.triage.columns import CATEGORY, NUMBER, is_missing, kinds_of
from sonmf.triage.factorisations import fewest_named
from sonmf.triage.inputs import CANDIDATES, POOLED, is_auto, topic_numbers
from sonmf.triage.temporary_store import TemporaryStore
from sonmf.triage.training_patients import split_by_size
from sonmf.types import Array

if TYPE_CHECKING:
    from sonmf.triage.model import TriageModel

PROCESS = 290 * 10**6  # bytes of a process that has read a few notes, measured
LATER = 75 * 10**6  # bytes that the first fit loads, measured
NOTE = 400  # bytes of a note besides its text
COPIES = 6  # of the text: itself, its tokens while they are counted, its row of X
FEATURES = 14  # copies of the features, topics and columns: whole, by fold, and at work in the classifier
BENT = len(KNOTS) + 2  # features of a number
SAMPLE = 1000  # notes that tell which measurements they state
FACTORS = 8  # copies of F while it is fitted
SHORTEST = 35  # bytes of text that a word takes at least: it occurs in several notes
MOST_WORDS = 50_000


def bytes_needed(notes: int, text: int, n_topics: int | Sequence[int], features: int = 0) -> int:
    """Bytes that a fit needs besides the libraries, from the number of notes, the bytes of text and the features of columns.

    Examples
    --------
    >>> from sonmf.triage.fit_memory import bytes_needed
    >>> bytes_needed(100_000, 10**7, 40) < 10**9 < bytes_needed(100_000, 10**7, 100)
    True
    """
    k, tries = int(np.max(n_topics)), int(np.size(n_topics))
    odds = (tries + 1) * lasso.LAMBDAS + lasso.FOLDS * lasso.LAMBDAS // lasso.EVERY
    numbers = notes * (FEATURES * (k + features) + odds) + FACTORS * k * min(text // SHORTEST, MOST_WORDS)
    return NOTE * notes + COPIES * text + 8 * numbers


def room(memory: int | str) -> int:
    """Bytes that a budget such as "2GB" leaves for a fit."""
    left = parse_bytes(memory) - _taken()
    if left <= 0:
        raise ValueError(
            f"memory={memory} leaves no room for notes: a fit holds {_taken() / 1e6:.0f} MB without any; "
            f"give at least {_taken() / 1e6 + 50:.0f}MB"
        )
    return left


def keep_within(memory: int | str, store: TemporaryStore, model: TriageModel) -> str:
    """Refuse a complaint too large for the memory before any is fitted; draw fewer notes for the model of all complaints.

    ``memory`` is what this process may use in all, such as "2GB". Returns a sentence on the number of notes that were drawn;
    it is empty if all of them fit.
    """
    sizes, left = store.sizes(), room(memory)
    features = of_columns(store, model)
    topics = CANDIDATES[-1:] if is_auto(model.n_topics) else topic_numbers(model.n_topics)  # of "auto" only one is judged
    needs = {name: bytes_needed(*size, topics, features) for name, size in sizes.items()}
    own, _ = split_by_size(store.counts(), model.min_notes, fewest_named(model.vectorizer))
    largest = max(own or [POOLED], key=needs.__getitem__)
    if needs[largest] > left:
        raise ValueError(
            f"memory={memory} is too little for the {sizes[largest][0]:,} notes of {largest or 'all complaints'}: "
            f"give {np.ceil((needs[largest] + _taken()) / 1e7) * 10:.0f}MB, or fewer topics"
        )
    if needs[POOLED] <= left:
        return ""
    most = len(store) * left // needs[POOLED]
    store.draw(most, model.random_state)
    return (
        f"the model of all complaints is fitted to {most:,} of {len(store):,} notes, drawn at random: more do not fit {memory}"
    )


def of_columns(store: TemporaryStore, model: TriageModel) -> int:
    """The largest number of features that columns and measurements can have."""
    columns = store.columns()
    topics = CANDIDATES[-1] if is_auto(model.n_topics) else min(topic_numbers(model.n_topics))
    found = sum(_width(kind, columns[name], topics) for name, kind in kinds_of(columns, model.kinds).items())
    stated = read_measurements(store.some_notes(SAMPLE)).values() if model.measurements else ()
    return found + BENT * sum(not all(map(is_missing, values)) for values in stated)


def _width(kind: str, values: Array, n_topics: int) -> int:
    if kind == CATEGORY:
        return min(len(set(values)), MOST_LEVELS + 2)
    return BENT if kind == NUMBER else n_topics


def _taken() -> int:
    """Bytes of this process once everything is loaded."""
    return max(resident(), PROCESS) + LATER
