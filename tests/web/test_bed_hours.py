"""Beds by the hour through the interface: the answer of the command line, for every kind of file, within the limits."""

import pandas as pd
import pytest
from emergency import department
from uploading import as_file, lines, message, send_file
from wards import ward

from sonmf.beds import BedOptions, look_ahead
from sonmf.cli.beds import read_patients
from sonmf.sources import open_table
from sonmf.triage.patient_stream import PatientStream
from sonmf.triage.provenance import Provenance
from sonmf.web import bed_hours
from sonmf.web.rendering import render
from sonmf.web.uploads import Upload


@pytest.fixture(scope="module")
def frame():
    found = department(3, a_day=12)
    notes, dispositions, complaints = ward(len(found.arrival), complaints=("Cough",))
    times = {"arrival": found.arrival, "gone": found.departure, "ward": found.group}
    return pd.DataFrame({"note": notes, "complaint": complaints, "disposition": dispositions} | times)


def ask(client, data, name="ed.csv", **asked):
    return send_file(client, "beds/hours", name, data, **asked)


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".xlsx"])
def test_every_kind_of_file_has_the_answer_of_the_command_line(client, served, frame, ending, tmp_path):
    (tmp_path / f"ed{ending}").write_bytes(as_file(frame, ending))
    asked = BedOptions(until="gone", by="ward", window="4h")
    answer = ask(client, as_file(frame, ending), f"ed{ending}", until="gone", by="ward", window="4h")
    assert answer.status_code == 200
    first, *_, last = lines(answer)
    assert first["file"]["columns"] == list(frame.columns)
    assert (first["file"]["time"], first["file"]["until"], first["file"]["by"]) == ("arrival", "gone", "ward")
    source = open_table(tmp_path / f"ed{ending}")
    found, _ = read_patients(PatientStream(served.model, source, keep=asked.columns), asked)
    remarks = last["beds"]["remarks"]
    assert remarks[0].startswith(f"ed{ending}: not given, so expected from the rest of the patient: hr, level, coin, history")
    expected = look_ahead(found, found, asked, remarks[:1])
    assert last["beds"] == expected.as_json()
    assert last["drawn"] == render("_beds.html", beds=expected.as_json())


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"time": "came"}, "has no column 'came'"),
        ({"window": "-8h"}, "window -8h: it would end before it starts"),
        ({"zone": "../../etc/passwd"}, "is not known: give a name"),
        ({"now": "soon"}, "now soon: write one moment"),
        ({"by": "note"}, "by note: the column has"),
        ({"now": "2024-01-03"}, "need two weeks"),
        ({"until": "arrival", "time": "gone"}, "with a arrival before their gone"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence(client, frame, asked, said):
    answer = ask(client, as_file(frame, ".csv"), **asked)
    assert said in message(answer)
    assert answer.status_code == 400 or lines(answer)[0]["file"]
    if "time" in asked and "until" not in asked:
        assert lines(answer)[-1]["columns"] == list(frame.columns)


def test_an_attack_in_a_ward_is_text(client, frame):
    evil = "<script>window.attacked = 1</script>"
    answer = ask(client, as_file(frame.assign(ward=evil), ".csv"), by="ward")
    drawn = lines(answer)[-1]["drawn"]
    assert evil not in drawn
    assert "&lt;script&gt;window.attacked" in drawn


def test_an_order_of_days_can_be_asked_for(client, frame):
    early = frame[frame["arrival"].dt.day <= 12]
    spelt = pd.concat([early, early.assign(arrival=early["arrival"] + pd.DateOffset(months=1))])
    spelt = spelt.assign(arrival=spelt["arrival"].dt.strftime("%d/%m/%Y %H:%M"))
    assert "no row shows whether" in message(ask(client, as_file(spelt, ".csv")))
    assert lines(ask(client, as_file(spelt, ".csv"), order="day-first"))[-1]["beds"]["history"]["first"].startswith("2024-01-")


def test_limits_of_lists_hold_for_beds(client, served, frame, monkeypatch):
    monkeypatch.setattr("sonmf.web.uploads.MOST_ROWS", 10)
    assert "more than 10 rows" in message(ask(client, as_file(frame, ".csv")))
    assert ask(client, b"x" * 1_000_001).status_code == 413
    assert client.post("/api/v1/beds/hours", content=b"x", headers={"content-type": "text/plain"}).status_code == 415
    late = Upload("ed.csv", as_file(frame, ".csv"), 10**6, seconds=-1)
    with pytest.raises(ValueError, match="the list took too long"):
        list(bed_hours.beds_lines(served, late, Provenance.request(), BedOptions()))
