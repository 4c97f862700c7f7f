"""The web page of a model: pages, the interface behind them, and the guard in front of both."""

from __future__ import annotations

from pathlib import Path

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from sonmf.web import api, pages
from sonmf.web.security import Guard
from sonmf.web.served import Served

STATIC = Path(__file__).with_name("static")
SENTENCES = {
    404: "there is nothing at this address: check it, or start from the first page",
    405: "this address does not take this method: see /api/v1/openapi.json",
}


def application(served: Served, host: str = "127.0.0.1", port: int = 8000, token: str = "") -> Starlette:
    """The ASGI application of a model, for any ASGI server.

    Parameters
    ----------
    served : Served
    host : str, default="127.0.0.1"
        Where it will listen; under a loopback address it answers only to the names of this machine.
    port : int, default=8000
    token : str, default=""
        What everyone must show; whoever serves beyond this machine must give one.

    Returns
    -------
    Starlette

    Examples
    --------
    >>> from pathlib import Path
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.triage import TriageModel
    >>> from sonmf.web.served import Served
    >>> from sonmf.web.server import application
    >>> notes = make_triage_notes(400, complaints=["Fever"], random_state=0)
    >>> model = TriageModel(n_topics=5).fit(notes["note"], notes["disposition"])
    >>> [route.path for route in application(Served(model, Path("fever.sonmf"))).routes]
    ['/', '/score', '/list', '/beds', '/quality', '/quality/complaint', '/api', '/api/v1', '/healthz', '/static']
    """
    return Starlette(
        routes=[
            *pages.routes(served),
            Mount("/api/v1", routes=api.routes(served)),
            Route("/healthz", _healthy),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=[Middleware(Guard, host=host, port=port, token=token)],
        exception_handlers={HTTPException: _refused, ValueError: _wrong},
    )


def _healthy(request: Request) -> Response:
    return JSONResponse({"status": "ok"})


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return pages.refusal(request, error.status_code, SENTENCES.get(error.status_code, error.detail))


def _wrong(request: Request, error: Exception) -> Response:
    return pages.refusal(request, 400, str(error), columns=getattr(error, "columns", None))
