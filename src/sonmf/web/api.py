"""The JSON interface under /api/v1, described in openapi.json: the checks and the sentences of the command line."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from msgspec.structs import asdict
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from sonmf.errors import InputError
from sonmf.triage import expected_admissions, model_report
from sonmf.triage.patient_scores import Scored, values_of_one
from sonmf.triage.patients import Patients
from sonmf.triage.report_records import TopicReport
from sonmf.triage.strict_json import encode
from sonmf.web.bed_hours import BedHours
from sonmf.web.pages import DESCRIPTION
from sonmf.web.patient_lists import Lists
from sonmf.web.rendering import named_values, word_rows
from sonmf.web.report_page import curves, same_patients
from sonmf.web.request_bodies import (
    LARGE_AT_ONCE,
    Fields,
    Size,
    large_body,
    read_body,
    read_fields,
    value_of_column,
    without_surrogates,
)
from sonmf.web.served_model import ServedModel
from sonmf.web.uploads import MOST_ROWS

NOTE: Fields = {"note": str}
COMPLAINT: Fields = {"complaint": str}
PATIENT: Fields = COMPLAINT | {"columns": dict}
BEDS = Size(10_000_000, "send fewer probabilities, or fewer digits of each")
Values = Mapping[str, object]
"""Of columns by name, as they were sent."""
Answer = Callable[..., Mapping[str, object]]
"""Called with the model that is served, and with the parameters or fields of the request by name."""


class RecordResponse(JSONResponse):
    """JSON of records; a figure that is not known is null."""

    def render(self, content: object) -> bytes:
        """The bytes of the body."""
        return encode(content)


def routes(served: ServedModel) -> list[Route]:
    """Every path of openapi.json, below /api/v1."""
    size = Size(served.limits.note, "send less, or start `sonmf serve` with --max-note")
    files, probabilities = asyncio.Semaphore(LARGE_AT_ONCE), asyncio.Semaphore(LARGE_AT_ONCE)

    def get(path: str, answer: Answer, *parameters: str) -> Route:
        def endpoint(request: Request) -> Response:
            given = {name: request.query_params[name] for name in parameters if name in request.query_params}
            return RecordResponse(answer(served, **given))

        return Route(path, endpoint)

    def send(path: str, answer: Answer, *fields: Fields, method: str = "POST") -> Route:
        """The first of ``fields`` are required, the others optional."""

        async def endpoint(request: Request) -> Response:
            data = await read_body(request, "application/json", size)
            return await run_in_threadpool(lambda: RecordResponse(answer(served, **read_fields(data, *fields))))

        return Route(path, endpoint, methods=[method])

    async def beds(request: Request) -> Response:
        async with large_body(request, "application/json", BEDS, probabilities) as data:
            return await run_in_threadpool(lambda: RecordResponse(_beds(data)))

    return [
        Route("/openapi.json", lambda request: FileResponse(DESCRIPTION)),
        get("/complaints", _complaints),
        get("/topics", _topics, "complaint"),
        get("/search", _search, "complaint", "word"),
        get("/quality", _quality, "complaint"),
        get("/card", _card),
        send("/score", _score, NOTE, PATIENT),
        send("/explain", _explain, NOTE, PATIENT),
        send("/topics/name", _rename, COMPLAINT | {"topic": int, "name": str}, method="PUT"),
        Route("/beds", beds, methods=["POST"]),
        Route("/list", Lists(served, files), methods=["POST"]),
        Route("/beds/hours", BedHours(served, files), methods=["POST"]),
    ]


def _complaints(served: ServedModel) -> Mapping[str, object]:
    facts = ("name", "n_notes", "n_admitted", "base_rate", "n_topics")
    found = [
        {name: getattr(one, name) for name in facts}
        | {"title": model_report.title(one.name), "columns": [model_report.column(column) for column in one.columns]}
        for one in model_report.ordered(served.model)
    ]
    return {"complaints": found, "pooled": served.model.pooled_}


def _topics(served: ServedModel, complaint: str = "") -> Mapping[str, object]:
    one, examples = served.model.named_model(complaint), served.examples(complaint)
    facts = {"complaint": one.name, "title": model_report.title(one.name), "n_notes": one.n_notes, "base_rate": one.base_rate}
    return facts | {
        "topics": [_with_word_rows(topic) for topic in model_report.topics(one, examples.notes)],
        "about_words": model_report.about_words(one),
        "ranked_by": model_report.RANKED_BY,
        "examples": examples.origin,
    }


def _with_word_rows(topic: TopicReport) -> dict[str, object]:
    words = {"positive": word_rows(topic.positive, None), "negative": word_rows(topic.negative, None)}
    return asdict(topic) | words


def _search(served: ServedModel, word: str = "", complaint: str = "") -> Mapping[str, object]:
    return {"word": word, "found": model_report.search(served.model.named_model(complaint), word)}


def _rename(served: ServedModel, complaint: str, topic: int, name: str) -> Mapping[str, object]:
    served.rename(complaint, topic, name)
    one = served.model.named_model(complaint)
    return {"topic": topic, "name": one.names[topic], "label": one.labels[topic]}


def _score(served: ServedModel, note: str, complaint: str | None = None, columns: Values | None = None) -> Mapping[str, object]:
    given = _read_columns(served, columns)
    patient = Patients.arriving([note], [complaint or ""], {name: [value] for name, value in given.items()})
    (score,) = Scored(served.model, patient).explained()
    one = served.model.model_for(complaint)
    remark = "; ".join(filter(None, [score.remark, one.forecaster.not_given(given)]))
    return {
        "probability": score.probability,
        "topics": named_values(score.topics, None),
        "words": named_values(score.words, None),
        "columns": named_values(score.columns, None),
        "remark": remark,
        "base_rate": one.base_rate,
        "model": one.name,
    }


def _read_columns(served: ServedModel, columns: Values | None) -> dict[str, object]:
    """A value for each column: a number, a text, or null where it is missing."""
    return values_of_one(
        served.model, ((without_surrogates(name), value_of_column(name, value)) for name, value in (columns or {}).items())
    )


def _explain(
    served: ServedModel, note: str, complaint: str | None = None, columns: Values | None = None
) -> Mapping[str, object]:
    why = served.model.explain(note, complaint, _read_columns(served, columns))
    one = served.model.model_for(complaint)
    return why._asdict() | {
        "title": model_report.title(one.name),
        "topics": [topic._asdict() for topic in why.topics],
        "columns": [part._asdict() for part in why.columns],
        "pieces": [piece._asdict() for piece in why.pieces],
    }


def _beds(data: bytes) -> Mapping[str, object]:
    probabilities = read_fields(data, {"probabilities": list})["probabilities"]
    assert isinstance(probabilities, list)
    if len(probabilities) > MOST_ROWS:
        raise InputError(f"there are {len(probabilities):,} probabilities: send at most {MOST_ROWS:,}")
    numbers = [value for value in probabilities if isinstance(value, float | int) and not isinstance(value, bool)]
    chances = [value for value in numbers if 0 <= value <= 1]
    if len(chances) < len(probabilities):
        raise InputError("'probabilities' must be numbers between 0 and 1")
    return expected_admissions(chances)._asdict()


def _quality(served: ServedModel, complaint: str = "") -> Mapping[str, object]:
    everything = model_report.complaint(served.model.named_model(complaint))
    judged = model_report.evaluations(served.model)
    found = {name: value for name, value in asdict(everything).items() if name != "topics"}
    return found | {
        "curves": curves(everything, same_patients(judged), served.model.method),
        "evaluations": [
            {
                "title": one.title,
                "about": one.about,
                "differs": one.differs,
                "rows": [row for row in one.rows if row["complaint"] == complaint],
            }
            for one in judged
        ],
    }


def _card(served: ServedModel) -> Mapping[str, object]:
    return asdict(model_report.card(served.model)) | {"pooled": served.model.pooled_}
