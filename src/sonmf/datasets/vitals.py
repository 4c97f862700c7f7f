"""Vital signs: numbers that follow the picture, the severity and the age, the risk that they add, and how nurses write them."""

from __future__ import annotations

import numpy as np

from sonmf.datasets.fragments import Fragments
from sonmf.types import Array

SIGNS = ("fever", "fast", "hypoxia", "low", "high", "slow", "pain")
VITALS = ("temperature", "heart_rate", "respiratory_rate", "systolic", "diastolic", "saturation", "pain")
BOUNDS = np.array([(94.0, 106.5), (34, 210), (6, 60), (62, 245), (32, 140), (68, 100), (0, 10)])  # of each of them
GROWN = 12  # age from which the usual rates and pressures are those of an adult
USUAL_IN_CHILDREN = (3.5, 1.3, -3)  # heart rate, breaths and systolic pressure, for each year below GROWN
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


def draw_vitals(disturbed: Array, severity: Array, age: Array, rng: np.random.Generator) -> Array:
    """A column for each of VITALS, the temperature in °F, the pain missing where there is none.

    ``disturbed`` has a column for each of SIGNS: 1 where the picture of the patient has it.
    """
    n = len(age)
    fever, fast, hypoxia, low, high, slow, pain = disturbed.T
    ill = np.maximum(severity + 0.7, 0)
    more_pulse, more_breaths, more_pressure = _usual_in_children(age)
    noise = rng.standard_normal((6, n))
    systolic = 132 + 0.2 * (age - 50) - 13 * low * ill + 16 * high * ill + more_pressure + 15 * noise[0]
    diastolic = 0.58 * systolic + 4 * noise[1]
    pulse = 80 + 5 * ill + (9 * fast - 12 * slow) * ill + more_pulse + 12 * noise[2]
    breaths = 17 + (1.5 + 2.5 * hypoxia) * ill + more_breaths + 1.5 * noise[3]
    heat = 98.2 + fever * (1.7 + 0.5 * ill + 0.8 * noise[5]) + 0.4 * noise[4]
    saturation = 99.5 - 3 * hypoxia * ill - rng.exponential(1.0, n)
    hurt = np.where(pain > 0, 4 + 1.5 * ill + 2 * rng.standard_normal(n), np.nan)
    found: Array = np.clip(np.stack([heat, pulse, breaths, systolic, diastolic, saturation, hurt], axis=1), *BOUNDS.T)
    found[:, 0] = np.round(found[:, 0], 1)
    found[:, 1:] = np.floor(found[:, 1:])
    return found


def danger(vitals: Array, age: Array) -> Array:
    """Log-odds that fever, a fast heart, fast breaths, low saturation and low pressure add, each a smooth ramp."""
    heat, pulse, breaths, systolic, _, saturation, _ = vitals.T
    more_pulse, more_breaths, more_pressure = _usual_in_children(age)
    return np.asarray(
        0.4 * _beyond(heat - 100, 0.6)
        + 0.035 * _beyond(pulse - more_pulse - 90, 6)
        + 0.08 * _beyond(breaths - more_breaths - 20, 1.5)
        + 0.15 * _beyond(95 - saturation, 1)
        + 0.035 * _beyond(110 + more_pressure - systolic, 6)
    )


def write_vitals(vitals: Array, rng: np.random.Generator) -> Fragments:
    """Some of blood pressure, pulse, breaths, temperature, saturation and pain, or that they are stable."""
    n = len(vitals)
    text, words = np.full(n, "", object), np.zeros(n, np.int64)
    for sign, share, length in zip(_phrases(vitals, rng), WRITTEN, WORDS, strict=True):
        here = (rng.random(n) < share) & (sign != "")
        text = np.where(here, text + np.where(words > 0, " ", "") + sign, text)
        words = words + here * length
    return Fragments(np.where(words > 0, text, "vss"), np.maximum(words, 1))


def _usual_in_children(age: Array) -> list[Array]:
    """How much the heart rate, the breaths and the systolic pressure of a healthy patient differ from an adult's."""
    return [more * np.maximum(GROWN - age, 0) for more in USUAL_IN_CHILDREN]


def _beyond(excess: Array, width: float) -> Array:
    """max(excess, 0), rounded off over the width."""
    return np.asarray(width * np.logaddexp(0, excess / width))


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
