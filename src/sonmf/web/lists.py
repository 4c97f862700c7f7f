"""A list of patients: a table in memory, scored a part at a time while the browser draws what it has."""

from __future__ import annotations

import asyncio
import gzip
import json
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from sonmf.datasets import tables
from sonmf.triage import expected_admissions
from sonmf.triage.scoring import LEFT_OUT, left_out, score
from sonmf.web.bodies import body
from sonmf.web.served import Served

AT_ONCE = 2  # lists; each may take its limit of memory a few times over
ROWS = 1000  # scored at a time
GRACE = 60  # seconds
MOST_ROWS = 1_000_000  # that a browser can hold


class Columns(NamedTuple):
    """What the request says about the columns; empty where nothing was said."""

    text: str
    group: str
    id: str


class Upload:
    """A file that was sent, with as much of a path as ``tables`` asks for; its bytes stay in memory."""

    def __init__(self, name: str, data: bytes) -> None:
        self.name = name
        self.size = len(data)
        self.stream = BytesIO(data)

    def open(self, mode: str) -> BytesIO:
        """To read from the start."""
        return self.stream

    def __str__(self) -> str:
        return self.name


class Lists:
    """POST a file, get a line of JSON for each part of it: rows, then the beds; or an error."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.slots = asyncio.Semaphore(AT_ONCE)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if self.slots.locked():
            raise HTTPException(503, f"{AT_ONCE} lists are being scored already: try again in a minute")
        async with self.slots:
            with suppress(TimeoutError):  # of someone who has stopped reading
                async with asyncio.timeout(self.served.limits.seconds + GRACE):
                    response = await self._response(Request(scope, receive))
                    await response(scope, receive, send)

    async def _response(self, request: Request) -> Response:
        asked, limits = request.query_params, self.served.limits
        deadline = time.monotonic() + limits.seconds
        columns = Columns(asked.get("text") or "note", asked.get("group", ""), asked.get("id", ""))
        data = await body(request, "application/octet-stream", limits.list, "--max-list")
        lines = scored(self.served, Upload(Path(asked.get("name", "")).name, data), columns)
        first = await run_in_threadpool(next, lines)  # raises what is wrong with the file while the status can still say so
        return StreamingResponse(_streamed(first, _ended(lines, deadline)), media_type="application/x-ndjson")


async def _streamed(first: str, others: Iterator[str]) -> AsyncIterator[str]:
    line: str | None = first
    while line is not None:
        yield line
        line = await run_in_threadpool(next, others, None)


def _ended(lines: Iterator[str], deadline: float) -> Iterator[str]:
    """The lines, or those up to a fault or the deadline and then what went wrong."""
    try:
        for line in lines:
            yield line
            if time.monotonic() > deadline:
                raise ValueError("the list took too long: split it into smaller files")
    except ValueError as error:
        yield _line(error=str(error))


def _line(**values: Any) -> str:
    return json.dumps(values, ensure_ascii=False) + "\n"


def scored(served: Served, upload: Upload, columns: Columns) -> Iterator[str]:
    """Rows of [id, complaint, probability, topics, words, remark, note, counts] a part at a time, and at last the beds.

    Patients whose outcome was left out when the model was fitted do not count among the beds.
    """
    probabilities: list[float] = []
    total = 0
    for frame, share in _frames(upload, served.limits.list):
        rows = _rows(served, upload, frame, columns, total)
        probabilities += [row[2] for row in rows if row[-1]]
        total += len(rows)
        if total > MOST_ROWS:
            raise ValueError(f"{upload} has more than {MOST_ROWS:,} rows: split it, or use `sonmf predict`")
        yield _line(rows=rows, share=share)
    yield _line(beds=expected_admissions(probabilities)._asdict())


def _frames(upload: Any, limit: int) -> Iterator[tuple[Any, float]]:
    """Parts of the table, each with the share of it read so far."""
    ending = tables.ending_of(upload)
    with tables.explained(upload):
        if ending == tables.PARQUET:
            yield from _of_parquet(upload, limit)
            return
        text: Any = _unpacked(upload, limit) if ending.endswith(".gz") else upload
        for frame in tables.delimited(text, ending.removesuffix(".gz"), ROWS, None):
            yield frame, text.stream.tell() / text.size


def _unpacked(upload: Upload, limit: int) -> Upload:
    data = gzip.GzipFile(fileobj=upload.stream).read(limit + 1)
    _refuse_large(upload, len(data), limit)
    return Upload(upload.name, data)


def _of_parquet(upload: Any, limit: int) -> Iterator[tuple[Any, float]]:
    from pyarrow import ArrowException, parquet

    total = 0
    with suppress(ArrowException, OSError):  # tables says what is wrong with it
        facts = parquet.read_metadata(upload.stream)
        total = facts.num_rows
        _refuse_large(upload, sum(facts.row_group(k).total_byte_size for k in range(facts.num_row_groups)), limit)
    read = 0
    for frame in tables.parquet_parts(upload, ROWS, None):
        read += len(frame)
        yield frame, read / total


def _refuse_large(upload: Upload, size: int, limit: int) -> None:
    if size > limit:
        raise ValueError(f"{upload} unpacks to more than {limit:,} bytes: split it, or start `sonmf serve` with --max-list")


def _rows(served: Served, upload: Upload, frame: Any, columns: Columns, before: int) -> list[list[Any]]:
    notes = _column(frame, columns.text, upload)
    complaints = _column(frame, columns.group or _if_there(frame, "complaint"), upload)
    patients = _column(frame, columns.id or _if_there(frame, "id"), upload) or range(before + 1, before + len(frame) + 1)
    found = score(served.model, notes, complaints)
    gone = left_out(served.model, frame)
    remarks = ["; ".join(filter(None, [one.remark, LEFT_OUT if away else ""])) for one, away in zip(found, gone, strict=True)]
    return [
        [
            _text(patient),
            _text(name),
            round(one.probability, 6),
            _short(one.topics),
            _short(one.words),
            remark,
            _text(note),
            not away,
        ]
        for patient, name, note, one, remark, away in zip(
            patients, complaints or [""] * len(notes), notes, found, remarks, gone, strict=True
        )
    ]


def _if_there(frame: Any, name: str) -> str:
    return name if name in frame.columns else ""


def _column(frame: Any, name: str, upload: Upload) -> Any:
    if not name:
        return None
    tables.require(frame, name, str(upload))
    return list(frame[name])


def _text(value: Any) -> str:
    return "" if value is None or value != value else str(value)


def _short(parts: list[tuple[str, float]]) -> list[tuple[str, float]]:
    return [(name, round(value, 4)) for name, value in parts]
