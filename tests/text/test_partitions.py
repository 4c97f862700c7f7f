"""Notes in dask give the words and the matrix of the same notes in memory, and no note leaves its partition."""

from __future__ import annotations

import itertools
import sys

import dask
import dask.array as da
import dask.bag as bag
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from sonmf import SONMF
from sonmf.datasets import make_triage_notes
from sonmf.text import NotesVectorizer
from sonmf.text.partitions import add_counts

NOTES = [None, float("nan"), "", *make_triage_notes(400, random_state=0)["note"], None]
SETTINGS = {
    "default": {},
    "pairs, negation, abbreviations": {
        "ngram_range": (1, 2),
        "negation": "mark",
        "abbreviations": {"sob": "short of breath", "abd": "abdomen"},
        "weighting": "paper-tfidf",
    },
    "a share of the notes, no stems": {"min_df": 0.02, "stem": False, "weighting": "count", "drop_words": ["pain"]},
}


def as_bag(notes):
    return bag.from_sequence(notes, npartitions=11).map(lambda note: note)


def as_series(notes):
    import dask.dataframe as dataframe

    return dataframe.from_pandas(pd.Series(notes), npartitions=3)


def as_table(notes):
    return as_series(notes).to_frame("note")


KINDS = [as_bag, as_series, as_table]


def equal(one, other):
    assert list(one.vocabulary_) == list(other.vocabulary_)
    assert np.array_equal(one.idf_, other.idf_)
    assert one.spelling_ == other.spelling_


def the_same_as_in_memory(kind, parameters):
    here, there = NotesVectorizer(**parameters), NotesVectorizer(**parameters)
    X, Y = here.fit_transform(NOTES), there.fit_transform(kind(NOTES))
    equal(here, there)
    assert isinstance(Y, da.Array)
    assert Y.shape == X.shape
    for wanted, found in ((X, Y), (here.transform(NOTES[::-1]), there.transform(kind(NOTES[::-1])))):
        assert all(block.format == "csr" for block in dask.compute(*found.to_delayed().ravel()))
        assert (found.compute() != wanted).nnz == 0


@pytest.mark.parametrize("parameters", SETTINGS.values(), ids=SETTINGS)
@pytest.mark.parametrize("kind", KINDS)
def test_words_and_matrix_are_those_in_memory(kind, parameters):
    the_same_as_in_memory(kind, parameters)


@pytest.mark.parametrize("kind", KINDS)
def test_words_and_matrix_on_a_cluster_are_those_in_memory(client, kind):
    the_same_as_in_memory(kind, SETTINGS["pairs, negation, abbreviations"])


WORDS = st.sampled_from(["cough", "coughs", "coughing", "no", "fever", "sob", "fevers", "and", "chest", ".", "sobs"])


@given(st.lists(st.lists(WORDS, max_size=6).map(" ".join), max_size=12), st.lists(st.integers(0, 12), max_size=4))
def test_counts_add_up_over_any_split_of_the_notes(notes, cuts):
    vectorizer = NotesVectorizer(ngram_range=(1, 2), negation="mark", abbreviations={"sob": "short of breath"})
    bounds = [0, *sorted(min(cut, len(notes)) for cut in cuts), len(notes)]
    parts = [vectorizer._word_counts(notes[a:b]) for a, b in itertools.pairwise(bounds)]
    whole, total = vectorizer._word_counts(notes), add_counts(parts)
    assert total == whole
    assert list(total.words) == list(whole.words)  # ties between spellings are broken by the order of first appearance


def the_topics_are_those_in_memory():
    model, vectorizer = SONMF(3, max_iter=4, tol=0), NotesVectorizer()
    expected = clone(model).fit(vectorizer.fit_transform(NOTES)).components_
    found = model.fit(clone(vectorizer).fit_transform(as_bag(NOTES))).components_
    assert np.allclose(found, expected, rtol=0, atol=1e-10)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_topics_are_fitted_to_the_blocks():
    the_topics_are_those_in_memory()


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_topics_are_fitted_to_the_blocks_on_a_cluster(client):
    the_topics_are_those_in_memory()


def test_a_matrix_asked_for_later_has_the_words_of_its_own_fit():
    vectorizer = NotesVectorizer()
    X = vectorizer.fit_transform(as_bag(NOTES))
    vectorizer.fit(["cough"] * 5)
    assert X.compute().shape[1] == X.shape[1]


def test_a_partition_may_be_empty():
    notes = bag.from_delayed([dask.delayed(part) for part in (NOTES[:200], [], NOTES[200:])])
    X = NotesVectorizer().fit_transform(notes)
    assert (X.compute() != NotesVectorizer().fit_transform(NOTES)).nnz == 0


def test_a_table_of_one_column_is_its_column():
    frame = pd.DataFrame({"note": NOTES})
    assert (NotesVectorizer().fit_transform(frame) != NotesVectorizer().fit_transform(NOTES)).nnz == 0


def test_bad_notes_are_named_with_their_partition():
    with pytest.raises(ValueError, match="partition 1 of X: note 1 is int, not text"):
        NotesVectorizer().fit(bag.from_sequence(["cough"] * 4 + [3], npartitions=2))
    with pytest.raises(ValueError, match="no word is left: 2 notes"):
        NotesVectorizer().fit(bag.from_sequence(["cough", None], npartitions=2))


@pytest.mark.parametrize("kind", [pd.DataFrame.copy, lambda frame: as_series(NOTES[:2]).to_frame("id").assign(note="")])
def test_a_table_of_several_columns_is_refused(kind):
    table = kind(pd.DataFrame({"id": ["1"], "note": ["cough"]}))
    with pytest.raises(ValueError, match="X is a table with the columns id, note: give the column with the notes"):
        NotesVectorizer().fit(table)


def test_notes_in_memory_import_no_dask(monkeypatch):
    for name in ["dask", *(name for name in sys.modules if name.startswith(("dask.", "distributed")))]:
        monkeypatch.setitem(sys.modules, name, None)  # importing it fails
    assert NotesVectorizer(min_df=1).fit(["chest pain", "cough"]).transform(["cough"]).shape == (1, 3)
