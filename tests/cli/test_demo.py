"""What the demo leaves behind can be opened, and the commands it prints work where it was run."""

import shlex
import sys

import pandas as pd
import pytest
from typer import Exit

from sonmf.cli.demo import WRITTEN, command_here, demo, first_day, three_weeks
from sonmf.datasets import make_triage_notes


@pytest.fixture
def program(tmp_path, monkeypatch):
    """A program called sonmf in a folder with a space, started by its path."""
    folder = tmp_path / "my tools"
    folder.mkdir()
    (folder / "sonmf").write_text("#!/bin/sh\n")
    (folder / "sonmf").chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(folder / "sonmf"), "demo"])
    monkeypatch.setenv("PATH", str(tmp_path))
    return folder / "sonmf"


def test_a_program_that_is_not_on_the_path_is_named_as_it_was_started(program):
    assert shlex.split(command_here()) == [str(program)]


def test_a_program_on_the_path_is_named_alone(program, monkeypatch):
    monkeypatch.setenv("PATH", str(program.parent))
    assert command_here() == "sonmf"


def test_the_patients_for_the_beds_have_hours_and_some_are_still_there():
    frame = three_weeks(0)
    arrival = pd.to_datetime(frame["arrival"])
    assert arrival.max() - arrival.min() > pd.Timedelta(days=14)
    assert arrival.dt.hour.nunique() == 24
    still = frame["departure"].isna()
    assert 5 < still.sum() < 100
    assert frame["disposition"].isna().equals(still)
    assert (frame["departure"] <= arrival.max())[~still].all()


@pytest.mark.parametrize("notes", [2000, 10_000])
def test_the_patients_of_the_fit_come_before_those_of_the_monitor(notes):
    arrival = pd.to_datetime(make_triage_notes(notes, first_day=first_day(notes), random_state=0)["arrival"])
    assert pd.Timestamp("2024-12-26") < arrival.max() < pd.Timestamp("2025-01-01")


@pytest.mark.parametrize("name", WRITTEN)
def test_a_file_that_is_there_is_not_overwritten(name, tmp_path, capsys):
    (tmp_path / name).write_text("mine")
    with pytest.raises(Exit):
        demo(out=tmp_path)
    assert f"has {name}: give --force to replace a demo, or another --out" in " ".join(capsys.readouterr().err.split())
    assert (tmp_path / name).read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == [name]
