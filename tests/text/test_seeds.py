"""A topic that is asked for by words: it has them, it stays, and a word that nobody writes is refused with those near it."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfTransformer, TfidfVectorizer
from sklearn.metrics import roc_auc_score
from sklearn.pipeline import make_pipeline

from sonmf import SONMF
from sonmf.datasets import make_triage_notes
from sonmf.errors import InputError
from sonmf.text import NotesVectorizer, seed_topics, top_words


@pytest.fixture(scope="module")
def corpus():
    notes = make_triage_notes(1500, complaints=["Cough"], random_state=0)["note"]
    vectorizer = NotesVectorizer(negation="mark")
    return vectorizer, vectorizer.fit_transform(notes)


def test_a_topic_is_the_mean_of_the_notes_with_its_words_less_that_of_all(corpus):
    vectorizer, X = corpus
    (f,) = seed_topics(["fever chills"], vectorizer, X).components
    A, words = X.toarray(), list(vectorizer.get_feature_names_out())
    hits = sum((A[:, words.index(word)] > 0).astype(float) for word in ("fever", "chill"))
    naive = hits @ A / hits.sum() - A.mean(axis=0)
    assert np.allclose(f, naive / np.linalg.norm(naive))


def test_several_are_orthonormal_and_each_stays_near_its_own_words(corpus):
    vectorizer, X = corpus
    given = ["fever chills", "wheezing inhaler", "smoker copd"]
    together = seed_topics(given, vectorizer, X)
    alone = np.vstack([seed_topics([one], vectorizer, X).components for one in given])
    assert together.words == given
    assert np.allclose(together.components @ together.components.T, np.eye(3), atol=1e-12)
    cosines = together.components @ alone.T
    assert (cosines.argmax(axis=1) == np.arange(3)).all()
    order = seed_topics(given[::-1], vectorizer, X)
    assert np.allclose(order.components[::-1], together.components)  # none comes first


def test_after_the_fit_the_topic_still_finds_the_notes_with_its_words(corpus):
    vectorizer, X = corpus
    seeds = seed_topics(["fever chills", "wheezing inhaler"], vectorizer, X)
    model = SONMF(8, fixed_components=seeds.components).fit(X)
    topics = top_words(model, vectorizer.get_feature_names_out(), 10, X=X)
    for k, seed in enumerate(seeds.words):
        columns = vectorizer.transform([seed]).indices
        assert (model.components_[k][columns] > 0).all()
        assert {str(vectorizer.get_feature_names_out()[j]) for j in columns} & {word for word, _ in topics[k].positive}
        has_them = np.asarray((X[:, columns] > 0).sum(axis=1)).ravel() > 0
        assert roc_auc_score(has_them, X @ model.components_[k]) > 0.9


def test_a_denied_word_is_a_word_of_its_own(corpus):
    vectorizer, X = corpus
    denied, reported = (seed_topics([seed], vectorizer, X).components[0] for seed in ("no fever", "fever"))
    column = list(vectorizer.get_feature_names_out()).index("not_fever")
    assert denied[column] > 0 > reported[column]


@pytest.mark.parametrize(
    ("seeds", "message"),
    [
        (["fever wheezzing"], "seed word 'wheezzing' is in too few notes, or in none: the nearest words that count are .*heez"),
        (["xqzvkj"], "'xqzvkj'.*try another word"),
        (["of the"], "'of the' has no word that counts"),
        (["fever", "fevers"], "'fever' and 'fevers' are in the same notes"),
        (
            ["fever", "chills", "fever chills"],
            r"'fever chills' says only what the seeds before it say together \(fever, chills\)",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(corpus, seeds, message):
    with pytest.raises(ValueError, match=message) as refusal:
        seed_topics(seeds, *corpus)
    assert len(str(refusal.value)) < 200


def test_where_nothing_is_strict_unknown_words_are_passed_over(corpus):
    vectorizer, X = corpus
    found = seed_topics(["xqzvkj", "fever xqzvkj"], vectorizer, X, strict=False)
    assert found.words == ["fever xqzvkj"]
    assert np.allclose(found.components, seed_topics(["fever"], vectorizer, X).components)
    assert seed_topics(["xqzvkj"], vectorizer, X, strict=False).components.shape == (0, X.shape[1])
    repeated = seed_topics(["fever", "fevers", "chills", "fever chills"], vectorizer, X, strict=False)
    assert repeated.words == ["fever", "chills"]
    assert np.array_equal(repeated.components, seed_topics(["fever", "chills"], vectorizer, X).components)


def test_topics_do_not_depend_on_the_order_of_the_notes(corpus):
    vectorizer, X = corpus
    seeds = ["fever", "chills", "wheezing inhaler", "smoker copd"]
    order = np.random.default_rng(0).permutation(X.shape[0])
    assert np.allclose(seed_topics(seeds, vectorizer, X[order]).components, seed_topics(seeds, vectorizer, X).components)


@pytest.mark.parametrize(
    "vectorizer",
    [
        CountVectorizer(),
        TfidfVectorizer(ngram_range=(1, 2)),
        HashingVectorizer(n_features=256, alternate_sign=False),
        make_pipeline(CountVectorizer(), TfidfTransformer()),
    ],
)
def test_any_vectoriser_of_scikit_learn_serves(vectorizer):
    notes = make_triage_notes(300, complaints=["Cough"], random_state=0)["note"]
    X = vectorizer.fit_transform(notes)
    seeds = seed_topics(["fever", "cough"], vectorizer, X)
    assert np.allclose(seeds.components @ seeds.components.T, np.eye(2))
    (place,) = vectorizer.transform(["fever"]).indices
    assert seeds.components[0, place] > 0.1
    if not isinstance(vectorizer, HashingVectorizer):
        with pytest.raises(
            InputError, match=r"'feverr' is in too few notes, or in none: the nearest words that count are .*fever"
        ):
            seed_topics(["feverr"], vectorizer, X)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil"])
def test_a_sparse_matrix_may_have_any_form(corpus, form):
    vectorizer, X = corpus
    found = seed_topics(["fever chills"], vectorizer, X.asformat(form)).components
    assert np.allclose(found, seed_topics(["fever chills"], vectorizer, X).components)


def test_a_word_that_only_a_hash_knows_is_refused_or_passed_over():
    notes = make_triage_notes(300, complaints=["Cough"], random_state=0)["note"]
    vectorizer = HashingVectorizer(n_features=2**18)
    X = vectorizer.fit_transform(notes)
    with pytest.raises(InputError, match="the seed 'xqzvkj' has no word that counts"):
        seed_topics(["fever", "xqzvkj"], vectorizer, X)
    assert seed_topics(["fever", "xqzvkj"], vectorizer, X, strict=False).words == ["fever"]


def test_an_analyser_may_make_something_else_than_words():
    notes = make_triage_notes(300, complaints=["Cough"], random_state=0)["note"]
    vectorizer = CountVectorizer(analyzer=lambda note: [(word, len(word)) for word in note.lower().split()])
    X = vectorizer.fit_transform(notes)
    assert seed_topics(["fever"], vectorizer, X).components.shape == (1, X.shape[1])
    with pytest.raises(InputError, match="the seed 'xqzvkj' has no word that counts"):
        seed_topics(["xqzvkj"], vectorizer, X)


def test_words_may_be_given_one_by_one(corpus):
    one_by_one = seed_topics([["fever", "chills"], "smoker copd"], *corpus)
    assert one_by_one.words == ["fever chills", "smoker copd"]
    assert np.array_equal(one_by_one.components, seed_topics(["fever chills", "smoker copd"], *corpus).components)
    with pytest.raises(InputError, match=r"give the words alone, list\(seeds\.values\(\)\)"):
        seed_topics({"infection": ["fever", "chills"]}, *corpus)


def test_one_text_and_an_x_of_other_words_are_refused(corpus):
    vectorizer, X = corpus
    with pytest.raises(InputError, match=r"'fever chills' is one text: .* such as \['fever chills'\]"):
        seed_topics("fever chills", vectorizer, X)
    for other in (X.toarray(), X[:, :9]):
        with pytest.raises(InputError, match=r"X is not what this vectoriser makes of notes: give X = NotesVectorizer"):
            seed_topics(["fever"], vectorizer, other)
