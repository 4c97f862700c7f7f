"""``sonmf predict``: every patient, in order, as Python forecasts."""

from __future__ import annotations

import csv
import sys

import numpy as np
import pandas as pd
import pytest

from sonmf.triage import TriageModel


def test_a_fitted_model_forecasts_as_python_does(sonmf, folder, tmp_path):
    code, _, err = sonmf("predict", folder / "model.sonmf", folder / "notes.csv", "-o", tmp_path / "out.csv")
    assert code == 0
    assert "patients expected (90% interval" in err
    found = pd.read_csv(tmp_path / "out.csv", dtype={"id": str})
    given = pd.read_csv(folder / "notes.csv", dtype={"id": str})
    assert list(found["id"]) == list(given["id"])  # every row, in order, zeros kept
    model = TriageModel.load(folder / "model.sonmf")
    np.testing.assert_allclose(found["probability"], model.predict_proba(given["note"], given["complaint"])[:, 1], atol=1e-6)
    assert set(model.models_) == {"Cough", "Fall"}
    assert [row.value for row in model.models_["Cough"].record.subgroups] == ["F", "M"]


@pytest.mark.parametrize("ending", [".tsv", ".csv.gz", ".parquet"])
def test_other_formats_give_the_same(sonmf, folder, tmp_path, ending):
    frame = pd.read_csv(folder / "notes.csv", dtype=str).head(50)
    source, target = tmp_path / f"in{ending}", tmp_path / f"out{ending}"
    if ending == ".parquet":
        frame.to_parquet(source)
    else:
        frame.to_csv(source, sep="\t" if ending == ".tsv" else ",", index=False)
    assert sonmf("predict", folder / "model.sonmf", source, "-o", target)[0] == 0
    found = (
        pd.read_parquet(target) if ending == ".parquet" else pd.read_csv(target, sep=None, engine="python", dtype={"id": str})
    )
    code, out, _ = sonmf("predict", folder / "model.sonmf", source)
    lines = out.splitlines()
    assert code == 0
    assert lines[0] == "id,probability,top_topics,top_words,top_columns,remark"
    if ending == ".parquet":  # all digits
        expected = TriageModel.load(folder / "model.sonmf").predict_proba(frame["note"], frame["complaint"])[:, 1]
        assert found["probability"].tolist() == pytest.approx(expected.tolist(), abs=1e-12)
    assert [f"{p:.6f}" for p in found["probability"]] == [line.split(",")[1] for line in lines[1:]]


def test_missing_notes_and_strange_complaints_keep_their_row(sonmf, folder, tmp_path):
    (tmp_path / "odd.csv").write_text('note,complaint\n,Cough\n"cough, syncope",Nowhere\nzebra,Fall\n')
    code, out, err = sonmf("predict", folder / "model.sonmf", tmp_path / "odd.csv")
    lines = out.splitlines()
    assert code == 0
    assert [line.split(",")[0] for line in lines[1:]] == ["1", "2", "3"]
    assert "no word that the model knows" in lines[1]
    assert "does not occur in the training notes" in lines[2]
    assert "3 rows have a remark" in err


def test_one_note_is_explained(sonmf, folder):
    code, out, _ = sonmf("predict", folder / "model.sonmf", "--note", "[b]syncope[/b] zebra", "--complaint", "Cough")
    assert code == 0
    assert "[b]syncope[/b] zebra" in out
    assert "probability of admission" in out
    assert "words the model does not know: zebra" in out


def test_patients_in_a_folder_are_forecast_in_order(sonmf, folder, tables):
    _, expected, _ = sonmf("predict", folder / "model.sonmf", folder / "notes.csv")
    code, out, _ = sonmf("predict", folder / "model.sonmf", tables)
    assert code == 0
    assert out == expected


def changed(folder, tmp_path, rename=None, **columns):
    """The patients of the folder with other columns."""
    frame = pd.read_csv(folder / "notes.csv", dtype=str).assign(**columns).rename(columns=rename or {})
    frame.to_csv(tmp_path / "patients.csv", index=False, quoting=csv.QUOTE_ALL)  # pandas leaves a carriage return bare
    return tmp_path / "patients.csv"


def test_a_forgotten_complaint_column_is_said_above_and_in_each_row(sonmf, folder, tmp_path):
    path = changed(folder, tmp_path, rename={"complaint": "cc"})
    code, out, err = sonmf("predict", folder / "model.sonmf", path)
    assert code == 0
    assert "has no column 'complaint', so every patient gets the model of all complaints" in err
    assert "there are models for Cough, Fall: name the column with --group, the file has id, note, disposition, cc, sex" in err
    remarks = [line.rsplit(",", 1)[1] for line in out.splitlines()[1:]]
    assert remarks == ["no complaint is given: the model of all complaints is used"] * 600
    code, mended, err = sonmf("predict", folder / "model.sonmf", path, "--group", "cc")
    assert mended == sonmf("predict", folder / "model.sonmf", folder / "notes.csv")[1]
    assert "column" not in err


def test_a_model_without_complaints_misses_none(sonmf, folder, tmp_path):
    bare = changed(folder, tmp_path, rename={"complaint": "cc"})
    assert sonmf("fit", bare, "--topics", "3", "-o", tmp_path / "m.sonmf")[0] == 0
    _, out, err = sonmf("predict", tmp_path / "m.sonmf", bare)
    assert "complaint" not in out + err


@pytest.mark.parametrize(
    ("unknown", "said"), [(301, "301 of 600 patients (50%)"), (600, "600 of 600 patients (100%)"), (300, "")]
)
def test_when_most_complaints_are_unknown_their_share_is_said_and_none_is_named(sonmf, folder, tmp_path, unknown, said):
    path = changed(folder, tmp_path, complaint=["Cough"] * (600 - unknown) + [f"odd{i}" for i in range(unknown)])
    _, _, err = sonmf("predict", folder / "model.sonmf", path, "-o", tmp_path / "out.csv")
    assert ("have a complaint that the model does not know" in err) == bool(said)
    assert said in err
    assert "odd" not in err


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_whoever_reaches_the_threshold_is_flagged(sonmf, folder, tmp_path, ending):
    plain, flagged = tmp_path / f"plain{ending}", tmp_path / f"flagged{ending}"
    command = ("predict", folder / "model.sonmf", folder / "notes.csv")
    sonmf(*command, "-o", plain)
    code, _, err = sonmf(*command, "-o", flagged, "--threshold", "0.3")
    before, after = (pd.read_csv(path) if ending == ".csv" else pd.read_parquet(path) for path in (plain, flagged))
    assert code == 0
    assert list(after.columns)[:3] == ["id", "probability", "flagged"]
    expected = (before["probability"] >= 0.3).map({True: "yes", False: "no"})
    assert set(expected) == {"yes", "no"}
    assert list(after.pop("flagged")) == list(expected)
    pd.testing.assert_frame_equal(before, after)
    assert f"{(expected == 'yes').sum():,} of 600 patients are flagged: a probability of at least 0.3" in err
    for wrong in ("0", "1", "30", "nan"):
        assert sonmf(*command, "--threshold", wrong)[0] == 2
    assert sonmf(*command, "--keep", "flagged")[0] == 2


def test_repeated_ids_are_counted(sonmf, folder, tmp_path):
    _, _, err = sonmf("predict", folder / "model.sonmf", folder / "notes.csv")
    assert "earlier row" not in err
    path = changed(folder, tmp_path, id=["a", "b", "a", "a", None, None] + [str(i) for i in range(594)])
    _, _, err = sonmf("predict", folder / "model.sonmf", path, "-o", tmp_path / "out.csv")
    assert "2 rows have the id of an earlier row" in err


FORMULAS = {
    "=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0",
    "-5": "-5",
    "+1 555": "'+1 555",
    "@x": "'@x",
    "\tx": "'\tx",
    "a\rb": "a\rb",
}


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz", ".parquet"])
@pytest.mark.parametrize("raw", [True, False])
def test_no_cell_of_a_forecast_is_a_formula(sonmf, folder, tmp_path, ending, raw):
    path = changed(folder, tmp_path, id=[*FORMULAS] * 100)
    target = tmp_path / f"out{ending}"
    model = tmp_path / "m.sonmf"
    model.write_bytes((folder / "model.sonmf").read_bytes())
    for topic in range(6):
        sonmf("topics", model, "--complaint", "Cough", "--name", f"{topic}==1+1")
    code, _, err = sonmf("predict", model, path, "-o", target, *(["--raw"] if raw else []))
    assert code == 0, err
    if ending == ".parquet":
        found = pd.read_parquet(target)
    else:
        found = pd.read_csv(target, sep="\t" if ending == ".tsv" else ",", dtype=str, keep_default_na=False)
    untouched = raw or ending == ".parquet"
    assert list(found["id"]) == [*(FORMULAS if untouched else FORMULAS.values())] * 100
    assert found["top_topics"].str.startswith("=1+1" if untouched else "'=1+1").any()


def test_a_terminal_shows_the_escapes_of_a_list_and_a_pipe_copies_them(sonmf, folder, tmp_path, monkeypatch):
    path = changed(folder, tmp_path, id="\x1b[31mred")
    assert "\x1b[31mred," in sonmf("predict", folder / "model.sonmf", path)[1]
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda stream: True, raising=False)
    _, table, _ = sonmf("predict", folder / "model.sonmf", path)
    assert "\n\\x1b[31mred " in table
    assert "\x1b[31mred" not in table
    assert table.count("\\x1b[31mred ") == 600
