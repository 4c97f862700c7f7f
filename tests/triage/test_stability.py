"""Which topics would come back with other patients: computed by the fit, kept in the file, told by the report."""

from __future__ import annotations

import pytest
import torture_model_file as torture
from wards import ward

from sonmf import stability
from sonmf.triage import TriageModel, model_report
from sonmf.triage.factorisations import METHODS
from sonmf.triage.strict_json import as_json

REPLICATES = 3


@pytest.fixture(scope="module")
def steps():
    return []


@pytest.fixture(scope="module")
def model(steps):
    notes, dispositions, complaints = ward(700)
    model = TriageModel(n_topics=6, own_models="always")
    return model.fit(notes, dispositions, complaints, stability=REPLICATES, progress=lambda *step: steps.append(step))


def test_the_scores_are_those_of_the_bootstrap(model):
    notes, _, complaints = ward(700)
    one = model.models_["Cough"]
    X = one.vectorizer.transform([note for note, name in zip(notes, complaints, strict=True) if name == "Cough"])
    fitted = METHODS["sonmf"].fit(X, 6, 0)
    found = stability.bootstrap(fitted, X, n=REPLICATES, random_state=0)
    assert [row.score for row in one.record.stability] == pytest.approx(found.scores.tolist(), abs=1e-9)
    assert [row.low for row in one.record.stability] == pytest.approx(found.low.tolist(), abs=1e-9)


def test_every_fit_and_replicate_is_a_step(model, steps):
    total = len(model.by_name_) * (1 + REPLICATES)
    assert [step[:2] for step in steps] == [(done, total) for done in range(1, total + 1)]


def test_the_file_keeps_them(model, tmp_path):
    path = tmp_path / "model.sonmf"
    model.save(path)
    again = TriageModel.load(path).models_["Cough"].record
    assert str(again) == str(model.models_["Cough"].record)  # NaN equals nothing, not even itself


def test_a_score_that_cannot_be_a_cosine_is_refused(model, tmp_path):
    path = tmp_path / "model.sonmf"
    model.save(path)

    def larger(header):
        header["complaints"][1]["record"]["stability"][2]["high"] = 1.5
        return header

    path.write_bytes(torture.changed(path.read_bytes(), larger))
    with pytest.raises(ValueError, match=r"<= 1.0 - at .*stability\[2\].high"):
        TriageModel.load(path)


def test_scores_without_replicates_are_refused(model, tmp_path):
    path = tmp_path / "model.sonmf"
    model.save(path)

    def half(header):
        header["complaints"][0]["record"]["replicates"] = 0
        return header

    path.write_bytes(torture.changed(path.read_bytes(), half))
    with pytest.raises(ValueError, match="not every topic has a stability"):
        TriageModel.load(path)


def test_the_report_tells_stable_topics_from_unstable_ones(model):
    one = model.models_["Fall"]
    for topic in model_report.topics(one):
        score = one.record.stability[topic.number].score
        assert topic.stability.unstable == topic.name.endswith(" (unstable)") == (score < 0.8)
        assert topic.stability_in_words.startswith("stable" if score >= 0.8 else "unstable")
    stable = sum(found.score >= 0.8 for found in one.record.stability)
    assert model_report.how_stable(one).startswith(f"Stable: {stable} of 6. ")
    assert as_json(model_report.complaint(one))["topics"]


def test_without_replicates_it_is_told_that_nobody_asked():
    notes, dispositions, _ = ward(300)
    one = TriageModel(n_topics=3).fit(notes, dispositions).pooled_model_
    assert one.record.stability == []
    assert model_report.how_stable(one) == model_report.STABILITY_UNKNOWN
    assert not [name for name in one.names if "unstable" in name]
    assert {topic.stability for topic in model_report.topics(one)} == {None}


def test_a_number_below_zero_is_refused():
    notes, dispositions, _ = ward(300)
    with pytest.raises(ValueError, match="stability=-1 must be at least 0"):
        TriageModel(n_topics=3).fit(notes, dispositions, stability=-1)
