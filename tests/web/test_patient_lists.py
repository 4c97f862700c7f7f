"""Lists of patients: files of every kind, scored in parts, and what is refused of them."""

import asyncio
import gzip
import io

import numpy as np
import pandas as pd
import pytest
from uploading import as_file, lines, message, rows, score_list
from wards import ward

from sonmf.sources import TableError, open_table
from sonmf.triage import expected_admissions
from sonmf.triage.labels import in_short
from sonmf.triage.provenance import Provenance
from sonmf.web import patient_lists, uploads
from sonmf.web.application import application
from sonmf.web.served_model import ServedModel

PATIENTS = 2500  # more than two parts of a list


@pytest.fixture(scope="module")
def patients():
    notes, _, complaints = ward(PATIENTS, seed=1)
    return pd.DataFrame({"id": [f"{i:05d}" for i in range(PATIENTS)], "note": notes, "complaint": complaints})


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet"])
def test_a_list_is_scored_in_order(client, served, patients, ending):
    response = score_list(client, f"ward{ending}", as_file(patients, ending))
    assert response.status_code == 200
    found = rows(response)
    assert [row["id"] for row in found] == list(patients["id"])
    assert [row["note"] for row in found] == list(patients["note"])
    chances = served.model.predict_proba(patients["note"], patients["complaint"])[:, 1]
    np.testing.assert_allclose([row["probability"] for row in found], chances, atol=1e-6)
    assert lines(response)[-1]["beds"] == expected_admissions([row["probability"] for row in found])._asdict()
    shares = [line["share"] for line in lines(response)[:-1]]
    assert shares == sorted(shares)
    assert shares[-1] == 1
    assert len(shares) > 2


def test_patients_whose_outcome_the_fit_left_out_are_scored_and_not_counted(client, served):
    table = "note,outcome\nsyncope,left\nankle,home\nsyncope, \nfever,\n"
    assert lines(score_list(client, "x.csv", table))[-1]["beds"]["patients"] == 4
    counts = {"admitted": {}, "not_admitted": {}, "left_out": {}, "rows": 0}
    served.model.provenance_ = Provenance("june.csv", "note", "outcome", None, ("in",), ("home",), **counts)
    response = score_list(client, "x.csv", table)
    assert [row["counted"] for row in rows(response)] == [False, True, True, True]
    assert ["not counted among the beds" in row["remark"] for row in rows(response)] == [True, False, False, False]
    assert lines(response)[-1]["beds"] == expected_admissions([row["probability"] for row in rows(response)[1:]])._asdict()


def test_columns_can_be_named_and_ids_can_be_missing(client, served):
    table = "text,ward,who\nsyncope,Cough,=1+1\nankle,Cough,b\n"
    named = score_list(client, "x.csv", table, text="text", group="ward", id="who")
    assert [(row["id"], row["complaint"]) for row in rows(named)] == [("=1+1", "Cough"), ("b", "Cough")]
    plain = score_list(client, "x.csv", "note\nsyncope\n\nankle\n")
    assert [row["id"] for row in rows(plain)] == ["1", "2"]
    expected = served.model.predict_proba(["syncope", "ankle"])[:, 1]
    assert [row["probability"] for row in rows(plain)] == pytest.approx(expected, abs=1e-6)
    forgotten = "no complaint is given: the model of all complaints is used"
    assert [row["remark"] for row in rows(plain)] == [forgotten] * 2
    assert [row["remark"] for row in rows(score_list(client, "x.csv", "note,complaint\nankle,\nankle,Cough\n"))] == [
        forgotten,
        "",
    ]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_list_brings_its_columns_and_says_once_what_it_lacks(client, served, patients, ending):
    frame = patients.assign(hr=[90.0, None] * (PATIENTS // 2), history="heart failure", level=["2", "4"] * (PATIENTS // 2))
    response = score_list(client, f"ward{ending}", as_file(frame, ending))
    found = rows(response)
    columns = frame[["hr", "history", "level"]]
    chances = served.model.predict_proba(frame["note"], frame["complaint"], columns)[:, 1]
    np.testing.assert_allclose([row["probability"] for row in found], chances, atol=1e-6)
    assert lines(response)[-1]["remark"].startswith(
        "not given, so expected from the rest of the patient: coin; hr: missing in 50%"
    )
    assert not any("coin" in row["remark"] for row in found)
    why = served.model.explain(found[1]["note"], found[1]["complaint"], found[1]["values"])
    assert why.probability == pytest.approx(found[1]["probability"], abs=1e-6)
    assert [part["name"] for part in found[1]["columns"]] == [
        f"{part.name} {in_short(part.value)}" for part in why.columns[:3] if part.contribution
    ]


def test_a_list_is_read_from_the_columns_of_the_fit(client, served):
    counts = {"admitted": {}, "not_admitted": {}, "left_out": {}, "rows": 0}
    served.model.provenance_ = Provenance("june.csv", "narrative", "outcome", "ward", ("in",), ("home",), **counts)
    table = "narrative,ward\nsyncope,Cough\nankle,Cough\n"
    expected = served.model.predict_proba(["syncope", "ankle"], ["Cough", "Cough"])[:, 1]
    frame = pd.read_csv(io.StringIO(table))
    for name, body in (("x.csv", table), ("x.parquet", as_file(frame, ".parquet"))):
        assert [row["probability"] for row in rows(score_list(client, name, body))] == pytest.approx(expected, abs=1e-6)
    assert '<option value="">narrative</option>' in client.get("/list").text


def test_a_strange_value_in_a_list_is_named_with_its_row(client):
    table = "note,hr\n" + "syncope,80\n" * 1200 + "syncope,fast\n"
    told = message(score_list(client, "x.csv", table))
    assert "column 'hr' has a text of 4 letters in row 1201, which is not a number" in told
    strange = score_list(client, "x.csv", "note,hr\nankle,5000\nankle,\nankle,80\n")
    assert "hr is 5000, far outside the range of the fit" in rows(strange)[0]["remark"]
    assert "hr: 1 of 2 values far outside the range of the fit" in lines(strange)[-1]["remark"]


def test_values_that_meant_missing_in_the_fit_are_missing(client, served):
    counts = {"admitted": {}, "not_admitted": {}, "left_out": {}, "rows": 0}
    served.model.provenance_ = Provenance("june.csv", "note", "outcome", None, ("in",), ("home",), **counts, missing=("-9",))
    expected = served.model.predict_proba(["syncope"], [""], {"hr": [None]})[0, 1]
    assert rows(score_list(client, "x.csv", "note,hr\nsyncope,-9\n"))[0]["probability"] == pytest.approx(expected, abs=1e-6)
    asked = {"note": "syncope", "columns": {"hr": -9}}
    assert client.post("/api/v1/score", json=asked).json()["probability"] == pytest.approx(expected)


FILES = {
    "empty.csv": b"",
    "head.csv": b"note,complaint\n",
    "bytes.csv": b"note\ncaf\x81\n",
    "broken.xlsx": b"PK\x03\x04 not really",
    "ragged.csv": b"note,complaint\nsyncope\n",
    "cut.csv.gz": gzip.compress(b"note\nsyncope\n" * 999)[:40],
    "not.csv.gz": b"note\nsyncope\n",
    "broken.parquet": b"PAR1 not really PAR1",
    "head.parquet": as_file(pd.DataFrame({"note": pd.Series(dtype=str)}), ".parquet"),
    "twice.csv": b"note,note\na,b\n",
}


@pytest.mark.parametrize("name", FILES)
def test_an_unusable_file_gets_the_sentence_of_the_command_line(client, tmp_path, name):
    (tmp_path / name).write_bytes(FILES[name])
    with pytest.raises(TableError) as refused:
        open_table(tmp_path / name).read()
    response = score_list(client, name, FILES[name])
    assert response.status_code == 400
    assert message(response) == str(refused.value).replace(f"{tmp_path}/", "")


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".xlsx"])
def test_the_page_learns_the_columns_of_the_file_whether_or_not_it_can_be_scored(client, ending):
    frame = pd.DataFrame({"who": ["a"], "text": ["syncope"], "complaint": ["Cough"]})
    refused = score_list(client, f"x{ending}", as_file(frame, ending))
    assert refused.status_code == 400
    assert (refused.json()["code"], refused.json()["columns"]) == ("missing_column", list(frame))
    scored = score_list(client, f"x{ending}", as_file(frame, ending), text="text")
    assert lines(scored)[0]["file"] == {"columns": list(frame), "text": "text", "group": "complaint", "id": ""}


def test_an_export_of_a_german_hospital_is_scored_and_the_page_says_how_it_was_read(client, served):
    table = "note;complaint;hr\nsyncope \u00dcbelkeit;Cough;80,5\nankle;Cough;\n".encode("cp1252")
    response = score_list(client, "x.csv", table)
    chances = served.model.predict_proba(["syncope \u00dcbelkeit", "ankle"], ["Cough"] * 2, {"hr": [80.5, None]})[:, 1]
    assert [row["probability"] for row in rows(response)] == pytest.approx(chances, abs=1e-6)
    assert "read as Windows-1252 (Western Europe), with semicolons between cells" in lines(response)[-1]["remark"]


def test_a_workbook_is_scored_as_other_files_are(client, patients):
    some = patients[:1500]
    book, plain = (score_list(client, f"x{ending}", as_file(some, ending)) for ending in (".xlsx", ".csv"))
    assert rows(book) == rows(plain)
    assert lines(book)[-2]["share"] == 1


def test_a_list_of_the_data_set_of_the_fit_is_read_as_that(client, served):
    counts = {"admitted": {}, "not_admitted": {}, "left_out": {}, "rows": 0}
    served.model.provenance_ = Provenance("a", "note", "disposition", None, ("in",), ("home",), **counts, preset="neiss")
    frame = pd.DataFrame({"CPSC_Case_Number": ["7"], "Narrative_1": ["SYNCOPE DX: FX"], "Age": ["30"], "Sex": ["1"]})
    for ending in (".csv", ".parquet"):
        (row,) = rows(score_list(client, f"x{ending}", as_file(frame, ending)))
        assert (row["id"], row["note"]) == ("7", "SYNCOPE")
        assert rows(score_list(client, f"y{ending}", as_file(pd.DataFrame({"note": ["ankle"]}), ending)))[0]["note"] == "ankle"


def test_a_wrong_column_or_ending_is_named(client):
    assert "has no column 'note' (did you mean 'notes'?)" in message(score_list(client, "x.csv", "notes\na\n"))
    assert "has no column 'ward'" in message(score_list(client, "x.csv", "note\na\n", group="ward"))
    assert "/etc" not in message(score_list(client, "/etc/passwd", "note\na\n"))


def test_a_fault_late_in_a_list_ends_it_with_a_sentence(client):
    table = "note\n" + "syncope\n" * 1500 + '"open\n'
    assert "late.csv line" in message(score_list(client, "late.csv", table))


def test_lists_have_limits(client, monkeypatch):
    large = b"note\n" + b"a" * 2_000_000
    assert score_list(client, "x.csv", large).status_code == 413
    bomb = score_list(client, "x.csv.gz", gzip.compress(large))
    assert (bomb.status_code, "unpacks to more than 1,000,000 bytes" in message(bomb)) == (400, True)
    packed = as_file(pd.DataFrame({"note": [f"{i} syncope" * 20 for i in range(10_000)]}), ".parquet")
    assert len(packed) < 1_000_000
    assert "unpacks to more than" in message(score_list(client, "x.parquet", packed))
    monkeypatch.setattr(uploads, "MOST_ROWS", 5)
    assert "more than 5 rows" in message(score_list(client, "x.csv", "note\n" + "a\n" * 6))


def test_a_list_that_takes_too_long_is_ended(served, patients, client_of):
    client = client_of(application(ServedModel(served.model, served.path, seconds=0)))
    assert "took too long" in message(score_list(client, "x.csv", as_file(patients, ".csv")))


def test_scoring_stops_when_the_browser_goes(served, patients):
    """An ASGI server says so by http.disconnect; of 100 parts only a few are scored."""
    text = as_file(pd.concat([patients] * 4), ".csv")[:990_000]
    body = text[: text.rindex(b"\n") + 1]
    scope = {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": "/api/v1/list",
        "raw_path": b"/api/v1/list",
        "query_string": b"name=x.csv",
        "headers": [(b"host", b"localhost"), (b"content-type", b"application/octet-stream")],
    }
    sent = []

    async def leave_early():
        messages = [{"type": "http.request", "body": body, "more_body": False}]
        gone = asyncio.Event()

        async def receive():
            if messages:
                return messages.pop()
            await gone.wait()
            return {"type": "http.disconnect"}

        async def send(message):
            sent.append(message)
            gone.set()

        await application(served)(scope, receive, send)

    asyncio.run(leave_early())
    whole = body.count(b"\n") // patient_lists.ROWS
    assert whole > 5
    assert len(sent) < whole / 2
