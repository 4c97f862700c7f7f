import json
from contextlib import nullcontext
from dataclasses import replace

import numpy as np
import pytest
from wards import ward

from sonmf.text import NotesVectorizer
from sonmf.triage import evaluate, factorisations, measures
from sonmf.triage.evaluation import Cell, Study, plan, read_cell, run_cell
from sonmf.triage.evaluation_results import EvaluationSettings, FoldForecasts, JudgedMethod
from sonmf.triage.measures import share_of
from sonmf.triage.patients import Patients


def study(n=400, seed=0, **changes):
    notes, dispositions, _ = ward(n, seed)
    asked = EvaluationSettings(**{"methods": ["sonmf"], "n_topics": [8]} | changes)
    return Study(Patients.given(notes, dispositions), {"": np.arange(n)}, {}, asked)


def judged(one, method, topics, folds=1):
    """A method judged on the first folds of a study."""
    fits = [read_cell(run_cell(Cell("", method, topics, 0, fold), one)) for fold in range(folds)]
    return JudgedMethod.of(("", method, topics, "notes"), fits, one.patients)


def test_shuffled_outcomes_cannot_be_forecast():
    one = study(600)
    shuffled = replace(one.patients, outcomes=np.random.default_rng(0).permutation(one.patients.outcomes))
    figures = judged(one._replace(patients=shuffled), "sonmf", 8, folds=5).row
    assert abs(figures["auroc"] - 0.5) < 0.07
    assert figures["auroc_low"] < 0.5 < figures["auroc_high"]
    assert figures["log_loss"] < 0.72  # about that of the base rate, not overconfident


def test_topics_recover_what_words_do():
    one = study(800)
    rows = {method: judged(one, method, 8 if method != "words" else 0).row for method in ("sonmf", "svd", "words")}
    assert rows["sonmf"]["auroc"] > rows["words"]["auroc"] - 0.05 > 0.7
    assert rows["sonmf"]["condition"] < 10
    assert "residual" not in rows["words"]
    for method in ("sonmf", "svd"):
        assert -1 <= rows[method]["npmi"] <= 1
        assert 0 < rows[method]["diversity"] <= 1
        assert rows[method]["overlap"] < 1e-6  # both are orthonormal
    assert "npmi" not in rows["words"]


def test_merit_and_bins_count_every_patient_once():
    method = judged(study(), "sonmf", 6)
    assert sum(method.merit[0]) == sum(group.n for group in method.reliability) == method.patients == 80
    assert sum(method.merit[1]) == method.admitted
    assert sum(group.n * group.admitted for group in method.reliability) == pytest.approx(method.admitted)


def test_the_plan_has_every_fold_once():
    one = study(methods=["sonmf", "words"], n_topics=[5, 10], repeats=2)
    cells = plan(one._replace(members={"a": 0, "b": 0}, patients=replace(one.patients, columns={"side": 0})))
    assert len(cells) == len(set(cells)) == 2 * 2 * 5 * (3 + 3)


def test_a_run_goes_on_where_it_was_killed_and_refuses_other_notes(tmp_path, real_processes):
    notes, dispositions, complaints = ward(450)
    settings = {"methods": ["sonmf", "words"], "n_topics": 4, "folds": 2, "processes": 1, "folder": tmp_path}
    columns = {"side": ["left", "right"] * 225}
    first = evaluate(notes, dispositions, complaints, subgroups=columns, **settings)
    finished = sorted((tmp_path / "fits").iterdir())
    assert len(finished) == 16  # two complaints, two folds: notes, columns and both for topics, both for words
    changed = json.loads(finished[0].read_text())
    changed["log_odds"] = list(range(len(changed["log_odds"])))
    finished[0].write_text(json.dumps(changed))
    finished[1].unlink()
    second = evaluate(notes, dispositions, complaints, subgroups=columns, **settings)
    before, after = first.frame()["auroc"], second.frame()["auroc"]
    assert (before != after).sum() == 1  # read, and not run again
    with pytest.raises(ValueError, match="other notes or settings"):
        evaluate(notes[::-1], dispositions, complaints, subgroups=columns, **settings)
    assert {row["complaint"] for row in second.summary()} == {"Cough", "Fall"}
    sides = second.methods[0].subgroups
    assert [group.value for group in sides] == ["left", "right"]
    assert sum(group.n for group in sides) == second.methods[0].patients == complaints.count(second.methods[0].complaint)
    assert len(second.frame()) == 16


def test_settings_that_differ_only_at_the_end_of_a_long_list_differ(tmp_path):
    notes, dispositions, _ = ward(300)
    words = [f"word{n}" for n in range(300)]
    for last in ("this", "that"):
        with pytest.raises(ValueError, match="other notes") if last == "that" else nullcontext():
            vectorizer = NotesVectorizer(drop_words=[*words, last])
            evaluate(notes, dispositions, vectorizer=vectorizer, methods=["words"], folds=2, folder=tmp_path)


def test_summaries_are_means_with_standard_errors():
    notes, dispositions, _ = ward(300)
    evaluation = evaluate(notes, dispositions, methods=["words"], folds=4, processes=1)
    values = evaluation.frame().query("inputs == 'notes'")["brier"]
    row = evaluation.summary()[0]
    assert row["inputs"] == "notes"
    assert row["brier"] == pytest.approx(np.mean(values))
    assert row["brier_error"] == pytest.approx(np.std(values, ddof=1) / 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"methods": ["pca"]}, "methods has 'pca'"),
        ({"methods": []}, "methods is empty: choose from sonmf"),
        ({"n_topics": 0}, "n_topics=0 must be at least 1"),
        ({"n_topics": []}, "must be at least 1"),
        ({"methods": "words"}, r"methods='words' must be a list of names"),
        ({"folds": 1}, "folds=1 must be a whole number of at least 2"),
        ({"folds": "5"}, "folds='5' must be a whole number of at least 2"),
        ({"repeats": 0}, "repeats=0 must be a whole number of at least 1"),
        ({"rule": "1SE"}, "rule='1SE' must be 'min' or '1se'"),
        ({"random_state": 2**32}, "random_state=4294967296 must be a whole number from 0 to 4294967295"),
        ({"min_notes": 1000}, "no complaint can be evaluated"),
        ({"positive": "home"}, "no disposition is 'home'"),
    ],
)
def test_bad_requests_get_a_sentence(change, message):
    notes, dispositions, _ = ward(300)
    with pytest.raises(ValueError, match=message):
        evaluate(notes, dispositions, **change)


def test_folds_with_few_of_an_outcome_are_judged_with_the_others():
    """A fold of one outcome has no ROC curve, and one with a single admitted patient no spread."""
    y, odds = np.zeros(300), np.random.default_rng(0).normal(size=300)
    y[:3], y[100], places = 1, 1, np.arange(300).reshape(3, 100)
    patients = replace(Patients.given(*ward(300)[:2]), outcomes=y)
    fits = [FoldForecasts(rows, odds[rows], {}, [[0], [0]]) for rows in places]
    method = JudgedMethod.of(("", "words", 0, "notes"), fits, patients)
    curves = [measures.roc(odds[rows], y[rows]) for rows in places[:2]]
    assert method.roc == pytest.approx(np.mean(curves, axis=0), abs=1e-4)
    auroc = method.figures["auroc"]
    of_four = share_of(auroc.value, 4)
    assert (auroc.low, auroc.high) == pytest.approx((of_four.low, of_four.high))


def test_notes_that_are_all_alike_are_judged_too():
    _, dispositions, _ = ward(300)
    found = evaluate(["same pain"] * 300, dispositions, methods=["sonmf"], folds=2, processes=1)
    assert found.summary()[0]["auroc"] == 0.5


def test_fits_that_read_negation_otherwise_by_default_are_not_mixed_in(tmp_path, monkeypatch):
    """An earlier sonmf read notes as written where no vectoriser was given."""
    notes, dispositions, _ = ward(300)
    asked = {"n_topics": 2, "methods": ["sonmf"], "folds": 2, "processes": 1, "measurements": False, "folder": tmp_path}
    with monkeypatch.context() as earlier:
        earlier.setattr(factorisations, "NEGATION", None)
        evaluate(notes, dispositions, **asked)
    with pytest.raises(ValueError, match="holds the fits of other notes or settings"):
        evaluate(notes, dispositions, **asked)


def test_fits_whose_text_columns_have_other_topics_are_not_mixed_in(tmp_path):
    notes, dispositions, complaints = ward(300)
    columns = {"history": [f"{note} {complaint}" for note, complaint in zip(notes, complaints, strict=True)]}
    asked = {"methods": ["svd"], "folds": 2, "processes": 1, "measurements": False, "kinds": {"history": "text"}}
    evaluate(notes, dispositions, columns=columns, n_topics=8, folder=tmp_path, **asked)
    resumed = evaluate(notes, dispositions, columns=columns, n_topics=[2, 8], folder=tmp_path, **asked)
    fresh = evaluate(notes, dispositions, columns=columns, n_topics=[2, 8], **asked)
    assert resumed.frame()["auroc"].tolist() == fresh.frame()["auroc"].tolist()
