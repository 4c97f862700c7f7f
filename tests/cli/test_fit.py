"""``sonmf fit``: what is read, what is refused, what is saved."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from command_line import nobody_reads

from sonmf.cli import fit
from sonmf.sources import open_table
from sonmf.triage import TriageModel
from sonmf.triage.patients import Patients
from sonmf.triage.provenance import Provenance


def test_a_folder_gives_the_model_of_one_file(sonmf, folder, tables, tmp_path):
    command = ["fit", tables, "--topics", "6", "--subgroup", "sex", "--own-models", "always", "-o", tmp_path / "m.sonmf"]
    code, _, err = sonmf(*command)
    assert code == 0, err
    here, there = (TriageModel.load(path) for path in (folder / "model.sonmf", tmp_path / "m.sonmf"))
    assert list(here.models_) == list(there.models_)
    assert here.classes_.tolist() == there.classes_.tolist()
    for name, one in here.models_.items():
        other = there.models_[name]
        assert other.vectorizer.vocabulary_ == one.vectorizer.vocabulary_
        np.testing.assert_allclose(other.components, one.components, atol=1e-12)
        np.testing.assert_allclose(other.effects, one.effects, atol=1e-9)
        assert [row.n for row in other.record.subgroups] == [row.n for row in one.record.subgroups]


def test_a_folder_is_read_as_its_file_with_the_columns_needed(folder, tables):
    asked = Provenance.request(subgroups=("sex",))
    here, there = (Patients.read(open_table(path), asked) for path in (folder / "notes.csv", tables))
    assert (here.notes, here.disposition, here.complaint) == (there.notes, there.disposition, there.complaint)
    assert list(there.frame.columns) == ["note", "disposition", "complaint", "sex"]


def test_rows_without_an_outcome_are_left_out_and_counted(sonmf, folder, tmp_path):
    frame = pd.read_csv(folder / "notes.csv", dtype=str)
    frame.loc[:9, "disposition"], frame.loc[10:12, "disposition"] = " left ", None
    frame.to_csv(tmp_path / "notes.csv", index=False)
    only = ["--negative", "discharged", "--topics", "3", "--min-notes", "999", "-o", tmp_path / "m.sonmf"]
    code, out, err = sonmf("fit", tmp_path / "notes.csv", *only)
    assert code == 0, err
    assert out.splitlines()[0] == "13 rows left out by disposition: 10 left, 3 (missing)"
    assert TriageModel.load(tmp_path / "m.sonmf").pooled_model_.n_notes == 587


def test_a_complaint_with_two_notes_uses_the_pooled_model(sonmf, folder, tmp_path):
    frame = pd.read_csv(folder / "notes.csv", dtype=str)
    frame.loc[:1, "complaint"] = "Snake bite"
    frame.to_csv(tmp_path / "notes.csv", index=False)
    code, out, _ = sonmf("fit", tmp_path / "notes.csv", "--topics", "4", "-o", tmp_path / "m.sonmf")
    assert code == 0
    assert "1 complaint with fewer than 5 patients: the model of all complaints is used, too few patients" in out
    assert "Snake" not in out
    assert b"Snake" not in (tmp_path / "m.sonmf").read_bytes()


@pytest.mark.parametrize("option", ["--positive", "--negative"])
def test_every_outcome_that_is_named_must_occur(refused, folder, option):
    wanted = {"--positive": "admitted,dischargd", "--negative": "discharged,admited"}[option]
    wrong, near = {"--positive": ("dischargd", "discharged"), "--negative": ("admited", "admitted")}[option]
    message = f"{option} {wrong}: column 'disposition' has no such value (did you mean {near!r}?); it has the values 'admitted'"
    refused(message, "fit", folder / "notes.csv", option, wanted, "-o", folder / "x.sonmf")


def test_a_refusal_does_not_list_values_of_few_rows(sonmf, folder):
    code, _, err = sonmf("fit", folder / "notes.csv", "--label", "note", "-o", folder / "x.sonmf")
    assert code == 2
    assert "it has 600 different values" in err
    assert not any(note in err for note in pd.read_csv(folder / "notes.csv")["note"])


def test_a_model_is_saved_before_anything_is_said_of_it(sonmf, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(fit, "show", lambda *_: 1 / 0)
    assert sonmf("fit", folder / "notes.csv", "--topics", "3", "--min-notes", "999", "-o", tmp_path / "m.sonmf")[0] == 1
    assert TriageModel.load(tmp_path / "m.sonmf").pooled_model_


def test_a_reader_who_leaves_does_not_take_the_model_along(sonmf, folder, tmp_path):
    pd.read_csv(folder / "notes.csv", dtype=str, nrows=100).to_csv(tmp_path / "notes.csv", index=False)
    with nobody_reads():
        code, _, err = sonmf("fit", tmp_path / "notes.csv", "--topics", "2", "--min-notes", "999", "-o", tmp_path / "m.sonmf")
    assert (code, err) == (0, "")
    assert TriageModel.load(tmp_path / "m.sonmf").pooled_model_


def test_a_topic_that_was_asked_for_by_words_is_marked(sonmf, folder, tmp_path):
    target = tmp_path / "model.sonmf"
    word = TriageModel.load(folder / "model.sonmf").pooled_model_.spellings[0]
    code, _, _ = sonmf("fit", folder / "notes.csv", "--topics", "6", "--seed-topic", word, "-o", target)
    assert code == 0
    one = TriageModel.load(target).pooled_model_
    assert one.seeds == [word, *[""] * 5]
    code, out, _ = sonmf("topics", target)
    assert code == 0
    assert f"Topics marked as seeded were asked for by words (0: {word})." in out
    loaded = TriageModel.load(target)
    shown = loaded.models_.values() or [loaded.pooled_model_]
    seeded = [one for one in shown if one.record.seeds and one.strength[0]]
    assert out.count("(seeded)") == len(seeded)
    code, _, complaint = sonmf("fit", folder / "notes.csv", "--seed-topic", "xqzvkj", "-o", tmp_path / "other.sonmf")
    assert code != 0
    assert "the seed word 'xqzvkj' is in too few notes, or in none" in complaint
    assert not (tmp_path / "other.sonmf").exists()


def test_as_many_topics_as_the_notes_hold(sonmf, folder, tmp_path):
    target = tmp_path / "model.sonmf"
    code, out, _ = sonmf("fit", folder / "notes.csv", "--topics", "auto", "--own-models", "always", "-o", target)
    assert code == 0
    model = TriageModel.load(target)
    for name, one in model.models_.items():
        assert f"{name}: {one.n_topics} topic" in out
    code, _, _ = sonmf(
        "evaluate",
        folder / "notes.csv",
        "--methods",
        "words",
        "--folds",
        "2",
        "--jobs",
        "1",
        "--model",
        target,
        "-o",
        tmp_path / "judged",
    )
    assert code == 0
    code, _, err = sonmf("evaluate", folder / "notes.csv", "--topics", "auto", "-o", tmp_path / "judged")
    assert code == 2
    assert "--topics auto: give a number such as 50" in err
    assert "or auto" not in err
    code, _, err = sonmf("fit", folder / "notes.csv", "--topics", "Auto", "-o", tmp_path / "other.sonmf")
    assert code == 2
    assert "--topics Auto: give a number such as 50, or several to choose from: 10,30,50, or auto" in err
    code, _, err = sonmf(
        "fit", folder / "notes.csv", "--topics", "auto", "--method", "binary-sonmf", "-o", tmp_path / "other.sonmf"
    )
    assert code == 2
    assert "has no squared error: give a number" in err
