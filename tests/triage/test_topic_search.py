"""Topics are found by a word, by a part of it, and by what an abbreviation stands for."""

from __future__ import annotations

from string import ascii_lowercase

import numpy as np
import pytest
from wards import ward

from sonmf.text import NotesVectorizer
from sonmf.triage import TriageModel
from sonmf.triage.topic_search import search


@pytest.fixture(scope="module")
def model():
    notes, dispositions, _ = ward(600)
    notes = [f"{note}, denies fracture" if row % 3 else note for row, note in enumerate(notes)]
    short = {"LOC": "syncope and confused", "SET": "fever", "FX": "fracture"}
    words = NotesVectorizer(negation="mark", abbreviations=short)
    return TriageModel(5, vectorizer=words).fit(notes, dispositions).pooled_model_


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("sync", {"syncope"}),
        ("  SYNCOPE ", {"syncope"}),
        ("loc", {"syncope", "confused"}),
        ("rash and loc", {"rash", "syncope", "confused"}),
        ("syncope dialysis", {"syncope", "dialysis"}),
        ("on", {"onset"}),  # and not "confused"
        ("ash", {"rash"}),  # no word begins so
        ("set", {"fever"}),  # the abbreviation, and not "onset"
        ("rashes", {"rash"}),  # the model reads both as one word
        ("dialysis rashes", {"dialysis", "rash"}),
        ("no fx", {"no fracture"}),
        ("no zebra", set()),  # and not every denied word
        ("zebra", set()),
        ("", set()),
    ],
)
def test_what_is_asked_for_is_found(model, asked, found):
    rows = search(model, asked)
    assert {row.word for row in rows} == found
    assert [abs(row.weight) for row in rows] == sorted((abs(row.weight) for row in rows), reverse=True)
    for row in rows:
        assert row.weight == model.components[row.topic, model.spellings.index(row.word)]


def test_the_strongest_words_are_found_however_many_begin_alike():
    notes, dispositions, _ = ward(600)
    notes = [f"{note} {'sc'[row % 2]}a{ascii_lowercase[row // 2 % 26]}" for row, note in enumerate(notes)]
    model = TriageModel(5).fit(notes, dispositions).pooled_model_
    strength = dict(zip(model.spellings, np.abs(model.components).max(axis=0), strict=True))
    for first in ("s", "c"):
        found = {row.word for row in search(model, first)}
        left_out = {word for word in strength if word.startswith(first)} - found
        assert min(strength[word] for word in found) >= max(strength[word] for word in left_out)
