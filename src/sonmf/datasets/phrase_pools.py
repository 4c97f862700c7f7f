"""Pools of phrases in all their spellings, from which many notes draw at once."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Self

import numpy as np

from sonmf.datasets.cases import AGES, ALL, COMPLAINTS, STAGES
from sonmf.datasets.phrases import (
    BRACES,
    CONDITIONS,
    PICTURES,
    RANGE,
    SAME,
    SEXES,
    SURROUNDINGS,
    WORDS,
    Texts,
    divide,
    fitting_phrases,
)
from sonmf.types import Array

SPELLINGS = 12  # of each phrase
FAVOUR = 2  # the first tenth of a list is drawn in 0.1 ** (1 / FAVOUR) of the notes
STAND_IN = {name: chr(number) for number, name in enumerate(SAME, start=1)}  # until the note is put together
WRONG = 0.06  # share of the words with a usual misspelling that come out wrong


@dataclass(frozen=True)
class Fragments:
    """A fragment of each note, and its number of words."""

    text: Array
    words: Array

    @classmethod
    def of(cls, options: Sequence[str]) -> Self:
        """Phrases with their numbers of words."""
        return cls(np.array(options, object), np.array([len(option.split()) for option in options]))

    @classmethod
    def between(cls, options: Sequence[str]) -> Self:
        """Separators between two phrases: ", " adds no word, "/" joins two words into one."""
        return cls(np.array(options, object), np.array([len(f"a{option}b".split()) - 2 for option in options]))

    def __add__(self, other: Fragments) -> Fragments:
        return Fragments(self.text + other.text, self.words + other.words)

    def __getitem__(self, chosen: Array) -> Fragments:
        return Fragments(self.text[chosen], self.words[chosen])

    def where(self, written: Array) -> Fragments:
        """The fragment in the notes where it is written, nothing in the others."""
        return Fragments(np.where(written, self.text, ""), self.words * written)


class PhrasePools:
    """All spellings in one list; a pool is a range of it. The last axes of an array of pools are stage of life and sex."""

    def __init__(self) -> None:
        self._source = random.Random(0)
        self._known: dict[tuple[str, ...], int] = {}
        self._spelled: list[str] = []
        self._bounds = [0]
        self._fill_surroundings()
        self._fill_pictures()
        self._all = Fragments.of(self._spelled)
        self._first, self._size = np.array(self._bounds[:-1]), np.diff(self._bounds)

    def draw(self, pool: Array, rng: np.random.Generator) -> Fragments:
        """A phrase from the pool of each note; the first ones of a list are drawn more often."""
        return self._all[self._first[pool] + (rng.random(len(pool)) ** FAVOUR * self._size[pool]).astype(np.int64)]

    def _fill_surroundings(self) -> None:
        self.opener = np.array([[self._pool(_opener(age, sex)) for sex in SEXES] for age in range(-1, 100)])
        self.introduction = self._pools(SURROUNDINGS["introduction"])
        self.arrival = np.array([self._pools(SURROUNDINGS[arrival]) for arrival in ("own_arrival", "ambulance_arrival")])
        self.company = self._pools(SURROUNDINGS["company"])
        self.condition = np.array([self._pools(condition.written) for condition in CONDITIONS.values()])
        self.drug = np.array([self._pools(condition.drugs) for condition in CONDITIONS.values()])

    def _fill_pictures(self) -> None:
        both = [(PICTURES[name], picture) for name in COMPLAINTS for picture in PICTURES[name].pictures]
        looks = [(complaint.calm, SURROUNDINGS["plain_look"], picture.ill or complaint.ill) for complaint, picture in both]
        self.look = np.array([[self._pools(look) for look in three] for three in looks])
        self.chief = np.array([self._pools([*complaint.chief, *picture.chief]) for complaint, picture in both])
        self.lasted = np.array([self._pools(SURROUNDINGS["lasted"][picture.onset]) for picture in ALL])
        self.symptom = np.array([[self._parts(level) for level in (p.mild, p.usual, p.severe)] for p in ALL])
        self.denied = np.array([self._parts(picture.denied) for picture in ALL])

    def _pools(self, phrases: Texts) -> Array:
        return np.asarray(self._parts(phrases, 1)[0])

    def _parts(self, phrases: Texts, count: int = 3) -> Array:
        """Several pools without a phrase in common, so that a note that draws from each does not repeat itself."""
        parts = [[divide(fitting_phrases(phrases, stage, sex), count) for sex in SEXES] for stage in STAGES]
        return np.array([[[self._pool(part[k]) for part in row] for row in parts] for k in range(count)])

    def _pool(self, phrases: list[str]) -> int:
        """Number of the pool of these phrases; the same phrases are spelled once."""
        key = tuple(phrases)
        if key not in self._known:
            self._known[key] = len(self._known)
            self._spelled += [_spell(phrase, self._source) for phrase in phrases for _ in range(SPELLINGS)]
            self._bounds.append(len(self._spelled))
        return self._known[key]


@cache
def phrase_pools() -> PhrasePools:
    """The pools, filled when they are first needed."""
    return PhrasePools()


def _spell(phrase: str, source: random.Random) -> str:
    """One way to write a phrase."""
    chosen = BRACES.sub(lambda match: _choice(match[1], source), phrase)
    return " ".join(_written(word, source) for word in chosen.split())


def _choice(inside: str, source: random.Random) -> str:
    if limits := RANGE.fullmatch(inside):
        return str(source.randint(int(limits[1]), int(limits[2])))
    return STAND_IN.get(inside) or source.choice(WORDS["choices"].get(inside) or inside.split("|"))


def _written(word: str, source: random.Random) -> str:
    shorthand, misspelled = WORDS["shorthand"], WORDS["misspelled"]
    if word in shorthand:
        word = source.choice(shorthand[word])
    return source.choice(misspelled[word]) if word in misspelled and source.random() < WRONG else word


def _opener(age: int, sex: str) -> list[str]:
    """How a note of a patient of this age begins; -1 is an infant of a few weeks."""
    noun = {"m": "male", "f": "female"}[sex]
    if age < 1:
        old = ("{2..8} wk", "{2..8} week", "{15..58} day") if age < 0 else ("{2..11} mo", "{2..11} month", "{2..11}mo")
        return [f"{old[0]} {sex}", f"{old[1]} old {noun}", f"{old[2]} old {noun}", f"{old[0]} old infant"]
    who = {"m": "man", "f": "woman"}[sex] if age >= AGES[1] else {"m": "boy", "f": "girl"}[sex]
    short = [
        f"{age} yo {sex}",
        f"{age}yo{sex}",
        f"{age}yo {sex}",
        f"{age} yo {noun}",
        f"{age} YO{sex.upper()}",
        f"{age}{sex.upper()}",
        f"{age}YO{sex.upper()}",
    ]
    return [*short, f"{age} y/o {noun}", f"{age} yr old {noun}", f"pt is {age} yo {who}", f"{age} year old {who}"]
