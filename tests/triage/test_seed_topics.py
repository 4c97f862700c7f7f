"""Topics that are asked for by words: first in every model, kept in the file, marked where topics are shown."""

from __future__ import annotations

import numpy as np
import pytest
from wards import ward

from sonmf.text import seed_topics
from sonmf.triage import TriageModel, evaluate, model_report

SEEDS = ["sore throat", "syncope"]


@pytest.fixture(scope="module")
def model():
    notes, dispositions, complaints = ward(700)
    return TriageModel(n_topics=6, seed_topics=SEEDS).fit(notes, dispositions, complaints)


def test_they_are_the_first_topics_of_every_complaint_that_has_the_words(model):
    notes, _, complaints = ward(700)
    for name, one in model.by_name_.items():
        X = one.vectorizer.transform([note for note, its in zip(notes, complaints, strict=True) if name in ("", its)])
        seeds = seed_topics(SEEDS, one.vectorizer, X, strict=False)
        assert one.record.seeds == seeds.words
        assert np.allclose(one.components[: len(seeds.words)], seeds.components, atol=1e-10)
        assert np.allclose(one.components @ one.components.T, np.eye(6), atol=1e-10)
    assert model.pooled_model_.record.seeds == SEEDS


def test_the_file_keeps_them(model, tmp_path):
    path = tmp_path / "model.sonmf"
    model.save(path)
    again = TriageModel.load(path)
    assert again.seed_topics == SEEDS
    assert [one.seeds for one in again.by_name_.values()] == [one.seeds for one in model.by_name_.values()]
    assert again.pooled_model_.names[:2] == SEEDS


def test_the_report_says_of_each_what_it_is(model):
    one = model.pooled_model_
    told = {row.number: " ".join(row.about) for row in model_report.topics(one)}
    assert "Asked for by the words sore throat." in told[0]
    assert "Asked for" not in told[2]
    assert "0: sore throat; 1: syncope" in model_report.about_seeds(one)


def test_auto_leaves_room_for_them():
    notes, dispositions, _ = ward(700)
    model = TriageModel(n_topics="auto", seed_topics=SEEDS).fit(notes, dispositions)
    assert model.pooled_model_.n_topics >= 2
    assert model.pooled_model_.record.seeds == SEEDS


def test_an_evaluation_makes_them_anew_in_each_fold_and_says_so(model):
    notes, dispositions, _ = ward(300)
    settings = {"methods": ["sonmf", "nmf"], "n_topics": 4, "folds": 2, "processes": 1}
    seeded, plain = (evaluate(notes, dispositions, **settings, seed_topics=seeds) for seeds in (SEEDS, None))
    auroc = [[row["auroc"] for row in found.summary() if row["method"] == "nmf"] for found in (seeded, plain)]
    assert auroc[0] == auroc[1]
    assert seeded.settings.seed_topics == SEEDS
    assert seeded.summary() != plain.summary()


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"seed_topics": ["fever feverr"]}, "'feverr' is in too few notes.*fever"),
        ({"seed_topics": "sore throat"}, "give a list"),
        ({"seed_topics": [" "]}, "give a list"),
        ({"seed_topics": SEEDS, "method": "nmf"}, "method='nmf' cannot keep a topic"),
        ({"seed_topics": SEEDS, "n_topics": 1}, "n_topics=1 leaves no room for 2 seed topics"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(parameters, message):
    notes, dispositions, _ = ward(300)
    with pytest.raises(ValueError, match=message) as refusal:
        TriageModel(**{"n_topics": 4} | parameters).fit(notes, dispositions)
    assert len(str(refusal.value)) < 200
