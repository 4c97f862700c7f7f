"""Columns beside the note, as a person gives them on the command line."""

import json

import numpy as np
import pandas as pd
import pytest
from command_line import run_sonmf
from wards import ward

from sonmf.triage import TriageModel


@pytest.fixture(scope="module")
def patients():
    notes, dispositions, _ = ward(500)
    random = np.random.default_rng(0)
    sick = np.array([one == "admitted" for one in dispositions])
    frame = pd.DataFrame({"note": notes, "disposition": dispositions})
    frame["age"] = np.round(np.clip(random.normal(40 + 25 * sick, 15), 0, 99)).astype(int)
    frame["hr"] = np.where(random.random(500) < 0.1, -9, np.round(random.normal(80 + 10 * sick, 10))).astype(int)
    frame["esi"] = random.choice([2, 3, 4], 500)
    return frame


@pytest.fixture(scope="module")
def place(patients, tmp_path_factory):
    folder = tmp_path_factory.mktemp("columns")
    patients.to_csv(folder / "notes.csv", index=False)
    return folder


FIT = ["--column", "age", "--column", "hr", "--column", "esi:category", "--missing", "-9", "--topics", "5"]


@pytest.fixture(scope="module")
def model(place):
    command = ["fit", place / "notes.csv", *FIT, "-o", place / "m.sonmf"]
    run_sonmf(*command)
    return place / "m.sonmf"


def test_columns_and_their_kinds_are_those_that_were_named(model):
    loaded = TriageModel.load(model)
    assert loaded.columns_ == ["age", "hr", "esi"]
    assert {one.name: one.kind for one in loaded.pooled_model_.columns} == {"age": "number", "hr": "number", "esi": "category"}
    assert loaded.provenance_.columns == ("age", "hr", "esi")
    (rate,) = (one for one in loaded.pooled_model_.columns if one.name == "hr")
    assert rate.low > 0
    assert 0.05 < loaded.pooled_model_.record.columns[1].missing < 0.15


def test_predict_finds_the_columns_by_name(sonmf, place, model, patients, tmp_path):
    code, _, err = sonmf("predict", model, place / "notes.csv", "-o", tmp_path / "out.csv")
    assert code == 0, err
    found = pd.read_csv(tmp_path / "out.csv")
    columns = patients[["age", "hr", "esi"]].astype(object).replace({"hr": {-9: None}})
    expected = TriageModel.load(model).predict_proba(patients["note"], columns=columns)[:, 1]
    np.testing.assert_allclose(found["probability"], expected, atol=1e-6)
    assert found["top_columns"].str.contains(r"age \d+ [+-]\d").any()


def test_predict_says_which_columns_are_missing(sonmf, model, patients, tmp_path):
    patients[["note", "hr"]].to_csv(tmp_path / "some.csv", index=False)
    code, out, err = sonmf("predict", model, tmp_path / "some.csv")
    assert code == 0
    assert "not given, so expected from the rest of the patient: age, esi" in err
    assert len(out.splitlines()) == 501


def test_one_patient_is_explained_with_columns(sonmf, model):
    code, out, _ = sonmf("predict", model, "--note", "syncope cough", "--column", "age=91", "--column", "esi=2")
    assert code == 0
    assert "age 91" in out
    assert "not given, so expected from the rest of the patient: hr" in out
    for wrong, said in (
        ("aeg=91", "the model has no column 'aeg' (did you mean 'age'?): it has age, hr, esi"),
        ("age", "write a name and a value"),
    ):
        code, _, err = sonmf("predict", model, "--note", "syncope", "--column", wrong)
        assert code == 2
        assert said in err


def test_an_evaluation_shows_what_notes_and_columns_bring_and_takes_them_from_the_model(sonmf, place, model, tmp_path):
    command = ["evaluate", place / "notes.csv", "--model", model, "--methods", "sonmf", "--folds", "2", "--jobs", "1"]
    code, out, err = sonmf(*command, "-o", tmp_path / "ev")
    assert code == 0, err
    written = json.loads((tmp_path / "ev" / "evaluation.json").read_text())
    loss = {method["inputs"]: method["figures"]["log_loss"]["value"] for method in written["methods"]}
    assert set(loss) == {"notes", "columns", "notes + columns"}
    assert loss["notes + columns"] < loss["notes"]
    assert written["settings"]["columns"] == {"age": "number", "hr": "number", "esi": "category"}
    assert "on the notes alone" in out.replace("\n", " ")
    assert "not about the model as it was fitted" not in out


def test_the_topics_show_what_the_columns_do(sonmf, model):
    code, out, _ = sonmf("topics", model)
    assert code == 0
    assert "least at" in out
    assert "age" in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--column", "aeg"], "has no column 'aeg' (did you mean 'age'?)"),
        (["--column", "age", "--column", "age:number"], "--column age is given twice"),
        (["--column", "disposition"], "it is the note or the outcome"),
        (["--column", "note:number"], "it is the note or the outcome"),
        (["--column", "text:number"], "column 'text' has a text of 1 letter, and 499 more values that are not numbers"),
        (["--column", "same"], "column 'same' has the same value for every patient"),
        (["--column", "hr", "--missing", ",".join(map(str, range(-20, 200)))], "column 'hr' has no value at all"),
    ],
)
def test_columns_that_cannot_be_used_are_refused_and_nothing_is_written(sonmf, patients, tmp_path, options, said):
    patients.assign(text=["x", "y"] * 250, same=1).to_csv(tmp_path / "notes.csv", index=False)
    code, _, err = sonmf("fit", tmp_path / "notes.csv", "--topics", "4", *options, "-o", tmp_path / "m.sonmf")
    assert code != 0
    assert said in err
    assert not (tmp_path / "m.sonmf").exists()


def test_a_column_that_is_the_outcome_is_warned_of(sonmf, patients, tmp_path):
    patients.assign(ward=(patients["disposition"] == "admitted").astype(int)).to_csv(tmp_path / "notes.csv", index=False)
    code, out, err = sonmf("fit", tmp_path / "notes.csv", "--topics", "4", "--column", "ward", "-o", tmp_path / "m.sonmf")
    assert code == 0, err
    assert "column 'ward' alone tells admitted patients from the others" in out
