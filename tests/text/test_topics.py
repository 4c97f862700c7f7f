from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from sonmf.text import top_documents, top_words

MODEL = SimpleNamespace(components_=np.array([[0.1, -0.7, 0.5, 0.0], [0.3, 0.2, 0.1, 0.4]]))
WORDS = ["a", "b", "c", "d"]


@pytest.mark.parametrize("vocabulary", [WORDS, np.array(WORDS), {"d": 3, "b": 1, "a": 0, "c": 2}])
def test_words_on_both_sides_strongest_first(vocabulary):
    first, second = top_words(MODEL, vocabulary, 2, labels=["one", "two"])
    assert first.positive == [("c", 0.5), ("a", 0.1)]
    assert first.negative == [("b", -0.7)]
    assert second.positive == [("d", 0.4), ("a", 0.3)]
    assert second.negative == []
    assert str(first) == "one: + c a  - b"
    assert str(second) == "two: + d a"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((WORDS[:3],), "3 words, but the topics have 4"), ((WORDS, 0), "n=0"), ((WORDS, 2, ["x"]), "1 names for 2 topics")],
)
def test_what_does_not_fit_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        top_words(MODEL, *arguments)


def test_documents_with_most_of_a_topic():
    assert top_documents([[0.0, 5], [2, 0], [7, 1], [1, 1]], 0, n=2).tolist() == [2, 1]
    assert top_documents([[0.0], [0.0]], 0).tolist() == []
