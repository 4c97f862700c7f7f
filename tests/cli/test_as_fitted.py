"""What a model remembers of its fit: its columns, the range of their values, and the complaints it pooled."""

import re

import numpy as np
import pandas as pd
import pytest
from command_line import run_sonmf
from wards import ward

from sonmf.triage import TriageModel

FIT = ["--text", "narrative", "--group", "cc", "--column", "age", "--column", "pulse", "--column", "sex", "--missing", "-9"]


@pytest.fixture(scope="module")
def patients():
    """Few have Fever, which is pooled; a saturation stands in some notes and counts."""
    notes, dispositions, complaints = ward(600)
    random = np.random.default_rng(0)
    sick = np.array(dispositions) == "admitted"
    saturation = np.where(sick, random.integers(84, 92, 600), random.integers(95, 100, 600))
    notes = [f"{note} sat {value}%" if i % 2 else note for i, (note, value) in enumerate(zip(notes, saturation, strict=True))]
    frame = pd.DataFrame({"narrative": notes, "disposition": dispositions})
    frame["cc"] = ["Fever" if i < 30 else name for i, name in enumerate(complaints)]
    frame["age"] = np.round(np.clip(random.normal(40 + 25 * sick, 15), 0, 99)).astype(int)
    unknown = random.random(600) < np.where(sick, 0.1, 0.6)
    frame["pulse"] = np.where(unknown, -9, np.round(random.normal(90 + 3 * sick, 10))).astype(int)
    frame["sex"] = random.choice(["F", "M"], 600)
    return frame


@pytest.fixture(scope="module")
def place(patients, tmp_path_factory):
    """notes.csv, and m.sonmf fitted on it."""
    folder = tmp_path_factory.mktemp("narratives")
    patients.to_csv(folder / "notes.csv", index=False)
    command = ["fit", folder / "notes.csv", "--own-models", "always", *FIT, "--topics", "4", "-o", folder / "m.sonmf"]
    run_sonmf(*command)
    return folder


def test_a_list_and_typical_notes_are_read_from_the_columns_of_the_fit(sonmf, place, patients, tmp_path):
    code, out, err = sonmf("predict", place / "m.sonmf", place / "notes.csv")
    assert code == 0, err
    named = sonmf("predict", place / "m.sonmf", place / "notes.csv", "--text", "narrative", "--group", "cc")
    assert (code, out, err) == named
    assert out.count("the model of all complaints is used for 'Fever'") == 30
    code, _, err = sonmf("report", place / "m.sonmf", "--notes", place / "notes.csv", "-o", tmp_path / "report.html")
    assert code == 0, err
    page = (tmp_path / "report.html").read_text()
    assert any(note in page for note in patients["narrative"][patients["cc"] == "Cough"])


def test_a_list_without_the_columns_of_the_fit_has_the_usual_ones(sonmf, place, patients, tmp_path):
    _, expected, _ = sonmf("predict", place / "m.sonmf", place / "notes.csv")
    patients.rename(columns={"narrative": "note", "cc": "complaint"}).to_csv(tmp_path / "usual.csv", index=False)
    assert sonmf("predict", place / "m.sonmf", tmp_path / "usual.csv")[1] == expected
    both = patients.assign(note="zebra", complaint="Nowhere")
    both.to_csv(tmp_path / "both.csv", index=False)
    assert sonmf("predict", place / "m.sonmf", tmp_path / "both.csv")[1] == expected
    patients.rename(columns={"narrative": "Narrative"}).to_csv(tmp_path / "neither.csv", index=False)
    code, _, err = sonmf("predict", place / "m.sonmf", tmp_path / "neither.csv")
    assert code == 2
    assert "has no column 'narrative' (did you mean 'Narrative'?)" in err
    patients.drop(columns="cc").to_csv(tmp_path / "bare.csv", index=False)
    assert "has no column 'cc', so every patient gets the model of all complaints" in sonmf(
        "predict", place / "m.sonmf", tmp_path / "bare.csv"
    )[2].replace("\n", " ")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["age=81", "age=82", "sex"], "--column sex: write a name and a value, such as age=81"),
        (["age=81", "sex=F", "age=82"], "column 'age' is given twice: give one value"),
        (["saturation=81", "Saturation=82"], "column 'saturation' is given twice: give one value"),
        (["Pulse=80"], "the model has no column 'Pulse' (did you mean 'pulse'?): it has age, pulse, sex, saturation"),
        (["pulse=fast"], "column 'pulse' has a text of 4 letters, which is not a number"),
    ],
)
def test_values_of_a_note_that_cannot_be_meant_are_refused(sonmf, place, given, said):
    options = [part for one in given for part in ("--column", one)]
    code, out, err = sonmf("predict", place / "m.sonmf", "--note", "cough", *options)
    assert code == 2
    assert said in err
    assert err.count("\n") == 1
    assert not out


def test_values_of_a_note_are_read_as_those_of_a_file(sonmf, place):
    model = TriageModel.load(place / "m.sonmf")
    assert "saturation" in model.measured_
    for given, meant in (("Saturation=80", {"saturation": 80}), ("pulse=-9", {"pulse": None}), ("sex= M ", {"sex": "M"})):
        _, out, _ = sonmf("predict", place / "m.sonmf", "--note", "syncope", "--column", given)
        assert f"probability of admission {model.explain('syncope', None, meant).probability:.1%}" in out


def test_a_pooled_complaint_is_told_from_an_unknown_one(sonmf, place):
    said = "'Fever' has no model of its own: it has 30 notes, fewer than min_notes=200; the model of all complaints serves it"
    for more in ([], ["--name", "0=hot"]):
        code, _, err = sonmf("topics", place / "m.sonmf", "--complaint", "Fever", *more)
        assert (code, err) == (2, f"sonmf: {said}\n")
    unknown = "the model has no complaint 'Cuogh' (did you mean 'Cough'?): it has Cough, Fall"
    assert sonmf("topics", place / "m.sonmf", "--complaint", "Cuogh")[2] == f"sonmf: {unknown}\n"
    model = TriageModel.load(place / "m.sonmf")
    assert all(model.named_model(name) is one for name, one in model.by_name_.items())


def test_a_file_in_another_unit_is_named_once(sonmf, place, patients, tmp_path):
    per_hour = patients.assign(pulse=patients["pulse"].where(patients["pulse"] < 0, patients["pulse"] * 60))
    per_hour.to_csv(tmp_path / "hours.csv", index=False)
    code, _, err = sonmf("predict", place / "m.sonmf", tmp_path / "hours.csv", "-o", tmp_path / "out.csv")
    assert code == 0
    known = (patients["pulse"] > 0).sum()
    (said,) = (line for line in err.splitlines() if "far outside" in line)
    ranges = [
        one for model in TriageModel.load(place / "m.sonmf").by_name_.values() for one in model.columns if one.name == "pulse"
    ]
    low, high = min(one.low for one in ranges), max(one.high for one in ranges)
    where = f"far outside the range of the fit ({low:g} to {high:g}), and count as its end"
    assert said == f"pulse: {known} of {known} values {where}: check its unit"
    remarks = pd.read_csv(tmp_path / "out.csv")["remark"].fillna("")
    assert remarks.str.contains("pulse is .* far outside").sum() == known


def test_each_column_with_a_strange_value_is_counted_and_others_are_not(sonmf, place, patients, tmp_path):
    patients.assign(age=[900, *patients["age"][1:]], sex="X").to_csv(tmp_path / "typo.csv", index=False)
    _, _, err = sonmf("predict", place / "m.sonmf", tmp_path / "typo.csv", "-o", tmp_path / "out.csv")
    (said,) = (line for line in err.splitlines() if "far outside" in line)
    assert said.startswith("age: 1 of 600 values far outside the range of the fit (")
    _, _, err = sonmf("predict", place / "m.sonmf", place / "notes.csv", "-o", tmp_path / "same.csv")
    assert "far outside" not in err


def test_the_ends_of_a_column_are_where_it_does_least_and_most(sonmf, place):
    model = TriageModel.load(place / "m.sonmf")
    for name, one in model.models_.items():
        (shape,) = (shape for shape in one.record.columns if shape.name == "pulse")
        effects = [shape.missing_effect, *(point.effect for point in shape.curve)]
        _, out, _ = sonmf("topics", place / "m.sonmf", "--complaint", name)
        (line,) = (line for line in out.splitlines() if line.startswith("pulse "))
        _, least, most = (float(number) for number in re.findall(r"x (\d+\.\d+)", line))
        assert (least, most) == (round(np.exp(min(effects)), 2), round(np.exp(max(effects)), 2))
        assert f"x {most:.2f} high (" in line
