"""The JSON interface under /api/v1, described in openapi.json: the checks and the sentences of the command line."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from sonmf.triage import expected_admissions, report
from sonmf.triage.colouring import coloured
from sonmf.triage.scoring import score
from sonmf.web.bodies import Fields, asked
from sonmf.web.lists import Lists
from sonmf.web.pages import DESCRIPTION
from sonmf.web.rendering import curves, same_patients
from sonmf.web.served import Served

NOTE: Fields = {"note": str}
COMPLAINT: Fields = {"complaint": str}
Endpoint = Callable[..., Any]


def routes(served: Served) -> list[Route]:
    """Every path of openapi.json, below /api/v1."""
    return [
        Route("/openapi.json", _description),
        Route("/complaints", _reading(served, _complaints)),
        Route("/topics", _reading(served, _topics, "complaint")),
        Route("/search", _reading(served, _search, "complaint", "word")),
        Route("/quality", _reading(served, _quality, "complaint")),
        Route("/card", _reading(served, _card)),
        Route("/score", _working(served, _score, NOTE, COMPLAINT), methods=["POST"]),
        Route("/explain", _working(served, _explain, NOTE, COMPLAINT), methods=["POST"]),
        Route("/topics/name", _working(served, _rename, COMPLAINT | {"topic": int, "name": str}), methods=["PUT"]),
        Route("/beds", _working(served, _beds, {"probabilities": list}, size="list"), methods=["POST"]),
        Route("/list", Lists(served), methods=["POST"]),
    ]


def _description(request: Request) -> Response:
    return FileResponse(DESCRIPTION)


def _reading(served: Served, answer: Endpoint, *parameters: str) -> Endpoint:
    """GET: parameters from the address."""

    def endpoint(request: Request) -> Response:
        given = request.query_params
        return JSONResponse(answer(served, **{name: given[name] for name in parameters if name in given}))

    return endpoint


def _working(
    served: Served, answer: Endpoint, required: Fields, optional: Fields | None = None, size: str = "note"
) -> Endpoint:
    """POST and PUT: fields from a JSON body; the work is done in a thread, so that others need not wait for a long note."""

    async def endpoint(request: Request) -> Response:
        fields = await asked(request, getattr(served.limits, size), f"--max-{size}", required, optional)
        return JSONResponse(await run_in_threadpool(partial(answer, served, **fields)))

    return endpoint


def _complaints(served: Served) -> dict[str, Any]:
    facts = ("name", "n_notes", "n_admitted", "base_rate", "n_topics")
    found = [
        {name: getattr(one, name) for name in facts} | {"title": report.title(one.name)} for one in report.ordered(served.model)
    ]
    return {"complaints": found, "pooled": served.model.pooled_}


def _topics(served: Served, complaint: str = "") -> dict[str, Any]:
    one, examples = served.one(complaint), served.examples(complaint)
    facts = {"complaint": one.name, "title": report.title(one.name), "n_notes": one.n_notes, "base_rate": one.base_rate}
    return facts | {"topics": report.topics(one, examples.notes), "examples": examples.origin}


def _search(served: Served, word: str = "", complaint: str = "") -> dict[str, Any]:
    return {"word": word, "found": report.search(served.one(complaint), word)}


def _rename(served: Served, complaint: str, topic: int, name: str) -> dict[str, Any]:
    served.rename(complaint, topic, name)
    one = served.one(complaint)
    return {"topic": topic, "name": one.names[topic], "label": one.labels[topic]}


def _score(served: Served, note: str, complaint: str | None = None) -> dict[str, Any]:
    (found,) = score(served.model, [note], [complaint or ""])
    one = served.model.model_for(complaint)
    return found._asdict() | {"base_rate": one.base_rate, "model": one.name}


def _explain(served: Served, note: str, complaint: str | None = None) -> dict[str, Any]:
    why = served.model.explain(note, complaint)
    one = served.model.model_for(complaint)
    return why._asdict() | {
        "title": report.title(one.name),
        "topics": [topic._asdict() for topic in why.topics],
        "pieces": [piece._asdict() for piece in coloured(one, note)],
    }


def _beds(served: Served, probabilities: list[Any]) -> dict[str, Any]:
    if not all(type(value) in (int, float) and 0 <= value <= 1 for value in probabilities):
        raise ValueError("'probabilities' must be numbers between 0 and 1")
    return expected_admissions(probabilities)._asdict()


def _quality(served: Served, complaint: str = "") -> dict[str, Any]:
    found = report.complaint(served.one(complaint))
    judged = report.evaluations(served.model)
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
    return report.card(served.model) | {"pooled": served.model.pooled_}
