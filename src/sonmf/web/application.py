"""The web page of a model: pages, the interface behind them, and the guard in front of both."""

from __future__ import annotations

import logging
from pathlib import Path

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp

from sonmf.errors import InputError
from sonmf.web import api, pages
from sonmf.web.errors import answer_invalid, answer_refused
from sonmf.web.guard import guards
from sonmf.web.served_model import ServedModel

MOST_CONNECTIONS = 200  # a process may often open no more than 256 files
STATIC = Path(__file__).with_name("static")


def application(served: ServedModel, host: str = "127.0.0.1", port: int = 8000, token: str = "") -> Starlette:
    """The ASGI application of a model, for any ASGI server.

    Parameters
    ----------
    served : ServedModel
    host : str, default="127.0.0.1"
        Where it will listen; at a loopback address it answers only to the names of this machine.
    port : int, default=8000
    token : str, default=""
        What every request must show; needed if other machines can reach the address.

    Returns
    -------
    Starlette

    Examples
    --------
    >>> from pathlib import Path
    >>> from sonmf.datasets import make_triage_notes
    >>> from sonmf.triage import TriageModel
    >>> from sonmf.web.served_model import ServedModel
    >>> from sonmf.web.application import application
    >>> notes = make_triage_notes(400, complaints=["Fever"], random_state=0)
    >>> model = TriageModel(n_topics=5).fit(notes["note"], notes["disposition"])
    >>> [route.path for route in application(ServedModel(model, Path("fever.sonmf"))).routes][:5]
    ['/', '/score', '/list', '/beds', '/quality']
    """
    return Starlette(
        routes=[
            *pages.routes(served),
            Mount("/api/v1", routes=api.routes(served)),
            Route("/healthz", _health),
            Mount("/static", StaticFiles(directory=STATIC)),
        ],
        middleware=guards(host, port, token),
        exception_handlers={HTTPException: answer_refused, InputError: answer_invalid},
    )


async def _health(request: Request) -> Response:
    """Answered in the event loop, however many threads are at work."""
    return JSONResponse({"status": "ok"})


def server_config(app: ASGIApp) -> uvicorn.Config:
    """How uvicorn serves the application: nothing is logged, nothing is said of the server, and connections have a limit."""
    logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # else a traceback for each connection that finds no free file
    return uvicorn.Config(
        app,
        access_log=False,
        date_header=False,
        http="h11",
        lifespan="off",
        limit_concurrency=MOST_CONNECTIONS,
        log_config=None,
        log_level="critical",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=2,
        ws="none",
    )
