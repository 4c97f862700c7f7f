import sys

import pandas as pd
import pytest
from command_line import run_sonmf
from processes import work_here
from wards import ward

from sonmf.cli import main


@pytest.fixture(autouse=True)
def one_job_runs_here(monkeypatch, request):
    """``--jobs 1`` fits in this process: another would load all libraries first. Long tests start it, with its one thread."""
    if "long" not in request.keywords:
        work_here(monkeypatch)


@pytest.fixture
def sonmf(monkeypatch, capsys):
    """``sonmf("fit", ...)`` runs the command in this process: exit code, what it printed, what it complained of."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["sonmf", *map(str, arguments)])
        monkeypatch.setenv("COLUMNS", "200")
        with pytest.raises(SystemExit) as stop:
            main()
        streams = capsys.readouterr()
        return stop.value.code or 0, streams.out, streams.err

    return run


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """notes.csv with 600 patients, and model.sonmf fitted on it."""
    place = tmp_path_factory.mktemp("ward")
    notes, dispositions, complaints = ward(600)
    frame = pd.DataFrame({"id": [f"{i:05d}" for i in range(600)], "note": notes, "disposition": dispositions})
    frame["complaint"] = complaints
    frame["sex"] = ["F", "M"] * 300
    frame.to_csv(place / "notes.csv", index=False)
    command = [
        "fit",
        place / "notes.csv",
        "--own-models",
        "always",
        "--topics",
        "6",
        "--subgroup",
        "sex",
        "-o",
        place / "model.sonmf",
    ]
    run_sonmf(*command)
    return place


@pytest.fixture(scope="session")
def tables(folder, tmp_path_factory):
    """The same notes as a folder of tables of several kinds."""
    place = tmp_path_factory.mktemp("tables")
    frame = pd.read_csv(folder / "notes.csv", dtype=str)
    frame[:250].to_csv(place / "a.csv.gz", index=False)
    frame[250:300].to_parquet(place / "b.parquet", index=False)
    frame[300:].to_csv(place / "c.tsv", sep="\t", index=False)
    return place


@pytest.fixture
def refused(sonmf):
    """``refused(message, "fit", ...)``: the command is refused with this sentence and no other."""

    def check(message, *arguments):
        code, out, err = sonmf(*arguments)
        assert code == 2
        assert message in err
        assert len(err.strip().splitlines()) == 1
        assert "Traceback" not in out + err

    return check
