"""The pages: frames that the browser fills through the API."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from sonmf.sources import ENDINGS
from sonmf.triage import TriageModel, model_card, model_report, topics_together
from sonmf.triage.patient_stream import how_asked
from sonmf.web.bed_hours import usual_request
from sonmf.web.rendering import PAGES, Record, page_html, render
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
        more = _of_the_whole_model(served.model) if name == "quality" else {}
        return HTMLResponse(page_html(f"{name}.html", path, title, **_context(served), **more))

    return show


def _of_the_whole_model(model: TriageModel) -> Record:
    return {
        "card": model_card.card(model),
        "everyone": model_report.complaint(model.pooled_model_),
        "evaluations": model_card.evaluations(model),
    }


def _context(served: ServedModel) -> dict[str, object]:
    return {
        "complaints": {fitted.name: model_report.title(fitted.name) for fitted in model_report.ordered(served.model)},
        "largest_note": served.largest_note,
        "largest_list": served.largest_list,
        "file": served.path.name,
        "asked": how_asked(served.model),
        "columns": served.model.columns_,
        "endings": ",".join(ENDINGS),
        "hours": usual_request(served.model),
    }


def _topics_html(served: ServedModel, complaint: str) -> str:
    """The topics of a complaint: a list of them, and each with its words and notes."""
    notes, origin = served.examples(complaint)
    model = served.model
    report = model_report.complaint(model.named_model(complaint), notes)
    more = {
        "compass": topics_together.compass_of(model.named_model(complaint)),
        "elsewhere": topics_together.elsewhere(model, complaint),
    }
    return render("_topics_of_complaint.html", one=report, origin=origin, **more)


def _quality_html(served: ServedModel, complaint: str) -> str:
    """How good the forecast of a complaint is, as the report draws it."""
    model = served.model
    curves = model_card.curves_beside(model, complaint, model_card.evaluations(model))
    report = model_report.complaint(model.named_model(complaint), evaluated=curves)
    return render("_quality_of_complaint.html", one=report)


def _show_api(request: Request) -> Response:
    return HTMLResponse(page_html("api.html", "/api", "API", description=json.loads(DESCRIPTION.read_text("utf-8"))))
