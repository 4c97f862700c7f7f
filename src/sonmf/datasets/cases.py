"""The patients behind the notes: logit p = shift + scale (picture + severity + age + history + vital signs).

Severity is standard normal and the largest of them. No column holds it: it shows in the words, and faintly in the vital signs,
which also vary for reasons of their own. So a note tells more than the columns, as it does in the paper. Shift and scale are
found for each complaint so that the share admitted is the paper's and the true p has an AUROC of 0.93.
"""

from __future__ import annotations

from functools import cache
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from sonmf.datasets.phrases import CONDITIONS, PICTURES
from sonmf.types import Array


class ComplaintFacts(NamedTuple):
    """A row of the paper's table 5: how many notes a complaint has, and how many in a hundred of its patients went home."""

    documents: int
    discharged_pct: float

    @property
    def admitted_rate(self) -> float:
        """Share of the patients who were admitted."""
        return 1 - self.discharged_pct / 100


COMPLAINTS = MappingProxyType(
    {
        "Altered Level of Consciousness": ComplaintFacts(5220, 48.85),
        "Cough": ComplaintFacts(13084, 84.35),
        "Fever": ComplaintFacts(7302, 77.20),
        "General Weakness": ComplaintFacts(7442, 47.79),
        "Lower Extremity Injury": ComplaintFacts(12377, 82.50),
        "Shortness of Breath": ComplaintFacts(9322, 55.04),
        "Stroke": ComplaintFacts(5036, 45.17),
    }
)

AUROC = 0.93
POPULATION = 20_000  # cases of a complaint, drawn to find shift and scale
STAGES = ("baby", "child", "young", "middle", "old")
AGES = (2, 15, 46, 62)  # at which a stage of life ends
NOTHING = -1
PLACES = 60  # hold a list of up to six illnesses a whole number of times
PICTURE_RISK = 0.4  # weights in the score, in which severity has 1
AGE_RISK = 0.1  # for 25 years
HISTORY_RISK = 0.2
SIGNS_RISK = 0.15
SHOWS = 0.3  # correlation of severity with the strain on the body, which disturbs the vital signs
CALLED_FOR = 0.5  # strain at which half of the patients of 50 years come by ambulance
CALLED_FOR_AGE = 0.5  # strain that 25 years more are worth
SIGNS = ("fever", "fast", "hypoxia", "low", "high", "slow", "pain")
VITALS = ("temperature", "heart_rate", "respiratory_rate", "systolic", "diastolic", "saturation", "pain")
BOUNDS = np.array([(94.0, 106.5), (34, 210), (6, 60), (62, 245), (32, 140), (68, 100), (0, 10)])  # of each of them
GROWN = 12  # age from which the usual rates and pressures are those of an adult
USUAL_IN_CHILDREN = (3.5, 1.3, -3)  # heart rate, breaths and systolic pressure, for each year below GROWN

ALL = [picture for name in COMPLAINTS for picture in PICTURES[name].pictures]
NAMES = list(CONDITIONS)
DISTURBED = np.array([[sign in picture.vitals for sign in SIGNS] for picture in ALL], float)
RISKS = np.array([condition.risk for condition in CONDITIONS.values()] + [0.0])  # NOTHING is the last
_CHILD, _ADULT, _OLD = np.array([condition.common for condition in CONDITIONS.values()], float).T
_YOUNG = _ADULT**2 / np.maximum(_ADULT + _OLD, 1)  # what comes with age is rarer among young adults
COMMON = np.stack([_CHILD, _CHILD, _YOUNG, _ADULT, _OLD], axis=1)
ILLNESSES = np.array([[0.25, 0.1, 0], [0.35, 0.12, 0.02], [0.45, 0.3, 0.1], [0.6, 0.5, 0.25], [0.7, 0.75, 0.5]])  # chances


class Cases(NamedTuple):
    """One entry for each patient."""

    complaint: Array
    """The position of the complaint in COMPLAINTS."""
    picture: Array
    """The position of the picture in ALL."""
    severity: Array
    age: Array
    female: Array
    history: Array
    """Up to three positions in CONDITIONS; NOTHING where there is no illness."""
    vitals: Array
    """A column for each of VITALS."""
    ambulance: Array
    """Whether the patient came by ambulance."""

    @property
    def stage(self) -> Array:
        """The position of the stage of life in STAGES."""
        return np.searchsorted(AGES, self.age, side="right")

    @property
    def score(self) -> Array:
        """Picture + severity + age + history + vital signs, before shift and scale."""
        risk = PICTURE_RISK * np.array([picture.risk for picture in ALL])[self.picture]
        history = HISTORY_RISK * RISKS[self.history].sum(axis=1)
        age = AGE_RISK * (self.age - 50) / 25
        return np.asarray(risk + self.severity + age + history + SIGNS_RISK * danger(self.vitals, self.age))


def draw(complaint: Array, rng: np.random.Generator) -> Cases:
    """Patients with these complaints."""
    n = len(complaint)
    picture = np.searchsorted(_cumulative_shares(), complaint + rng.random(n), side="right")
    low, high, women = np.array([(*picture.ages, picture.women) for picture in ALL]).T
    age = (low[picture] + (high + 1 - low)[picture] * rng.beta(1.6, 1.6, n)).astype(np.int64)
    female = rng.random(n) < women[picture]
    severity = rng.standard_normal(n)
    strain = SHOWS * severity + np.sqrt(1 - SHOWS**2) * rng.spawn(1)[0].standard_normal(n)
    vitals = draw_vitals(DISTURBED[picture], strain, age, rng)
    need = strain + CALLED_FOR_AGE * (age - 50) / 25 + rng.standard_normal(n)
    healthy = Cases(complaint, picture, severity, age, female, np.full((n, 3), NOTHING), vitals, need > CALLED_FOR)
    return healthy._replace(history=_history(healthy, rng))


def draw_vitals(disturbed: Array, strain: Array, age: Array, rng: np.random.Generator) -> Array:
    """A column for each of VITALS, the temperature in °F, the pain missing where there is none.

    ``disturbed`` has a column for each of SIGNS: 1 where the picture of the patient has it.
    """
    n = len(age)
    fever, fast, hypoxia, low, high, slow, pain = disturbed.T
    ill = np.maximum(strain + 0.7, 0)
    more_pulse, more_breaths, more_pressure = _usual_in_children(age)
    noise = rng.standard_normal((6, n))
    systolic = 132 + 0.2 * (age - 50) - 13 * low * ill + 16 * high * ill + more_pressure + 15 * noise[0]
    diastolic = 0.58 * systolic + 4 * noise[1]
    pulse = 80 + 5 * ill + (9 * fast - 12 * slow) * ill + more_pulse + 12 * noise[2]
    breaths = 17 + (1.5 + 2.5 * hypoxia) * ill + more_breaths + 1.5 * noise[3]
    heat = 98.2 + fever * (1.7 + 0.5 * ill + 0.8 * noise[5]) + 0.4 * noise[4]
    saturation = 99.5 - 3 * hypoxia * ill - rng.exponential(1.0, n)
    hurt = np.where(pain > 0, 4 + 1.5 * ill + 2 * rng.standard_normal(n), np.nan)
    vitals: Array = np.clip(np.stack([heat, pulse, breaths, systolic, diastolic, saturation, hurt], axis=1), *BOUNDS.T)
    vitals[:, 0] = np.round(vitals[:, 0], 1)
    vitals[:, 1:] = np.floor(vitals[:, 1:])
    return vitals


def danger(vitals: Array, age: Array) -> Array:
    """Risk that fever, a fast heart, fast breaths, low saturation and low pressure add, each a smooth ramp."""
    heat, pulse, breaths, systolic, _, saturation, _ = vitals.T
    more_pulse, more_breaths, more_pressure = _usual_in_children(age)
    return np.asarray(
        0.4 * _beyond(heat - 100, 0.6)
        + 0.035 * _beyond(pulse - more_pulse - 90, 6)
        + 0.08 * _beyond(breaths - more_breaths - 20, 1.5)
        + 0.15 * _beyond(95 - saturation, 1)
        + 0.035 * _beyond(110 + more_pressure - systolic, 6)
    )


def _usual_in_children(age: Array) -> list[Array]:
    """How much the heart rate, the breaths and the systolic pressure of a healthy patient differ from an adult's."""
    return [more * np.maximum(GROWN - age, 0) for more in USUAL_IN_CHILDREN]


def _beyond(excess: Array, width: float) -> Array:
    """max(excess, 0), rounded off over the width."""
    return np.asarray(width * np.logaddexp(0, excess / width))


def probability(cases: Cases) -> Array:
    """The true probability of admission of each patient."""
    here, place = np.unique(cases.complaint, return_inverse=True)
    shift, scale = np.array([_calibration(int(complaint)) for complaint in here]).T
    return _share(shift[place] + scale[place] * cases.score)


def _share(log_odds: Array) -> Array:
    from scipy.special import expit  # to import scipy takes a second, for which readers of tables need not wait

    return np.asarray(expit(log_odds))


@cache
def _calibration(complaint: int) -> tuple[float, float]:
    """Shift and scale that give a complaint its share of admissions and its AUROC."""
    from scipy.optimize import brentq  # as above

    rate = list(COMPLAINTS.values())[complaint].admitted_rate
    score = np.sort(draw(np.full(POPULATION, complaint), np.random.default_rng(complaint)).score)
    score = score.reshape(-1, 10).mean(axis=1)  # neighbours together: a tenth of the work

    def shift(scale: float) -> float:
        return float(brentq(lambda b: _share(b + scale * score).mean() - rate, -30, 30, xtol=1e-6))

    scale = float(brentq(lambda a: _expected_auroc(_share(shift(a) + a * score)) - AUROC, 0.05, 5, xtol=1e-4))
    return shift(scale), scale


def _expected_auroc(probability: Array) -> float:
    """Chance that of two patients, one admitted and one not, the admitted one has the higher p; p true and ascending."""
    home = 1 - probability
    same = probability @ home  # nobody is compared with themselves
    return float((probability @ np.cumsum(home) - same) / (probability.sum() * home.sum() - same))


@cache
def _cumulative_shares() -> Array:
    """Cumulative shares of the pictures of each complaint, plus its number, so that one search finds the picture."""
    shares = [np.array([picture.share for picture in PICTURES[name].pictures]) for name in COMPLAINTS]
    return np.concatenate([c + np.cumsum(share) / share.sum() for c, share in enumerate(shares)])


@cache
def _typical() -> Array:
    """The illnesses that go with each picture, repeated to fill a row."""
    rows = [[NAMES.index(name) for name in picture.conditions] for picture in ALL]
    return np.array([np.resize(row, PLACES) for row in rows])


def _history(cases: Cases, rng: np.random.Generator) -> Array:
    """An illness that goes with the picture and up to two that go with the age, none of them twice."""
    n = len(cases.age)
    typical = _typical()[cases.picture, rng.integers(0, PLACES, n)]
    cumulative = np.cumsum(COMMON, axis=0) / COMMON.sum(axis=0)
    general = [(cumulative.T[cases.stage] < rng.random((n, 1))).sum(axis=1) for _ in range(2)]
    first, second, third = history = np.stack([typical, *general])
    absent = (rng.random((n, 3)).T > ILLNESSES[cases.stage].T) | ~_possible(history, cases)
    absent[1] |= second == first
    absent[2] |= (third == first) | (third == second)
    return np.where(absent, NOTHING, history).T


def _possible(history: Array, cases: Cases) -> Array:
    fertile = cases.female & (cases.stage == STAGES.index("young"))
    pregnancy, prostate = history == NAMES.index("pregnancy"), history == NAMES.index("bph")
    return np.asarray((COMMON[history, cases.stage] > 0) & ~(pregnancy & ~fertile) & ~(prostate & cases.female))
