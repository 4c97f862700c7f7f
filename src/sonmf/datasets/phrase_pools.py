"""Pools of phrases in all their spellings, from which many notes draw at once."""

from __future__ import annotations

import random
from functools import cache

import numpy as np

from sonmf.datasets import surroundings
from sonmf.datasets.cases import ALL, STAGES
from sonmf.datasets.complaints import COMPLAINTS
from sonmf.datasets.fragments import Fragments
from sonmf.datasets.grammar import SEXES, divide, fitting_phrases
from sonmf.datasets.pictures import CONDITIONS, PICTURES
from sonmf.datasets.spelling import spell
from sonmf.datasets.toml_table import Texts
from sonmf.types import Array

SPELLINGS = 12  # of each phrase
FAVOUR = 2  # the first tenth of a list is drawn in 0.1 ** (1 / FAVOUR) of the notes


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
        self.opener = np.array([[self._pool(surroundings.opener(age, sex)) for sex in SEXES] for age in range(-1, 100)])
        self.introduction = self._pools(surroundings.INTRODUCTION)
        self.arrival = np.array(
            [self._pools(arrival) for arrival in (surroundings.OWN_ARRIVAL, surroundings.AMBULANCE_ARRIVAL)]
        )
        self.company = self._pools(surroundings.COMPANY)
        self.condition = np.array([self._pools(condition.written) for condition in CONDITIONS.values()])
        self.drug = np.array([self._pools(condition.drugs) for condition in CONDITIONS.values()])

    def _fill_pictures(self) -> None:
        both = [(PICTURES[name], picture) for name in COMPLAINTS for picture in PICTURES[name].pictures]
        looks = [(complaint.calm, surroundings.PLAIN_LOOK, picture.ill or complaint.ill) for complaint, picture in both]
        self.look = np.array([[self._pools(look) for look in three] for three in looks])
        self.chief = np.array([self._pools(complaint.chief + picture.chief) for complaint, picture in both])
        self.lasted = np.array([self._pools(surroundings.LASTED[picture.onset]) for picture in ALL])
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
            self._spelled += [spell(phrase, self._source) for phrase in phrases for _ in range(SPELLINGS)]
            self._bounds.append(len(self._spelled))
        return self._known[key]


@cache
def phrase_pools() -> PhrasePools:
    """The pools, filled when they are first needed."""
    return PhrasePools()
