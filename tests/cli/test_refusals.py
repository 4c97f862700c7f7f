"""What all verbs refuse, each with one sentence, and what they never print."""

from __future__ import annotations

import gzip
import json

import pandas as pd
import pytest

from sonmf.triage import TriageModel


def test_a_wrong_column_lists_those_there_are(refused, folder):
    message = "has no column 'notes' (did you mean 'note'?): its columns are id, note, disposition, complaint, sex"
    refused(message, "fit", folder / "notes.csv", "--text", "notes", "-o", folder / "x.sonmf")
    refused("has no column 'ward'", "predict", folder / "model.sonmf", folder / "notes.csv", "--group", "ward")


def test_the_column_of_the_notes_is_guessed_where_it_has_another_name(refused, folder, tmp_path):
    frame = pd.read_csv(folder / "notes.csv").rename(columns={"note": "narrative"})
    frame.assign(seen_by="a doctor").to_csv(tmp_path / "other.csv", index=False)
    hint = "name the column of the notes with --text, perhaps --text 'narrative'"
    refused(hint, "fit", tmp_path / "other.csv", "-o", tmp_path / "x.sonmf")
    refused(hint, "predict", folder / "model.sonmf", tmp_path / "other.csv")
    frame[["id", "disposition"]].to_csv(tmp_path / "none.csv", index=False)
    refused("name the column of the notes with --text", "fit", tmp_path / "none.csv", "-o", tmp_path / "x.sonmf")


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
def test_unusable_files_get_one_sentence(refused, tmp_path, name):
    data, message = FILES[name]
    (tmp_path / name).write_bytes(data)
    refused(message, "fit", tmp_path / name, "-o", tmp_path / "model.sonmf")
    assert not (tmp_path / "model.sonmf").exists()


def test_nothing_is_overwritten_without_force(refused, folder):
    before = (folder / "model.sonmf").read_bytes()
    refused("exists: give --force", "fit", folder / "notes.csv", "-o", folder / "model.sonmf")
    (folder / "out.csv").touch()
    refused("exists: give --force", "predict", folder / "model.sonmf", folder / "notes.csv", "-o", folder / "out.csv")
    assert (folder / "model.sonmf").read_bytes() == before


def test_unwritable_targets_are_refused_before_the_work(refused, folder):
    refused("cannot be written", "fit", folder / "notes.csv", "-o", folder / "notes.csv" / "m.sonmf")
    refused("is a folder", "fit", folder / "notes.csv", "-o", folder)
    refused("the ending must be one of", "predict", folder / "model.sonmf", folder / "notes.csv", "-o", folder / "x.xls")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "NOTES", "--topics", "many"], "--topics many: give a number such as 50"),
        (["fit", "NOTES", "--topics", "0"], "--topics 0: give a number"),
        (["fit", "NOTES", "--method", "lda"], "--method lda: choose one of sonmf"),
        (["fit", "NOTES", "--preset", "cdc"], "--preset cdc: there are altered-consciousness, neiss, mimic-iv-ed"),
        (["fit", "NOTES", "--negative", "home"], "--negative home: column 'disposition' has no such value"),
        (["fit", "NOTES", "--rule", "best"], "rule='best' must be"),
        (["fit", "NOTES", "--subgroup", "age"], "has no column 'age'"),
        (["fit", "NOTES", "--column", "age:numeric"], "the kinds of a column are number, category, text: write age:number"),
        (["fit", "NOTES", "--preset", "neiss"], "has no column 'narrative'"),
        (["fit", "EMPTY"], "is a folder without tables"),
        (["evaluate", "NOTES", "--methods", "lda"], "--methods lda: choose one of sonmf"),
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
def test_bad_requests_get_one_sentence(refused, folder, tmp_path, arguments, message):
    known = {
        "NOTES": folder / "notes.csv",
        "MODEL": folder / "model.sonmf",
        "NOWHERE": folder / "nowhere.sonmf",
        "EMPTY": tmp_path / "empty",
    }
    known["EMPTY"].mkdir()
    out = {"topics": [], "predict": []}.get(arguments[0], ["--out", tmp_path / "out.npz"])
    refused(message, *(known.get(argument, argument) for argument in arguments), *out)


def test_a_defect_is_reported_without_a_traceback_and_without_its_text(sonmf, folder, monkeypatch):
    def broken(*_, **__):
        raise ValueError("could not convert string to float: 'Mrs Smith'")  # as pandas and numpy say it

    monkeypatch.setattr(TriageModel, "load", broken)
    code, out, err = sonmf("topics", folder / "model.sonmf")
    assert code == 1
    assert err.startswith("sonmf: a defect, please report it: ValueError in test_refusals.py")
    assert not any(word in out + err for word in ("Traceback", "Smith"))


PLAIN = set("\n").union(map(chr, range(32, 127)), "±─█▌▏▎▍▋▊▉▐▕…")


def test_names_that_would_steer_a_terminal_lose_nothing(sonmf, folder, tmp_path):
    place = tmp_path / "\x1b[7m[/red]"
    place.mkdir(parents=True)
    bad, worse = "[/bold]Cough", "\x1b[31mFall\u202e"
    frame = pd.read_csv(folder / "notes.csv", dtype=str, nrows=200).replace({"complaint": {"Cough": bad, "Fall": worse}})
    frame.assign(id="\x1b]0;gone\x07").to_csv(place / "notes.csv", index=False)
    model, small = place / "m.sonmf", ("--min-notes", "40")
    said = [sonmf("fit", place / "notes.csv", "--topics", "2", *small, "--own-models", "always", "-o", model)]
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
    assert json.loads((place / "m.sonmf.labels.json").read_text()) == {bad: {"0": "[/red] [2J"}, worse: {"1": ""}}
    assert "[/bold]Cough: " in said[3][1]
    assert "\\x1b[31mFall\\u202e" in said[3][1]
    refusals = [sonmf("fit", place / "nothing.csv"), sonmf("topics", model, "--complaint", "\x1b[31m"), sonmf("topics", place)]
    assert {letter for _, out, err in refusals for letter in out + err} <= PLAIN
