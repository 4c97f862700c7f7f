"""The words of the generated notes, read from ``phrase_lists/``, and the grammar of a phrase.

``{left|right}`` is one of those, and ``{125|}`` may be nothing; ``{3..9}`` is a number between them, and ``{family}`` a word of
that list in ``words.toml``. A phrase that fits only some patients says so first: ``young f: on birth control``. Of the phrases
with a star, such as ``*fell off ladder``, a note has one at most: they are what happened, or they contradict each other.
``tests/datasets/test_phrase_lists.py`` checks the lists.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from itertools import compress
from pathlib import Path
from typing import Any, NamedTuple

Texts = Sequence[str]
FOLDER = Path(__file__).with_name("phrase_lists")
STAR = "*"
BRACES = re.compile(r"{([^{}]*)}")
RANGE = re.compile(r"(\d+)\.\.(\d+)")
MARK = re.compile(r"(\*?)([a-z]+(?: [a-z])?): ")
STAGES_OF = {
    "baby": {"baby"}, "child": {"child"}, "young": {"young"}, "middle": {"middle"}, "old": {"old"},
    "kid": {"baby", "child"}, "adult": {"young", "middle"}, "grown": {"young", "middle", "old"},
}  # fmt: skip
SEXES = ("m", "f")


class Condition(NamedTuple):
    """A long-standing illness: how it is written, what is taken for it, what it adds to the log-odds, and who has it."""

    written: Texts
    drugs: Texts
    risk: float
    common: Sequence[float]
    """How common it is, relative to the others, in children, adults, and the old."""


class Picture(NamedTuple):
    """One latent cause behind a complaint, with its phrases."""

    name: str
    share: float
    """How common it is among the patients with the complaint, relative to the others."""
    risk: float
    """What it adds to the log-odds of admission."""
    ages: tuple[int, int]
    """The youngest and the oldest patient may be this old."""
    onset: str
    """Which list of durations it takes."""
    conditions: Texts
    """Long-standing illnesses that go with it."""
    mild: Texts
    usual: Texts
    severe: Texts
    denied: Texts
    """Symptoms that are asked for and absent."""
    women: float = 0.5
    vitals: Texts = ()
    """Vital signs that it disturbs."""
    chief: Texts = ()
    """What these patients say, beside what all patients with the complaint say."""
    ill: Texts = ()
    """How these patients look when they are ill, instead of how other patients with the complaint do."""


class Complaint(NamedTuple):
    """What all pictures of a complaint share."""

    chief: Texts
    calm: Texts
    """How a patient who is well looks at the desk."""
    ill: Texts
    """How a patient who is ill looks at the desk."""
    pictures: Sequence[Picture]


def _read(file: str) -> dict[str, Any]:
    return tomllib.loads((FOLDER / file).read_text(encoding="utf-8"))


def _complaints() -> dict[str, Complaint]:
    tables = [_read(f"complaints/{name}") for name in sorted(path.name for path in (FOLDER / "complaints").iterdir())]
    return {
        table.pop("complaint"): Complaint(pictures=[Picture(**picture) for picture in table.pop("picture")], **table)
        for table in tables
    }


CONDITIONS = {name: Condition(**table) for name, table in _read("conditions.toml").items()}
PICTURES = _complaints()
SURROUNDINGS = _read("surroundings.toml")
WORDS = _read("words.toml")
SAME = {name: (women, WORDS["same"]["men"][name]) for name, women in WORDS["same"]["women"].items()}
"""Words that stay the same throughout a note, for women and for men."""


def fitting_phrases(phrases: Texts, stage: str, sex: str) -> list[str]:
    """The phrases that fit a patient, without their marks."""
    fits = [all(mark == sex if mark in SEXES else stage in STAGES_OF[mark] for mark in marks(phrase)) for phrase in phrases]
    return [MARK.sub(r"\1", phrase, count=1) for phrase in compress(phrases, fits)]


def marks(phrase: str) -> list[str]:
    """The stage of life and the sex that a phrase begins with, if it does."""
    mark = MARK.match(phrase)
    return mark[2].split() if mark else []


def divide(phrases: Texts, count: int) -> list[list[str]]:
    """Divide phrases into parts of about the same size, those with a star all in the first."""
    parts: list[list[str]] = [[phrase.removeprefix(STAR) for phrase in phrases if phrase.startswith(STAR)]]
    parts += [[] for _ in range(count - 1)]
    for phrase in phrases:
        if not phrase.startswith(STAR):
            min(parts, key=len).append(phrase)
    return parts
