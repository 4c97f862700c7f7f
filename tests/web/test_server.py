"""The JSON interface, the lists of patients, the pages, and what is refused."""

import asyncio
import gzip
import io
import json
import tempfile

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.routing import Route
from wards import CALM, GRAVE, ward

from sonmf.sources import TableError, open_table
from sonmf.triage import TriageModel, expected_admissions
from sonmf.triage.patient_scores import in_short
from sonmf.triage.provenance import Provenance
from sonmf.web import api, lists, uploads
from sonmf.web.served import Limits, Served
from sonmf.web.server import application

BINARY = {"content-type": "application/octet-stream"}
PATIENTS = 2500  # more than two parts of a list


def score_list(client, name, data, **columns):
    return client.post("/api/v1/list", params={"name": name, **columns}, content=data, headers=BINARY)


def lines(response):
    return [json.loads(line) for line in response.text.splitlines()]


def rows(response):
    return [row for line in lines(response) for row in line.get("rows", [])]


@pytest.fixture(scope="module")
def patients():
    notes, _, complaints = ward(PATIENTS, seed=1)
    return pd.DataFrame({"id": [f"{i:05d}" for i in range(PATIENTS)], "note": notes, "complaint": complaints})


def as_file(frame, ending):
    target = io.BytesIO()
    if ending == ".parquet":
        frame.to_parquet(target)
        return target.getvalue()
    if ending == ".xlsx":
        frame.to_excel(target, index=False)
        return target.getvalue()
    text = frame.to_csv(index=False, sep="\t" if ".tsv" in ending else ",").encode()
    return gzip.compress(text) if ending.endswith(".gz") else text


# The interface


def test_the_description_and_the_routes_are_the_same(served):
    described = {(path, method.upper()) for path, found in description()["paths"].items() for method in found}
    there = {(route.path, method) for route in api.routes(served) for method in (route.methods or []) if method != "HEAD"}
    assert described == there
    assert all(isinstance(route, Route) for route in api.routes(served))


def test_the_description_can_be_read(client):
    text = client.get("/api").text
    assert all(f"/api/v1{path}</h2>" in text for path in description()["paths"])


def description():
    return json.loads(api.DESCRIPTION.read_text())


BODIES = {
    "/topics/name": {"complaint": "Cough", "topic": 0, "name": "first"},
    "/score": {"note": "syncope"},
    "/explain": {"note": "syncope"},
    "/beds": {"probabilities": [0.5]},
}


@pytest.mark.parametrize(
    "path", [path for path in description()["paths"] if path not in ("/list", "/beds/hours", "/openapi.json")]
)
def test_answers_have_the_fields_that_are_described(client, path):
    ((method, operation),) = description()["paths"][path].items()
    response = client.request(method, f"/api/v1{path}", json=BODIES.get(path))
    assert response.status_code == 200
    name = operation["responses"]["200"]["$ref"].rpartition("/")[2]
    schema = description()["components"]["responses"][name]["content"]["application/json"]["schema"]
    schema = description()["components"]["schemas"]["Beds"] if "$ref" in schema else schema
    assert set(schema["required"]) <= set(response.json())


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from([*CALM, *GRAVE, "zebra", "<b>", "\ud800", "İ", "🫁", "\n"]), max_size=12),
    st.sampled_from(["", "Cough", "Rare"]),
    st.fixed_dictionaries(
        {},
        optional={
            "hr": st.one_of(
                st.none(), st.floats(allow_nan=False, min_value=-1e30, max_value=1e30), st.just(" 88 "), st.just(99)
            ),
            "level": st.sampled_from([None, 2, "3", "9", "\ud800"]),
            "history": st.sampled_from([None, "", "heart failure", "<b>"]),
            "age": st.sampled_from([None, 81, "17"]),
            "AGE": st.sampled_from([None, 81]),
        },
    ).filter(lambda columns: not {"age", "AGE"} <= set(columns)),
)
def test_a_patient_is_scored_and_explained_as_python_does(client, served, words, complaint, columns):
    note = " ".join(words)
    body = json.dumps({"note": note, "complaint": complaint, "columns": columns})
    asked = {"content": body, "headers": {"content-type": "application/json"}}
    why, score = (client.post(f"/api/v1/{verb}", **asked).json() for verb in ("explain", "score"))
    given = {name: [value] for name, value in columns.items()}
    expected = served.model.predict_proba([note], [complaint], given)[0, 1]
    assert {part["name"] for part in why["columns"]} == {one.name for one in served.model.model_for(complaint).columns}
    missing = [name for name in ("hr", "level", "coin", "history") if name not in columns]
    assert f"not given, so without effect: {', '.join(missing)}" in why["remark"]
    assert why["probability"] == pytest.approx(expected, abs=1e-12)
    assert score["probability"] == pytest.approx(expected, abs=1e-12)
    assert "".join(piece["text"] for piece in why["pieces"]) == note.replace("\ud800", "?")
    elsewhere = [part for part in why["columns"] if not part["measured"]]
    for parts in (why["pieces"] + elsewhere, why["topics"] + why["columns"]):
        total = why["intercept"] + sum(part["contribution"] for part in parts)
        assert total == pytest.approx(why["log_odds"], abs=1e-9)
    assert why["remark"] == score["remark"]
    assert ("Rare" in why["remark"]) == (complaint == "Rare")


def test_topics_are_searched(client, served):
    one = served.model.models_["Cough"]
    found = client.get("/api/v1/search", params={"complaint": "Cough", "word": "sync"}).json()["found"]
    column = one.spellings.index("syncope")
    assert {row["word"] for row in found} == {"syncope"}
    assert [row["weight"] for row in found] == pytest.approx(sorted(one.components[:, column], key=abs, reverse=True)[:5])
    assert client.get("/api/v1/search", params={"word": " "}).json()["found"] == []


def test_a_name_is_kept_beside_the_model(client, model_file):
    asked = {"complaint": "Cough", "topic": 2, "name": "  <b>not\nbold</b>  "}
    assert client.put("/api/v1/topics/name", json=asked).json()["name"] == "<b>not bold</b>"
    names = {topic["number"]: topic["name"] for topic in client.get("/api/v1/topics?complaint=Cough").json()["topics"]}
    assert names[2] == "<b>not bold</b>"
    assert TriageModel.load(model_file).models_["Cough"].labels[2] == "<b>not bold</b>"
    assert client.put("/api/v1/topics/name", json=asked | {"name": ""}).json()["label"] == ""


def test_typical_notes_are_given_generated_or_missing(served, client, client_of):
    def found(notes):
        other = client_of(application(Served(served.model, served.path, notes)))
        answer = other.get("/api/v1/topics?complaint=Cough").json()
        return answer["examples"], {note for topic in answer["topics"] for note in topic["examples"]}

    origin, shown = found({"Cough": ["syncope today", "ankle sprain"], "": ["elsewhere"]})
    assert origin == "given"
    assert shown == {"syncope today", "ankle sprain"}
    assert found({})[0] == "generated"
    odd = next(name for name in served.model.models_ if name.startswith("Fall"))
    assert client.get("/api/v1/topics", params={"complaint": odd}).json()["examples"] == ""


def test_beds_are_those_of_the_library(client):
    chances = np.random.default_rng(0).random(300).tolist()
    assert client.post("/api/v1/beds", json={"probabilities": chances}).json() == expected_admissions(chances)._asdict()


# Lists


@pytest.mark.parametrize("ending", [".csv", ".tsv", ".csv.gz", ".tsv.gz", ".parquet"])
def test_a_list_is_scored_in_order(client, served, patients, ending):
    response = score_list(client, f"ward{ending}", as_file(patients, ending))
    assert response.status_code == 200
    found = rows(response)
    assert [row[0] for row in found] == list(patients["id"])
    assert [row[7] for row in found] == list(patients["note"])
    chances = served.model.predict_proba(patients["note"], patients["complaint"])[:, 1]
    np.testing.assert_allclose([row[2] for row in found], chances, atol=1e-6)
    assert lines(response)[-1]["beds"] == expected_admissions([row[2] for row in found])._asdict()
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
    assert [row[8] for row in rows(response)] == [False, True, True, True]
    assert ["not counted among the beds" in row[6] for row in rows(response)] == [True, False, False, False]
    assert lines(response)[-1]["beds"] == expected_admissions([row[2] for row in rows(response)[1:]])._asdict()


def test_columns_can_be_named_and_ids_can_be_missing(client, served):
    table = "text,ward,who\nsyncope,Cough,=1+1\nankle,Cough,b\n"
    named = score_list(client, "x.csv", table, text="text", group="ward", id="who")
    assert [row[:2] for row in rows(named)] == [["=1+1", "Cough"], ["b", "Cough"]]
    plain = score_list(client, "x.csv", "note\nsyncope\n\nankle\n")
    assert [row[0] for row in rows(plain)] == ["1", "2"]
    expected = served.model.predict_proba(["syncope", "ankle"])[:, 1]
    assert [row[2] for row in rows(plain)] == pytest.approx(expected, abs=1e-6)
    forgotten = "no complaint is given: the model of all complaints is used"
    assert [row[6] for row in rows(plain)] == [forgotten] * 2
    assert [row[6] for row in rows(score_list(client, "x.csv", "note,complaint\nankle,\nankle,Cough\n"))] == [forgotten, ""]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_list_brings_its_columns_and_says_once_what_it_lacks(client, served, patients, ending):
    frame = patients.assign(hr=[90.0, None] * (PATIENTS // 2), history="heart failure", level=["2", "4"] * (PATIENTS // 2))
    response = score_list(client, f"ward{ending}", as_file(frame, ending))
    found = rows(response)
    columns = frame[["hr", "history", "level"]]
    chances = served.model.predict_proba(frame["note"], frame["complaint"], columns)[:, 1]
    np.testing.assert_allclose([row[2] for row in found], chances, atol=1e-6)
    assert lines(response)[-1]["remark"] == "not given, so without effect: coin"
    assert not any("coin" in row[6] for row in found)
    names = lines(response)[0]["columns"]
    why = served.model.explain(found[1][7], found[1][1], dict(zip(names, found[1][9], strict=True)))
    assert why.probability == pytest.approx(found[1][2], abs=1e-6)
    assert [name for name, _ in found[1][5]] == [
        f"{part.name} {in_short(part.value)}" for part in why.columns[:3] if part.contribution
    ]


def test_a_list_is_read_from_the_columns_of_the_fit(client, served):
    counts = {"admitted": {}, "not_admitted": {}, "left_out": {}, "rows": 0}
    served.model.provenance_ = Provenance("june.csv", "narrative", "outcome", "ward", ("in",), ("home",), **counts)
    table = "narrative,ward\nsyncope,Cough\nankle,Cough\n"
    expected = served.model.predict_proba(["syncope", "ankle"], ["Cough", "Cough"])[:, 1]
    frame = pd.read_csv(io.StringIO(table))
    for name, body in (("x.csv", table), ("x.parquet", as_file(frame, ".parquet"))):
        assert [row[2] for row in rows(score_list(client, name, body))] == pytest.approx(expected, abs=1e-6)
    assert '<option value="">narrative</option>' in client.get("/list").text


def test_a_strange_value_in_a_list_is_named_with_its_row(client):
    table = "note,hr\n" + "syncope,80\n" * 1200 + "syncope,fast\n"
    last = lines(score_list(client, "x.csv", table))[-1]
    assert "column 'hr' has 'fast' in row 1201, which is no number" in last["error"]
    strange = score_list(client, "x.csv", "note,hr\nankle,5000\nankle,\nankle,80\n")
    assert "hr is 5000, far outside the range of the fit" in rows(strange)[0][6]
    assert "hr: 1 of 2 values far outside the range of the fit" in lines(strange)[-1]["remark"]


def test_values_that_meant_missing_in_the_fit_are_missing(client, served):
    counts = {"admitted": {}, "not_admitted": {}, "left_out": {}, "rows": 0}
    served.model.provenance_ = Provenance("june.csv", "note", "outcome", None, ("in",), ("home",), **counts, missing=("-9",))
    expected = served.model.predict_proba(["syncope"], [""], {"hr": [None]})[0, 1]
    assert rows(score_list(client, "x.csv", "note,hr\nsyncope,-9\n"))[0][2] == pytest.approx(expected, abs=1e-6)
    asked = {"note": "syncope", "columns": {"hr": -9}}
    assert client.post("/api/v1/score", json=asked).json()["probability"] == pytest.approx(expected)


def test_complaints_tell_what_can_be_given(client, served):
    for found in client.get("/api/v1/complaints").json()["complaints"]:
        there = {column["name"]: column for column in found["columns"]}
        assert list(there) == [one.name for one in served.model.by_name_[found["name"]].columns]
        assert there["level"]["levels"] == ["2", "3", "4"]
        assert there["hr"]["low"] < 80 < there["hr"]["high"]
        assert there["history"]["kind"] == "text"
        assert {name for name, column in there.items() if column["measured"]} == {"age"}
        schema = description()["components"]["schemas"]["Column"]
        assert all(set(column) == set(schema["required"]) for column in there.values())


FILES = {
    "empty.csv": b"",
    "head.csv": b"note,complaint\n",
    "bytes.csv": b"note\ncaf\x81\n",
    "broken.xlsx": b"PK\x03\x04 not really",
    "ragged.csv": b"note,complaint\nsyncope\n",
    "cut.csv.gz": gzip.compress(b"note\nsyncope\n" * 999)[:40],
    "not.csv.gz": b"note\nsyncope\n",
    "broken.parquet": b"PAR1 not really PAR1",
    "twice.csv": b"note,note\na,b\n",
}


@pytest.mark.parametrize("name", FILES)
def test_an_unusable_file_gets_the_sentence_of_the_command_line(client, tmp_path, name):
    (tmp_path / name).write_bytes(FILES[name])
    with pytest.raises(TableError) as refused:
        open_table(tmp_path / name).read()
    response = score_list(client, name, FILES[name])
    assert response.status_code == 400
    assert response.json()["error"] == str(refused.value).replace(f"{tmp_path}/", "")


@pytest.mark.parametrize("ending", [".csv", ".parquet", ".xlsx"])
def test_the_page_learns_the_columns_of_the_file_whether_or_not_it_can_be_scored(client, ending):
    frame = pd.DataFrame({"who": ["a"], "text": ["syncope"], "complaint": ["Cough"]})
    refused = score_list(client, f"x{ending}", as_file(frame, ending))
    assert (refused.status_code, refused.json()["columns"]) == (400, list(frame))
    scored = score_list(client, f"x{ending}", as_file(frame, ending), text="text")
    assert lines(scored)[0]["file"] == {"columns": list(frame), "text": "text", "group": "complaint", "id": ""}


def test_an_export_of_a_german_hospital_is_scored_and_the_page_says_how_it_was_read(client, served):
    table = "note;complaint;hr\nsyncope \u00dcbelkeit;Cough;80,5\nankle;Cough;\n".encode("cp1252")
    response = score_list(client, "x.csv", table)
    chances = served.model.predict_proba(["syncope \u00dcbelkeit", "ankle"], ["Cough"] * 2, {"hr": [80.5, None]})[:, 1]
    assert [row[2] for row in rows(response)] == pytest.approx(chances, abs=1e-6)
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
        assert (row[0], row[7]) == ("7", "SYNCOPE")
        assert rows(score_list(client, f"y{ending}", as_file(pd.DataFrame({"note": ["ankle"]}), ending)))[0][7] == "ankle"


def test_a_wrong_column_or_ending_is_named(client):
    assert "has no column 'note' (did you mean 'notes'?)" in score_list(client, "x.csv", "notes\na\n").json()["error"]
    assert "has no column 'ward'" in score_list(client, "x.csv", "note\na\n", group="ward").json()["error"]
    assert "/etc" not in score_list(client, "/etc/passwd", "note\na\n").json()["error"]


def test_a_fault_late_in_a_list_ends_it_with_a_sentence(client):
    table = "note\n" + "syncope\n" * 1500 + '"open\n'
    last = lines(score_list(client, "late.csv", table))[-1]
    assert "late.csv line" in last["error"]


def test_lists_have_limits(client, monkeypatch):
    large = b"note\n" + b"a" * 2_000_000
    assert score_list(client, "x.csv", large).status_code == 413
    bomb = score_list(client, "x.csv.gz", gzip.compress(large))
    assert (bomb.status_code, "unpacks to more than 1,000,000 bytes" in bomb.json()["error"]) == (400, True)
    packed = as_file(pd.DataFrame({"note": [f"{i} syncope" * 20 for i in range(10_000)]}), ".parquet")
    assert len(packed) < 1_000_000
    assert "unpacks to more than" in score_list(client, "x.parquet", packed).json()["error"]
    monkeypatch.setattr(uploads, "MOST_ROWS", 5)
    assert "more than 5 rows" in score_list(client, "x.csv", "note\n" + "a\n" * 6).json()["error"]


def test_a_list_that_takes_too_long_is_ended(served, patients, client_of):
    client = client_of(application(Served(served.model, served.path, limits=Limits(seconds=0))))
    assert "took too long" in lines(score_list(client, "x.csv", as_file(patients, ".csv")))[-1]["error"]


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
    whole = body.count(b"\n") // lists.ROWS
    assert whole > 5
    assert len(sent) < whole / 2


# What is refused


@pytest.mark.parametrize(
    ("body", "kind", "code", "sentence"),
    [
        (b"{", "application/json", 400, "not JSON"),
        (b"[" * 100_000, "application/json", 413, "larger than 10,000 bytes"),
        (b"[1]", "application/json", 400, "the body is a list"),
        (b"{}", "application/json", 400, "the body has no 'note'"),
        (b'{"note": 3}', "application/json", 400, "'note' is a whole number: send a text"),
        (b'{"note": "a", "complaint": []}', "application/json", 400, "'complaint' is a list"),
        (b'{"note": "a", "columns": [1]}', "application/json", 400, "'columns' is a list: send an object"),
        (b'{"note": "a", "columns": {"hr": [1]}}', "application/json", 400, "column 'hr' is a list: send a number, a text, or"),
        (b'{"note": "a", "columns": {"hr": true}}', "application/json", 400, "column 'hr' is true or false"),
        (b'{"note": "a", "columns": {"hr": "fast"}}', "application/json", 400, "column 'hr' has 'fast'"),
        (b'{"note": "a", "columns": {"hr": 1e999}}', "application/json", 400, "column 'hr' has 'inf'"),
        (b'{"note": "a", "columns": {"hr": 1%s}}' % (b"0" * 400), "application/json", 400, "which is no number"),
        (b'{"note": "a", "columns": {"pr": 80}}', "application/json", 400, "the model has no column 'pr'"),
        (b'{"note": "a", "columns": {"age": 8, "AGE": 9}}', "application/json", 400, "column 'age' is given twice"),
        (b'{"note": "a"}', "text/plain", 415, "content-type: application/json"),
        (b'{"note": "%s"}' % (b"a" * 10_000), "application/json", 413, "--max-note"),
    ],
)
def test_bad_notes_get_one_sentence(client, body, kind, code, sentence):
    response = client.post("/api/v1/score", content=body, headers={"content-type": kind})
    assert response.status_code == code
    assert sentence in response.json()["error"]


def test_a_body_without_a_length_is_limited_too(client):
    async def pieces():
        for _ in range(1000):
            yield b"a" * 1000

    headers = {"content-type": "application/json"}
    assert client.post("/api/v1/score", content=pieces(), headers=headers).status_code == 413


@pytest.mark.parametrize(
    ("method", "path", "body", "sentence"),
    [
        ("GET", "/api/v1/topics?complaint=Cuogh", None, "did you mean 'Cough'?"),
        ("PUT", "/api/v1/topics/name", {"complaint": "Cough", "topic": 99, "name": "x"}, "there is no topic 99"),
        ("PUT", "/api/v1/topics/name", {"complaint": "Cough", "topic": 0, "name": "x" * 81}, "at most 80"),
        ("PUT", "/api/v1/topics/name", {"complaint": "Cough", "topic": True, "name": "x"}, "'topic' is true or false"),
        ("POST", "/api/v1/beds", {"probabilities": [2]}, "between 0 and 1"),
        ("POST", "/api/v1/beds", {"probabilities": ["a"]}, "must be numbers"),
        ("POST", "/api/v1/beds", {"probabilities": [10**400]}, "must be numbers"),
    ],
)
def test_bad_requests_get_one_sentence(client, method, path, body, sentence):
    response = client.request(method, path, json=body)
    assert response.status_code == 400
    assert sentence in response.json()["error"]


def test_unknown_addresses(client):
    assert client.get("/api/v1/nowhere").json()["error"].startswith("there is nothing")
    assert client.get("/api/v1/score").status_code == 405
    page = client.get("/<script>")
    assert (page.status_code, "<script>" in page.text) == (404, False)
    assert client.get("/static/../server.py").status_code == 404
    assert client.get("/static/%2e%2e/server.py").status_code == 404


@pytest.mark.parametrize("path", ["/", "/score", "/list", "/beds", "/quality"])
def test_pages_escape_what_a_model_is_called(client, path):
    page = client.get(path)
    assert page.status_code == 200
    assert "<img" not in page.text
    assert "<b>" not in page.text
    assert "<script>" not in page.text  # only with src: the policy allows no other


def test_a_defect_says_where_and_not_what(client, served, monkeypatch, capsys):
    def broken(*_):
        raise KeyError("secret of the patient")

    monkeypatch.setattr(TriageModel, "explain", broken)
    response = client.post("/api/v1/explain", json={"note": "secret of the patient"})
    assert response.status_code == 500
    assert "KeyError at broken" in response.json()["error"]
    assert "secret" not in response.text + str(capsys.readouterr())


def test_notes_leave_no_trace(client, tmp_path, monkeypatch, capfd, caplog):
    with monkeypatch.context() as missing:
        missing.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))  # a file made there would fail
        assert client.post("/api/v1/explain", json={"note": "marker " * 1000}).status_code == 200
        assert len(rows(score_list(client, "x.csv", "note\n" + "marker\n" * 20_000))) == 20_000
        assert score_list(client, "x.csv", b"note\nmarker \x81\n").status_code == 400
    streams = capfd.readouterr()
    assert "marker" not in streams.out + streams.err + caplog.text
    assert [path.name for path in tmp_path.iterdir()] == ["ward <b>.sonmf"]
