"""What is small to send and dear to answer: refused or answered in bounded memory and time, and never in the way of others."""

import asyncio
import json
import threading
import time

import httpx
import numpy as np
import pytest
import torture_web
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from torture_web import MEGABYTE
from uploading import BINARY, message, score_list

from sonmf.cli import serve
from sonmf.sources import PatientColumns, limits
from sonmf.triage import TriageModel, expected_admissions
from sonmf.web import connections, patient_lists, request_bodies, turns, uploads
from sonmf.web.application import application
from sonmf.web.request_bodies import Bodies, Size
from sonmf.web.served_model import Limits, ServedModel
from sonmf.web.uploads import GivenUpError, Upload

JSON = {"content-type": "application/json"}
SOON = 5  # seconds, on a machine that does other things too


# Files


@pytest.mark.parametrize(
    ("build", "size", "sentence"),
    [
        (torture_web.parquet_of_one_cell, 8 * MEGABYTE, "has a row of more than 4,000,000 bytes"),
        (torture_web.parquet_of_one_cell, 900_000, "unpacks to more than 1,000,000 bytes"),
        (torture_web.parquet_of_nothing, 2 * MEGABYTE, "has more than 1,000,000 rows"),
    ],
)
def test_a_small_parquet_file_is_refused_soon(client, build, size, sentence):
    assert sentence in message(score_list(client, "x.parquet", build(size)))


@pytest.mark.parametrize("build", torture_web.GZIPPED)
def test_a_file_packed_by_gzip_is_unpacked_up_to_the_limit(client, build):
    """Of 100 megabytes the first is read; a row of more than that is no matter of memory any more."""
    response = score_list(client, "x.csv.gz", build(100 * MEGABYTE))
    assert response.status_code == 400
    assert "unpacks to more than 1,000,000 bytes" in message(response) or "131,072 letters" in message(response)


@pytest.mark.parametrize("build", [torture_web.wide_csv, torture_web.twice_named_csv])
def test_a_wide_header_is_refused_soon(client, build):
    began = time.process_time()
    response = score_list(client, "x.csv", build(60_000))
    assert "x.csv has 60,000 columns" in message(response)
    assert time.process_time() - began < SOON


def test_only_the_columns_that_are_needed_are_read(client):
    names = [f"c{k}" for k in range(5000)]
    table = ",".join([*names, "note"]) + "\n" + ("," * 5000 + "syncope\n") * 50
    found = [json.loads(line) for line in score_list(client, "x.csv", table).text.splitlines()]
    assert [row["note"] for row in found[0]["rows"]] == ["syncope"] * 50


def test_a_small_workbook_cannot_take_much_memory(client):
    data = torture_web.workbook()
    assert len(data) < 300_000
    assert "x.xlsx unpacks to more than 1,000,000 bytes" in message(score_list(client, "x.xlsx", data))


def test_a_list_nobody_waits_for_is_left_and_its_process_ends(served):
    upload = Upload("x.parquet", torture_web.parquet_of_nothing(900_000), 100 * MEGABYTE, 60)
    lines = patient_lists.scored_lines(served, upload, PatientColumns())
    next(lines)
    unpacker = upload.source._unpacker
    upload.stop()
    with pytest.raises(GivenUpError):
        list(lines)
    assert unpacker.process.poll() is not None


def test_a_list_that_takes_too_long_is_stopped(served):
    late = Upload("x.parquet", torture_web.parquet_of_nothing(5000), 100 * MEGABYTE, seconds=-1)
    with pytest.raises(ValueError, match="took too long"):
        next(patient_lists.scored_lines(served, late, PatientColumns()))


# Notes and numbers


@pytest.mark.parametrize("kind", torture_web.long_notes(10))
def test_the_longest_note_is_explained_soon(served, client_of, kind):
    client = client_of(application(ServedModel(served.model, served.path)))
    limit = Limits().note
    note = torture_web.long_notes(limit - 100, ("syncope", "cough", "ankle"))[kind]
    asked = json.dumps({"note": note}, ensure_ascii=False).encode()
    began = time.process_time()
    for verb in ("score", "explain"):
        response = client.post(f"/api/v1/{verb}", content=asked, headers=JSON)
        assert response.status_code == (200 if len(asked) <= limit else 413)
    assert time.process_time() - began < 2
    if response.status_code == 200:
        assert "".join(piece["text"] for piece in response.json()["pieces"]) == note


@pytest.mark.long
def test_time_grows_with_the_note_and_no_faster(served):
    one = served.model.models_["Cough"]

    def seconds(size):
        note = torture_web.long_notes(size)["different words"]
        best = []
        for _ in range(3):
            began = time.process_time()
            one.explain(note, {})
            best.append(time.process_time() - began)
        return min(best)

    assert seconds(400_000) < 12 * seconds(100_000)  # 4 if it were exact, 16 if it were the square


def test_beds_have_limits(client):
    response = client.post("/api/v1/beds", content=torture_web.many_probabilities(2 * MEGABYTE), headers=JSON)
    assert response.status_code == 413
    assert "send fewer probabilities" in message(response)
    some = b'{"probabilities": [' + b"1," * MEGABYTE + b"0]}"
    assert "1,000,001 probabilities: send at most 1,000,000" in message(client.post("/api/v1/beds", content=some, headers=JSON))


def test_beds_of_many_patients_are_counted_soon(client):
    chances = np.random.default_rng(0).random(200_000).round(6).tolist()
    began = time.process_time()
    found = client.post("/api/v1/beds", json={"probabilities": chances}).json()
    assert time.process_time() - began < SOON
    assert found == expected_admissions(chances)._asdict()


@pytest.mark.parametrize("path", ["score", "explain", "beds"])
def test_a_strange_body_is_refused(client, path):
    for body in torture_web.malformed_json():
        response = client.post(f"/api/v1/{path}", content=body, headers=JSON)
        assert response.status_code in (400, 413) or b"surrog" in body or b"ud800" in body
        assert {"code", "message"} <= set(response.json()) or response.status_code == 200


# Taking turns


class Sent:
    """A request whose body comes in parts; ``None`` is a part that does not come."""

    def __init__(self, *parts, kind="application/json", gone=False):
        self.parts, self.gone = list(parts), gone
        headers = [(b"content-type", kind.encode())]
        self.request = Request({"type": "http", "headers": headers, "method": "POST"}, self.receive)

    async def receive(self):
        if self.gone:
            return {"type": "http.disconnect"}
        if not self.parts or self.parts[0] is None:
            await asyncio.sleep(60)
        part = self.parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(self.parts)}


def test_a_body_must_go_on_arriving(monkeypatch):
    monkeypatch.setattr(request_bodies, "PATIENCE", 0.1)

    async def receive(*parts):
        async with Bodies(100).body(Sent(*parts).request, "application/json", Size(50, "less")) as data:
            return bytes(data)

    assert asyncio.run(receive(b"abc", b"", b"def")) == b"abcdef"
    with pytest.raises(HTTPException) as refused:
        asyncio.run(receive(b"abc", None))
    assert refused.value.status_code == 408


def test_all_bodies_together_have_a_limit():
    async def two():
        held = Bodies(100)
        size = Size(80, "less")
        async with held.body(Sent(b"a" * 60).request, "application/json", size):
            with pytest.raises(HTTPException) as refused:
                async with held.body(Sent(b"b" * 60).request, "application/json", size):
                    pass
            assert refused.value.status_code == 503
        async with held.body(Sent(b"c" * 60).request, "application/json", size) as data:
            assert len(data) == 60
        assert held.left == 100

    asyncio.run(two())


def test_only_a_few_work_at_once_and_others_wait_a_while(monkeypatch):
    monkeypatch.setattr(turns, "PATIENCE", 0.3)
    running, most, may_end = 0, 0, threading.Event()

    def task():
        nonlocal running, most
        running += 1
        most = max(most, running)
        may_end.wait()
        running -= 1
        return "done"

    async def many():
        shared = turns.Work()
        asked = [asyncio.create_task(shared.run(Sent().request, task)) for _ in range(turns.AT_ONCE + 2)]
        found = await asyncio.wait(asked, timeout=2)
        may_end.set()
        refused = [one.exception() for one in found[0]]
        assert [one.status_code for one in refused] == [503, 503]
        assert [await one for one in found[1]] == ["done"] * turns.AT_ONCE
        with pytest.raises(ClientDisconnect):
            await shared.run(Sent(gone=True).request, lambda: pytest.fail("nobody waits for this"))

    asyncio.run(many())
    assert most == turns.AT_ONCE


def test_a_third_list_waits_and_is_then_refused(served, monkeypatch):
    monkeypatch.setattr(patient_lists, "PATIENCE", 0.1)

    async def third():
        busy = patient_lists.Lists(served, Bodies(1000))
        for _ in range(patient_lists.AT_ONCE):
            await busy.turns.free.acquire()
        sent = Sent(b"note\ncough\n", kind=BINARY["content-type"])
        await busy(sent.request.scope | {"query_string": b"name=x.csv"}, sent.receive, None)

    with pytest.raises(HTTPException, match="2 lists are being scored already"):
        asyncio.run(third())


# Connections


@pytest.fixture
def address(live, model_file):
    return live(ServedModel(TriageModel.load(model_file), model_file))


HALF = {
    "silent": b"",
    "headers": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    "note": torture_web.slow_body(),
    "list": torture_web.slow_body("/api/v1/list?name=x.csv", BINARY["content-type"], MEGABYTE, b"note\ncou"),
    "kept alive": b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\nG",
}


@pytest.mark.parametrize("kind", HALF)
def test_connections_that_do_nothing_are_not_in_the_way(address, kind):
    with torture_web.half_open(address, 300, HALF[kind]):
        began = time.monotonic()
        assert httpx.get(f"{address}/healthz", timeout=20).json() == {"status": "ok"}
        assert httpx.post(f"{address}/api/v1/score", json={"note": "syncope"}, timeout=20).status_code == 200
        listed = httpx.post(f"{address}/api/v1/list?name=x.csv", content=b"note\nsyncope\n", headers=BINARY, timeout=20)
        assert '"beds"' in listed.text
        assert time.monotonic() - began < SOON


def test_nobody_reads_and_others_are_answered(address):
    with torture_web.half_open(address, 150, torture_web.many_requests()):
        began = time.monotonic()
        assert httpx.get(f"{address}/healthz", timeout=30).json() == {"status": "ok"}
        assert time.monotonic() - began < 2 * SOON


@pytest.mark.parametrize("kind", ["silent", "headers", "kept alive"])
def test_a_request_that_does_not_go_on_is_ended(address, monkeypatch, kind):
    monkeypatch.setattr(connections, "REQUEST_WITHIN", 0.3)
    with torture_web.half_open(address, 1, HALF[kind]) as (one,):
        received = b"".join(iter(lambda: _received(one), b""))
    assert (b"200 OK" in received) == (kind == "kept alive")


def test_an_answer_that_is_not_read_is_given_up(address, monkeypatch):
    monkeypatch.setattr(connections, "READ_WITHIN", 0.3)
    with torture_web.half_open(address, 1, torture_web.many_requests(count=200)) as (one,):
        time.sleep(1.5)
        size = 0
        while part := _received(one):
            size += len(part)
    assert size < 200 * 200_000  # less than was asked for: the server did not wait


def _received(one):
    try:
        return one.recv(MEGABYTE)
    except ConnectionError:
        return b""


def test_the_help_tells_the_limits():
    said = " ".join(serve.serve.__doc__.split())
    for limit in (
        f"{uploads.MOST_ROWS:,} patients and {limits.MOST_COLUMNS:,} columns",
        f"{Limits().seconds} seconds to score it",
        f"{patient_lists.AT_ONCE} lists and {turns.AT_ONCE} other requests at work",
        f"{connections.MOST} connections",
        f"{request_bodies.PATIENCE} seconds for a request to arrive and 1 more for each {request_bodies.SLOWEST:,} bytes",
    ):
        assert limit in said
