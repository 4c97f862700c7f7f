"""The grammar of a phrase.

``{left|right}`` is one of those, and ``{125|}`` may be nothing; ``{3..9}`` is a number between them, and ``{family}`` a word of
that list in ``words.toml``. A phrase that fits only some patients says so first: ``young f: on birth control``. Of the phrases
with a star, such as ``*fell off ladder``, a note has one at most: they are what happened, or they contradict each other.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from itertools import compress

STAR = "*"
BRACES = re.compile(r"{([^{}]*)}")
RANGE = re.compile(r"(\d+)\.\.(\d+)")
MARK = re.compile(r"(\*?)([a-z]+(?: [a-z])?): ")
STAGES_OF = {
    "baby": {"baby"}, "child": {"child"}, "young": {"young"}, "middle": {"middle"}, "old": {"old"},
    "kid": {"baby", "child"}, "adult": {"young", "middle"}, "grown": {"young", "middle", "old"},
}  # fmt: skip
SEXES = ("m", "f")


def fault(phrase: str, names: Container[str]) -> str:
    """What is wrong with a phrase that may use these names in braces, or nothing."""
    if not phrase or phrase != " ".join(phrase.split()):
        return "is empty or has a space too many"
    if mark := next((mark for mark in _marks(phrase) if mark not in STAGES_OF and mark not in SEXES), None):
        return f"begins with the mark {mark!r}; known are {', '.join((*STAGES_OF, *SEXES))}"
    if set("{}") & set(BRACES.sub("", phrase)):
        return "has a brace without its partner"
    return next(filter(None, (_fault_inside(inside, names) for inside in BRACES.findall(phrase))), "")


def _fault_inside(inside: str, names: Container[str]) -> str:
    if limits := RANGE.fullmatch(inside):
        return "" if int(limits[1]) < int(limits[2]) else f"has a range {{{inside}}} that does not rise"
    known = "|" in inside or inside in names
    return "" if known else f"has {{{inside}}}, which is neither a choice nor a range nor a list of words.toml"


def fitting_phrases(phrases: Sequence[str], stage: str, sex: str) -> list[str]:
    """The phrases that fit a patient, without their marks."""
    fits = [all(mark == sex if mark in SEXES else stage in STAGES_OF[mark] for mark in _marks(phrase)) for phrase in phrases]
    return [MARK.sub(r"\1", phrase, count=1) for phrase in compress(phrases, fits)]


def _marks(phrase: str) -> list[str]:
    mark = MARK.match(phrase)
    return mark[2].split() if mark else []


def divide(phrases: Sequence[str], count: int) -> list[list[str]]:
    """Parts of about the same size without a phrase in common, those with a star all in the first."""
    parts: list[list[str]] = [[phrase.removeprefix(STAR) for phrase in phrases if phrase.startswith(STAR)]]
    parts += [[] for _ in range(count - 1)]
    for phrase in phrases:
        if not phrase.startswith(STAR):
            min(parts, key=len).append(phrase)
    return parts
