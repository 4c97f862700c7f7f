"""Tokens, their places and their counts equal those of naive versions, one note or one letter at a time."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sonmf.text import note_reader, tokens

LETTERS = "a-z\u0080-\ud7ff\ue000-\U0010ffff"  # half a surrogate pair cannot be encoded, so it is not a letter
BETWEEN = re.compile(f"[{re.escape(tokens.BREAK_MARKS)}\ud800-\udfff]"), re.compile(f"[{re.escape(tokens.COMMA_MARKS)}]")


def naive_stream(note):
    """Words with their start and stop, and what separates them, by regular expressions over the note in lower case."""
    text = note.lower().replace("\u2019", "'")
    origin = [place for place, letter in enumerate(note) for _ in letter.lower()]  # some letters become two
    found, at = [], 0
    for word in re.finditer(f"[{LETTERS}][{LETTERS}']*", text):
        kinds = [kind for kind, marks in zip("bc", BETWEEN, strict=True) if marks.search(text, at, word.start())]
        found += kinds[:1]
        found.append((word.group().replace("'", ""), origin[word.start()], origin[word.end() - 1] + 1))
        at = word.end()
    return [*found, "b", "end"]


@given(st.text(max_size=40) | st.text(alphabet="abX'\u2019İßéΣ .,;&7\n\0\ud800😀-/", max_size=30))
def test_places_are_those_of_the_naive_version_and_ids_those_of_many_notes(note):
    found, places = tokens.read_with_places(note)
    together = tokens.read([note])
    assert np.array_equal(found.ids, together.ids)
    assert found.names == together.names
    rest = iter(places)
    marks = {tokens.BREAK_ID: "b", tokens.COMMA_ID: "c", tokens.END_ID: "end"}
    shown = [marks[i] if i < 0 else (found.names[i], *next(rest)[:2]) for i in found.ids.tolist()]
    assert shown == naive_stream(note)
    assert [token for _, _, token in places] == [found.names[i] for i in found.ids if i >= 0]


@pytest.mark.parametrize("length", [0, 1, 5, 64, 65, 300, 5000])
def test_counts_are_those_of_a_dictionary_in_order(length):
    ids = np.random.default_rng(length).integers(-1, 400, size=(2, length)).astype(np.int32)
    stream = np.concatenate([np.append(note, np.int32(tokens.END_ID)) for note in ids])
    X = note_reader.count_matrix(stream, 2, 400)
    assert X.indices.dtype == X.indptr.dtype == np.int32
    for row, note in enumerate(ids):
        place = slice(X.indptr[row], X.indptr[row + 1])
        found = dict(zip(X.indices[place].tolist(), X.data[place].tolist(), strict=True))
        assert list(found.items()) == sorted(Counter(note[note >= 0].tolist()).items())
