"""The command line as a whole: help, refusals, and runs that are interrupted or killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pandas as pd
import pytest
from processes import PATIENCE, running, wait_until

from sonmf import __version__

DETERMINISTIC = ["scenario", "k", "method", "trial", "average_residual", "eps_F", "eps_G", "iterations"]


@pytest.mark.parametrize("arguments", [["--help"], ["reproduce", "--help"]])
def test_help_has_the_verbs_and_examples(sonmf, arguments):
    code, out, _ = sonmf(*arguments)
    assert code == 0
    assert "reproduce" in out


def test_without_the_extra_one_line_says_how_to_install_it():
    code = "import sys; sys.modules['typer'] = None; from sonmf.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.strip() == "The command line of sonmf needs its extra 'app': python -m pip install 'sonmf[app]'"


def test_version(sonmf):
    assert sonmf("--version")[1].strip() == __version__


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tabel1"], "unknown experiment 'tabel1' (did you mean 'table1'?)"),
        (["nothing-like-it"], "unknown experiment 'nothing-like-it': choose one of table1, table2"),
        (["table1", "--trials", "0"], "--trials 0: at least 1 trial"),
        (["table1", "--trials", "3", "--quick"], "--trials and --quick contradict"),
        (["table1", "--jobs", "0"], "--jobs 0: at least 1 process"),
        (["table1", "--seed", "-1"], "--seed -1: a seed is 0 or more"),
        (["table1", "--resume", "--force"], "give one of them"),
        (["table1", "--out", "FILE"], "is a file: name a folder"),
        (["table1", "--out", "FILE/below"], "cannot be written to"),
        (["table1", "--out", "FULL"], "is not empty: give --resume"),
        (
            ["table1", "--notes", "FILE", "--topics", "10"],
            "--notes, --topics: only the experiment triage takes notes; table1 draws",
        ),
        (["triage", "--trials", "0"], "--trials 0: at least 1 trial"),
        (["triage", "--jobs", "-1"], "--jobs -1: at least 1 process"),
        (["triage", "--strict"], "--strict is for --preset altered-consciousness"),
        (["triage", "--preset", "altered-consciousness"], "reads a file: give it with --notes"),
    ],
)
def test_bad_requests_get_a_sentence_and_exit_code_2(sonmf, tmp_path, monkeypatch, arguments, message):
    (tmp_path / "FILE").write_text("precious")
    (tmp_path / "FULL").mkdir()
    (tmp_path / "FULL" / "mine.txt").write_text("precious")
    monkeypatch.chdir(tmp_path)
    code, out, err = sonmf("reproduce", *arguments)
    assert code == 2
    assert message in err
    assert err.count("\n") == 1
    assert "Traceback" not in out + err
    assert (tmp_path / "FILE").read_text() == (tmp_path / "FULL" / "mine.txt").read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["FILE", "FULL"]


def started(*arguments):
    command = [sys.executable, "-m", "sonmf.cli", *arguments]
    return running(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def finished_trials(folder):
    return list(folder.glob("fits/scenario*.json"))


def wait_for_trials(folder, count):
    assert wait_until(lambda: len(finished_trials(folder)) >= count)


@pytest.mark.long
def test_an_interrupted_and_killed_run_goes_on_and_ends_with_the_figures_of_a_whole_one(sonmf, tmp_path):
    command, folder = ["reproduce", "table3", "--trials", 1, "--out", tmp_path], tmp_path / "table3"
    with started(*command, "--jobs", 1) as process:
        wait_for_trials(folder, 1)
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "finished trials are kept" in said
    assert "--resume continues" in said
    assert "Traceback" not in said

    with started(*command, "--jobs", 1, "--resume") as process:
        wait_for_trials(folder, 2)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
    found = {path: path.stat().st_mtime_ns for path in finished_trials(folder)}
    assert len(found) == 2
    assert not (folder / "results.csv").exists()

    code, out, err = sonmf(*command, "--jobs", 2, "--resume")
    assert code == 0, err
    assert "the paper" in out
    assert "holds" in out
    assert all(path.stat().st_mtime_ns == stamp for path, stamp in found.items())  # not run twice
    resumed = pd.read_csv(folder / "results.csv")[DETERMINISTIC]

    (tmp_path / "mine.txt").write_text("precious")
    code, _, err = sonmf(*command, "--jobs", 2, "--force")
    assert code == 0, err
    assert (tmp_path / "mine.txt").read_text() == "precious"
    assert all(path.stat().st_mtime_ns != stamp for path, stamp in found.items())  # run again
    pd.testing.assert_frame_equal(pd.read_csv(folder / "results.csv")[DETERMINISTIC], resumed)
