"""From patients to notes: pools of phrases in all their spellings, a fragment of each note at a time, then notes in order."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Self

import numpy as np

from sonmf.datasets.cases import AGES, ALL, COMPLAINTS, NOTHING, STAGES, Cases
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

BLOCK = 50_000  # notes written at a time
ENOUGH = 10  # words of a note that needs no more pieces
SHORTEST, LONGEST = 20, 38  # room for words; a name of two words may add one
CANDOUR = 0.1  # standard deviation of how ill patients seem around how ill they are
WELL, USUAL, ILL = range(3)  # how a patient seems
TELLING = 0.7  # share of the symptoms of patients who seem well, or ill, that say so
TAKEN = 0.35  # share of the histories with a drug
SLIPS = 0.4  # share of the notes with a typing error, wherever it falls
NEWBORN = np.array([picture.ages[1] == 0 for picture in ALL])
NUMBERS = np.array([str(number) for number in range(400)], object)
TENTHS = np.array([f"{number / 10:.1f}" for number in range(1100)], object)
STYLES = np.array(
    [
        ["BP ", "HR ", "RR ", "T ", "sat ", "% ra"],
        ["bp ", "p ", "r ", "temp ", "spo2 ", "%"],
        ["b/p ", "pulse ", "resp ", "temp ", "o2 sat ", "%"],
        ["BP ", "P ", "R ", "T ", "pox ", "% RA"],
        ["bp ", "hr ", "rr ", "t ", "sats ", "% on ra"],
    ],
    object,
)
SIGNS_WRITTEN = (0.6, 0.6, 0.25, 0.35, 0.45, 0.6)  # how often each vital sign is written
SIGN_WORDS = (2, 2, 2, 2, 4, 2)  # at most

# opener, complaint, three symptoms, what is denied, history, vital signs, look, arrival, company
LAYOUTS = np.array(
    [
        [0, 1, 2, 3, 4, 5, 6, 10, 7, 8, 9],
        [0, 6, 1, 2, 3, 4, 5, 9, 8, 7, 10],
        [0, 9, 1, 2, 3, 4, 5, 6, 7, 8, 10],
        [0, 1, 2, 3, 4, 9, 6, 5, 10, 8, 7],
    ]
)
HISTORY_FIRST, ARRIVAL_FIRST = 1, 2
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


SPACE = Fragments.between([" "])


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


def write(cases: Cases, rng: np.random.Generator) -> list[str]:
    """A note for each patient."""
    starts = range(0, len(cases.age), BLOCK)
    blocks = [Cases(*(field[start : start + BLOCK] for field in cases)) for start in starts]
    return [note for block in blocks for note in _Scribe(block, rng).notes()]


class _Scribe:
    """Writes the notes of a block of patients."""

    def __init__(self, cases: Cases, rng: np.random.Generator) -> None:
        self.cases, self.rng, self.pools = cases, rng, phrase_pools()
        self.n, self.sex = len(cases.age), cases.female.astype(np.int64)
        self.layout = rng.integers(0, len(LAYOUTS), self.n)
        self.comma, self.stop = self._separator("commas"), self._separator("stops")
        self.seems = np.searchsorted([-0.6, 0.6], cases.severity + CANDOUR * rng.standard_normal(self.n))

    def notes(self) -> list[str]:
        pieces = np.stack(self._pieces(), axis=1)
        ordered = np.take_along_axis(pieces, LAYOUTS[self.layout], axis=1)
        notes = self._named(["".join(row) for row in ordered.tolist()])
        self._slip(notes)
        return [_cased(note, style) for note, style in zip(notes, self.rng.random(self.n).tolist(), strict=True)]

    def _pieces(self) -> list[Array]:
        """The pieces of each note in the order that LAYOUTS counts; those after two symptoms only while there is room."""
        fixed = [self._opener(), self._complaint(), self._symptom(0), self._symptom(1)]
        pieces, words = [piece.text for piece in fixed], sum(piece.words for piece in fixed)
        room = self.rng.integers(SHORTEST, LONGEST + 1, self.n)
        for piece, share in self._more():
            wanted = (self.rng.random(self.n) < share) | (words < ENOUGH)
            written = piece.where(wanted & (words + piece.words <= room))
            pieces.append(written.text)
            words = words + written.words
        return pieces

    def _more(self) -> list[tuple[Fragments, float]]:
        """The other pieces, and how often each is written."""
        return [
            (self._symptom(2), 0.75),
            (self.stop + self._denied(), 0.8),
            (self._history(), 0.95),
            (self.stop + write_vitals(self.cases.vitals, self.rng), 0.8),
            (self.stop + self._draw(self.pools.look, self.cases.picture, self.seems), 0.6),
            (self._arrival(), 0.4),
            (self.stop + self._draw(self.pools.company), 0.4),
        ]

    def _opener(self) -> Fragments:
        age = np.where(NEWBORN[self.cases.picture], 0, self.cases.age + 1)
        return self.pools.draw(self.pools.opener[age, self.sex], self.rng)

    def _complaint(self) -> Fragments:
        picture = self.cases.picture
        chief, lasted = self._draw(self.pools.chief, picture), self._draw(self.pools.lasted, picture)
        return SPACE + self._draw(self.pools.introduction) + SPACE + chief + SPACE + lasted

    def _symptom(self, part: int) -> Fragments:
        level = np.where(self.rng.random(self.n) < TELLING, self.seems, USUAL)
        return self.comma + self._draw(self.pools.symptom, self.cases.picture, level, part)

    def _denied(self) -> Fragments:
        """One to three symptoms behind a negation."""
        negations = SURROUNDINGS["negation"]
        count, style = self.rng.integers(1, 4, self.n), self.rng.integers(0, len(negations), self.n)
        first, second, third = ([negation[place] for negation in negations] for place in ("first", "second", "third"))
        signs = Fragments.of(first)[style], Fragments.between(second)[style], Fragments.between(third)[style]
        denied = [sign + self._draw(self.pools.denied, self.cases.picture, part) for part, sign in enumerate(signs)]
        return denied[0] + denied[1].where(count > 1) + denied[2].where(count > 2)

    def _history(self) -> Fragments:
        """The illnesses, and sometimes what is taken for the first of them; nothing for the healthy."""
        there = self.cases.history != NOTHING
        between = self._separator("listed")
        listed = self._illness(0)
        for k in (1, 2):
            listed += between.where(there[:, k] & there[:, :k].any(axis=1)) + self._illness(k)
        first = self.cases.history[np.arange(self.n), there.argmax(axis=1)]
        drug = (self._separator("drugs") + self._draw(self.pools.drug, first)).where(self.rng.random(self.n) < TAKEN)
        heading = self._separated(HISTORY_FIRST, self.stop) + self._one_of(Fragments.of(SURROUNDINGS["history"]))
        return (heading + listed + drug).where(there.any(axis=1))

    def _illness(self, k: int) -> Fragments:
        illness = self.cases.history[:, k]
        return self._draw(self.pools.condition, illness).where(illness != NOTHING)

    def _arrival(self) -> Fragments:
        return self._separated(ARRIVAL_FIRST, self.comma) + self._draw(
            self.pools.arrival, self.cases.ambulance.astype(np.int64)
        )

    def _separated(self, layout: int, separator: Fragments) -> Fragments:
        """A space where the piece follows the opener."""
        return SPACE.where(self.layout == layout) + separator.where(self.layout != layout)

    def _named(self, notes: list[str]) -> list[str]:
        """The same side, relative and nursing home throughout a note."""
        for name, (women, men) in SAME.items():
            words = (self._one_of(Fragments.of(options)).text for options in (women, men))
            chosen = np.where(self.cases.female, *words).tolist()
            notes = [note.replace(STAND_IN[name], word) for note, word in zip(notes, chosen, strict=True)]
        return notes

    def _slip(self, notes: list[str]) -> None:
        places, kinds = self.rng.random((2, self.n))
        for i in np.flatnonzero(self.rng.random(self.n) < SLIPS):
            notes[i] = slip(notes[i], places[i], kinds[i])

    def _draw(self, pools: Array, *kind: Array | int) -> Fragments:
        return self.pools.draw(pools[*kind, self.cases.stage, self.sex], self.rng)

    def _separator(self, name: str) -> Fragments:
        return self._one_of(Fragments.between(SURROUNDINGS[name]))

    def _one_of(self, options: Fragments) -> Fragments:
        return options[self.rng.integers(0, len(options.text), self.n)]


def write_vitals(vitals: Array, rng: np.random.Generator) -> Fragments:
    """The phrase that states some of the vital signs, or that they are stable."""
    n = len(vitals)
    text, words = np.full(n, "", object), np.zeros(n, np.int64)
    for sign, share, length in zip(_phrases(vitals, rng), SIGNS_WRITTEN, SIGN_WORDS, strict=True):
        here = (rng.random(n) < share) & (sign != "")
        text = np.where(here, text + np.where(words > 0, " ", "") + sign, text)
        words = words + here * length
    return Fragments(np.where(words > 0, text, "vss"), np.maximum(words, 1))


def _phrases(vitals: Array, rng: np.random.Generator) -> list[Array]:
    """Each in the style of its note; empty where there is no pain."""
    heat, pulse, breaths, systolic, diastolic, saturation, pain = vitals.T
    style = STYLES[rng.integers(0, len(STYLES), len(vitals))].T
    hurts = ~np.isnan(pain)
    return [
        style[0] + _whole(systolic) + "/" + _whole(diastolic),
        style[1] + _whole(pulse),
        style[2] + _whole(breaths),
        style[3] + TENTHS[np.round(10 * heat).astype(np.int64)],
        style[4] + _whole(saturation) + style[5],
        np.where(hurts, "pain " + _whole(np.where(hurts, pain, 0)) + "/10", ""),
    ]


def _whole(values: Array) -> Array:
    return np.asarray(NUMBERS[values.astype(np.int64)])


def _cased(note: str, style: float) -> str:
    """As it is, with a capital and a full stop, or shouted."""
    if style < 0.55:
        return note
    return note.upper() if style > 0.85 else note[0].upper() + note[1:] + "."


def slip(note: str, where: float, kind: float) -> str:
    """A note with a typing error in a longer word, if there is one at that place: letters swapped, left out or doubled."""
    i = int(where * (len(note) - 3)) + 1
    if not note[i - 1 : i + 3].isalpha():
        return note
    a, b = note[i], note[i + 1]
    return note[:i] + (b + a, b, a + a + b)[int(3 * kind)] + note[i + 2 :]
