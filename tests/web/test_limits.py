"""What is small to send and expensive to answer is refused, or answered in bounded memory and time, and delays nobody else."""

import asyncio
import contextlib
import gc
import json
import time
import tracemalloc
from pathlib import Path

import httpx
import numpy as np
import pytest
import torture_web
from processes import wait_until
from starlette.exceptions import HTTPException
from starlette.requests import Request
from torture_web import MEGABYTE
from uploading import BINARY, message, score_list

from sonmf.cli import serve
from sonmf.sources import limits, unpacking
from sonmf.triage import expected_admissions
from sonmf.triage.provenance import Provenance
from sonmf.web import api, patient_lists, request_bodies, uploads
from sonmf.web import application as serving
from sonmf.web.application import HEADERS, MOST_CONNECTIONS, application
from sonmf.web.request_bodies import large_body, read_body
from sonmf.web.served_model import ServedModel
from sonmf.web.uploads import GivenUpError, Upload

GUIDE = Path(__file__).parents[2] / "docs" / "guide" / "serving.md"
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


def test_a_csv_list_is_read_in_little_memory_whatever_its_size(served):
    """Beside its own bytes, which are there once: only the reading is measured, not the scoring."""
    for size in (1, 10):
        table = b"note,hr\n" + b"cough for three days and fever,88\n" * (size * 30_000)
        upload = Upload("x.csv", table, 100 * MEGABYTE, 60)
        tracemalloc.start()
        try:
            rows = sum(len(part) for part in upload.table().chunks(patient_lists.ROWS))
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert rows == size * 30_000
        assert peak < 4 * MEGABYTE


def test_a_list_nobody_waits_for_is_left_and_its_process_ends(served):
    upload = Upload("x.parquet", torture_web.parquet_of_nothing(900_000), 100 * MEGABYTE, 60)
    lines = patient_lists.scored_lines(served, upload, Provenance.request())
    next(lines)
    unpacker = upload.source._unpacker
    upload.stop()
    with pytest.raises(GivenUpError):
        list(lines)
    assert unpacker.process.poll() is not None


def test_a_list_that_takes_too_long_is_stopped(served):
    late = Upload("x.parquet", torture_web.parquet_of_nothing(5000), 100 * MEGABYTE, seconds=-1)
    with pytest.raises(ValueError, match="took too long"):
        next(patient_lists.scored_lines(served, late, Provenance.request()))


# Notes and numbers


@pytest.mark.parametrize("kind", torture_web.long_notes(10))
def test_the_longest_note_is_explained_soon(served, client_of, kind):
    client = client_of(application(ServedModel(served.model, served.path)))
    limit = ServedModel.largest_note
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
        gc.disable()  # its passes over all objects of the test process would be counted too
        try:
            for _ in range(3):
                began = time.process_time()
                one.explain(note, {})
                best.append(time.process_time() - began)
        finally:
            gc.enable()
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


# Bodies


class Sent:
    """A request whose body comes in parts; ``None`` is a part that does not come."""

    def __init__(self, *parts, kind="application/json"):
        self.parts = list(parts)
        headers = [(b"content-type", kind.encode())]
        self.request = Request({"type": "http", "headers": headers, "method": "POST"}, self.receive)

    async def receive(self):
        if not self.parts or self.parts[0] is None:
            await asyncio.sleep(60)
        part = self.parts.pop(0)
        return {"type": "http.request", "body": part, "more_body": bool(self.parts)}


def test_a_body_must_arrive_in_time_and_within_its_size(monkeypatch):
    monkeypatch.setattr(request_bodies, "PATIENCE", 0.1)

    def receive(*parts):
        return asyncio.run(read_body(Sent(*parts).request, "application/json", 50, "less"))

    assert receive(b"abc", b"", b"def") == b"abcdef"
    for status, parts in [(408, (b"abc", None)), (408, (None,)), (413, (b"a" * 30, b"a" * 21, None))]:
        with pytest.raises(HTTPException) as refused:
            receive(*parts)
        assert refused.value.status_code == status


def test_a_body_may_take_as_long_as_a_slow_line_needs_and_a_trickle_may_not(monkeypatch):
    """What has arrived buys time: the limit of size, which a trickle only declares, does not."""
    monkeypatch.setattr(request_bodies, "PATIENCE", 0.3)
    monkeypatch.setattr(request_bodies, "SLOWEST", 100)

    def seconds(part, pause, count):
        async def trickle():
            for _ in range(count):
                await asyncio.sleep(pause)
                yield part

        sent = Sent(kind="application/json")
        sent.request.stream = trickle
        began = time.monotonic()
        try:
            asyncio.run(read_body(sent.request, "application/json", 1_000_000, "less"))
        except HTTPException:
            return time.monotonic() - began, False
        return time.monotonic() - began, True

    assert seconds(b"a" * 30, 0.1, 15) == (pytest.approx(1.5, abs=1), True)
    assert seconds(b"a", 0.1, 100) == (pytest.approx(0.3, abs=1), False)


def test_a_third_list_waits_for_its_place_before_a_byte_of_it_is_read(served, monkeypatch):
    monkeypatch.setattr(request_bodies, "WAIT", 0.1)
    sent = Sent(b"note\ncough\n", kind=BINARY["content-type"])
    scope = sent.request.scope | {"query_string": b"name=x.csv"}

    async def third():
        places = asyncio.Semaphore(request_bodies.LARGE_AT_ONCE)
        for _ in range(request_bodies.LARGE_AT_ONCE):
            await places.acquire()
        await patient_lists.Lists(served, places)(scope, sent.receive, None)

    with pytest.raises(HTTPException, match="try again in a minute"):
        asyncio.run(third())
    assert len(sent.parts) == 1


def test_a_place_is_free_again_whatever_becomes_of_its_body():
    async def many():
        places = asyncio.Semaphore(1)
        for parts in [(b"abc",), (b"a" * 51,), (b"abc",)]:
            with contextlib.suppress(HTTPException):
                async with large_body(Sent(*parts).request, "application/json", 50, "less", places):
                    assert places.locked()
            assert not places.locked()

    asyncio.run(many())


@pytest.mark.parametrize("cells", ["cough", "cough,fever"])
def test_the_bytes_of_a_list_are_freed_with_its_answer(served, cells):
    """Not when Python next looks for cycles: until then many lists could be sent."""
    app = application(served)
    data = f"note\n{cells}\n".encode() + (b"a" * 100_000 + b"\n") * 9

    async def send(message):
        pass

    async def many(count):
        for _ in range(count):
            sent = Sent(data, kind=BINARY["content-type"])
            sent.request.scope["headers"].append((b"host", b"127.0.0.1"))
            await app(sent.request.scope | {"path": "/api/v1/list", "query_string": b"name=x.csv"}, sent.receive, send)

    asyncio.run(many(1))
    gc.disable()
    tracemalloc.start()
    try:
        asyncio.run(many(5))
        bodies = tracemalloc.take_snapshot().filter_traces([tracemalloc.Filter(True, request_bodies.__file__)])
        assert sum(trace.size for trace in bodies.traces) < len(data)
    finally:
        tracemalloc.stop()
        gc.enable()


# Connections

HALF = {
    "silent": b"",
    "headers": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ",
    "body": torture_web.slow_body(),
    "unread": torture_web.many_requests(),
}


def test_connections_that_do_nothing_are_not_in_the_way_up_to_the_limit(address):
    each = MOST_CONNECTIONS // len(HALF) - 5
    with contextlib.ExitStack() as opened:
        for begun in HALF.values():
            opened.enter_context(torture_web.half_open(address, each, begun))
        began = time.monotonic()
        assert httpx.get(f"{address}/healthz", timeout=20).json() == {"status": "ok"}
        assert httpx.post(f"{address}/api/v1/score", json={"note": "syncope"}, timeout=20).status_code == 200
        listed = httpx.post(f"{address}/api/v1/list?name=x.csv", content=b"note\nsyncope\n", headers=BINARY, timeout=20)
        assert '"beds"' in listed.text
        assert time.monotonic() - began < 2 * SOON


def test_beyond_the_limit_a_request_is_refused_until_others_have_left(address):
    with torture_web.half_open(address, MOST_CONNECTIONS, HALF["headers"]):
        assert httpx.get(f"{address}/healthz", timeout=20).status_code == 503
    assert wait_until(lambda: httpx.get(f"{address}/healthz", timeout=20).status_code == 200)


def test_a_connection_that_sends_its_headers_slowly_is_closed(address, monkeypatch):
    monkeypatch.setattr(serving, "HEADERS", 1)
    once = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    for begun in (b"", HALF["headers"], once + HALF["headers"]):  # also the second request of a connection
        with torture_web.half_open(address, 1, begun) as (connection,):
            began, answer = time.monotonic(), b""
            while time.monotonic() - began < 4 * SOON and (part := connection.recv(MEGABYTE)):
                answer += part
            assert part == b""
            assert answer.count(b"HTTP/1.1 200") == begun.count(once)


def test_a_request_that_takes_longer_than_its_headers_may_is_answered(served, live, monkeypatch):
    monkeypatch.setattr(serving, "HEADERS", 0.5)
    explain = served.model.explain
    monkeypatch.setattr(served.model, "explain", lambda *given: time.sleep(1.5) or explain(*given))
    answer = httpx.post(f"{live(served)}/api/v1/explain", json={"note": "syncope"}, timeout=20)
    assert answer.status_code == 200


def test_headers_that_do_not_end_are_refused(address):
    endless = HALF["headers"] + b"x" * 200_000
    with torture_web.half_open(address, 1, endless) as (one,), contextlib.suppress(ConnectionError):
        assert one.recv(MEGABYTE).startswith(b"HTTP/1.1 400")


def test_the_help_tells_the_limits():
    said = " ".join(serve.serve.__doc__.split())
    for limit in (
        f"{uploads.MOST_ROWS:,} patients and {limits.MOST_COLUMNS:,} columns",
        f"{ServedModel.seconds} seconds to score it",
        f"{request_bodies.LARGE_AT_ONCE} lists at once",
        f"{MOST_CONNECTIONS} connections",
        f"{HEADERS} seconds for the headers of a request",
        f"for a body {request_bodies.PATIENCE} seconds and one more for every {request_bodies.SLOWEST:,} bytes",
    ):
        assert limit in said


def test_the_guide_tells_the_limits():
    table = GUIDE.read_text(encoding="utf-8")
    for what, limit in {
        "a note, or any other JSON body": f"{ServedModel.largest_note:,} bytes",
        "a list of patients, as it is sent and unpacked": f"{ServedModel.largest_list:,} bytes",
        "patients of a list or of a file for *Beds*, or probabilities for `/beds`": f"{uploads.MOST_ROWS:,}",
        "a body of probabilities for `/beds`": f"{api.LARGEST_BEDS:,} bytes",
        "columns of a table": f"{limits.MOST_COLUMNS:,}",
        "a row of a table": f"{limits.LONGEST_ROW:,} bytes",
        "empty lines of a CSV or TSV file, one after another": f"{limits.MOST_EMPTY_LINES:,}",
        "time to score a list, or a file for *Beds*": f"{ServedModel.seconds} seconds",
        "lists and files for *Beds* that are received and scored at once": f"{request_bodies.LARGE_AT_ONCE}; others wait "
        f"{request_bodies.WAIT} seconds",
        "time for a body": f"{request_bodies.PATIENCE} seconds, and one more for every "
        f"{request_bodies.SLOWEST:,} bytes that have arrived",
        "headers of a request": f"16 kB, within {HEADERS} seconds",
        "connections": f"{MOST_CONNECTIONS}",
        "memory to unpack Parquet or a workbook, beside the server": "three times `--max-list` and "
        f"{unpacking.MEMORY // MEGABYTE} MB",
        "processor time to unpack the next 1,000 patients of such a file": f"{unpacking.SECONDS} seconds",
    }.items():
        assert f"| {what} | {limit} |" in table
