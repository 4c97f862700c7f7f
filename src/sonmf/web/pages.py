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

EXAMPLES = {
    "Altered Level of Consciousness": "84yo f more confused since yesterday, foul urine, hx dementia, t 38.4",
    "Cough": "34yo m cough x2d, yellow sputum, denies fever, sat 98% ra",
    "Fever": "5yo f fever 39.2 x2d, vomiting, playful, denies rash",
    "General Weakness": "77yo m weak x1wk, poor appetite, fell twice, hx dm, bp 98/60",
    "Lower Extremity Injury": "23yo m twisted ankle playing soccer, swelling, able to bear weight",
    "Shortness of Breath": "78yo f sob x3d, hx chf, denies cp",
    "Stroke": "69yo m slurred speech and facial droop since 0900, bp 188/102",
    "": "78yo f sob x3d, hx chf, denies cp",
}
"""A note that the page to score a patient shows before one is typed, by complaint."""


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
    name, title, _ = PAGES[path]

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
        "examples": EXAMPLES,
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
    description = json.loads(DESCRIPTION.read_text("utf-8"))
    return HTMLResponse(page_html("api.html", "/api", "API", description=description, address=str(request.base_url)))
