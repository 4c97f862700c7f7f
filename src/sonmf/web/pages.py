"""The pages: frames that the browser fills through the API."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from sonmf.sources import ENDINGS
from sonmf.triage import model_report
from sonmf.triage.patient_stream import how_asked
from sonmf.web.bed_hours import usual_request
from sonmf.web.patient_lists import LIST_COLUMNS
from sonmf.web.rendering import PAGES, Record, page_html, render
from sonmf.web.report_page import complaint_context, model_context
from sonmf.web.served_model import ServedModel

DESCRIPTION = Path(__file__).with_name("openapi.json")


def routes(served: ServedModel) -> list[Route]:
    """One for each page, and for what the browser asks for when a complaint is chosen."""

    def of_complaint(path: str, draw: Callable[[ServedModel, str], str]) -> Route:
        def show(request: Request) -> Response:
            return HTMLResponse(draw(served, request.query_params.get("complaint", "")))

        return Route(path, show)

    return [
        *(Route(path, _page(served, path)) for path in PAGES),
        of_complaint("/topics/complaint", _topics_html),
        of_complaint("/quality/complaint", _quality_html),
        Route("/api", _show_api),
    ]


def _page(served: ServedModel, path: str) -> Callable[[Request], Response]:
    name, title = PAGES[path]

    def show(request: Request) -> Response:
        more: Record = {}
        if name == "quality":
            model = served.model
            more = model_context(model, model_report.evaluations(model), model_report.complaint(model.pooled_model_))
        return HTMLResponse(page_html(f"{name}.html", path, title, **_context(served), **more))

    return show


def _context(served: ServedModel) -> dict[str, object]:
    return {
        "complaints": [{"name": one.name, "title": model_report.title(one.name)} for one in model_report.ordered(served.model)],
        "limits": served.limits,
        "file": served.path.name,
        "asked": how_asked(served.model),
        "columns": served.model.columns_,
        "endings": ",".join(ENDINGS),
        "hours": usual_request(served.model),
        "list_columns": LIST_COLUMNS,
    }


def _topics_html(served: ServedModel, complaint: str) -> str:
    """The topics of a complaint: a list of them, and each with its words and notes."""
    one, examples = served.model.named_model(complaint), served.examples(complaint)
    found = complaint_context(served.model, one, (), examples.notes)
    return render("_topics_of_complaint.html", one=found, origin=examples.origin)


def _quality_html(served: ServedModel, complaint: str) -> str:
    """How good the forecast of a complaint is, as the report draws it."""
    model = served.model
    found = complaint_context(model, model.named_model(complaint), model_report.evaluations(model))
    return render("_quality_of_complaint.html", one=found)


def _show_api(request: Request) -> Response:
    return HTMLResponse(page_html("api.html", "/api", "API", description=json.loads(DESCRIPTION.read_text("utf-8"))))
