"""A list of patients: a table in memory, scored a part at a time while the browser draws what it has."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import NamedTuple, TypedDict

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from sonmf.sources import PatientColumns, TableError
from sonmf.triage import expected_admissions
from sonmf.triage.columns import is_missing
from sonmf.triage.forecaster import not_given_sentence
from sonmf.triage.patient_scores import LEFT_OUT, FarOutside, as_fitted, left_out, patient_columns, read_columns, score
from sonmf.web.errors import problem
from sonmf.web.filters import NamedValue, named_values
from sonmf.web.request_bodies import Size, large_body
from sonmf.web.served_model import ServedModel
from sonmf.web.uploads import FileFacts, GivenUpError, Part, Upload

ROWS = 1000  # scored at a time
GRACE = 60  # seconds to read the last forecasts


class Lists:
    """POST a file, get a line of JSON for each part of it: rows, then the beds; or an error."""

    def __init__(self, served: ServedModel, places: asyncio.Semaphore) -> None:
        self.served = served
        self.places = places
        self.size = Size(served.limits.list, "split it, or start `sonmf serve` with --max-list")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        request, limits = Request(scope, receive), self.served.limits
        async with large_body(request, "application/octet-stream", self.size, self.places) as data:
            upload = Upload(Path(request.query_params.get("name", "")).name, data, limits.list, limits.seconds)
            watching = asyncio.ensure_future(_watch(receive, upload))
            late = asyncio.get_running_loop().call_later(limits.seconds, upload.stop)
            lines = self.lines(upload, request)
            try:
                with suppress(TimeoutError):  # of someone who has stopped reading
                    async with asyncio.timeout(limits.seconds + GRACE):
                        await _answer(lines, scope, receive, send)
            finally:
                watching.cancel()
                late.cancel()
                lines.close()
                upload.close()

    def lines(self, upload: Upload, request: Request) -> Generator[str]:
        """The answer to a file."""
        return scored_lines(self.served, upload, self.columns(request))

    def columns(self, request: Request) -> PatientColumns:
        """Those that the request names."""
        return patient_columns(self.served.model, *(request.query_params.get(name) for name in ("text", "group", "id")))


async def _watch(receive: Receive, upload: Upload) -> None:
    """Stop the work when the browser goes."""
    while (await receive())["type"] != "http.disconnect":
        pass
    upload.stop()


async def _answer(lines: Iterator[str], scope: Scope, receive: Receive, send: Send) -> None:
    """Send the lines, unless nobody waits any more. An error in the first line is raised, and becomes the status."""
    with suppress(GivenUpError):
        first = await run_in_threadpool(next, lines)
        response = StreamingResponse(chain([first], _lines_or_error(lines)), media_type="application/x-ndjson")
        await response(scope, receive, send)


def _lines_or_error(lines: Iterator[str]) -> Iterator[str]:
    """The lines; after an error, a last line that says what went wrong."""
    try:
        with suppress(GivenUpError):
            yield from lines
    except ValueError as error:
        yield json_line(error=problem(error))


def json_line(**values: object) -> str:
    """An object of the answer."""
    return json.dumps(values, ensure_ascii=False) + "\n"


def scored_lines(served: ServedModel, upload: Upload, columns: PatientColumns) -> Generator[str]:
    """Lines with ``rows`` and the ``share`` of the file that is read; at last the beds, and what to know of the file.

    The first line also has the ``FileFacts``. Patients whose outcome was left out when the model was fitted are not counted
    among the beds.
    """
    probabilities: list[float] = []
    total, missing, outside = 0, list(columns.columns), FarOutside()
    parts = parts_of(served, upload, columns)
    facts = {"file": next(parts)._asdict()}
    remarks: Sequence[str] = ()
    for part in parts:
        assert isinstance(part, Part)
        upload.check()
        upload.check_rows(total + len(part.notes))
        rows = _rows(served, part, total, outside)
        probabilities += [row["probability"] for row in rows if row["counted"]]
        total += len(rows)
        missing = [name for name in columns.columns if name not in part.columns]
        yield json_line(rows=rows, share=part.share, **facts)
        facts, remarks = {}, part.remarks
    yield json_line(
        beds=expected_admissions(probabilities)._asdict(),
        remark="; ".join(filter(None, [*remarks, not_given_sentence(missing), *outside.sentences])),
    )


def parts_of(served: ServedModel, upload: Upload, columns: PatientColumns) -> Iterator[FileFacts | Part]:
    """What the file is, then its rows."""
    file = upload.table()
    try:
        source = as_fitted(served.model, file)
        chosen = columns.among(source)
        upload.check_rows(file.declared_rows)
        yield FileFacts.of(chosen, source)
        for frame in source.chunks(ROWS, chosen.needed):
            yield Part.of(chosen, frame.to_dict("list"), file.share, source.remarks)
    except TableError:
        upload.check()  # what was stopped looks damaged
        raise


class Row(TypedDict):
    """One patient of a list."""

    id: str
    complaint: str
    probability: float
    topics: list[NamedValue]
    words: list[NamedValue]
    columns: list[NamedValue]
    remark: str
    note: str
    counted: bool
    """Whether among the beds."""
    values: dict[str, str | float | None]
    """Of the columns of the model that the file has."""


class ListColumn(NamedTuple):
    """A column of the table of patients on the page."""

    field: str
    """Of a ``Row``."""
    title: str
    sortable: bool
    exported: str
    """What the downloaded file calls it, as ``sonmf predict`` does; empty if it is left out."""


LIST_COLUMNS = (
    ListColumn("id", "patient", True, "id"),
    ListColumn("probability", "admission", True, "probability"),
    ListColumn("complaint", "complaint", True, "complaint"),
    ListColumn("topics", "topics", False, "top_topics"),
    ListColumn("words", "words", False, "top_words"),
    ListColumn("columns", "columns", False, "top_columns"),
    ListColumn("note", "note", False, ""),
    ListColumn("remark", "remark", True, "remark"),
)


def _rows(served: ServedModel, part: Part, before: int, outside: FarOutside) -> list[Row]:
    n, columns = len(part.notes), read_columns(served.model, part.columns, part.columns)
    found = score(served.model, part.notes, part.complaints, columns, first=before, outside=outside)
    patients = range(before + 1, before + n + 1) if part.patients is None else part.patients
    complaints = [""] * n if part.complaints is None else part.complaints
    gone = left_out(served.model, part.outcomes or [None] * n)
    values = zip(*columns.values(), strict=True) if columns else [()] * n
    return [
        {
            "id": _text(patient),
            "complaint": _text(name),
            "probability": round(one.probability, 6),
            "topics": named_values(one.topics),
            "words": named_values(one.words),
            "columns": named_values(one.columns),
            "remark": "; ".join(filter(None, [one.remark, LEFT_OUT if away else ""])),
            "note": _text(note),
            "counted": not away,
            "values": dict(zip(columns, map(_value, own), strict=True)),
        }
        for patient, name, note, one, away, own in zip(patients, complaints, part.notes, found, gone, values, strict=True)
    ]


def _value(value: object) -> str | float | None:
    """A cell as JSON has it."""
    if is_missing(value):
        return None
    return value if isinstance(value, str | float | int) else str(value)


def _text(value: object) -> str:
    return "" if value is None or value != value else str(value)
