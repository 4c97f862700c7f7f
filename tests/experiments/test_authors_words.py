from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from sonmf.datasets import read_altered_consciousness
from sonmf.experiments import authors_words

DATA = Path(__file__).parents[2].parent / "shared/data/altered_consciousness"
RESERVED = {"break", "function", "next", "repeat"}  # words of R's own language, which R writes with a dot as names of columns


def words(note):
    return authors_words.words_of(note, authors_words.stemmer())


@pytest.mark.parametrize(
    ("note", "found"),
    [
        ("C/O nausea", ["usea"]),  # NA goes, also inside a word
        ("Pt ALERT, lt arm", ["aleright", "left", "arm"]),
        ("abdo pain, worse", ["abdomin", "pain", "worsen"]),
        ("doesn't respond x3 to O2", ["doesnt", "respond"]),
        ("N/V/D since the evening", ["sinc", "even"]),
        ("?? 12:30 ++", []),
    ],
)
def test_notes_are_distorted_as_the_authors_distorted_them(note, found):
    assert words(note) == found


@given(st.lists(st.text("abc ", max_size=40), min_size=1, max_size=8))
def test_counts_and_weights_are_those_of_the_naive_formulas(notes):
    counted, names = authors_words.counts(notes)
    table = [words(note) for note in notes]
    assert names == sorted({word for note in table for word in note})
    naive = np.array([[note.count(name) for name in names] for note in table], float).reshape(len(notes), len(names))
    np.testing.assert_array_equal(counted.toarray(), naive)
    df = (naive > 0).sum(axis=0)
    np.testing.assert_allclose(authors_words.weighted(counted).toarray(), naive * np.log2(len(notes) / df))
    np.testing.assert_array_equal(authors_words.present(counted).toarray(), naive > 0)


@pytest.mark.data
def test_on_the_papers_notes_words_and_weights_are_those_of_the_authors_script():
    oracle = scipy.sparse.load_npz(DATA / "paper_matrix.npz")
    theirs = [
        word.removesuffix(".") if word[:-1] in RESERVED else word for word in (DATA / "paper_words.txt").read_text().split()
    ]
    counted, names = authors_words.counts(read_altered_consciousness(DATA / "triage.csv.gz")["note"])
    assert names == sorted(theirs)
    in_order = oracle[:, np.argsort(theirs)]
    assert abs(authors_words.weighted(counted) - in_order).max() < 1e-12
