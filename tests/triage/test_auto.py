"""As many topics as the notes of each complaint hold: found by the fit, kept in the file, told in a sentence."""

from __future__ import annotations

import numpy as np
import pytest
import torture_model_file as torture
from wards import KINDS, beside, ward

from sonmf import SONMF, select_rank
from sonmf.triage import TriageModel, evaluate, model_report
from sonmf.triage.inputs import CANDIDATES, topic_numbers


@pytest.fixture(scope="module")
def told():
    """What progress is told while ``model`` is fitted."""
    return []


@pytest.fixture(scope="module")
def model(told):
    notes, dispositions, complaints = ward(700)
    model = TriageModel(n_topics="auto", kinds=KINDS, own_models="always")
    return model.fit(notes, dispositions, complaints, beside(dispositions), progress=lambda *heard: told.append(heard))


def test_progress_is_told_of_every_fit_that_compares_numbers_and_ends_at_its_total(model, told):
    done, totals, _ = zip(*told, strict=True)
    assert done == tuple(range(1, totals[0] + 1))
    assert set(totals) == {len(model.by_name_) * (4 * len(CANDIDATES) + 1)}


def test_every_complaint_has_the_number_that_select_rank_finds_in_its_words(model):
    notes, _, complaints = ward(700)
    for name, one in model.models_.items():
        X = one.vectorizer.transform([note for note, its in zip(notes, complaints, strict=True) if its == name])
        possible = [k for k in CANDIDATES if k <= min(X.shape) // 2]
        assert one.n_topics == select_rank(SONMF(random_state=0), X, possible, random_state=0).rank
        assert [row.n_topics for row in one.record.ranks] == possible


def test_a_file_keeps_how_the_number_was_found(model, tmp_path):
    model.save(tmp_path / "model.sonmf")
    loaded = TriageModel.load(tmp_path / "model.sonmf")
    assert loaded.n_topics == "auto"
    assert loaded.models_["Cough"].record == model.models_["Cough"].record
    assert loaded.tried_ == model.tried_ == sorted({one.n_topics for one in model.by_name_.values()})


def test_a_file_whose_number_was_not_tried_is_refused(model, tmp_path):
    path = tmp_path / "model.sonmf"
    model.save(path)

    def other(header):
        for row in header["complaints"][0]["record"]["ranks"]:
            row["n_topics"] += 1000
        return header

    path.write_bytes(torture.changed(path.read_bytes(), other))
    with pytest.raises(ValueError, match="its number of topics was not tried"):
        TriageModel.load(path)


def test_a_sentence_says_what_the_number_means(model):
    one = model.models_["Cough"]
    assert model_report.how_many(one).startswith(f"{one.n_topics} topic")
    notes, dispositions, _ = ward(300)
    given = TriageModel(n_topics=3).fit(notes, dispositions)
    assert model_report.how_many(given.pooled_model_) == ""
    assert given.tried_ == [3]


@pytest.mark.parametrize("note", ["cough", "cough fever"])
@pytest.mark.parametrize("share", [2, 1])
def test_words_that_leave_nothing_to_compare_have_the_topics_of_any_fit(note, share):
    """A single word, and words that are in every note and so weigh nothing."""
    outcomes = np.where(np.arange(60) % 3, "discharged", "admitted")
    notes = [note if i % share == 0 else "" for i in range(60)]
    model = TriageModel(n_topics="auto", measurements=False).fit(notes, outcomes)
    if note == "cough" or share == 1:
        assert model_report.how_many(model.pooled_model_) == ""
    assert 1 <= model.pooled_model_.n_topics <= len(note.split())


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda *ward: TriageModel(n_topics="many").fit(*ward), "n_topics='many' must be a number, several numbers, or 'auto'"),
        (lambda *ward: TriageModel("auto", "binary-sonmf").fit(*ward), "'auto' is not for method='binary-sonmf'"),
        (lambda *ward: evaluate(*ward, n_topics="auto"), "n_topics='auto' is for a fit"),
    ],
)
def test_what_auto_is_not_for_is_refused(call, words):
    with pytest.raises(ValueError, match=words):
        call(*ward(100)[:2])


def test_an_array_of_numbers_is_no_word():
    assert topic_numbers(np.array([3, 5])) == [3, 5]
