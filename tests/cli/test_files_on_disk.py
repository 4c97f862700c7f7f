"""What the command line writes, and where: never over its input, never half, never without a word when the disk refuses."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from command_line import nobody_reads, run_sonmf
from processes import wait_until
from wards import ward

from sonmf import files
from sonmf.triage import TriageModel


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    place = tmp_path_factory.mktemp("fitted")
    notes, dispositions, complaints = ward(300)
    frame = pd.DataFrame({"note": notes, "disposition": dispositions, "complaint": complaints})
    frame.to_csv(place / "notes.csv", index=False)
    TriageModel(4).fit(notes, dispositions).save(place / "model.sonmf")
    return place


@pytest.fixture
def place(fitted, tmp_path):
    """A folder with notes.csv and model.sonmf of its own."""
    return shutil.copytree(fitted, tmp_path / "place")


def refused(sonmf, message, *arguments):
    code, _, err = sonmf(*arguments)
    assert code == 2, err
    assert message in err
    assert len(err.splitlines()) == 1


READS = "is what this command reads"


def test_no_verb_replaces_its_input(sonmf, place):
    notes, model = place / "notes.csv", place / "model.sonmf"
    (place / "link.csv").symlink_to("notes.csv")
    os.link(notes, place / "hard.csv")
    os.link(notes, place / "hard.html")
    os.link(model, place / "model.csv")
    (place / "in").mkdir()
    shutil.move(place / "hard.csv", place / "in" / "a.csv")
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    for out in (notes, place / "link.csv", place / "in" / "a.csv", place / "in" / ".." / "notes.csv"):
        refused(sonmf, READS, "fit", notes, "-o", out, "--force")
        refused(sonmf, READS, "predict", model, notes, "-o", out, "--force")
    refused(sonmf, READS, "fit", place / "in", "-o", notes, "--force")  # the folder has it under another name
    refused(sonmf, READS, "predict", model, place / "in", "-o", place / "in" / "new.csv")  # it would be read the next time
    refused(sonmf, READS, "predict", model, notes, "-o", place / "model.csv", "--force")
    refused(sonmf, READS, "report", model, "--notes", notes, "-o", place / "hard.html", "--force")
    shutil.copy(notes, place / "results.csv")
    refused(sonmf, "has what this command reads", "evaluate", place / "results.csv", "-o", place)
    refused(sonmf, "has what this command reads", "evaluate", place / "in", "-o", place / "in")
    for path, data in before.items():
        assert path.read_bytes() == data


def test_reproduce_does_not_remove_the_notes_with_an_older_run(sonmf, place):
    study = place / "triage"
    study.mkdir()
    (study / "study.json").write_text("{}")
    shutil.copy(place / "notes.csv", study / "notes.csv")
    refused(sonmf, "has the notes", "reproduce", "triage", "--notes", study / "notes.csv", "--out", place, "--force")
    assert (study / "notes.csv").exists()


def test_factorize_does_not_replace_its_matrix(sonmf, tmp_path):
    np.save(tmp_path / "f-amounts.npy", np.ones((4, 3)))
    refused(sonmf, READS, "factorize", tmp_path / "f-amounts.npy", "--topics", "1", "-o", tmp_path / "f.npz", "--force")
    (tmp_path / "blocks").mkdir()
    scipy.sparse.save_npz(tmp_path / "blocks" / "a.npz", scipy.sparse.eye_array(4).tocsr())
    refused(sonmf, READS, "factorize", tmp_path / "blocks", "--topics", "1", "-o", tmp_path / "blocks" / "a.npz", "--force")


def test_force_keeps_the_mode_and_writes_through_links(sonmf, place):
    (place / "far").mkdir()
    (place / "far" / "out.csv").write_text("old")
    (place / "far" / "out.csv").chmod(0o600)
    (place / "out.csv").symlink_to("far/out.csv")
    assert sonmf("predict", place / "model.sonmf", place / "notes.csv", "-o", place / "out.csv", "--force")[0] == 0
    assert (place / "out.csv").is_symlink()
    assert stat.S_IMODE((place / "far" / "out.csv").stat().st_mode) == 0o600
    assert len(pd.read_csv(place / "far" / "out.csv")) == 300
    (place / "model.sonmf").chmod(0o640)
    code, _, err = sonmf("fit", place / "notes.csv", "--topics", "3", "-o", place / "model.sonmf", "--force")
    assert code == 0, err
    assert stat.S_IMODE((place / "model.sonmf").stat().st_mode) == 0o640


EVALUATE = ["--methods", "words", "--folds", "2", "--jobs", "1", "--min-notes", "20"]


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_the_digest_that_is_printed_is_that_of_the_file_and_only_that_file_is_loaded(sonmf, place, monkeypatch):
    monkeypatch.setattr("sonmf.cli.serve.answer_requests", lambda served, door, *_: door.close())
    model, notes, html = place / "model.sonmf", place / "notes.csv", place / "r.html"
    code, out, err = sonmf("fit", notes, "--topics", "3", "-o", place / "new.sonmf")
    assert code == 0, err
    assert digest(place / "new.sonmf") in out
    assert digest(model) in sonmf("topics", model)[1]
    verbs = {
        "topics": [model], "predict": [model, notes], "report": [model, "-o", html], "serve": [model, "--port", "0"],
        "evaluate": [notes, "--model", model, *EVALUATE, "-o", place / "ev"],
    }  # fmt: skip
    for verb, arguments in verbs.items():
        refused(sonmf, "is not the expected file", verb, *arguments, "--expect-sha256", digest(place / "new.sonmf"))
        refused(sonmf, "64 hexadecimal digits", verb, *arguments, "--expect-sha256", "abc")
    assert not html.exists()
    expected = digest(model)
    for verb, arguments in verbs.items():
        code, _, err = sonmf(verb, *arguments, "--expect-sha256", expected)
        assert code == 0, err
    assert digest(model) == expected  # evaluate keeps its figures beside the model


def test_names_beside_a_model_that_cannot_be_read_are_named(sonmf, place):
    beside = place / "model.sonmf.labels.json"
    for text in (
        "",
        "[]",
        "[" * 10**5,
        '{"": {"x": "a"}}',
        '{"": {"1": ["a"]}}',
        '{"": 3}',
        '{"": {"0": "' + "a" * 99 + '"}}',
        "\0",
    ):
        beside.write_text(text)
        refused(sonmf, f"{beside} cannot be read", "topics", place / "model.sonmf")
    beside.write_text('{"": {"0": "first", "99": "no such topic"}, "Nowhere": {"0": "x"}}')
    assert TriageModel.load(place / "model.sonmf").pooled_model_.labels[:2] == ("first", "")
    refused(sonmf, "names topics of another model: move it", "fit", place / "notes.csv", "-o", place / "model.sonmf", "--force")


@pytest.fixture
def full_disk(monkeypatch):
    """From the first file that the command creates on, no file can grow beyond 2,000 bytes."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    create = files._created

    def created(*arguments):
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, before[1]))
        return create(*arguments)

    monkeypatch.setattr(files, "_created", created)
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("verb", ["fit", "predict", "predict.gz", "predict.parquet", "report", "factorize"])
def test_a_disk_that_is_full_gets_a_sentence_with_the_file_and_leaves_nothing(sonmf, place, full_disk, verb):
    notes, model = place / "notes.csv", place / "model.sonmf"
    np.save(place / "X.npy", np.random.default_rng(0).random((900, 9)))
    commands = {
        "fit": ["fit", notes, "--topics", 3, "-o", place / "out.sonmf"],
        "predict": ["predict", model, notes, "-o", place / "out.csv"],
        "predict.gz": ["predict", model, notes, "-o", place / "out.csv.gz"],
        "predict.parquet": ["predict", model, notes, "-o", place / "out.parquet"],
        "report": ["report", model, "-o", place / "out.html"],
        "factorize": ["factorize", place / "X.npy", "--topics", 3, "-o", place / "out.npz"],
    }
    before = sorted(place.iterdir())
    code, _, err = sonmf(*commands[verb])
    assert code == 1, err
    (said,) = [line for line in err.splitlines() if "compiling" not in line and "expected" not in line]
    assert said.startswith(f"sonmf: {place}/out")
    assert "File too large; choose another place" in said
    assert sorted(place.iterdir()) == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has a disk that is always full")
def test_output_that_cannot_be_printed_is_an_error(sonmf, place, monkeypatch):
    with Path("/dev/full").open("w") as full:  # which is closed without an error, as Python does at exit
        monkeypatch.setattr(sys, "stdout", full)
        code, _, err = sonmf("predict", place / "model.sonmf", place / "notes.csv")
    assert code == 1
    assert err == "sonmf: the output or a temporary file: No space left on device; free some space, or choose another place\n"


@pytest.mark.parametrize("verb", ["predict", "topics"])
def test_a_reader_who_leaves_ends_the_output_quietly(sonmf, place, verb):
    """``sonmf predict model.sonmf notes.csv | head``."""
    asked = [place / "notes.csv"] if verb == "predict" else []
    with nobody_reads():
        assert sonmf(verb, place / "model.sonmf", *asked)[::2] == (0, "")


@pytest.mark.parametrize("asked", [["--help"], ["--version"], ["topics", "MODEL"], ["predict", "MODEL", "NOTES"]])
def test_closed_output_is_no_defect(sonmf, place, monkeypatch, asked):
    """``sonmf predict model.sonmf notes.csv >&-``."""
    monkeypatch.setattr(sys, "stdout", None)
    named = {"MODEL": place / "model.sonmf", "NOTES": place / "notes.csv"}
    code, _, err = sonmf(*(named.get(one, one) for one in asked))
    sys.stdout.close()
    assert (code, "defect" in err) == (0, False), err


def test_a_compressed_forecast_has_the_same_bytes_whenever_and_wherever_it_is_written(sonmf, place, monkeypatch):
    written = []
    for name, now in (("a.csv.gz", 1e9), ("b.csv.gz", 2e9)):
        monkeypatch.setattr("time.time", lambda now=now: now)
        assert sonmf("predict", place / "model.sonmf", place / "notes.csv", "-o", place / name)[0] == 0
        written.append((place / name).read_bytes())
    assert written[0] == written[1]
    assert b"partial" not in written[0]
    assert gzip.decompress(written[0]).decode() == sonmf("predict", place / "model.sonmf", place / "notes.csv")[1]


@pytest.mark.filterwarnings("always::UserWarning")
def test_an_evaluation_goes_on_over_a_damaged_fit_and_says_so(sonmf, place):
    command = ["evaluate", place / "notes.csv", *EVALUATE, "-o", place / "ev"]
    assert sonmf(*command)[0] == 0
    whole = json.loads((place / "ev" / "evaluation.json").read_text())
    fits = sorted((place / "ev" / "fits").iterdir())
    fits[0].write_bytes(b"")
    fits[1].write_text("{}")
    code, _, err = sonmf(*command)
    assert code == 0
    assert f"{fits[0]} and 1 more: empty or damaged, so computed again" in err
    again = json.loads((place / "ev" / "evaluation.json").read_text())
    for method in (*whole["methods"], *again["methods"], *whole["together"], *again["together"]):
        del method["figures"]["seconds"], method["fits"]["seconds"]
    assert again == whole
    (place / "ev" / "study.json").write_bytes(b"")
    refused(sonmf, f"{place / 'ev' / 'study.json'} is damaged", *command)


@pytest.mark.long
def test_a_killed_forecast_leaves_nothing_that_the_next_one_does_not_remove(place):
    frame = pd.concat([pd.read_csv(place / "notes.csv")] * 200)
    frame.to_csv(place / "many.csv", index=False)
    command = ["predict", place / "model.sonmf", place / "many.csv", "-o", place / "out.csv"]
    process = subprocess.Popen([sys.executable, "-m", "sonmf.cli", *map(str, command)], stderr=subprocess.DEVNULL)
    assert wait_until(lambda: list(place.glob(".partial-*")))
    partial = list(place.glob(".partial-*"))
    mode = stat.S_IMODE(partial[0].stat().st_mode)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert mode == 0o600
    assert list(place.glob(".partial-*")) == partial
    assert [path.name for path in place.iterdir() if not path.name.startswith(".")].count("out.csv") == 0
    command[2] = place / "notes.csv"
    run_sonmf(*command)
    assert not list(place.glob(".partial-*"))
    assert len(pd.read_csv(place / "out.csv")) == 300
