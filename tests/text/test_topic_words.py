from __future__ import annotations

from types import MappingProxyType, SimpleNamespace

import numpy as np
import pytest
import scipy.sparse
import Stemmer
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.decomposition import NMF, LatentDirichletAllocation

from sonmf import SONMF
from sonmf.errors import InputError
from sonmf.text import top_documents, top_words
from sonmf.text.lexicon import FILLER, NEGATIONS, STOP
from sonmf.text.topic_words import by_correlation, commonness, correlations, negative_shares

MODEL = SimpleNamespace(components_=np.array([[0.1, -0.7, 0.5, 0.0], [0.3, 0.2, 0.1, 0.4]]))
WORDS = ["a", "b", "c", "d"]


@pytest.mark.parametrize(
    "vocabulary",
    [WORDS, np.array(WORDS), {"d": 3, "b": 1, "a": 0, "c": 2}, MappingProxyType({3: "d", 1: "b", 0: "a", 2: "c"})],
    ids=["list", "array", "columns", "words of columns, as gensim has them"],
)
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
    [
        ((WORDS[:3],), "3 words, but the topics have 4"),
        ((dict.fromkeys(WORDS, 0),), "each of its 4 words a column of its own"),
        (({word: place + 1 for place, word in enumerate(WORDS)},), "counted from 0"),
        ((WORDS, 0), "n=0"),
        ((WORDS, 2.5), "n=2.5 must be a whole number"),
        ((WORDS, 2, ["x"]), "1 names for 2 topics"),
    ],
)
def test_what_does_not_fit_is_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        top_words(MODEL, *arguments)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        (np.ones((5, 3)), "X has 3 words, but the topics have 4: give the documents of the fit"),
        (np.ones((0, 4)), "X has no documents"),
        (np.ones(4), "X has 1 dimensions"),
        (["chest pain", "cough"], "top_words needs a matrix of real numbers"),
        (np.array([[np.nan, 1, 0, 0], [0, 1, 0, 0]]), "X contains NaN"),
    ],
)
def test_documents_that_do_not_fit_are_named(X, message):
    with pytest.raises(ValueError, match=message):
        top_words(MODEL, WORDS, X=X)


def test_one_text_is_no_list_of_filler():
    with pytest.raises(ValueError, match=r"give a list of words, such as \['cough'\]"):
        top_words(MODEL, WORDS, filler="cough")


def test_the_negative_share_is_that_of_each_column():
    assert negative_shares(np.array([[3.0, 3.0, 0.0], [-4.0, 4.0, 0.0]])).tolist() == [16 / 25, 0, 0]


COUNTS = arrays(np.float64, st.tuples(st.integers(2, 12), st.just(4)), elements=st.integers(0, 3).map(float))


@given(COUNTS)
def test_correlations_are_those_of_numpy_and_zero_for_what_is_constant(X):
    Z = X @ MODEL.components_.T
    found = correlations(scipy.sparse.csr_array(X), Z)
    np.testing.assert_allclose(correlations(X, Z), found, atol=1e-12)
    for k, z in enumerate(Z.T):
        for j, x in enumerate(X.T):
            constant = np.ptp(x) == 0 or z.std() < 1e-10
            assert found[k, j] == pytest.approx(0.0 if constant else np.corrcoef(x, z)[0, 1], abs=1e-6)


@given(COUNTS, st.sampled_from([np.uint8, np.int8, np.int64, bool, np.float32]))
def test_the_type_of_the_counts_changes_no_correlation(X, dtype):
    X = (40 * X).astype(dtype)
    Z = X @ MODEL.components_.T
    for counts in (X, scipy.sparse.csr_array(X)):
        np.testing.assert_allclose(correlations(counts, Z), correlations(X.astype(np.float64), Z), atol=1e-3)


def naive_score(X, z, j):
    """Correlation times p^(1/L), word by word: (correlation, score)."""
    words = [sum(x != 0 for x in row) for row in X]
    length = max(sum(words) / len(X), 1.0)
    share = sum(row[j] != 0 for row in X) / len(X)
    r = 0.0 if np.ptp(X[:, j]) == 0 or z.std() < 1e-10 else np.corrcoef(X[:, j], z)[0, 1]
    return r, r * share ** (1 / length)


@given(COUNTS, st.integers(1, 4))
def test_with_documents_words_are_ranked_by_correlation_and_commonness_on_the_side_of_their_weight(X, n):
    F = MODEL.components_
    for k, topic in enumerate(top_words(MODEL, WORDS, n, X=X, least_share=0.0)):
        naive = [naive_score(X, X @ F[k], j) for j in range(4)]
        for side, sign in ((topic.positive, 1), (topic.negative, -1)):
            fitting = [j for j in range(4) if sign * F[k, j] > 0 and sign * naive[j][0] > 1e-6]
            listed = [WORDS.index(word) for word, r in side if abs(r) > 1e-6]
            assert set(listed) <= set(fitting)
            assert len(listed) == min(n, len(fitting))
            assert [abs(naive[j][1]) for j in listed] == pytest.approx(
                sorted((abs(naive[j][1]) for j in fitting), reverse=True)[:n], abs=1e-6
            )
            assert [r for word, r in side if abs(r) > 1e-6] == pytest.approx([naive[j][0] for j in listed], abs=1e-6)


@given(COUNTS)
def test_a_word_in_no_document_names_no_topic_and_the_size_of_x_changes_nothing(X):
    X[:, 2] = 0.0
    named = top_words(MODEL, WORDS, 4, X=X, least_share=0.0)
    assert not {"c"} & {word for topic in named for side in topic[:2] for word, _ in side}
    for one, other in zip(named, top_words(MODEL, WORDS, 4, X=scipy.sparse.csr_array(8.0 * X), least_share=0.0), strict=True):
        for side, same in zip(one[:2], other[:2], strict=True):  # words of the same correlation may change places
            assert dict(side) == pytest.approx(dict(same))
            assert [r for _, r in side] == pytest.approx([r for _, r in same])


def test_in_short_documents_a_rare_word_comes_after_a_common_one_and_in_long_documents_correlation_decides():
    X = np.zeros((40, 4))
    X[:20, 0] = X[:2, 1] = X[20:, 2] = 1.0  # a word of 20 documents, and a word of two of them
    model = SimpleNamespace(components_=np.array([[0.3, 1.5, -0.3, 0.0]]))
    (common, _), (rare, _) = (naive_score(X, X @ model.components_[0], j) for j in (0, 1))
    assert rare > common
    assert top_words(model, WORDS, 1, X=X)[0].positive[0][0] == "a"
    assert commonness(np.hstack([X, np.ones((40, 500))]))[:3].min() > 0.99


@pytest.mark.parametrize("theirs", [NMF(3, random_state=0, max_iter=2000), LatentDirichletAllocation(3, random_state=0)])
def test_a_model_without_negative_weights_is_named_by_its_own_amounts(theirs):
    X = np.random.default_rng(0).poisson(0.5, (60, 8)).astype(float)
    words = list("abcdefgh")
    amounts = theirs.fit(X).transform(X)
    for k, topic in enumerate(top_words(theirs, words, 3, X=X)):
        score = [naive_score(X, amounts[:, k], j)[1] if theirs.components_[k, j] > 0 else 0.0 for j in range(8)]
        assert [word for word, _ in topic.positive] == [words[j] for j in np.argsort(score)[::-1][:3] if score[j] > 0]
        assert topic.negative == []
    assert top_words(theirs, words, 3, X=X.tolist()) == top_words(theirs, words, 3, X=X)


def test_signed_topics_are_named_by_their_projections_even_if_the_model_has_amounts():
    X = np.eye(4)
    signed = SimpleNamespace(components_=MODEL.components_[:1], transform=lambda X: np.zeros((4, 1)))
    assert top_words(signed, WORDS, 2, X=X) == top_words(SimpleNamespace(components_=signed.components_), WORDS, 2, X=X)
    assert top_words(signed, WORDS, 2, X=X)[0].negative[0][0] == "b"
    strange = SimpleNamespace(components_=MODEL.components_[1:], transform=lambda X: X)
    with pytest.raises(ValueError, match=r"returned an array of shape \(4, 4\) and not \(4, 1\)"):
        top_words(strange, WORDS, 2, X=X)


@given(COUNTS, st.floats(0.0, 1.0))
def test_a_negative_side_is_shown_from_a_share_of_the_energy_on(X, least):
    Z = X @ MODEL.components_.T
    ranked = by_correlation(X, MODEL.components_)
    for k, topic in enumerate(top_words(MODEL, WORDS, X=X, least_share=least)):
        energy = (Z[:, k] ** 2).sum()
        share = (Z[Z[:, k] < 0, k] ** 2).sum() / energy if energy else 0.0
        assert topic.negative_share == pytest.approx(share)
        assert bool(topic.negative) == bool(ranked[k].negative and topic.negative_share >= least)
        assert ("of its energy" in str(topic)) == bool(topic.negative)


def test_filler_is_not_listed_and_what_is_hidden_is_told():
    model = SimpleNamespace(components_=np.array([[0.6, 0.5, 0.4, 0.3, -0.2, 0.0, 0.0]]))
    words = ["yr", "fever", "old", "cough", "via", "hx", "gcs"]
    (topic,) = top_words(model, words, 2)
    assert [word for word, _ in topic.positive] == ["fever", "cough"]
    assert topic.hidden == ("yr", "old")
    assert [word for word, _ in topic.negative] == ["via"]  # nothing else is there
    (everything,) = top_words(model, words, 2, filler=())
    assert ([word for word, _ in everything.positive], everything.hidden) == (["yr", "fever"], ())
    (own,) = top_words(model, words, 2, filler=["fever"])
    assert [word for word, _ in own.positive] == ["yr", "old"]


def test_negations_are_filler_where_denied_words_are_marked():
    model = SimpleNamespace(components_=np.array([[0.6, 0.5, 0.4, 0.3, 0.0, 0.0]]))
    assert top_words(model, ["no", "not_days", "not_fever", "yr old", "hx", "gcs"])[0].positive == [("no fever", 0.4)]
    assert top_words(model, ["no", "days", "fever", "yr male", "hx", "yof"])[0].positive == [("no", 0.6), ("fever", 0.4)]


def test_of_the_news_no_word_is_hidden():
    model = SimpleNamespace(components_=np.array([[0.6, 0.5, 0.4, 0.3]]))
    for words in (["year", "note", "prior", "shares"], ["year", "note", "prior", "hx"]):
        (topic,) = top_words(model, words)
        assert ([word for word, _ in topic.positive], topic.hidden) == (words, ())
    (topic,) = top_words(model, ["year", "no", "not_days", "not_shares"])  # where denied words are marked, only the negations
    assert ([word for word, _ in topic.positive], topic.hidden) == (["year", "no days", "no shares"], ("no",))


def test_filler_is_known_by_its_stems_too_and_is_neither_stop_word_nor_negation():
    assert set(Stemmer.Stemmer("english").stemWords(sorted(FILLER))) <= FILLER
    assert not FILLER & NEGATIONS
    assert not FILLER & STOP


def test_documents_with_most_of_a_topic():
    assert top_documents([[0.0, 5], [2, 0], [7, 1], [1, 1]], 0, n=2).tolist() == [2, 1]
    assert top_documents([[0.0], [0.0]], 0).tolist() == []


@pytest.mark.parametrize("vocabulary", ["ab", None, {"a", "b"}, [["a"], ["b"]]])
def test_what_is_no_list_of_words_is_refused_in_a_sentence(vocabulary):
    with pytest.raises(InputError, match="vocabulary must be a list of words"):
        top_words(SimpleNamespace(components_=np.eye(2)), vocabulary)


@pytest.mark.parametrize("model", [SONMF(2), SimpleNamespace(components_=np.ones(3))], ids=["unfitted", "one topic"])
def test_a_model_without_topics_is_refused_in_a_sentence(model):
    with pytest.raises(InputError, match="give a fitted model"):
        top_words(model, ["a", "b", "c"])
