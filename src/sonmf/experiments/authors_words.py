"""Notes to words as the paper's authors did it, with its distortions: only for the comparison with their figures.

Substitutions ignore word boundaries, so that "nausea" becomes "usea" and "alert" becomes "aleright". Words and weights come
from all notes. Use ``NotesVectorizer`` for notes of your own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cache

import numpy as np
from scipy.sparse import csr_array

from sonmf.text.note_reader import as_notes

# in this order, whatever the case; of several spellings the longest that fits is replaced
SUBSTITUTIONS = (
    ("c/o", "co"),
    ("na|unknown", ""),
    ("abdominal|abdomin|abdomen|abdo|abd", "abdominal"),
    ("urination|urinary|urinari|urine|urin", "urine"),
    ("worsen|worse|wors|wor", "worsen"),
    ("bleed|blood", "blood"),
    ("vomiting|vomitting", "vomit"),
    ("triag|dat", "dat"),
    ("unable|unabl", "unable"),
    ("nauseat|nausea", "nauseat"),
    ("non|no", "no"),
    ("lt", "left"),
    ("rt", "right"),
    (r"\bn v d\b", "nvd"),
    (r"\bn v\b", "nv"),
    (r"\bv d\b", "vd"),
    ("d/t", "dt"),
    ("[^a-z0-9 ']", " "),
    ("['0-9]", ""),
)
PATTERNS = [(re.compile(pattern, re.IGNORECASE), replacement) for pattern, replacement in SUBSTITUTIONS]
# R's tm, "english", without the forms of "not" ("isn't"); those with other apostrophes never occur in text that has lost them
_STOP = """
i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its
itself they them their theirs themselves what which who whom this that these those am is are was were be been being have has
had having do does did doing would should could ought cannot a an the and but if or because as until while of at by for with
about against between into through during before after above below to from up down in out on off over under again further
then once here there when where why how all any both each few more most other some such no nor not only own same so than too
very
"""
STOP_WORDS = frozenset(_STOP.split())
SHORTEST = 3
# Snowball's English stemmer of 2018, which they used, on words of these notes that the present one stems otherwise
FORMER_STEMS = {
    "added": "ad",
    "adding": "ad",
    "emergency": "emerg",
    "evening": "even",
    "evenings": "even",
    "lateral": "later",
    "neurologist": "neurologist",
    "oncologist": "oncologist",
    "psychologist": "psychologist",
    "university": "univers",
}


def words_of(note: str, stem: Callable[[str], str]) -> list[str]:
    """The stems of a note, in order."""
    for pattern, replacement in PATTERNS:
        note = pattern.sub(replacement, note)
    content = [word for word in note.lower().split() if word not in STOP_WORDS]
    return [word for word in map(stem, content) if len(word) >= SHORTEST]


def stemmer() -> Callable[[str], str]:
    """A function from a word to its stem, which stems each distinct word once."""
    import Stemmer

    stem = Stemmer.Stemmer("english").stemWord
    return cache(lambda word: FORMER_STEMS.get(word) or stem(word))


def counts(notes: Iterable[object]) -> tuple[csr_array, list[str]]:
    """How often each word occurs in each note (notes x words, sparse), and the words in alphabetical order."""
    stem = stemmer()
    by_note = [Counter(words_of(note, stem)) for note in as_notes(notes)]
    words = sorted(set().union(*by_note))
    place = {word: column for column, word in enumerate(words)}
    columns = [sorted((place[word], count) for word, count in note.items()) for note in by_note]
    indptr = np.cumsum([0, *map(len, columns)], dtype=np.int32)
    indices = np.array([column for note in columns for column, _ in note], np.int32)
    data = np.array([count for note in columns for _, count in note], float)
    return csr_array((data, indices, indptr), shape=(len(by_note), len(words))), words


def weighted(counted: csr_array) -> csr_array:
    """The weights tf x log2(N / df), not normalised."""
    df = np.bincount(counted.indices, minlength=counted.shape[1])
    result = counted.copy()
    result.data = counted.data * np.log2(counted.shape[0] / df)[counted.indices]
    return result


def present(counted: csr_array) -> csr_array:
    """The weights of 0/1 data: 1 where a word occurs."""
    result = counted.copy()
    result.data = np.ones_like(counted.data)
    return result
