"""The pages: frames that the browser fills through the API."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from sonmf.sources import ENDINGS
from sonmf.triage import TriageModel, model_report
from sonmf.triage.patient_scores import patient_columns
from sonmf.web.bed_hours import usual_request
from sonmf.web.jinja import PAGES, page_html, render
from sonmf.web.patient_lists import LIST_COLUMNS
from sonmf.web.report_page import complaint_context, model_context
from sonmf.web.served_model import ServedModel
from sonmf.web.turns import Work

DESCRIPTION = Path(__file__).with_name("openapi.json")
Show = Callable[[Request], Awaitable[Response]]


def routes(served: ServedModel, work: Work) -> list[Route]:
    """One for each page."""
    pages = [Route(path, _page(served, path)) for path in PAGES]
    return [
        *pages,
        Route("/topics/complaint", _topics_of(served, work)),
        Route("/quality/complaint", _quality_of(served, work)),
        Route("/api", _show_api),
    ]


def _page(served: ServedModel, path: str) -> Callable[[Request], Response]:
    name, title = PAGES[path]

    def show(request: Request) -> Response:
        more = _of_quality(served.model) if name == "quality" else {}
        return HTMLResponse(page_html(f"{name}.html", path, title, **_context(served), **more))

    return show


def _context(served: ServedModel) -> dict[str, object]:
    return {
        "complaints": [{"name": one.name, "title": model_report.title(one.name)} for one in model_report.ordered(served.model)],
        "limits": served.limits,
        "file": served.path.name,
        "asked": patient_columns(served.model),
        "endings": ",".join(ENDINGS),
        "hours": usual_request(served.model),
        "list_columns": LIST_COLUMNS,
    }


def _of_quality(model: TriageModel) -> Mapping[str, object]:
    return model_context(model, model_report.evaluations(model), model_report.complaint(model.pooled_model_))


def _topics_of(served: ServedModel, work: Work) -> Show:
    """The topics of a complaint: a list of them, and each with its words and notes."""

    def draw(complaint: str) -> str:
        one, examples = served.model.named_model(complaint), served.examples(complaint)
        found = complaint_context(served.model, one, (), examples.notes)
        return render("_topics_of_complaint.html", one=found, origin=examples.origin)

    return _of_complaint(work, draw)


def _quality_of(served: ServedModel, work: Work) -> Show:
    """How good the forecast of a complaint is, as the report draws it."""

    def draw(complaint: str) -> str:
        one = served.model.named_model(complaint)
        found = complaint_context(served.model, one, model_report.evaluations(served.model))
        return render("_quality_of_complaint.html", one=found)

    return _of_complaint(work, draw)


def _of_complaint(work: Work, draw: Callable[[str], str]) -> Show:
    async def show(request: Request) -> Response:
        complaint = request.query_params.get("complaint", "")
        return HTMLResponse(await work.run(request, lambda: draw(complaint)))

    return show


def _show_api(request: Request) -> Response:
    return HTMLResponse(page_html("api.html", "/api", "API", description=json.loads(DESCRIPTION.read_text("utf-8"))))
