"""What is refused with a code and a sentence, pages, and what notes leave behind."""

import tempfile

import pytest
from uploading import message, rows, score_list

from sonmf.triage import TriageModel


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
        (
            b'{"note": "a", "columns": {"hr": "fast"}}',
            "application/json",
            400,
            "column 'hr' has a text of 4 letters, which is not a number",
        ),
        (
            b'{"note": "a", "columns": {"hr": 1e999}}',
            "application/json",
            400,
            "column 'hr' has a text of 3 letters, which is not a number",
        ),
        (b'{"note": "a", "columns": {"hr": 1%s}}' % (b"0" * 400), "application/json", 400, "which is not a number"),
        (b'{"note": "a", "columns": {"pr": 80}}', "application/json", 400, "the model has no column 'pr'"),
        (b'{"note": "a", "columns": {"age": 8, "AGE": 9}}', "application/json", 400, "column 'age' is given twice"),
        (b'{"note": "a"}', "text/plain", 415, "content-type: application/json"),
        (b'{"note": "%s"}' % (b"a" * 10_000), "application/json", 413, "--max-note"),
    ],
)
def test_bad_notes_get_one_sentence(client, body, kind, code, sentence):
    response = client.post("/api/v1/score", content=body, headers={"content-type": kind})
    assert response.status_code == code
    assert response.json()["code"] == {400: "invalid", 413: "too_large", 415: "wrong_type"}[code]
    assert sentence in message(response)


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
    assert sentence in message(response)


def test_unknown_addresses(client):
    assert message(client.get("/api/v1/nowhere")).startswith("there is nothing")
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


@pytest.mark.parametrize("error", [KeyError, ValueError])
def test_a_defect_says_where_and_not_what(client, served, monkeypatch, capsys, error):
    def broken(*_):
        raise error("secret of the patient")

    monkeypatch.setattr(TriageModel, "explain", broken)
    response = client.post("/api/v1/explain", json={"note": "secret of the patient"})
    assert response.status_code == 500
    assert f"{error.__name__} at broken" in message(response)
    assert "secret" not in response.text + str(capsys.readouterr())


def test_notes_leave_no_trace(client, tmp_path, monkeypatch, capfd, caplog):
    with monkeypatch.context() as missing:
        missing.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))  # a file made there would fail
        assert client.post("/api/v1/explain", json={"note": "marker " * 1000}).status_code == 200
        assert len(rows(score_list(client, "x.csv", "note\n" + "marker\n" * 3000))) == 3000
        assert score_list(client, "x.csv", b"note\nmarker \x81\n").status_code == 400
    streams = capfd.readouterr()
    assert "marker" not in streams.out + streams.err + caplog.text
    assert [path.name for path in tmp_path.iterdir()] == ["ward <b>.sonmf"]
