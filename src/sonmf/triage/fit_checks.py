"""What a person should know about patients before a model is fitted to them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from sonmf.text import NotesVectorizer
from sonmf.triage.columns import CATEGORY, NUMBER, convert_values, tells_the_outcome
from sonmf.triage.patients import Patients
from sonmf.types import Array

FEWEST = 30  # patients of a level, or notes of a word, that are remarked on
NEARLY_ALL = 0.95  # of the patients of a level have the same outcome
HALF = 0.5  # of all patients: where more have an outcome, a level of nearly all is no surprise (triage level 5)
MOST_LEVELS = 100  # of a column
SHARE_OF_NOTES = 0.01  # that consist of a stop word
SHARE_OF_VALUES = 0.05  # of a column that are one and the same mean
WORDS = re.compile(r"[a-z]+")
AFTER = "it may have been written after the decision, so leave the column out unless it is known at triage"


def fit_checks(patients: Patients, kinds: Mapping[str, str], vectorizer: NotesVectorizer) -> list[str]:
    """A sentence on each thing that may be wrong: columns that give the outcome away, imputed values, words that are lost."""
    remarks = []
    for name, cells in patients.columns.items():
        values = convert_values(name, kinds[name], cells)
        if whole := tells_the_outcome(name, kinds[name], cells, patients.outcomes):
            remarks.append(whole)
        elif kinds[name] == CATEGORY:
            remarks += _telling_levels(name, values, patients.outcomes)
        if kinds[name] == NUMBER:
            remarks += _repeated_mean(name, values)
    return [*remarks, *_lost_words(patients.notes, vectorizer)]


def _telling_levels(name: str, values: Array, y: Array) -> Iterator[str]:
    """Levels of at least FEWEST patients, nearly all of whom have the outcome that is rarer overall.

    Examples
    --------
    >>> import numpy as np
    >>> from sonmf.triage.fit_checks import _telling_levels
    >>> paid, y = (
    ...     np.array(["insured"] * 60 + ["self pay"] * 40, object),
    ...     np.array([0.0] * 55 + [1.0] * 45),
    ... )
    >>> [sentence.split(":")[0] for sentence in _telling_levels("payer", paid, y)]
    ["column 'payer'"]
    """
    known = np.array([value is not None and value == value for value in values], bool)
    levels, place = np.unique(values[known].astype(str), return_inverse=True)
    if not 1 < len(levels) <= MOST_LEVELS:
        return
    n, admitted, base = np.bincount(place), np.bincount(place, y[known]), float(y.mean())
    for level, patients, rate in zip(levels, n, admitted / n, strict=True):
        gives_away = rate >= NEARLY_ALL if base <= HALF else 1 - rate >= NEARLY_ALL
        if patients >= FEWEST and gives_away:
            share = f"{rate:.1%} of its {patients:,} patients are admitted, {base:.1%} of all"
            yield f"column {name!r}: the level {str(level)!r} gives the outcome away ({share}): {AFTER}"


def _repeated_mean(name: str, values: Array) -> Iterator[str]:
    """A value of many patients that is the mean of the others, with decimals that they lack: it was probably imputed."""
    known = values[np.isfinite(values)]
    levels, counts = np.unique(known, return_counts=True)
    if not len(levels) or counts.max() < max(FEWEST, SHARE_OF_VALUES * len(known)):
        return
    value = levels[counts.argmax()]
    others = known[known != value]
    if not len(others) or value == np.round(value) or np.mean(others == np.round(others)) < 1 - SHARE_OF_VALUES:
        return
    if abs(value - others.mean()) <= 0.05 * max(others.std(), 1e-12):
        share = f"{counts.max() / len(known):.0%} of the values"
        yield f"column {name!r}: {share} equal the mean of the others, and may stand for missing ones: empty these cells"


def _lost_words(notes: Sequence[object], vectorizer: NotesVectorizer) -> Iterator[str]:
    """Stop words that many notes consist of."""
    stop = vectorizer.effective_stop_words()
    texts = [WORDS.findall(note.lower()) for note in notes if isinstance(note, str)]
    counts = Counter(word for words in texts if words and stop.issuperset(words) for word in set(words))
    lost = {word: count for word, count in counts.most_common(5) if count >= max(FEWEST, SHARE_OF_NOTES * len(texts))}
    for word, count in lost.items():
        remedy = f"keep it with --keep-words {word} (keep_words of NotesVectorizer)"
        yield f"{count:,} notes have no words but {word!r} and other stop words, so nothing of them is left: {remedy}"
