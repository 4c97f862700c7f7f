"""Fuzzed requests: an answer within seconds, never a 5xx, whatever is sent."""

from __future__ import annotations

import asyncio
import gzip
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx
import numpy as np

from torture.isolated import isolated
from torture.outcome import Outcome, counted
from torture.world import folder, frame, model_bytes

REQUESTS = 20_000  # for a scale of 1
BATCH = 50  # requests to one process at a time
SLOWEST = 60.0  # seconds for an answer on a loaded machine
TOO_MANY = 503  # two lists at once are being scored: an honest answer, which only a hundred users would see

PATHS = (
    "/", "/score", "/list", "/beds", "/quality", "/api", "/healthz", "/static/app.js", "/api/v1/openapi.json",
    "/api/v1/complaints", "/api/v1/topics", "/api/v1/search", "/api/v1/quality", "/api/v1/card", "/api/v1/score",
    "/api/v1/explain", "/api/v1/topics/name", "/api/v1/beds", "/api/v1/list", "/api/v1/beds/hours",
)  # fmt: skip
OF_A_FILE = ("/list", "/hours")
OF_A_LIST = ("name", "text", "group", "id", "time", "until", "by", "order", "zone", "every", "window", "stay", "now")
METHODS = ("GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "PATCH", "TRACE", "PROPFIND")
KINDS = ("application/json", "application/octet-stream", "text/plain", "application/json; charset=utf-7", "", "\xff\xfe")
FILES = ("x.csv", "x.tsv", "x.csv.gz", "x.tsv.gz", "x.parquet", "x", "../x.csv", "x.exe", "\u202ex.csv")
STRINGS = (
    "", "Cough", "syncope", "\0", "\ud800", "\u202e", "a" * 5000, "%00", "../../etc/passwd", "<script>", "{{7*7}}", "İ",
    "🫁" * 50, "'; DROP TABLE patients", "\r\nX-Injected: 1", "-1", "NaN", "[/bold]", "\x1b[31m", "=1+1", "None",
    "\u0130" * 200,
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 0.5, 1e308, -1e308, 10**400, 2**63, [], {}, [[]], [0.5] * 2000, [float("nan")], ["a"],
    {"a": {}},
)  # fmt: skip
FIELDS = ("note", "complaint", "topic", "name", "probabilities", "word", "more")


class Request(NamedTuple):
    method: str
    path: str
    headers: dict[str, str]
    body: bytes


def drawn(random: np.random.Generator) -> Request:
    """A request that is right in some parts and wrong in others."""
    path = one(PATHS, random) if random.random() < 0.9 else "/" + quote(one(STRINGS, random), errors="surrogatepass")
    likely = "PUT" if path.endswith("name") else "POST" if path in PATHS[-6:] else "GET"
    method = likely if random.random() < 0.8 else one(METHODS, random)
    kind = "application/octet-stream" if path.endswith(OF_A_FILE) else "application/json"
    headers = {"content-type": kind if random.random() < 0.85 else one(KINDS, random)}
    for name in ("host", "origin", "cookie", "authorization", "content-encoding", "range", "x-forwarded-for"):
        if random.random() < 0.03:
            headers[name] = one(STRINGS, random)
    body = table(random) if path.endswith(OF_A_FILE) and random.random() < 0.9 else document(random)
    return Request(method, path + query(random, path), headers, mutated(body, random) if random.random() < 0.4 else body)


def one(values: Any, random: np.random.Generator) -> Any:
    return values[int(random.integers(len(values)))]


def query(random: np.random.Generator, path: str) -> str:
    names = OF_A_LIST if path.endswith(OF_A_FILE) else ("complaint", "word", "token", "more")
    pairs = [(name, one(FILES if name == "name" else STRINGS, random)) for name in names if random.random() < 0.4]
    return "?" + "&".join(f"{name}={quote(value, errors='surrogatepass')}" for name, value in pairs) if pairs else ""


def document(random: np.random.Generator) -> bytes:
    """JSON, of the shape that is asked for or of another."""
    makers: tuple[Callable[[], Any], ...] = (
        lambda: {name: one((*STRINGS, *VALUES), random) for name in FIELDS if random.random() < 0.6},
        lambda: {"note": one(STRINGS, random), "complaint": one(STRINGS, random)},
        lambda: {"probabilities": random.random(int(random.integers(0, 50))).tolist()},
        lambda: {"complaint": "Cough", "topic": int(random.integers(-2, 5)), "name": one(STRINGS, random)},
        lambda: one(VALUES, random),
    )
    text = one(("[" * 3000, '{"a":' * 3000, "", "{", '{"note": "\\ud800"}', '{"note": 1e999}', '{"note"\t:"a"}\n'), random)
    return (json.dumps(one(makers, random)()) if random.random() < 0.9 else text).encode("utf-8", "surrogatepass")


def table(random: np.random.Generator) -> bytes:
    """A list of patients in one of the formats, with odd cells."""
    data = frame(int(random.integers(1, 30)), seed=int(random.integers(100)))
    for column in data.columns:
        if random.random() < 0.3:
            data.loc[int(random.integers(len(data))), column] = one(STRINGS, random).replace("\ud800", "?")
    if random.random() < 0.2:
        data.columns = [one(STRINGS, random).replace("\ud800", "?") for _ in data.columns]
    form = random.random()
    if form < 0.25 and data.columns.is_unique:
        target = io.BytesIO()
        data.to_parquet(target)
        return target.getvalue()
    text = data.to_csv(index=False, sep=one((",", "\t", ";"), random)).encode(
        one(("utf-8", "utf-16", "latin-1"), random), "replace"
    )
    return gzip.compress(text) if form < 0.5 else text


def mutated(body: bytes, random: np.random.Generator) -> bytes:
    """The body with a few bytes turned, a piece doubled, or its end missing."""
    damaged = bytearray(body)
    for _ in range(int(random.integers(1, 6))):
        if damaged:
            damaged[int(random.integers(len(damaged)))] = int(random.integers(256))
    cut = int(random.integers(len(damaged) + 1))
    return bytes(one((damaged, damaged[:cut], damaged[:cut] + damaged), random))


# ---- in a process of its own ----


class Batch(NamedTuple):
    seed: int
    size: int


def answered(batch: Batch) -> str:
    """The first thing wrong with the answers to a batch of requests."""
    random = np.random.default_rng(batch.seed)
    requests = [drawn(random) for _ in range(batch.size)]
    return asyncio.run(_ask(requests))


async def _ask(requests: list[Request]) -> str:
    from sonmf.triage import TriageModel
    from sonmf.web.application import application
    from sonmf.web.served_model import ServedModel

    with folder() as place:
        path = Path(place, "model.sonmf")
        path.write_bytes(model_bytes())
        app = application(ServedModel(TriageModel.load(path), path, largest_note=100_000, largest_list=1_000_000, seconds=20))
        transport = httpx.ASGITransport(app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8000") as client:
            for request in requests:
                if fault := await _fault(client, request):
                    return fault
    return ""


async def _fault(client: httpx.AsyncClient, request: Request) -> str:
    headers = [(name.encode(), value.encode("utf-8", "surrogatepass")) for name, value in request.headers.items()]
    shown = f"{request.method} {request.path.partition('?')[0][:30]}"
    try:
        async with asyncio.timeout(SLOWEST):
            answer = await client.request(request.method, request.path, headers=headers, content=request.body)
    except (httpx.InvalidURL, httpx.LocalProtocolError):
        return ""  # no client can send it
    except TimeoutError:
        return f"{shown}: no answer in {SLOWEST:.0f} s"
    return f"{shown}: {answer.status_code}" if answer.status_code >= 500 and answer.status_code != TOO_MANY else ""


def attack(scale: float, seed: int) -> Outcome:
    """Requests in batches; a batch ends with its first fault."""
    return counted(trials(max(BATCH, round(REQUESTS * scale)), seed))


def trials(requests: int, seed: int) -> Iterator[str]:
    random = np.random.default_rng(seed)
    batches = [Batch(int(random.integers(2**32)), BATCH) for _ in range(requests // BATCH)]
    for fault in isolated(answered, batches, patience=BATCH * SLOWEST):
        yield fault
        yield from [""] * (BATCH - 1)
