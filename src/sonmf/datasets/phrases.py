"""From one phrase to the ways it is written: alternatives in braces, shorthand, misspellings and slips of the finger.

``{left|right}`` is one of those, ``{3..9}`` a number between them, and ``{family}`` a word of that list in ``words.py``.
A phrase that fits only some patients says so first: ``young f: on birth control``. Of the phrases with a star, such as
``*fell off ladder``, a note has one at most: they are what happened, or they contradict each other.
"""

from __future__ import annotations

import random
import re
from itertools import compress

from sonmf.datasets.words import LISTS, MISSPELLED, SAME, SHORTHAND

STAR = "*"
BRACES = re.compile(r"{([^{}]*)}")
MARK = re.compile(r"(\*?)([a-z]+(?: [fm])?): ")
MEANING = {  # of the marks: which stages of life
    "baby": {"baby"}, "child": {"child"}, "young": {"young"}, "middle": {"middle"}, "old": {"old"},
    "kid": {"baby", "child"}, "adult": {"young", "middle"}, "grown": {"young", "middle", "old"},
}  # fmt: skip
STAND_IN = {name: chr(number) for number, name in enumerate(SAME, start=1)}  # until the note is put together
WRONG = 0.06  # share of the words with a usual misspelling that come out wrong


def split(phrases: str) -> list[str]:
    """The phrases of a list separated by semicolons."""
    return [" ".join(phrase.split()) for phrase in phrases.split(";") if phrase.strip()]


def fitting(phrases: list[str], stage: str, sex: str) -> list[str]:
    """The phrases that fit a patient, without their marks."""
    marks = [MARK.match(phrase) for phrase in phrases]
    fits = [mark is None or _fits(mark[2], stage, sex) for mark in marks]
    return [MARK.sub(r"\1", phrase, count=1) for phrase in compress(phrases, fits)]


def _fits(marks: str, stage: str, sex: str) -> bool:
    return all(mark == sex if mark in ("f", "m") else stage in MEANING[mark] for mark in marks.split())


def divided(phrases: list[str], count: int) -> list[list[str]]:
    """Parts of about the same size without a phrase in common, those with a star all in the first."""
    parts: list[list[str]] = [[phrase.removeprefix(STAR) for phrase in phrases if phrase.startswith(STAR)]]
    parts += [[] for _ in range(count - 1)]
    for phrase in phrases:
        if not phrase.startswith(STAR):
            min(parts, key=len).append(phrase)
    return parts


def spell(phrase: str, source: random.Random) -> str:
    """One way to write a phrase."""
    chosen = BRACES.sub(lambda match: _choice(match[1], source), phrase)
    return " ".join(_written(word, source) for word in chosen.split())


def _choice(inside: str, source: random.Random) -> str:
    if ".." in inside:
        low, high = inside.split("..")
        return str(source.randint(int(low), int(high)))
    return STAND_IN.get(inside) or source.choice(LISTS.get(inside, inside).split("|"))


def _written(word: str, source: random.Random) -> str:
    if word in SHORTHAND:
        word = source.choice(SHORTHAND[word].split())
    return source.choice(MISSPELLED[word].split()) if word in MISSPELLED and source.random() < WRONG else word


def slip(note: str, where: float, kind: float) -> str:
    """Two letters swapped, one left out, or one struck twice, inside a longer word if there is one at that place."""
    i = int(where * (len(note) - 3)) + 1
    if not note[i - 1 : i + 3].isalpha():
        return note
    a, b = note[i], note[i + 1]
    return note[:i] + (b + a, b, a + a + b)[int(3 * kind)] + note[i + 2 :]
