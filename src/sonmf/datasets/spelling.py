"""From one phrase to the ways to write it: choices, shorthand, misspellings and typing errors."""

from __future__ import annotations

import random

from sonmf.datasets.grammar import BRACES, RANGE
from sonmf.datasets.word_lists import CHOICES, MISSPELLED, SAME, SHORTHAND

STAND_IN = {name: chr(number) for number, name in enumerate(SAME, start=1)}  # until the note is put together
WRONG = 0.06  # share of the words with a usual misspelling that come out wrong


def spell(phrase: str, source: random.Random) -> str:
    """One way to write a phrase."""
    chosen = BRACES.sub(lambda match: _choice(match[1], source), phrase)
    return " ".join(_written(word, source) for word in chosen.split())


def _choice(inside: str, source: random.Random) -> str:
    if limits := RANGE.fullmatch(inside):
        return str(source.randint(int(limits[1]), int(limits[2])))
    return STAND_IN.get(inside) or source.choice(CHOICES.get(inside) or inside.split("|"))


def _written(word: str, source: random.Random) -> str:
    if word in SHORTHAND:
        word = source.choice(SHORTHAND[word])
    return source.choice(MISSPELLED[word]) if word in MISSPELLED and source.random() < WRONG else word


def slip(note: str, where: float, kind: float) -> str:
    """Two letters swapped, one left out, or one struck twice, inside a longer word if there is one at that place."""
    i = int(where * (len(note) - 3)) + 1
    if not note[i - 1 : i + 3].isalpha():
        return note
    a, b = note[i], note[i + 1]
    return note[:i] + (b + a, b, a + a + b)[int(3 * kind)] + note[i + 2 :]
