"""The lists of phrases in the package follow the grammar and refer only to what there is."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain

import pytest

from sonmf.datasets.cases import COMPLAINTS, SIGNS
from sonmf.datasets.phrases import (
    BRACES,
    CONDITIONS,
    PICTURES,
    RANGE,
    SAME,
    SEXES,
    STAGES_OF,
    SURROUNDINGS,
    WORDS,
    marks,
)

ALL = [picture for complaint in PICTURES.values() for picture in complaint.pictures]
NAMES = {*WORDS["choices"], *SAME}
pictures = pytest.mark.parametrize("picture", ALL, ids=lambda picture: picture.name)


def fault(phrase):
    """What is wrong with a phrase, or nothing."""
    if not phrase or phrase != " ".join(phrase.split()):
        return "is empty or has a space too many"
    if set(marks(phrase)) - {*STAGES_OF, *SEXES}:
        return "begins with an unknown mark"
    if re.search("[{}]", BRACES.sub("", phrase)):
        return "has a brace without its partner"
    return next((f"has {{{inside}}}" for inside in BRACES.findall(phrase) if not _known(inside)), "")


def _known(inside):
    limits = RANGE.fullmatch(inside)
    return int(limits[1]) < int(limits[2]) if limits else "|" in inside or inside in NAMES


def lists():
    for complaint in PICTURES.values():
        yield from (complaint.chief, complaint.calm, complaint.ill)
    for picture in ALL:
        yield from (picture.mild, picture.usual, picture.severe, picture.denied, picture.chief, picture.ill)
    for condition in CONDITIONS.values():
        yield from (condition.written, condition.drugs)
    yield from (SURROUNDINGS[name] for name in ("own_arrival", "ambulance_arrival", "company", "plain_look", "introduction"))
    yield from SURROUNDINGS["lasted"].values()


def test_every_phrase_follows_the_grammar():
    assert {phrase: fault(phrase) for phrase in chain(*lists()) if fault(phrase)} == {}


def test_every_list_is_a_list_of_texts():
    separators = [SURROUNDINGS[name] for name in ("history", "drugs", "commas", "stops", "listed")]
    words = [*WORDS["choices"].values(), *WORDS["shorthand"].values(), *WORDS["misspelled"].values(), *chain(*SAME.values())]
    assert all(isinstance(options, (list, tuple)) for options in [*lists(), *separators, *words])
    assert all(isinstance(text, str) for text in chain(*lists(), *separators, *words))
    assert all([*separators, *words])


@pytest.mark.parametrize("phrase", ["a {b|c} d", "a {1..3}", "a {family}", "*old f: a", "solumedrol {125|}", "@ 10: pm"])
def test_phrases_of_the_grammar_pass(phrase):
    assert fault(phrase) == ""


@pytest.mark.parametrize("phrase", ["", "a  b", "a {nobody}", "a {", "a {9..2}", "*elder: a"])
def test_phrases_against_the_grammar_are_found(phrase):
    assert fault(phrase)


def test_every_complaint_of_the_paper_has_its_pictures():
    assert set(PICTURES) == set(COMPLAINTS)
    assert all(complaint.pictures for complaint in PICTURES.values())


@pictures
def test_a_picture_refers_to_what_there_is(picture):
    assert set(picture.conditions) <= set(CONDITIONS)
    assert set(picture.vitals) <= set(SIGNS)
    assert picture.onset in SURROUNDINGS["lasted"]
    low, high = picture.ages
    assert 0 <= low <= high < 100
    assert 0 < picture.share < 1
    assert 0 <= picture.women <= 1
    assert -5 < picture.risk < 5


@pictures
def test_no_symptom_of_a_picture_stands_twice(picture):
    assert max(Counter([*picture.mild, *picture.usual, *picture.severe]).values()) == 1


@pytest.mark.parametrize("condition", CONDITIONS.values(), ids=CONDITIONS)
def test_a_condition_has_a_risk_and_an_age(condition):
    assert condition.written
    assert condition.drugs
    assert -5 < condition.risk < 5
    assert len(condition.common) == 3
    assert min(condition.common) >= 0 < max(condition.common)


def test_words_of_women_and_men_and_separators_have_the_same_names():
    assert set(WORDS["same"]["women"]) == set(WORDS["same"]["men"])
    assert all(set(negation) == {"first", "second", "third"} for negation in SURROUNDINGS["negation"])
