from __future__ import annotations

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline

from sonmf import SONMF
from sonmf.errors import InputError
from sonmf.text import NotesVectorizer, tokens
from sonmf.text.lexicon import NEGATIONS, STOP

NOTES = [
    "28YOF c/o CHEST PAIN, denies SOB. Pain x2 days",
    "Chest pains; no fever, doesn't smoke",
    None,
    "fever and cough 3/7, coughing at night",
    float("nan"),
    "cough without fever",
    "",
]


def features(**parameters):
    vectorizer = NotesVectorizer(**{"min_df": 1, "weighting": "count"} | parameters)
    X = vectorizer.fit_transform(NOTES)
    return vectorizer, X


def naive_tokens(note):
    """The rules again, by regular expressions, one note at a time."""
    text = note.lower().replace("\u2019", "'").replace("\0", " ")
    return [w.replace("'", "") for w in re.findall(r"[a-z\u0080-\U0010ffff][a-z'\u0080-\U0010ffff]*", text)]


@given(notes=st.lists(st.text(alphabet="abcXYZ'\u2019 .,;0189\n\0éß-/", max_size=30), max_size=12))
def test_the_tokeniser_is_its_naive_version(notes):
    stream = tokens.read(notes)
    split, current = [], []
    for i in stream.ids:
        if i == tokens.END_ID:
            split.append(current)
            current = []
        elif i >= 0:
            current.append(stream.names[i])
    assert split == [naive_tokens(note) for note in notes]
    assert current == []
    assert len(set(stream.names)) == len(stream.names)


def test_chunks_do_not_matter(monkeypatch):
    whole = tokens.read([str(note) for note in NOTES] * 50)
    monkeypatch.setattr(tokens, "CHUNK", 64)
    pieces = tokens.read([str(note) for note in NOTES] * 50)
    assert whole.names == pieces.names
    assert np.array_equal(whole.ids, pieces.ids)


@given(st.lists(st.lists(st.sampled_from(["cough", "fever", "chest", "ankle", "pain"]), max_size=8), min_size=1, max_size=10))
def test_counts_are_those_of_scikit_learn(documents):
    notes = [" ".join(words) for words in documents]
    if not any(notes):
        return
    ours = NotesVectorizer(min_df=1, weighting="count", stem=False)
    theirs = CountVectorizer()
    X, Y = ours.fit_transform(notes), theirs.fit_transform(notes)
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())
    assert np.array_equal(X.toarray(), Y.toarray())
    for low, high in ((1, 2), (2, 2)):
        theirs = CountVectorizer(ngram_range=(low, high))
        try:
            Y = theirs.fit_transform(notes)
        except ValueError:  # no pair in any note
            continue
        ours = NotesVectorizer(min_df=1, weighting="count", stem=False, ngram_range=(low, high))
        assert np.array_equal(ours.fit_transform(notes).toarray(), Y.toarray())
        assert np.array_equal(ours.transform(notes).toarray(), Y.toarray())


def test_numbers_stop_words_and_forms_go_negations_stay():
    vectorizer, X = features()
    words = set(vectorizer.get_feature_names_out())
    assert {"chest", "pain", "fever", "cough", "yof", "no", "without", "deni"} <= words
    assert not words & {"and", "at", "pains", "28", "x2", "28yof", "coughing"}
    assert X.shape == (7, len(words))
    assert X[[2, 4, 6]].nnz == 0
    assert X[3, vectorizer.vocabulary_["cough"]] == 2  # cough and coughing
    assert not STOP & NEGATIONS


def test_negated_words_are_features_of_their_own():
    vectorizer, X = features(negation="mark")
    row = lambda i: {w for w, j in vectorizer.vocabulary_.items() if X[i, j]}  # noqa: E731
    assert {"chest", "pain", "deni", "not_sob"} <= row(0)  # the full stop ends the scope: the second "pain" is plain
    assert "not_pain" not in row(0)
    assert {"not_fever", "not_smoke", "chest"} <= row(1)
    assert {"cough", "not_fever"} <= row(5)
    assert "fever" not in row(5)
    far = NotesVectorizer(min_df=1, negation="mark", stem=False).fit(["no uno two three four five six seven"])
    assert {"not_six", "seven"} <= set(far.vocabulary_)


def test_abbreviations_may_stand_for_several_words():
    vectorizer, X = features(abbreviations={"SOB": "short breath", "yof": "woman"}, stem=False)
    words = vectorizer.vocabulary_
    assert {"short", "breath", "woman"} <= set(words)
    assert not {"sob", "yof"} & set(words)
    assert X[0, words["short"]] == X[0, words["breath"]] == X[0, words["woman"]] == 1
    assert np.array_equal(vectorizer.transform(NOTES).toarray(), X.toarray())


def test_words_that_leak_the_outcome_can_be_dropped_with_all_their_forms():
    notes = ["admitted for cough", "admit after fall", "admission cough"] * 2
    kept = set(NotesVectorizer(min_df=1, drop_words=["admit", "admission"]).fit(notes).vocabulary_)
    assert kept == {"cough", "fall"}


def test_rare_words_are_left_out_by_default():
    notes = ["cough"] * 5 + ["zebra"] * 4
    assert set(NotesVectorizer().fit(notes).vocabulary_) == {"cough"}
    assert set(NotesVectorizer(min_df=0.4).fit(notes).vocabulary_) == {"cough", "zebra"}


def test_weightings_are_their_formulas():
    _, counts = features()
    C = counts.toarray()
    with np.errstate(divide="ignore"):
        paper = C * np.log2(len(C) / (C > 0).sum(axis=0))
    length = np.linalg.norm(paper, axis=1, keepdims=True)
    expected = {"count": C, "binary": C > 0, "paper-tfidf": paper, "tfidf": paper / np.where(length > 0, length, 1)}
    for weighting, wanted in expected.items():
        vectorizer, X = features(weighting=weighting)
        assert np.allclose(X.toarray(), wanted), weighting
        assert np.allclose(vectorizer.transform(NOTES).toarray(), wanted), weighting


def test_new_notes_are_weighted_by_the_notes_of_the_fit():
    vectorizer, _ = features(weighting="paper-tfidf")
    row = vectorizer.transform(["cough cough zebra"])
    j = vectorizer.vocabulary_["cough"]
    assert row[0, j] == 2 * vectorizer.idf_[j]
    assert row.nnz == 1
    assert vectorizer.unknown_words("cough zebra, and 12 no unicorns") == ["zebra", "unicorns"]
    marked, _ = features(negation="mark")
    assert marked.unknown_words("zebra, no unicorns, chest") == ["zebra", "no unicorns"]  # as people write it


def test_it_stands_in_a_pipeline_and_takes_a_series():
    frame = pd.Series(NOTES * 3, dtype="object")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        amounts = make_pipeline(NotesVectorizer(min_df=2), SONMF(2)).fit_transform(frame)
    assert amounts.shape == (21, 2)
    assert clone(NotesVectorizer(min_df=2)).get_params()["min_df"] == 2
    assert np.array_equal(
        *(NotesVectorizer(min_df=1).fit_transform(n).toarray() for n in (NOTES, pd.Series(NOTES, dtype="string")))
    )


@pytest.mark.parametrize(
    ("parameters", "notes", "message"),
    [
        ({}, "one string", "X is one string"),
        ({}, ["fine", 3], "note 1 is int, not text"),
        ({}, [], "no word is left: 0 notes"),
        ({}, ["and the", None], "no word is left.*lower min_df"),
        ({"ngram_range": (2, 3)}, NOTES, "ngram_range"),
        ({"weighting": "bm25"}, NOTES, "'weighting'"),
        ({"min_df": -1}, NOTES, "'min_df'"),
    ],
)
def test_bad_input_is_named(parameters, notes, message):
    with pytest.raises(InputError, match=message):
        NotesVectorizer(**parameters).fit(notes)


HARD = st.text(alphabet="aA3:+\u0130\u03a3\u03c3\u03c2\u1e9e\u2019' .,;\0\ud800xnot") | st.text()


@given(st.lists(HARD, max_size=4), st.sampled_from([None, "mark"]), st.sampled_from([(1, 1), (1, 2), (2, 2)]))
def test_a_note_alone_is_read_as_among_others(notes, negation, ngram_range):
    """Else an explanation would not add up to its forecast."""
    settings = {"negation": negation, "ngram_range": ngram_range, "stem": False, "stop_words": (), "min_df": 1}
    vectorizer = NotesVectorizer(**settings).fit([*notes, "no fever and cough"])
    for note, row in zip(notes, vectorizer.transform(notes), strict=True):
        found = vectorizer.analyse(note)
        assert (found.row.toarray()[0] == row.toarray()).all()
        assert all(0 <= start < stop <= len(note) for start, stop, _ in found.trace)


def test_transform_needs_a_fit():
    with pytest.raises(NotFittedError):
        NotesVectorizer().transform(NOTES)
