"""The JSON interface under /api/v1, described in openapi.json: the checks and the sentences of the command line."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from sonmf.triage import expected_admissions, model_report
from sonmf.triage.patient_scores import score, values_of_one
from sonmf.web.bed_hours import BedHours
from sonmf.web.bodies import Bodies, Fields, Size, fields, plain, value_of_column
from sonmf.web.lists import Lists
from sonmf.web.pages import DESCRIPTION
from sonmf.web.rendering import curves, same_patients
from sonmf.web.served import Served
from sonmf.web.uploads import MOST_ROWS
from sonmf.web.work import Work

NOTE: Fields = {"note": str}
COMPLAINT: Fields = {"complaint": str}
PATIENT: Fields = COMPLAINT | {"columns": dict}
BEDS = Size(10_000_000, "send fewer probabilities, or fewer digits of each")
BODIES = 4  # lists of the largest size that may be in memory, or as much of other bodies
Answer = Callable[..., Any]
Endpoint = Callable[[Request], Awaitable[Response]]


def routes(served: Served) -> list[Route]:
    """Every path of openapi.json, below /api/v1."""
    work, bodies = Work(), Bodies(BODIES * served.limits.list)
    lists = Lists(served, bodies)
    note = Size(served.limits.note, "send less, or start `sonmf serve` with --max-note")

    def get(path: str, answer: Answer, *parameters: str) -> Route:
        return Route(path, _reading(served, work, answer, parameters))

    def send(path: str, answer: Answer, *fields: Fields, size: Size = note, method: str = "POST") -> Route:
        return Route(path, _working(served, work, bodies, size, answer, *fields), methods=[method])

    return [
        Route("/openapi.json", _description),
        get("/complaints", _complaints),
        get("/topics", _topics, "complaint"),
        get("/search", _search, "complaint", "word"),
        get("/quality", _quality, "complaint"),
        get("/card", _card),
        send("/score", _score, NOTE, PATIENT),
        send("/explain", _explain, NOTE, PATIENT),
        send("/topics/name", _rename, COMPLAINT | {"topic": int, "name": str}, method="PUT"),
        send("/beds", _beds, {"probabilities": list}, size=BEDS),
        Route("/list", lists, methods=["POST"]),
        Route("/beds/hours", BedHours(served, bodies, lists.turns), methods=["POST"]),
    ]


def _description(request: Request) -> Response:
    return FileResponse(DESCRIPTION)


def _reading(served: Served, work: Work, answer: Answer, parameters: Sequence[str]) -> Endpoint:
    """GET: parameters from the address."""

    async def endpoint(request: Request) -> Response:
        given = {name: request.query_params[name] for name in parameters if name in request.query_params}
        return await work.done(request, lambda: JSONResponse(answer(served, **given)))

    return endpoint


def _working(served: Served, work: Work, bodies: Bodies, size: Size, answer: Answer, *known: Fields) -> Endpoint:
    """POST and PUT: fields from a JSON body, those that are required and others.

    A large body takes a while to read and to answer: both are done in a thread.
    """

    async def endpoint(request: Request) -> Response:
        async with bodies.body(request, "application/json", size) as data:
            return await work.done(request, lambda: JSONResponse(answer(served, **fields(data, *known))))

    return endpoint


def _complaints(served: Served) -> dict[str, Any]:
    facts = ("name", "n_notes", "n_admitted", "base_rate", "n_topics")
    found = [
        {name: getattr(one, name) for name in facts}
        | {"title": model_report.title(one.name), "columns": [model_report.column(column) for column in one.columns]}
        for one in model_report.ordered(served.model)
    ]
    return {"complaints": found, "pooled": served.model.pooled_}


def _topics(served: Served, complaint: str = "") -> dict[str, Any]:
    one, examples = served.model.named_model(complaint), served.examples(complaint)
    facts = {"complaint": one.name, "title": model_report.title(one.name), "n_notes": one.n_notes, "base_rate": one.base_rate}
    return facts | {
        "topics": model_report.topics(one, examples.notes),
        "about_words": model_report.about_words(one),
        "ranked_by": one.ranked_by,
        "examples": examples.origin,
    }


def _search(served: Served, word: str = "", complaint: str = "") -> dict[str, Any]:
    return {"word": word, "found": model_report.search(served.model.named_model(complaint), word)}


def _rename(served: Served, complaint: str, topic: int, name: str) -> dict[str, Any]:
    served.rename(complaint, topic, name)
    one = served.model.named_model(complaint)
    return {"topic": topic, "name": one.names[topic], "label": one.labels[topic]}


def _score(served: Served, note: str, complaint: str | None = None, columns: dict[str, Any] | None = None) -> dict[str, Any]:
    given = _given(served, columns)
    (found,) = score(served.model, [note], [complaint or ""], {name: [value] for name, value in given.items()})
    one = served.model.model_for(complaint)
    remark = "; ".join(filter(None, [found.remark, one.not_given(given)]))
    return found._asdict() | {"base_rate": one.base_rate, "model": one.name, "remark": remark}


def _given(served: Served, columns: dict[str, Any] | None) -> dict[str, Any]:
    """A value for each column: a number, a text, or null where it is missing."""
    return values_of_one(served.model, ((plain(name), value_of_column(name, value)) for name, value in (columns or {}).items()))


def _explain(served: Served, note: str, complaint: str | None = None, columns: dict[str, Any] | None = None) -> dict[str, Any]:
    why = served.model.explain(note, complaint, _given(served, columns))
    one = served.model.model_for(complaint)
    return why._asdict() | {
        "title": model_report.title(one.name),
        "topics": [topic._asdict() for topic in why.topics],
        "columns": [part._asdict() for part in why.columns],
        "pieces": [piece._asdict() for piece in why.pieces],
    }


def _beds(served: Served, probabilities: list[Any]) -> dict[str, Any]:
    if len(probabilities) > MOST_ROWS:
        raise ValueError(f"there are {len(probabilities):,} probabilities: send at most {MOST_ROWS:,}")
    if not all(type(value) in (int, float) and 0 <= value <= 1 for value in probabilities):
        raise ValueError("'probabilities' must be numbers between 0 and 1")
    return expected_admissions(probabilities)._asdict()


def _quality(served: Served, complaint: str = "") -> dict[str, Any]:
    found = model_report.complaint(served.model.named_model(complaint))
    judged = model_report.evaluations(served.model)
    del found["topics"]
    told = ("title", "about", "differs")
    return found | {
        "curves": curves(found, same_patients(judged), served.model.method),
        "evaluations": [
            {name: one[name] for name in told} | {"rows": [row for row in one["rows"] if row["complaint"] == complaint]}
            for one in judged
        ],
    }


def _card(served: Served) -> dict[str, Any]:
    return model_report.card(served.model) | {"pooled": served.model.pooled_}
