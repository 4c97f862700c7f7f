"""Rows of counts equal those of a dictionary, for notes of a few words and of thousands."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from sonmf.text import features, tokens


@pytest.mark.parametrize("length", [0, 1, 5, 64, 65, 300, 5000])
def test_counts_are_those_of_a_dictionary_in_order(length):
    ids = np.random.default_rng(length).integers(-1, 400, size=(2, length)).astype(np.int32)
    stream = np.concatenate([np.append(note, np.int32(tokens.END_ID)) for note in ids])
    X = features.matrix(stream, 2, 400)
    assert X.indices.dtype == X.indptr.dtype == np.int32
    for row, note in enumerate(ids):
        place = slice(X.indptr[row], X.indptr[row + 1])
        found = dict(zip(X.indices[place].tolist(), X.data[place].tolist(), strict=True))
        assert list(found.items()) == sorted(Counter(note[note >= 0].tolist()).items())
