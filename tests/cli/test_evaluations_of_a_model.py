"""What a model is about and how good it is, as a reader sees it: on the terminal, in the report, on the page, in the files."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
from command_line import run_sonmf
from wards import ward

from sonmf.triage import TriageModel
from sonmf.web import api
from sonmf.web.served_model import ServedModel

RARE = "Snake bite of Mrs Zebra"
FIT = ["--text", "words", "--label", "outcome", "--group", "why", "--positive", "ADM-IP,ADM-ICU,OBS"]
SOME = ["--methods", "sonmf", "--folds", "2", "--jobs", "1"]


def patients(seed):
    notes, dispositions, complaints = ward(450, seed)
    random = np.random.default_rng(seed)
    codes = {"admitted": ["ADM-IP", "ADM-ICU", "OBS"], "discharged": ["HOME", "SNF"]}
    outcomes = [str(random.choice(codes[one])) for one in dispositions]
    outcomes[:30], outcomes[30:33] = ["LWBS"] * 30, [None] * 3
    complaints[40] = RARE
    return pd.DataFrame({"words": notes, "outcome": outcomes, "why": complaints})


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """june.csv, july.csv, and model.sonmf fitted on june; what fit said is in fit.txt."""
    folder = tmp_path_factory.mktemp("wards")
    for seed, month in enumerate(("june", "july")):
        patients(seed).to_csv(folder / f"{month}.csv", index=False)
    command = [
        "fit",
        "june.csv",
        "--own-models",
        "always",
        *FIT,
        "--negative",
        "HOME,SNF",
        "--topics",
        "5",
        "--min-notes",
        "150",
        "-o",
        "model.sonmf",
    ]
    (folder / "fit.txt").write_text(run_sonmf(*command, folder=folder))
    return folder


@pytest.fixture
def here(place, tmp_path, monkeypatch):
    """A copy to work in."""
    for file in place.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


class Words(HTMLParser):
    """What a page says, without scripts and styles."""

    def __init__(self, html):
        super().__init__()
        self.hidden, self.said = 0, []
        self.feed(html)
        self.text = " ".join(" ".join(self.said).split())

    def handle_starttag(self, tag, attrs):
        self.hidden += tag in ("script", "style")

    def handle_endtag(self, tag):
        self.hidden -= tag in ("script", "style")

    def handle_data(self, data):
        if not self.hidden:
            self.said.append(data)


def report(sonmf, here):
    code, _, err = sonmf("report", "model.sonmf", "-o", "report.html", "--force")
    assert code == 0, err
    return Words((here / "report.html").read_text("utf-8")).text


def quality(here, complaint):
    return api._quality(ServedModel(TriageModel.load("model.sonmf"), here / "model.sonmf"), complaint)


def test_every_value_of_the_outcome_is_told_and_the_rows_left_out(sonmf, here):
    told = "; ".join(
        [
            r"admitted: \d+ (ADM-IP|ADM-ICU|OBS), \d+ (ADM-IP|ADM-ICU|OBS), \d+ (ADM-IP|ADM-ICU|OBS)",
            r"not admitted: \d+ (HOME|SNF), \d+ (HOME|SNF)",
            r"33 rows left out: 30 LWBS, 3 \(missing\)",
        ]
    )
    _, out, _ = sonmf("topics", "model.sonmf", "--complaint", "Cough")
    page = api._card(ServedModel(TriageModel.load("model.sonmf"), here / "model.sonmf"))["outcome"]
    for text in (" ".join(out.split()), report(sonmf, here), page.in_words):
        found = re.search(told, text)
        assert found, text[:400]
        assert len(set(found.groups())) == 5
        assert "or not ADM-IP" not in text
    rows = patients(0)["outcome"].value_counts()
    assert page.admitted == {name: int(rows[name]) for name in page.admitted}


def test_one_slope_is_printed_everywhere(sonmf, here):
    printed = re.search(r"Cough .*?(\d\.\d\d ± \d\.\d\d)", (here / "fit.txt").read_text())[1]
    shown = quality(here, "Cough")["figures"]
    assert f"{shown.calibration_slope:.2f} ± {shown.calibration_slope_error:.2f}" == printed
    low, high = shown.intervals["calibration_slope"]
    told = f"{shown.calibration_slope:.2f} [{low:.2f}, {high:.2f}]"
    text = report(sonmf, here)
    assert f"Calibration slope {told}" in text
    assert len(re.findall(re.escape(told), text)) >= 3  # at a glance, in the section of the complaint, and under its chart
    assert "topics were found in all notes, without outcomes" in text
    assert "topics were found in all notes" in " ".join((here / "fit.txt").read_text().split())


def test_an_evaluation_is_about_the_notes_it_names_and_the_model_stays_as_it_was(sonmf, here):
    before = (here / "model.sonmf").read_bytes()
    code, out, err = sonmf("evaluate", "june.csv", "--model", "model.sonmf", *SOME, "-o", "same")
    assert code == 0, err  # --text, --label, --group, --positive, --topics are the model's
    assert "not about the model" not in out
    assert "Not about the model as it was fitted" not in report(sonmf, here)
    code, out, err = sonmf("evaluate", "july.csv", "--model", "model.sonmf", *SOME, "-o", "july", "--topics", "3")
    assert code == 0, err
    text = report(sonmf, here)
    for said in ("judged on another file: july.csv, where the model was fitted on june.csv", "another number of topics: 3"):
        assert said in " ".join(out.split())
        assert said in text.split("Not about the model as it was fitted:")[1]
    assert "another outcome" not in text
    entries = quality(here, "Cough")["evaluations"]
    assert [one["title"].split(",")[0] for one in entries] == ["june.csv", "july.csv"]
    assert [bool(one["differs"]) for one in entries] == [False, True]
    found = json.loads((here / "july" / "evaluation.json").read_text())
    mean = next(row["figures"]["auroc"]["value"] for row in found["methods"] if row["complaint"] == "Cough")
    assert f"{mean:.3f} ±" in text.split("july.csv, 20")[1]
    assert found["asked"]["data"] in text
    assert (here / "model.sonmf").read_bytes() == before


def test_another_outcome_is_told_and_repeating_replaces(sonmf, here):
    other = ["evaluate", "june.csv", "--model", "model.sonmf", *SOME, "--positive", "ADM-ICU,ADM-IP", "--min-df", "4"]
    for _ in range(2):
        assert sonmf(*other, "-o", "other")[0] == 0
    assert sonmf("evaluate", "june.csv", "--model", "model.sonmf", *SOME, "-o", "same")[0] == 0
    text = report(sonmf, here)
    assert text.count("another outcome: ADM-ICU, ADM-IP against HOME, SNF in column outcome, where the model has ADM-IP,") == 1
    assert "another fewest notes of a word: 4, where the model has 5" in text
    assert "another file" not in text
    assert "judged on other notes" not in text
    assert len(json.loads((here / "model.sonmf.evaluations.json").read_text())) == 2
    changed = patients(0)
    changed.loc[100, "words"] += " fever"
    changed.to_csv(here / "june.csv", index=False)
    _, out, _ = sonmf("evaluate", "june.csv", "--model", "model.sonmf", *SOME, "-o", "changed")
    assert "judged on other notes: june.csv is not as it was" in " ".join(out.split())


@pytest.mark.parametrize("text", ["", "{", "[1]", '[{"asked": null, "found": {}, "date": ""}]', "[" * 10_000])
def test_damaged_evaluations_are_said(sonmf, here, text):
    (here / "model.sonmf.evaluations.json").write_text(text)
    code, _, err = sonmf("topics", "model.sonmf")
    assert code == 2
    assert "model.sonmf.evaluations.json cannot be read" in err
    assert "it holds only figures of evaluations" in err


def test_patients_who_left_are_not_counted_among_the_beds(sonmf, here):
    command = ["predict", "model.sonmf", "june.csv", "--text", "words", "--group", "why"]
    _, out, err = sonmf(*command)
    _, every, all_counted = sonmf(*command, "--all-rows")
    assert "420 patients expected" in err  # the three without an outcome still wait
    assert "30 of 450 rows are not counted among the beds" in " ".join(err.split())
    assert "450 patients expected" in all_counted
    rows, plain = (pd.read_csv(pd.io.common.StringIO(text)) for text in (out, every))
    assert (rows["probability"] == plain["probability"]).all()  # every row, in order
    assert (
        rows["remark"].str.contains("not counted among the beds").to_numpy(bool, na_value=False).tolist()
        == [True] * 30 + [False] * 420
    )
    beds = float(err.split()[0])
    assert beds == pytest.approx(plain["probability"][30:].sum(), abs=0.06)
    patients(0)[["words", "why"]].to_csv(here / "waiting.csv", index=False)
    assert "450 patients expected" in sonmf("predict", "model.sonmf", "waiting.csv", "--text", "words")[2]


def test_a_complaint_of_one_patient_is_named_nowhere(sonmf, here):
    code, out, err = sonmf("evaluate", "june.csv", "--model", "model.sonmf", *SOME, "-o", "ev")
    assert code == 0
    assert "1 complaint with fewer than 5 patients: left out, too few patients" in out
    report(sonmf, here)
    written = [path for path in here.rglob("*") if path.is_file() and path.name not in ("june.csv", "july.csv")]
    assert len(written) > 8
    assert not [path.name for path in written if b"Zebra" in path.read_bytes()]
    assert "Zebra" not in out + err + (here / "fit.txt").read_text()


def canaries(text):
    """Words of notes that stand in a text."""
    return {"Zebra", *ward(5)[0][0].split()[1:]} & set(re.findall(r"\w+", text))


HEADLESS = "41yo cough and fever for three days, lives with her sister Zebra,admitted\nrash,home\n"
FEW = "note,disposition\nZebra cough,admitted\nZebra rash,home\nZebra fall,left\n"
MISTAKES = {
    "notes for labels": ("june.csv", ["--text", "words", "--label", "words"]),
    "notes for labels, negative": ("june.csv", ["--text", "words", "--label", "words", "--negative", "HOME"]),
    "a handful of notes for labels": ("few.csv", ["--label", "note"]),
    "notes for complaints": ("june.csv", [*FIT[:4], "--group", "words", "--positive", "OBS", "--min-notes", "999"]),
    "no header": ("headless.csv", []),
    "a wrong column": ("headless.csv", ["--text", "words"]),
    "no such outcome": ("few.csv", ["--positive", "ward"]),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_no_message_quotes_a_note(sonmf, here, name):
    (here / "headless.csv").write_text(HEADLESS)
    (here / "few.csv").write_text(FEW)
    file, arguments = MISTAKES[name]
    code, out, err = sonmf("fit", file, *arguments, "--topics", "3", "-o", "x.sonmf")
    assert code == (0 if name == "notes for complaints" else 2)
    assert not canaries(out + err)


def test_notes_that_are_no_text_are_not_quoted(sonmf, here):
    pd.DataFrame({"note": [b"Zebra cough"] * 30, "disposition": ["admitted", "home"] * 15}).to_parquet("bytes.parquet")
    code, _, err = sonmf("fit", "bytes.parquet", "-o", "x.sonmf")
    assert code == 2
    assert "note 0 is bytes, not text" in err
    assert "Zebra" not in err
