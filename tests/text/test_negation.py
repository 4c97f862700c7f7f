"""The scope of a negation ends where a clinician would end it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonmf.text import NotesVectorizer
from sonmf.text.lexicon import (
    ENDINGS,
    ENDINGS_AFTER_COMMA,
    LISTING,
    LISTING_WITH_FOR,
    LISTING_WITH_OR,
    NEGATIONS,
    WITHOUT_SCOPE,
)

PHRASES = {
    "a number ends it": [
        "not ~acting ~right x4 days",
        "no ~fever 2 days cough",
        "denies ~cp, ~sob, 84% ra",
        "NO ~LOC 28YOF neck pain",
    ],
    "a word of time ends it": [
        "not ~eating since monday",
        "cannot ~sleep for days",
        "no ~bm today, belly pain",
        "didn't ~walk this morning, fell",
        "no ~seizure last night confused",
    ],
    "denies governs a list": [
        "denies ~fall, ~head ~injury",
        "denied ~loc, ~neck ~pain and ~back ~pain",
        "denies ~cough/~wheezing/~sob",
        "Denies: ~fever, ~chills",
        "denies any ~drugs or ~etoh + ~trauma",
    ],
    "so does negative for, but not negative alone": [
        "neg for ~fever, ~chills, ~sob",
        "negative for ~calf ~pain/~edema",
        "flu swab neg, fever",
        "negative ~stroke ~screen, drowsy",
    ],
    "no governs a list that has an or in it": [
        "no ~fever, ~chills or ~cough",
        "no ~fever, ~chills, or ~cough. vomiting",
        "without ~abdominal ~pain or ~rash",
        "no ~fever, cough",
        "no ~fever, cough x3d or so",
        "no ~fever, now weak or dizzy",
    ],
    "not governs no list": ["not ~responding, fell or tripped", "not ~eating and vomiting", "wont ~drink & vomiting"],
    "what comes next is not denied": [
        "no ~fever but cough",
        "denies ~fever, hx chf",
        "denies ~loc, alert and oriented",
        "denies ~fever, sat 84% ra",
        "denies ~pain has cough",
        "denies ~fever, meds asa",
        "not ~walking due to pain",
        "no ~relief with nebs",
        "no ~relief w/ nebs",
        "no ~meds for pain",
        "pain not ~relieved by tylenol",
        "no ~fever; cough",
        "no ~fever (cough)",
        "no ~fever\ncough",
    ],
    "the same words directly after a negation are denied": [
        "no ~hx of ~chf",
        "no c/o ~pain",
        "not ~alert",
        "not ~able to ~walk",
        "denies having had ~fever",
        "denies ~new ~meds or ~chest ~px",
    ],
    "with and without in shorthand": ["w/o ~cough or ~fever", "cough w/ fever", "cough w/o ~fever, chills"],
    "nothing follows none": ["allergies none, cough", "meds none fever"],
    "a new negation has a scope of its own": ["no ~cp, no ~sob, cough", "denies ~fever, no ~cough, chest pain"],
}


def marked(note):
    """The note with a tilde before each word that is read as denied."""
    vectorizer = NotesVectorizer(min_df=1, negation="mark", stem=False).fit([note, "unicorn"])
    text, at = "", 0
    for start, stop, features in vectorizer.analyse(note).trace:
        denied = any(feature.startswith("not_") for feature in features)
        text += note[at:start] + ("~" if denied else "") + note[start:stop]
        at = stop
    return text + note[at:]


@pytest.mark.parametrize("phrase", [phrase for phrases in PHRASES.values() for phrase in phrases])
def test_what_is_denied_is_what_a_clinician_would_take_as_denied(phrase):
    assert marked(phrase.replace("~", "")) == phrase


CLAUSE = st.lists(
    st.sampled_from(["no", "not", "denies", "neg", "for", "or", "and", "but", "hx", "fever", "cough", "w", "o", ",", "/", "x"])
).map(" ".join)


@given(CLAUSE, CLAUSE, st.sampled_from([". ", "; ", " 4 ", "\n", " (", "? "]))
def test_no_negation_reaches_over_the_end_of_a_clause(before, after, end):
    assert marked(before + end + after) == marked(before) + end + marked(after)


@given(CLAUSE)
def test_nothing_is_denied_before_a_negation(clause):
    assert marked("fever cough hx " + clause).startswith("fever cough hx ")


@given(CLAUSE)
def test_the_word_after_no_is_denied_whatever_came_before(clause):
    assert marked(clause + " no fever").endswith("no ~fever")


def test_the_lists_of_words_belong_together():
    assert LISTING | LISTING_WITH_FOR | LISTING_WITH_OR | WITHOUT_SCOPE <= NEGATIONS
    assert not (ENDINGS | ENDINGS_AFTER_COMMA) & NEGATIONS
