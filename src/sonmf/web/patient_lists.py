"""A list of patients: a table in memory, scored a part at a time while the browser draws what it has."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from pathlib import Path

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from sonmf.errors import InputError
from sonmf.triage import expected_admissions
from sonmf.triage.columns import is_missing
from sonmf.triage.patient_scores import PatientForecast, Scored
from sonmf.triage.patient_stream import PatientStream
from sonmf.triage.patients import Patients
from sonmf.triage.provenance import Provenance
from sonmf.web.errors import error_fields
from sonmf.web.rendering import named_values
from sonmf.web.request_bodies import large_body
from sonmf.web.served_model import ServedModel
from sonmf.web.uploads import GivenUpError, Upload

REMEDY = "split it, or start `sonmf serve` with --max-list"
ROWS = 1000  # scored at a time
GRACE = 60  # seconds to read the last forecasts


class Lists:
    """POST a file, get a line of JSON for each part of it: rows, then the beds; or an error."""

    def __init__(self, served: ServedModel, places: asyncio.Semaphore) -> None:
        self.served = served
        self.places = places

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        request, largest, seconds = Request(scope, receive), self.served.largest_list, self.served.seconds
        async with large_body(request, "application/octet-stream", largest, REMEDY, self.places) as data:
            upload = Upload(Path(request.query_params.get("name", "")).name, data, largest, seconds)
            watching = asyncio.ensure_future(_watch(receive, upload))
            late = asyncio.get_running_loop().call_later(seconds, upload.stop)
            lines = self.lines(upload, request)
            try:
                with suppress(TimeoutError):  # of someone who has stopped reading
                    async with asyncio.timeout(seconds + GRACE):
                        await _answer(lines, scope, receive, send)
            finally:
                watching.cancel()
                late.cancel()
                lines.close()
                upload.close()

    def lines(self, upload: Upload, request: Request) -> Generator[str]:
        """The answer to a file."""
        return scored_lines(self.served, upload, self.asked(request))

    def asked(self, request: Request) -> Provenance:
        """The columns that the request names."""
        text, group, patient = (request.query_params.get(name, "") for name in ("text", "group", "id"))
        return Provenance.request(text=text, group=group or None, patient=patient or None)


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
    except InputError as error:
        yield json_line(error=error_fields(error))


def json_line(**values: object) -> str:
    """An object of the answer."""
    return json.dumps(values, ensure_ascii=False) + "\n"


def scored_lines(served: ServedModel, upload: Upload, asked: Provenance) -> Generator[str]:
    """Lines with ``rows`` and the ``share`` of the file that is read; at last the beds, and what to know of the file.

    The first line also has the ``file_facts``. Patients whose outcome was left out when the model was fitted are not counted
    among the beds.
    """
    probabilities: list[float] = []
    stream = open_stream(served, upload, asked)
    facts = {"file": file_facts(stream)}
    for scored in scored_chunks(stream, upload):
        scores = scored.explained()
        probabilities += [_shown(score.probability) for score in scores if not score.left_out]
        yield json_line(rows=_rows(scored.patients, scores), share=upload.share, **facts)
        facts = {}
    yield json_line(
        beds=expected_admissions(probabilities)._asdict(),
        remark="; ".join(filter(None, [*stream.source.remarks, stream.absent, *stream.strange_values])),
    )


def open_stream(served: ServedModel, upload: Upload, asked: Provenance, keep: Iterable[str] = ()) -> PatientStream:
    """The patients of a file that was sent; ``asked`` is what a person says of its columns."""
    with upload.watched():
        table = upload.table()
        stream = PatientStream(served.model, table, asked, keep, ROWS)
        upload.check_rows(table.declared_rows)
        return stream


def file_facts(stream: PatientStream) -> dict[str, object]:
    """What a page shows of a file: its columns, and those that are read as note, complaint and id (empty if there is none)."""
    asked = stream.asked
    return {
        "columns": stream.source.columns,
        "text": asked.text,
        "group": asked.group or "",
        "id": asked.patient or "",
    }


def scored_chunks(stream: PatientStream, upload: Upload) -> Iterator[Scored]:
    """The patients with their forecasts, until the file is too long or nobody waits for it."""
    total = 0
    with upload.watched():
        for patients in stream:
            upload.check()
            total += len(patients)
            upload.check_rows(total)
            yield stream.score(patients)


def _rows(patients: Patients, scores: Iterable[PatientForecast]) -> list[dict[str, object]]:
    """The patients of a part, as openapi.json describes one."""
    columns = zip(*patients.columns.values(), strict=True) if patients.columns else [()] * len(patients)
    complaints = patients.complaint or [""] * len(patients)
    return [
        {
            "id": _text(patient),
            "complaint": _text(complaint),
            "probability": _shown(score.probability),
            "topics": named_values(score.topics),
            "words": named_values(score.words),
            "columns": named_values(score.columns),
            "remark": score.full_remark,
            "note": _text(note),
            "counted": not score.left_out,
            "values": dict(zip(patients.columns, map(_value, values), strict=True)),
        }
        for patient, complaint, note, score, values in zip(
            patients.identifiers, complaints, patients.notes, scores, columns, strict=True
        )
    ]


def _shown(probability: float) -> float:
    """A probability with the digits that are sent: the page adds up the same beds."""
    return round(probability, 6)


def _value(value: object) -> str | float | None:
    """A cell as JSON has it."""
    if is_missing(value):
        return None
    return value if isinstance(value, str | float | int) else str(value)


def _text(value: object) -> str:
    return "" if value is None or value != value else str(value)
