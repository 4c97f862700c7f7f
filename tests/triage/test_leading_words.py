"""A model holds no notes, but it knows which words tell the meaning of its topics."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec import structs

from sonmf.datasets import make_triage_notes
from sonmf.text import NotesVectorizer, top_words
from sonmf.text.lexicon import FILLER, NEGATIONS
from sonmf.text.topic_words import LEAST_SHARE, MOST
from sonmf.triage import TriageModel, model_report


@pytest.fixture(scope="module")
def patients():
    return make_triage_notes(700, complaints=["Fever"], random_state=1)


@pytest.fixture(scope="module")
def model(patients):
    return TriageModel(12).fit(patients["note"], patients["disposition"])


@pytest.mark.parametrize("n", [2, 10, MOST])
@pytest.mark.parametrize("filler", [None, ()])
def test_its_words_are_those_that_the_training_notes_give(model, patients, n, filler):
    one = model.pooled_model_
    one_like = type("", (), {"components_": one.components})
    expected = top_words(one_like, one.marked_spellings, n, X=one.vectorizer.transform(patients["note"]), filler=filler)
    for topic, wanted in zip(one.topics(n, filler), expected, strict=True):
        assert [[word for word, _ in side] for side in topic[:2]] == [[word for word, _ in side] for side in wanted[:2]]
        assert topic.hidden == wanted.hidden
        np.testing.assert_allclose([r for _, r in topic.positive], [r for _, r in wanted.positive], atol=1e-4)


def test_a_file_keeps_them(model, tmp_path):
    model.save(tmp_path / "m.sonmf")
    assert TriageModel.load(tmp_path / "m.sonmf").pooled_model_.topics(MOST) == model.pooled_model_.topics(MOST)


def test_what_is_said_of_the_words_holds_for_these_words(model, patients):
    as_written = TriageModel(3, vectorizer=NotesVectorizer()).fit(patients["note"], patients["disposition"])
    for fitted, marked in ((model, True), (as_written, False)):
        one = fitted.pooled_model_
        assert ("denies it" in model_report.about_words(one)) == marked == any(word.startswith("not_") for word in one.words)
        assert "is not listed" in model_report.about_words(one)
        assert "is not listed" not in model_report.about_words(one, all_words=True)


def test_no_filler_names_a_topic_and_denied_words_are_told_apart(model):
    names = [word for name in model.pooled_model_.names for word in name.split("/")]
    assert not (FILLER | NEGATIONS) & set(names)
    assert any(name.startswith("no ") for name in names)
    assert not any("not_" in name for name in names)
    assert all(model.pooled_model_.names)


def test_a_topic_of_no_word_has_a_name_all_the_same(model):
    one = model.pooled_model_
    kept = one.record.leading_words
    nothing = kept[3]._replace(positive=[])
    record = structs.replace(one.record, leading_words=[*kept[:3], nothing, *kept[4:]])
    assert structs.replace(one, record=record).names[3] == "topic 3"


def test_a_report_tells_the_share_of_a_negative_side_and_what_is_not_listed(model):
    told = {topic.number: topic for topic in model_report.topics(model.pooled_model_)}
    topics = model.pooled_model_.topics(model_report.WORDS)
    assert any(topic.hidden for topic in topics)
    assert len({topic.negative_share >= LEAST_SHARE for topic in topics}) == 2  # else nothing below would mean anything
    for k, topic in enumerate(topics):
        text = " ".join(told[k].about)
        assert f"{topic.negative_share:.1%} of its energy" in text
        assert ("not listed" in text.partition("Filler")[0]) == (topic.negative_share < LEAST_SHARE)
        assert all(word in text for word in topic.hidden)
