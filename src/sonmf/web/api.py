"""The JSON interface under /api/v1, described in openapi.json: the checks and the sentences of the command line."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from msgspec.structs import asdict
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from sonmf.errors import InputError
from sonmf.triage import expected_admissions, model_card, model_report, topic_search
from sonmf.triage.axes import AxisReport, about_axes, axis_reports
from sonmf.triage.column_effects import MISSING
from sonmf.triage.columns import NUMBER
from sonmf.triage.labels import in_short, label_of, range_of, shown_value
from sonmf.triage.model_report import ColumnReport, TopicReport
from sonmf.triage.patient_scores import Scored, values_of_one
from sonmf.triage.patients import Patients
from sonmf.triage.strict_json import encode
from sonmf.web.bed_hours import BedHours
from sonmf.web.pages import DESCRIPTION
from sonmf.web.patient_lists import Lists
from sonmf.web.rendering import named_values
from sonmf.web.request_bodies import (
    LARGE_AT_ONCE,
    Fields,
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
LESS = "send less, or start `sonmf serve` with --max-note"
LARGEST_BEDS, FEWER = 10_000_000, "send fewer probabilities, or fewer digits of each"
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
    files, probabilities = asyncio.Semaphore(LARGE_AT_ONCE), asyncio.Semaphore(LARGE_AT_ONCE)
    return [
        Route("/openapi.json", lambda request: FileResponse(DESCRIPTION)),
        _get("/complaints", served, _complaints),
        _get("/topics", served, _topics, "complaint"),
        _get("/search", served, _search, "complaint", "word"),
        _get("/quality", served, _quality, "complaint"),
        _get("/card", served, _card),
        _send("/score", served, _score, NOTE, PATIENT),
        _send("/explain", served, _explain, NOTE, PATIENT),
        _send("/topics/name", served, _rename, COMPLAINT | {"topic": int, "name": str}, method="PUT"),
        Route("/beds", _beds_endpoint(probabilities), methods=["POST"]),
        Route("/list", Lists(served, files), methods=["POST"]),
        Route("/beds/hours", BedHours(served, files), methods=["POST"]),
    ]


def _get(path: str, served: ServedModel, answer: Answer, *parameters: str) -> Route:
    def endpoint(request: Request) -> Response:
        given = {name: request.query_params[name] for name in parameters if name in request.query_params}
        return RecordResponse(answer(served, **given))

    return Route(path, endpoint)


def _send(path: str, served: ServedModel, answer: Answer, *fields: Fields, method: str = "POST") -> Route:
    """A route whose body is a JSON object; the first of ``fields`` are required, the others optional."""

    async def endpoint(request: Request) -> Response:
        data = await read_body(request, "application/json", served.largest_note, LESS)
        return await run_in_threadpool(lambda: RecordResponse(answer(served, **read_fields(data, *fields))))

    return Route(path, endpoint, methods=[method])


def _beds_endpoint(places: asyncio.Semaphore) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        async with large_body(request, "application/json", LARGEST_BEDS, FEWER, places) as data:
            return await run_in_threadpool(lambda: RecordResponse(_beds(data)))

    return endpoint


def _complaints(served: ServedModel) -> Mapping[str, object]:
    facts = ("name", "n_notes", "n_admitted", "base_rate", "n_topics")
    complaints = [
        {name: getattr(fitted, name) for name in facts}
        | {"title": model_report.title(fitted.name), "columns": [_giveable(one) for one in model_report.columns(fitted)]}
        for fitted in model_report.ordered(served.model)
    ]
    return {"complaints": complaints, "pooled": served.model.pooled_}


def _giveable(column: ColumnReport) -> Mapping[str, object]:
    """What can be given for a column, with its values as people read them."""
    facts = {name: getattr(column, name) for name in ("name", "label", "kind", "measured", "unit", "low", "high")}
    levels = [level.value for level in column.levels if level.value != MISSING]
    usual = range_of(column.low, column.high) if column.kind == NUMBER else ""
    return facts | {"usual": usual, "levels": levels, "level_names": list(map(in_short, levels))}


def _topics(served: ServedModel, complaint: str = "") -> Mapping[str, object]:
    fitted, (notes, origin) = served.model.named_model(complaint), served.examples(complaint)
    return {
        "complaint": fitted.name,
        "title": model_report.title(fitted.name),
        "n_notes": fitted.n_notes,
        "base_rate": fitted.base_rate,
        "topics": [_with_named_words(topic) for topic in model_report.topics(fitted, notes)],
        "axes": [_with_named_words(axis) for axis in axis_reports(fitted)],
        "about_axes": about_axes(fitted),
        "about_words": model_report.about_words(fitted),
        "ranked_by": model_report.RANKED_BY,
        "examples": origin,
    }


def _with_named_words(topic: TopicReport | AxisReport) -> Mapping[str, object]:
    words = {"positive": named_values(topic.positive, None), "negative": named_values(topic.negative, None)}
    return asdict(topic) | words


def _search(served: ServedModel, word: str = "", complaint: str = "") -> Mapping[str, object]:
    return {"word": word, "found": topic_search.search(served.model.named_model(complaint), word)}


def _rename(served: ServedModel, complaint: str, topic: int, name: str) -> Mapping[str, object]:
    served.rename(complaint, topic, name)
    fitted = served.model.named_model(complaint)
    return {"topic": topic, "name": fitted.names[topic], "label": fitted.labels[topic]}


def _score(served: ServedModel, note: str, complaint: str | None = None, columns: Values | None = None) -> Mapping[str, object]:
    given = _read_columns(served, columns)
    patient = Patients.arriving([note], [complaint or ""], {name: [value] for name, value in given.items()})
    scored = Scored(served.model, patient)
    (score,), ((fitted, _, read),) = scored.explained(), scored.served
    remark = "; ".join(filter(None, [score.remark, fitted.forecaster.not_given(read)]))
    return {
        "probability": score.probability,
        "topics": named_values(score.topics, None),
        "words": named_values(score.words, None),
        "columns": named_values(score.columns, None),
        "remark": remark,
        "base_rate": fitted.base_rate,
        "model": fitted.name,
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
    fitted = served.model.model_for(complaint)
    return why._asdict() | {
        "title": model_report.title(fitted.name),
        "topics": [topic._asdict() for topic in why.topics],
        "axes": [axis._asdict() for axis in why.axes],
        "columns": [
            part._asdict() | {"label": label_of(part.name), "shown": shown_value(part.name, part.value)} for part in why.columns
        ],
        "pieces": [piece._asdict() | {"label": piece.label} for piece in why.pieces],
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
    model, evaluations = served.model, model_card.evaluations(served.model)
    curves = model_card.curves_beside(model, complaint, evaluations)
    report = asdict(model_report.complaint(model.named_model(complaint), evaluated=curves))
    del report["topics"]  # /topics has them
    return report | {
        "evaluations": [
            {
                "title": evaluation.title,
                "about": evaluation.about,
                "differs": evaluation.differs,
                "rows": [row for row in evaluation.rows if row["complaint"] == complaint],
            }
            for evaluation in evaluations
        ],
    }


def _card(served: ServedModel) -> Mapping[str, object]:
    return asdict(model_card.card(served.model))
