"""``sonmf serve``: the greeting, the token, the port and the notes it shows."""

import csv
import signal
import socket
import subprocess
import sys

import httpx
import pytest
import typer
from processes import PATIENCE, running
from wards import ward

from sonmf.cli import serve
from sonmf.sources import TableError, open_table
from sonmf.triage import TriageModel
from sonmf.triage.patient_stream import PatientStream, notes_by_complaint
from sonmf.triage.provenance import Provenance


@pytest.fixture(scope="module")
def model_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("served") / "m.sonmf"
    TriageModel(n_topics=2).fit(*ward(100)[:2]).save(path)
    return path


def test_it_greets_serves_and_ends_quietly(model_file):
    command = [sys.executable, "-m", "sonmf.cli", "serve", str(model_file), "--port", "0"]
    with running(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        greeting = process.stdout.readline()
        address = greeting.split()[-4]
        assert httpx.get(f"{address}healthz", timeout=PATIENCE).json() == {"status": "ok"}
        assert httpx.get(f"{address}?secret=1", timeout=PATIENCE).status_code == 200
        process.send_signal(signal.SIGINT)
        rest, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, rest, errors) == (0, "", "")


def test_only_this_machine_needs_no_token(sonmf, model_file, monkeypatch):
    started = []
    monkeypatch.setattr(serve, "answer_requests", lambda served, door, host, token: (door.close(), started.append(token)))
    command = ["serve", model_file, "--port", "0"]
    anywhere = [*command, "--host", "0.0.0.0"]
    said = [sonmf(*line)[1] for line in (command, anywhere, [*anywhere, "--token", "given by the user"])]
    assert started[0] == ""
    assert len(started[1]) >= serve.SHORTEST_TOKEN
    assert started[2] == "given by the user"
    assert f"?token={started[1]} " in said[1]
    assert sonmf(*anywhere, "--token", "short")[0] == 2


@pytest.mark.parametrize("given", ["inf", "1e300"])
def test_a_limit_must_be_a_number_of_megabytes(sonmf, model_file, given):
    for option in ("--max-note", "--max-list"):
        code, _, said = sonmf("serve", model_file, "--port", "0", option, given)
        assert (code, said.count("\n")) == (2, 1)
        assert f"{option} {given}".replace("e300", "e+300") in said


def test_a_busy_port_and_a_strange_address_get_a_sentence(capsys):
    with serve.listen("127.0.0.1", 0) as taken:
        assert taken.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)  # else every answer waits 40 ms
        port = taken.getsockname()[1]
        with pytest.raises(typer.Exit):
            serve.listen("127.0.0.1", port)
        assert f"port {port} of 127.0.0.1 is in use: try --port {port + 1}" in capsys.readouterr().err
    with pytest.raises(typer.Exit):
        serve.listen("203.0.113.1", 8000)
    assert "--host 203.0.113.1: this machine has no such address" in capsys.readouterr().err


def test_the_address_to_open():
    assert serve.address("127.0.0.1", 80, "") == "http://127.0.0.1:80/"
    assert serve.address("::1", 80, "") == "http://[::1]:80/"
    assert serve.address("0.0.0.0", 80, "key") == f"http://{socket.gethostname()}:80/?token=key"


def test_notes_of_a_file_by_complaint(model_file, tmp_path):
    path = tmp_path / "notes.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([["note", "complaint"], ["a", "Cough"], ["", "Cough"], ["b", "Fall"]])
    model = TriageModel.load(model_file)

    def notes(**said):
        return notes_by_complaint(PatientStream(model, open_table(path), Provenance.request(**said)))

    assert notes() == {"": ["a", "b"], "Cough": ["a"], "Fall": ["b"]}
    assert notes(group="note")[""] == ["a", "b"]
    with pytest.raises(TableError, match="no column 'text'"):
        notes(text="text")
