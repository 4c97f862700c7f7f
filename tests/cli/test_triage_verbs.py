"""fit, evaluate, topics, predict: in this process, through the same door as the ``sonmf`` command."""

from __future__ import annotations

import csv
import gzip
import json
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from wards import ward

from sonmf.cli import evaluating, fitting
from sonmf.datasets import make_triage_notes
from sonmf.sources import open_table
from sonmf.triage import Evaluation, Provenance, TriageModel
from sonmf.triage.file_columns import FileColumns
from sonmf.triage.labelled_notes import read_labelled


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """notes.csv with 600 patients, and model.sonmf fitted on it."""
    place = tmp_path_factory.mktemp("ward")
    notes, dispositions, complaints = ward(600)
    frame = pd.DataFrame({"id": [f"{i:05d}" for i in range(600)], "note": notes, "disposition": dispositions})
    frame["complaint"] = complaints
    frame["sex"] = ["F", "M"] * 300
    frame.to_csv(place / "notes.csv", index=False)
    command = ["fit", place / "notes.csv", "--topics", "6", "--subgroup", "sex", "-o", place / "model.sonmf"]
    subprocess.run([sys.executable, "-m", "sonmf.cli", *map(str, command)], check=True, capture_output=True)
    return place


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


def test_topics_are_shown_and_named(sonmf, folder):
    code, out, _ = sonmf("topics", folder / "model.sonmf", "--complaint", "Cough", "--name", "0=the [first]")
    assert code == 0
    assert "odds of admission" in out
    assert json.loads((folder / "model.sonmf.labels.json").read_text()) == {"Cough": {"0": "the [first]"}}
    assert TriageModel.load(folder / "model.sonmf").models_["Cough"].labels[0] == "the [first]"
    assert sonmf("topics", folder / "model.sonmf")[0] == 0
    assert sonmf("topics", folder / "model.sonmf", "--complaint", "Cough", "--name", "0=")[0] == 0
    assert json.loads((folder / "model.sonmf.labels.json").read_text()) == {}


def test_topics_list_words_without_filler_unless_asked_and_the_share_of_a_negative_side(sonmf, tmp_path):
    frame = make_triage_notes(600, complaints=["Fever"], random_state=0)
    TriageModel(12).fit(frame["note"], frame["disposition"]).save(tmp_path / "m.sonmf")
    one = TriageModel.load(tmp_path / "m.sonmf").pooled_model_
    code, out, _ = sonmf("topics", tmp_path / "m.sonmf", "--words", "3")
    _, everything, _ = sonmf("topics", tmp_path / "m.sonmf", "--words", "3", "--all-words")
    told = " ".join(out.split())
    assert code == 0
    assert "not_ before a word means that the note denies it" in told
    counting = [k for k in range(12) if one.strength[k]]
    hidden = {word for k in counting for word in one.topics(3)[k].hidden}
    shares = [topic.negative_share for k, topic in enumerate(one.topics(3)) if k in counting and topic.negative]
    assert hidden
    assert shares
    assert all(f"({share:.1%})" in out for share in shares)
    first = {word for k in counting for word, _ in one.topics(3, filler=())[k].positive}
    assert all(re.search(rf"\b{word}\b", everything) for word in first)
    assert 'Filler such as "yr old"' in told
    assert "Filler such as" not in everything
    assert len(re.findall(r"\(\d\.\d%\)", out)) == len(shares)
    for words in ("0", "31"):
        code, _, err = sonmf("topics", tmp_path / "m.sonmf", "--words", words)
        assert (code, err) == (2, f"sonmf: --words {words}: give a number from 1 to 30\n")


def test_evaluation_is_written(sonmf, folder, tmp_path):
    command = ["evaluate", folder / "notes.csv", "--methods", "sonmf,words", "--topics", "4", "--folds", "2", "--jobs", "1"]
    code, out, err = sonmf(*command, "-o", tmp_path / "ev", "--subgroup", "sex")
    assert code == 0, err
    assert "bag of words" in out
    results = pd.read_csv(tmp_path / "ev" / "results.csv")
    assert results.groupby(["method", "inputs"]).size().to_dict() == {
        ("sonmf", "notes"): 4,
        ("sonmf", "columns"): 4,
        ("sonmf", "notes + columns"): 4,
        ("words", "notes + columns"): 4,
    }
    found = json.loads((tmp_path / "ev" / "evaluation.json").read_text())
    assert found["asked"]["source"] == "notes.csv"
    assert found["settings"]["n_topics"] == [4]
    assert "| SONMF | notes + columns | 4 |" in (tmp_path / "ev" / "table.md").read_text()


@pytest.fixture(scope="module")
def tables(folder, tmp_path_factory):
    """The same notes as a folder of tables of several kinds."""
    place = tmp_path_factory.mktemp("tables")
    frame = pd.read_csv(folder / "notes.csv", dtype=str)
    frame[:250].to_csv(place / "a.csv.gz", index=False)
    frame[250:300].to_parquet(place / "b.parquet", index=False)
    frame[300:].to_csv(place / "c.tsv", sep="\t", index=False)
    return place


def test_a_folder_within_a_bound_gives_the_model_of_one_file(sonmf, folder, tables, tmp_path):
    command = ["fit", tables, "--topics", "6", "--subgroup", "sex", "-o", tmp_path / "m.sonmf", "--memory", "4GB"]
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
    columns = FileColumns()
    here, there = (read_labelled(open_table(path), columns, ["sex"]) for path in (folder / "notes.csv", tables))
    assert (here.notes, here.disposition, here.complaint) == (there.notes, there.disposition, there.complaint)
    assert list(there.frame.columns) == ["note", "disposition", "complaint", "sex"]


def test_patients_in_a_folder_are_forecast_in_order(sonmf, folder, tables):
    _, expected, _ = sonmf("predict", folder / "model.sonmf", folder / "notes.csv")
    code, out, _ = sonmf("predict", folder / "model.sonmf", tables)
    assert code == 0
    assert out == expected


def test_rows_without_an_outcome_are_left_out_alike_with_and_without_a_bound(sonmf, folder, tmp_path):
    frame = pd.read_csv(folder / "notes.csv", dtype=str)
    frame.loc[:9, "disposition"], frame.loc[10:12, "disposition"] = " left ", None
    frame.to_csv(tmp_path / "notes.csv", index=False)
    said = []
    for number, place in enumerate(([], ["--memory", "4GB"])):
        only = ["--negative", "discharged", "--min-notes", "999", *place, "-o", tmp_path / f"{number}.sonmf"]
        code, out, err = sonmf("fit", tmp_path / "notes.csv", *only)
        assert code == 0, err
        said.append(out.splitlines()[0])
    assert said == ["13 rows left out for their disposition: 10 left, 3 (missing)"] * 2
    models = [TriageModel.load(tmp_path / f"{number}.sonmf") for number in range(2)]
    assert models[0].provenance_ == models[1].provenance_
    here, there = (model.pooled_model_ for model in models)
    assert here.record == there.record
    assert here.n_notes == there.n_notes == 587


def refused(sonmf, message, *arguments):
    code, out, err = sonmf(*arguments)
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1
    assert "Traceback" not in out + err


def test_a_wrong_column_lists_those_there_are(sonmf, folder):
    message = "has no column 'notes' (did you mean 'note'?): its columns are id, note, disposition, complaint, sex"
    refused(sonmf, message, "fit", folder / "notes.csv", "--text", "notes", "-o", folder / "x.sonmf")
    refused(sonmf, "has no column 'ward'", "predict", folder / "model.sonmf", folder / "notes.csv", "--group", "ward")


FILES = {
    "empty.csv": (b"", "empty"),
    "head.csv": (b"note,disposition\n", "no rows"),
    "bytes.csv": (b"note,disposition\n" + b"caf\x81,admitted\n", "UTF-8"),
    "cut.csv.gz": (gzip.compress(b"note,disposition\ncough,admitted\n" * 999)[:60], "cut.csv.gz"),
    "one.csv": (b"note,disposition\n" + b"cough,admitted\n" * 50, "patients of both outcomes are needed"),
    "other.csv": (
        b"note,disposition\n" + b"cough,inpatient\nrash,home\n" * 50,
        "has no such value; it has the values 'home', 'inpatient'",
    ),
    "two.csv": (b"note,disposition\ncough,admitted\nrash,home\n", "only 1 of 2 notes are"),
    "notes.xlsx": (b"PK", "notes.xlsx"),
}


@pytest.mark.parametrize("name", FILES)
def test_unusable_files_get_one_sentence(sonmf, tmp_path, name):
    data, message = FILES[name]
    (tmp_path / name).write_bytes(data)
    refused(sonmf, message, "fit", tmp_path / name, "-o", tmp_path / "model.sonmf")
    assert not (tmp_path / "model.sonmf").exists()


def test_a_complaint_with_two_notes_uses_the_pooled_model(sonmf, folder, tmp_path):
    frame = pd.read_csv(folder / "notes.csv", dtype=str)
    frame.loc[:1, "complaint"] = "Snake bite"
    frame.to_csv(tmp_path / "notes.csv", index=False)
    code, out, _ = sonmf("fit", tmp_path / "notes.csv", "--topics", "4", "-o", tmp_path / "m.sonmf")
    assert code == 0
    assert "1 complaint with fewer than 5 patients: the model of all complaints is used, too few patients" in out
    assert "Snake" not in out
    assert b"Snake" not in (tmp_path / "m.sonmf").read_bytes()


def test_nothing_is_overwritten_without_force(sonmf, folder):
    before = (folder / "model.sonmf").read_bytes()
    refused(sonmf, "exists: give --force", "fit", folder / "notes.csv", "-o", folder / "model.sonmf")
    (folder / "out.csv").touch()
    refused(sonmf, "exists: give --force", "predict", folder / "model.sonmf", folder / "notes.csv", "-o", folder / "out.csv")
    assert (folder / "model.sonmf").read_bytes() == before


def test_unwritable_targets_are_refused_before_the_work(sonmf, folder):
    refused(sonmf, "cannot be written", "fit", folder / "notes.csv", "-o", folder / "notes.csv" / "m.sonmf")
    refused(sonmf, "is a folder", "fit", folder / "notes.csv", "-o", folder)
    refused(sonmf, "the ending must be one of", "predict", folder / "model.sonmf", folder / "notes.csv", "-o", folder / "x.xls")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "NOTES", "--topics", "many"], "--topics many: give a number such as 50"),
        (["fit", "NOTES", "--topics", "0"], "--topics 0: give a number"),
        (["fit", "NOTES", "--method", "lda"], "--method lda: there are sonmf"),
        (["fit", "NOTES", "--preset", "cdc"], "--preset cdc: there are altered-consciousness, neiss, mimic-iv-ed"),
        (["fit", "NOTES", "--negative", "home"], "--negative home: column 'disposition' has no such value"),
        (["fit", "NOTES", "--rule", "best"], "rule='best' must be"),
        (["fit", "NOTES", "--subgroup", "age"], "has no column 'age'"),
        (["fit", "NOTES", "--memory", "much"], "memory='much' is not a size: write it like 1GB"),
        (["fit", "NOTES", "--memory", "10MB"], "memory=10MB leaves no room for notes"),
        (["fit", "NOTES", "--memory", "4GB", "--preset", "neiss"], "has no column 'narrative'"),
        (["fit", "EMPTY"], "is a folder without tables"),
        (["evaluate", "NOTES", "--methods", "lda"], "--methods lda: there are sonmf"),
        (["topics", "MODEL", "--complaint", "Cuogh"], "did you mean 'Cough'?"),
        (["topics", "MODEL", "--complaint", "Cough", "--name", "first"], "write a number and a name"),
        (["topics", "MODEL", "--complaint", "Cough", "--name", "99=x"], "there is no topic 99"),
        (["topics", "NOTES"], "not a model of sonmf"),
        (["predict", "MODEL"], "give a file of patients, or one note with --note"),
        (["predict", "NOWHERE", "NOTES"], "there is no file"),
        (["factorize", "NOTES"], "save_npz"),
        (["reproduce", "triage", "--methods", "lda"], "--methods lda"),
    ],
)
def test_bad_requests_get_one_sentence(sonmf, folder, tmp_path, arguments, message):
    known = {
        "NOTES": folder / "notes.csv",
        "MODEL": folder / "model.sonmf",
        "NOWHERE": folder / "nowhere.sonmf",
        "EMPTY": tmp_path / "empty",
    }
    known["EMPTY"].mkdir()
    out = {"topics": [], "predict": []}.get(arguments[0], ["--out", tmp_path / "out.npz"])
    refused(sonmf, message, *(known.get(argument, argument) for argument in arguments), *out)


def test_a_defect_is_reported_without_a_traceback(sonmf, folder, monkeypatch):
    monkeypatch.setattr(TriageModel, "load", lambda *_: 1 / 0)
    code, out, err = sonmf("topics", folder / "model.sonmf")
    assert code == 1
    assert err.startswith("sonmf: a defect, please report it: ZeroDivisionError")
    assert "Traceback" not in out + err


PLAIN = set("\n").union(map(chr, range(32, 127)), "±─█▌▏▎▍▋▊▉▐▕…")


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


def test_repeated_ids_are_counted(sonmf, folder, tmp_path):
    _, _, err = sonmf("predict", folder / "model.sonmf", folder / "notes.csv")
    assert "earlier row" not in err
    path = changed(folder, tmp_path, id=["a", "b", "a", "a", None, None] + [str(i) for i in range(594)])
    _, _, err = sonmf("predict", folder / "model.sonmf", path, "-o", tmp_path / "out.csv")
    assert "2 rows have the id of an earlier row" in err


@pytest.mark.parametrize("option", ["--positive", "--negative"])
def test_every_outcome_that_is_named_must_occur(sonmf, folder, option):
    wanted = {"--positive": "admitted,dischargd", "--negative": "discharged,admited"}[option]
    wrong, near = {"--positive": ("dischargd", "discharged"), "--negative": ("admited", "admitted")}[option]
    message = f"{option} {wrong}: column 'disposition' has no such value (did you mean {near!r}?); it has the values 'admitted'"
    refused(sonmf, message, "fit", folder / "notes.csv", option, wanted, "-o", folder / "x.sonmf")


def test_a_refusal_does_not_list_values_of_few_rows(sonmf, folder):
    code, _, err = sonmf("fit", folder / "notes.csv", "--label", "note", "-o", folder / "x.sonmf")
    assert code == 2
    assert "it has 600 different values" in err
    assert not any(note in err for note in pd.read_csv(folder / "notes.csv")["note"])


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


def test_complaints_are_no_formulas_in_the_results_of_an_evaluation(tmp_path, monkeypatch):
    monkeypatch.setattr("sonmf.triage.evaluation._curve", lambda rows: {})
    found = Evaluation([{"complaint": "=1+1", "method": "words", "n_topics": 0, "inputs": "notes", "repeat": 0, "fold": 0}], {})
    asked = Provenance("notes.csv", "note", "disposition", None, ("admitted",), (), {"admitted": 1}, {"discharged": 1}, {}, 2)
    evaluating.write(found, asked, tmp_path)
    assert list(pd.read_csv(tmp_path / "results.csv")["complaint"]) == ["'=1+1"]
    assert json.loads((tmp_path / "evaluation.json").read_text())["summary"][0]["complaint"] == "=1+1"


def test_a_complaint_stays_in_its_cell_of_the_table(tmp_path, monkeypatch):
    monkeypatch.setattr("sonmf.triage.evaluation._curve", lambda rows: {})
    names = ["Chest|Pain", "two\nlines", "plain"]
    found = Evaluation(
        [{"complaint": name, "method": "words", "n_topics": 0, "inputs": "notes", "repeat": 0, "fold": 0} for name in names], {}
    )
    asked = Provenance("notes.csv", "note", "disposition", None, ("admitted",), (), {"admitted": 1}, {"discharged": 1}, {}, 2)
    evaluating.write(found, asked, tmp_path)
    rows = [re.split(r"(?<!\\)\|", line) for line in (tmp_path / "table.md").read_text().splitlines()]
    assert {len(row) for row in rows} == {len(rows[0])}
    assert [row[1].strip() for row in rows[2:]] == ["Chest\\|Pain", "plain", "two lines"]


def test_names_that_would_steer_a_terminal_lose_nothing(sonmf, folder, tmp_path):
    place = tmp_path / "\x1b[7m[/red]"
    place.mkdir(parents=True)
    bad, worse = "[/bold]Cough", "\x1b[31mFall\u202e"
    frame = pd.read_csv(folder / "notes.csv", dtype=str, nrows=200).replace({"complaint": {"Cough": bad, "Fall": worse}})
    frame.assign(id="\x1b]0;gone\x07").to_csv(place / "notes.csv", index=False)
    model, small = place / "m.sonmf", ("--min-notes", "40")
    said = [sonmf("fit", place / "notes.csv", "--topics", "2", *small, "-o", model)]
    assert set(TriageModel.load(model).models_) == {bad, worse}
    said += [
        sonmf("topics", model, "--complaint", bad, "--name", "0=[/red]\x1b[2J"),
        sonmf("topics", model, "--complaint", worse, "--name", "1=\x1b\udcff"),
        sonmf("topics", model),
        sonmf("predict", model, place / "notes.csv", "-o", place / "out.csv"),
        sonmf("predict", model, "--note", "syncope \x1b[31m[/b]\nzebra", "--complaint", worse),
        sonmf("report", model, "-o", place / "report.html"),
        sonmf("evaluate", place / "notes.csv", "--methods", "words", "--folds", "2", "--jobs", "1", *small, "-o", place / "ev"),
    ]
    assert [code for code, _, _ in said] == [0] * len(said)
    assert {letter for _, out, err in said for letter in out + err} <= PLAIN
    assert json.loads((place / "m.sonmf.labels.json").read_text()) == {bad: {"0": "[/red] [2J"}}
    assert "[/bold]Cough: " in said[3][1]
    assert "\\x1b[31mFall\\u202e" in said[3][1]
    refusals = [sonmf("fit", place / "nothing.csv"), sonmf("topics", model, "--complaint", "\x1b[31m"), sonmf("topics", place)]
    assert {letter for _, out, err in refusals for letter in out + err} <= PLAIN


def test_a_terminal_shows_the_escapes_of_a_list_and_a_pipe_copies_them(sonmf, folder, tmp_path, monkeypatch):
    path = changed(folder, tmp_path, id="\x1b[31mred")
    assert "\x1b[31mred," in sonmf("predict", folder / "model.sonmf", path)[1]
    monkeypatch.setattr(type(sys.stdout), "isatty", lambda stream: True, raising=False)
    _, table, _ = sonmf("predict", folder / "model.sonmf", path)
    assert "\n\\x1b[31mred " in table
    assert "\x1b[31mred" not in table
    assert table.count("\\x1b[31mred ") == 600


def test_a_model_is_saved_before_anything_is_said_of_it(sonmf, folder, tmp_path, monkeypatch):
    monkeypatch.setattr(fitting, "show", lambda *_: 1 / 0)
    assert sonmf("fit", folder / "notes.csv", "--topics", "3", "--min-notes", "999", "-o", tmp_path / "m.sonmf")[0] == 1
    assert TriageModel.load(tmp_path / "m.sonmf").pooled_model_


def test_a_reader_who_leaves_does_not_take_the_model_along(folder, tmp_path):
    pd.read_csv(folder / "notes.csv", dtype=str, nrows=100).to_csv(tmp_path / "notes.csv", index=False)
    command = ["fit", tmp_path / "notes.csv", "--topics", "2", "--min-notes", "999", "-o", tmp_path / "m.sonmf"]
    command = [sys.executable, "-m", "sonmf.cli", *map(str, command)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        said = process.stderr.read()
    assert process.returncode == 0, said
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
    seeded = [one for one in TriageModel.load(target).models_.values() if one.record.seeds and one.strength[0]]
    assert out.count("(seeded)") == len(seeded)
    code, _, complaint = sonmf("fit", folder / "notes.csv", "--seed-topic", "xqzvkj", "-o", tmp_path / "other.sonmf")
    assert code != 0
    assert "the seed word 'xqzvkj' is in too few notes, or in none" in complaint
    assert not (tmp_path / "other.sonmf").exists()


def test_topics_tells_which_would_come_back_with_other_patients(sonmf, folder, tmp_path):
    target = tmp_path / "model.sonmf"
    code, out, _ = sonmf("fit", folder / "notes.csv", "--topics", "6", "--stability", "2", "-o", target)
    assert code == 0
    assert "9 of 9 fits" in out  # two complaints and all of them, each fitted three times
    code, out, _ = sonmf("topics", target)
    assert code == 0
    model = TriageModel.load(target)
    for one in model.models_.values():
        stable = sum(found.score >= 0.8 for found in one.record.stability)
        assert f"Stable: {stable} of 6. The topics were fitted again to 2 other draws" in out
    shown = [
        found for one in model.models_.values() for found, move in zip(one.record.stability, one.strength, strict=True) if move
    ]
    assert len(re.findall(r"0\.\d\d unstable", out)) == sum(found.score < 0.8 for found in shown)
    assert "--stability 20" not in out
    assert "fit with --stability 20" in sonmf("topics", folder / "model.sonmf")[1]


def test_as_many_topics_as_the_notes_hold(sonmf, folder, tmp_path):
    target = tmp_path / "model.sonmf"
    code, out, _ = sonmf("fit", folder / "notes.csv", "--topics", "auto", "-o", target)
    assert code == 0
    model = TriageModel.load(target)
    for name, one in model.models_.items():
        assert f"{name}: {one.n_topics} topic" in out
    code, _, _ = sonmf(
        "evaluate", folder / "notes.csv", "--methods", "words", "--folds", "2", "--model", target, "-o", tmp_path / "judged"
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
