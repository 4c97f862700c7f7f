"""The pages: frames that the browser fills through the API, and the plain page that says why there is nothing to see."""

from __future__ import annotations

import json
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from sonmf import __version__
from sonmf.sources import ENDINGS
from sonmf.triage import TriageModel, model_report
from sonmf.triage.patient_scores import patient_columns
from sonmf.web.bed_hours import usual
from sonmf.web.rendering import complaint_of_report, environment, judged
from sonmf.web.served import Served

DESCRIPTION = Path(__file__).with_name("openapi.json")
PAGES = {
    "/": ("topics", "Topics"),
    "/score": ("score", "Score a patient"),
    "/list": ("list", "A list of patients"),
    "/beds": ("beds", "Beds"),
    "/quality": ("quality", "How good is it"),
}


def routes(served: Served) -> list[Route]:
    """One a page."""
    pages = [Route(path, _page(served, path)) for path in PAGES]
    return [*pages, Route("/quality/complaint", _quality_of(served)), Route("/api", _described)]


def _page(served: Served, path: str) -> Callable[[Request], Response]:
    name, title = PAGES[path]

    def show(request: Request) -> Response:
        complaints = [{"name": one.name, "title": model_report.title(one.name)} for one in model_report.ordered(served.model)]
        asked = patient_columns(served.model)
        filled = {"complaints": complaints, "limits": served.limits, "file": served.path.name, "asked": asked}
        filled |= {"endings": ",".join(ENDINGS), "hours": usual(served.model)}
        more = _judged(served.model) if name == "quality" else {}
        return HTMLResponse(_filled(f"{name}.html", path, title, **filled, **more))

    return show


def _judged(model: TriageModel) -> dict[str, Any]:
    return judged(model, model_report.evaluations(model), model_report.complaint(model.pooled_model_))


def _quality_of(served: Served) -> Callable[[Request], Response]:
    """How good the forecast of a complaint is, as the report draws it."""

    def show(request: Request) -> Response:
        one = served.model.named_model(request.query_params.get("complaint", ""))
        found = complaint_of_report(served.model, one, model_report.evaluations(served.model))
        return HTMLResponse(environment().get_template("_quality_of_complaint.html").render(one=found))

    return show


def _described(request: Request) -> Response:
    return HTMLResponse(_filled("api.html", "/api", "API", description=json.loads(DESCRIPTION.read_text("utf-8"))))


def _filled(template: str, path: str, title: str, **values: object) -> str:
    return environment().get_template(template).render(pages=PAGES, here=path, title=title, version=__version__, **values)


def refusal(request: Request, code: int, sentence: str, columns: list[str] | None = None) -> Response:
    """JSON under /api, with the columns of a file that lacks one; a plain page elsewhere."""
    if request.url.path.startswith("/api"):
        return JSONResponse({"error": sentence} | ({"columns": columns} if columns else {}), code)
    return HTMLResponse(_filled("problem.html", request.url.path, HTTPStatus(code).phrase, sentence=sentence), code)
