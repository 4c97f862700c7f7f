"""Vital signs in passing: numbers that follow the picture, the severity and the age."""

from __future__ import annotations

import numpy as np

from sonmf.datasets.cases import ALL, Cases
from sonmf.datasets.piece import Array, Piece

SIGNS = ("fever", "fast", "hypoxia", "low", "high", "slow", "pain")
DISTURBED = np.array([[sign in picture.vitals.split() for sign in SIGNS] for picture in ALL], float)
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
WRITTEN = (0.6, 0.6, 0.25, 0.35, 0.45, 0.6)  # how often each is written
WORDS = (2, 2, 2, 2, 4, 2)  # at most


def vitals(cases: Cases, rng: np.random.Generator) -> Piece:
    """Some of blood pressure, pulse, breaths, temperature, saturation and pain, or that they are stable."""
    n = len(cases.age)
    text, words = np.full(n, "", object), np.zeros(n, np.int64)
    for sign, share, length in zip(_signs(cases, rng), WRITTEN, WORDS, strict=True):
        here = (rng.random(n) < share) & (sign != "")
        text = np.where(here, text + np.where(words > 0, " ", "") + sign, text)
        words = words + here * length
    return Piece(np.where(words > 0, text, "vss"), np.maximum(words, 1))


def _signs(cases: Cases, rng: np.random.Generator) -> list[Array]:
    n = len(cases.age)
    fever, fast, hypoxia, low, high, slow, pain = DISTURBED[cases.picture].T
    ill, young = np.maximum(cases.severity + 0.7, 0), np.maximum(12 - cases.age, 0)
    noise = rng.standard_normal((5, n))
    systolic = 132 + 0.2 * (cases.age - 50) - 13 * low * ill + 16 * high * ill - 3 * young + 15 * noise[0]
    diastolic = 0.58 * systolic + 4 * noise[1]
    pulse = 80 + 5 * ill + (9 * fast - 12 * slow) * ill + 3.5 * young + 10 * noise[2]
    breaths = 17 + (1.5 + 2.5 * hypoxia) * ill + 1.3 * young + 1.5 * noise[3]
    heat = 98.2 + fever * (1.7 + 0.5 * ill) + 0.4 * noise[4]
    saturation = 99.5 - 3 * hypoxia * ill - rng.exponential(1.0, n)
    hurt = 4 + 1.5 * ill + 2 * rng.standard_normal(n)
    style = STYLES[rng.integers(0, len(STYLES), n)].T
    return [
        style[0] + _whole(systolic, 62, 245) + "/" + _whole(diastolic, 32, 140),
        style[1] + _whole(pulse, 34, 210),
        style[2] + _whole(breaths, 6, 60),
        style[3] + TENTHS[np.clip(10 * heat, 940, 1065).astype(np.int64)],
        style[4] + _whole(saturation, 68, 100) + style[5],
        np.where(pain > 0, "pain " + _whole(hurt, 0, 10) + "/10", ""),
    ]


def _whole(values: Array, low: int, high: int) -> Array:
    return np.asarray(NUMBERS[np.clip(values, low, high).astype(np.int64)])
