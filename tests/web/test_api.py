"""The JSON interface: it answers as Python does, in the fields that openapi.json describes."""

import errno
import json
import os
import re

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.routing import Route
from uploading import rows, score_list
from wards import CALM, GRAVE

from sonmf import files
from sonmf.cli.forecast_file import FIELDS
from sonmf.triage import TriageModel, expected_admissions
from sonmf.triage.columns import is_missing
from sonmf.triage.labels import in_short, stated
from sonmf.web import api, errors
from sonmf.web.application import application
from sonmf.web.served_model import ServedModel


def test_the_description_and_the_routes_are_the_same(served):
    described = {(path, method.upper()) for path, found in description()["paths"].items() for method in found}
    there = {(route.path, method) for route in api.routes(served) for method in (route.methods or []) if method != "HEAD"}
    assert described == there
    assert all(isinstance(route, Route) for route in api.routes(served))


def test_the_description_can_be_read(client):
    text = client.get("/api").text
    assert all(f"/api/v1{path}</h2>" in text for path in description()["paths"])


def test_the_example_is_of_this_address(served, client_of):
    address = "http://127.0.0.1:8765"
    assert f"curl {address}/api/v1/score" in client_of(application(served, port=8765), address).get("/api").text


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


def test_the_codes_of_errors_and_the_fields_of_a_patient_are_described(client):
    schemas = description()["components"]["schemas"]
    assert set(schemas["Problem"]["properties"]["code"]["enum"]) == {
        *errors.CODES.values(),
        errors.MISSING_COLUMN,
        errors.OTHER,
    }
    (row,) = rows(score_list(client, "x.csv", "note\nsyncope\n"))
    assert set(row) == set(schemas["Patient"]["required"]) == set(schemas["Patient"]["properties"])
    assert all(set(part) == {"name", "value"} for part in row["topics"] + row["words"])
    shown, exported = (re.findall(rf'data-{name}="(\w+)"', client.get("/list").text) for name in ("field", "exported"))
    assert set(shown) <= set(row)
    assert set(exported) == {*FIELDS, "complaint"}  # the file that is downloaded is as that of the command line


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
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
    gone = [name for name in ("hr", "level") if is_missing(columns.get(name))]
    missing = gone + [name for name in ("coin", "history") if name not in columns]  # an empty history is one
    assert f"not given, so expected from the rest of the patient: {', '.join(missing)}" in why["remark"]
    assert why["probability"] == pytest.approx(expected, abs=1e-12)
    assert score["probability"] == pytest.approx(expected, abs=1e-12)
    assert "".join(piece["text"] for piece in why["pieces"]) == note.replace("\ud800", "?")
    assert all(stated(part["name"], part["value"]) == f"{part['label']} {part['shown']}" for part in why["columns"])
    elsewhere = [part for part in why["columns"] if not part["measured"]]
    for parts in (why["pieces"] + elsewhere, why["topics"] + why["axes"] + why["columns"]):
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
    assert client.put("/api/v1/topics/name", json=asked).json()["label"] == "<b>not bold</b>"
    topics = client.get("/api/v1/topics?complaint=Cough").json()["topics"]
    names = {topic["number"]: topic["name"].removesuffix(" (unstable)") for topic in topics}
    assert names[2] == "<b>not bold</b>"
    assert TriageModel.load(model_file).models_["Cough"].labels[2] == "<b>not bold</b>"
    assert client.put("/api/v1/topics/name", json=asked | {"name": ""}).json()["label"] == ""


@pytest.mark.parametrize(
    ("number", "remedy"),
    [
        (errno.ENOSPC, "No space left on device; free some space, or choose another place"),
        (errno.EROFS, "or serve a copy of the model from a folder that can be written to"),
        (errno.EACCES, "or serve a copy of the model from a folder that can be written to"),
    ],
)
def test_a_name_that_cannot_be_kept_is_refused_and_not_shown(client, served, monkeypatch, number, remedy):
    def fail(path, save):
        raise OSError(number, os.strerror(number), str(path))

    monkeypatch.setattr(files, "replace", fail)
    answer = client.put("/api/v1/topics/name", json={"complaint": "Cough", "topic": 0, "name": "first"})
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
    assert answer.json()["message"].startswith("the name is not kept: ")
    assert answer.json()["message"].endswith(remedy)
    assert served.model.named_model("Cough").labels[0] == ""


def test_typical_notes_are_given_generated_or_missing(served, client, client_of):
    def found(notes):
        other = client_of(application(ServedModel(served.model, served.path, notes)))
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


def test_complaints_tell_what_can_be_given(client, served):
    for found in client.get("/api/v1/complaints").json()["complaints"]:
        there = {column["name"]: column for column in found["columns"]}
        assert list(there) == [one.name for one in served.model.by_name_[found["name"]].columns]
        assert there["level"]["levels"] == ["2", "3", "4"]
        assert there["hr"]["low"] < 80 < there["hr"]["high"]
        assert there["hr"]["usual"] == f"{in_short(there['hr']['low'])} to {in_short(there['hr']['high'])}"
        assert there["level"]["level_names"] == ["2", "3", "4"]
        assert there["history"]["kind"] == "text"
        assert {name for name, column in there.items() if column["measured"]} == {"age"}
        schema = description()["components"]["schemas"]["Column"]
        assert all(set(column) == set(schema["required"]) for column in there.values())
