"""``sonmf update`` and ``sonmf compare``: a model's second month, on the command line."""

import hashlib
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from command_line import run_sonmf
from wards import ward

from sonmf.triage import TriageModel, topic_labels
from sonmf.triage.lineage import lineage

FIT = ["--text", "narrative", "--group", "cc", "--label", "end", "--positive", "ICU,ward", "--column", "age", "--missing", "-9"]
FIT += ["--subgroup", "age"]


def month(n, seed, sicker=0.0):
    """A file of patients; the outcome has codes of its own."""
    notes, dispositions, complaints = ward(n, seed)
    random = np.random.default_rng(seed)
    sick = (np.array(dispositions) == "admitted") | (random.random(n) < sicker)
    end = np.where(sick, random.choice(["ICU", "ward"], n), random.choice(["home", "clinic"], n))
    age = np.where(random.random(n) < 0.1, -9, random.integers(20, 90, n))
    return pd.DataFrame({"narrative": notes, "end": end, "cc": complaints, "age": age})


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """Three months, and a model of the first; many of the later patients are sicker than their notes."""
    folder = tmp_path_factory.mktemp("months")
    for name, n, seed, sicker in (("may", 600, 0, 0.0), ("june", 500, 1, 0.4), ("july", 500, 2, 0.4)):
        month(n, seed, sicker).to_csv(folder / f"{name}.csv", index=False)
    command = ["fit", folder / "may.csv", "--own-models", "always", *FIT, "--topics", "4", "-o", folder / "may.sonmf"]
    run_sonmf(*command)
    return folder


@pytest.fixture
def place(fitted, tmp_path):
    return Path(shutil.copytree(fitted, tmp_path, dirs_exist_ok=True))


def test_a_model_is_recalibrated_and_compared_without_being_asked_again(sonmf, place):
    before = hashlib.sha256((place / "may.sonmf").read_bytes()).hexdigest()
    code, out, err = sonmf("update", place / "may.sonmf", place / "june.csv", "-o", place / "june.sonmf")
    assert code == 0, err
    assert re.search(r"Cough +2\d\d", out)
    assert "3 of 3 models changed" in out
    assert "fitted 20" in out
    assert "recalibrated 20" in out
    assert hashlib.sha256((place / "may.sonmf").read_bytes()).hexdigest() == before
    steps = lineage(TriageModel.load(place / "june.sonmf"))
    assert [(step.how, step.source, step.notes) for step in steps] == [
        ("fit", "may.csv", 600),
        ("recalibrate", "june.csv", 500),
    ]
    assert steps[0].sha256 == before
    code, out, err = sonmf(
        "compare",
        place / "may.sonmf",
        place / "june.sonmf",
        place / "july.csv",
        "-o",
        place / "c.json",
        "--threshold",
        "0.2,0.5",
    )
    assert code == 0, err
    assert "B is better on these patients: the difference in log loss is beyond chance." in out
    assert "look better than they are" not in out
    kept = json.loads((place / "c.json").read_text())
    assert kept["models"][0]["sha256"] == before
    assert kept["comparison"]["patients"] == 500 == sum(np.sum(table) for table in kept["comparison"]["moves"].values())
    for shown in ("topics", "report"):
        target = ["-o", place / "r.html"] if shown == "report" else []
        code, out, err = sonmf(shown, place / "june.sonmf", *target)
        assert code == 0, err
        told = out if shown == "topics" else (place / "r.html").read_text()
        assert "june.csv" in told
        assert "recalibrate" in told


def test_a_refit_carries_names_over_and_tells_of_topics_that_are_gone(sonmf, place):
    assert sonmf("topics", place / "may.sonmf", "--complaint", "Cough", "--name", "0=first")[0] == 0
    code, out, err = sonmf("update", place / "may.sonmf", place / "may.csv", "--how", "refit", "-o", place / "same.sonmf")
    assert code == 0, err
    assert "the model was fitted on these patients" in out.replace("\n", " ")
    assert re.search(r"Cough .* 4 of 4 +1 of 1", out)
    again = TriageModel.load(place / "same.sonmf")
    assert again.models_["Cough"].labels[0] == "first"
    assert not topic_labels.labels_path(place / "same.sonmf").exists()
    assert again.pooled_model_.record.subgroups
    assert again.provenance_ == TriageModel.load(place / "may.sonmf").provenance_
    other = month(500, 3)
    other["narrative"] = [" ".join(word[::-1] for word in note.split()) for note in other["narrative"]]
    other["cc"] = np.where(other["cc"] == "Fall", "Fever", other["cc"])
    other.to_csv(place / "other.csv", index=False)
    code, out, err = sonmf("update", place / "may.sonmf", place / "other.csv", "--how", "refit", "-o", place / "new.sonmf")
    assert code == 0, err
    assert "Cough, topic 0 first: no topic is like it any more, so the name is lost" in out
    assert "complaints with a model for the first time: Fever" in out
    assert "Fall: no model of its own now, too few patients" in out
    assert TriageModel.load(place / "new.sonmf").provenance_.source == "other.csv"


def test_nothing_is_replaced(sonmf, place):
    ask = ["update", place / "may.sonmf", place / "june.csv"]
    assert sonmf(*ask)[0::2] == (2, "sonmf: name the new model with -o, such as -o updated.sonmf: the old one stays as it is\n")
    (place / "there.sonmf").write_text("mine")
    code, _, err = sonmf(*ask, "-o", place / "there.sonmf")
    assert (code, (place / "there.sonmf").read_text()) == (2, "mine")
    assert "exists: give --force to replace it" in err
    code, _, err = sonmf(*ask, "-o", place / "may.sonmf", "--force")
    assert code == 2
    assert "is what this command reads" in err
    topic_labels.labels_path(place / "there.sonmf").write_text('{"Cough": {"0": "mine"}}')
    code, _, err = sonmf(*ask, "-o", place / "there.sonmf", "--force")
    assert (code, (place / "there.sonmf").read_text()) == (2, "mine")
    assert "names topics of another model: move it" in err
    topic_labels.labels_path(place / "there.sonmf").unlink()
    assert sonmf(*ask, "-o", place / "there.sonmf", "--force")[0] == 0


def test_what_was_trained_on_is_said(sonmf, place):
    assert sonmf("update", place / "may.sonmf", place / "june.csv", "-o", place / "june.sonmf")[0] == 0
    for name, said in (("may", ["A was fitted", "B was fitted"]), ("june", ["B was recalibrated"])):
        _, out, _ = sonmf("compare", place / "may.sonmf", place / "june.sonmf", place / f"{name}.csv")
        assert re.findall(r"[AB] was \w+", out) == said


def test_models_fitted_from_python_are_read_as_usual(sonmf, place):
    """They have not written down how they were asked; the column of outcomes is the usual one."""
    notes, dispositions, complaints = ward(600)
    TriageModel(n_topics=4, own_models="always").fit(notes, [value == "admitted" for value in dispositions], complaints).save(
        place / "p.sonmf"
    )
    frame = pd.DataFrame(
        {"note": notes, "disposition": [value == "admitted" for value in dispositions], "complaint": complaints}
    )
    frame.to_csv(place / "usual.csv", index=False)
    code, out, err = sonmf("compare", place / "p.sonmf", place / "p.sonmf", place / "usual.csv")
    assert code == 0, err
    assert "A and B make the same forecasts" in out
    assert sonmf("update", place / "p.sonmf", place / "usual.csv", "-o", place / "q.sonmf")[0] == 0


def test_wrong_use_is_refused_in_a_sentence(sonmf, place):
    code, _, err = sonmf("update", place / "may.sonmf", place / "june.csv", "--how", "renew", "-o", place / "x.sonmf")
    assert (code, err) == (2, "sonmf: --how renew: choose recalibrate or refit\n")
    for wrong in ("0", "half", "0.2,1"):
        code, _, err = sonmf("compare", place / "may.sonmf", place / "may.sonmf", place / "june.csv", "--threshold", wrong)
        assert (code, err.startswith(f"sonmf: --threshold {wrong}: give probabilities")) == (2, True)
    month(300, 4).drop(columns="age").to_csv(place / "less.csv", index=False)
    code, _, err = sonmf("update", place / "may.sonmf", place / "less.csv", "-o", place / "x.sonmf")
    assert code == 2
    assert "has no column 'age'" in err
    assert sonmf("fit", place / "june.csv", *FIT[:6], "--positive", "ICU", "--topics", "2", "-o", place / "icu.sonmf")[0] == 0
    code, _, err = sonmf("compare", place / "may.sonmf", place / "icu.sonmf", place / "july.csv")
    assert code == 2
    assert "forecast different outcomes" in err
    assert not (place / "x.sonmf").exists()


def test_models_that_are_not_those_expected_are_not_compared(sonmf, place):
    right = TriageModel.load(place / "may.sonmf").sha256_
    command = ["compare", place / "may.sonmf", place / "may.sonmf", place / "june.csv", "--expect-sha256", right]
    assert sonmf(*command, "--expect-sha256", right)[0] == 0
    code, _, err = sonmf(*command, "--expect-sha256", "0" * 64)
    assert (code, "SHA-256" in err) == (2, True)
    code, _, err = sonmf(*command)
    assert (code, "give it twice, first for A and then for B" in err) == (2, True)
