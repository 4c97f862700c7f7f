"""The web page of a model: pages, the interface behind them, and the guard in front of both."""

from __future__ import annotations

import logging
import time
from pathlib import Path
from typing import Any, cast

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

HEADERS = 10  # seconds until the headers of a request are whole
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
    >>> [
    ...     route.path
    ...     for route in application(ServedModel(model, Path("fever.sonmf"))).routes
    ... ][:5]
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


class Server(uvicorn.Server):
    """uvicorn for the application: nothing is logged or said of the server, and connections are few and must ask in time."""

    def __init__(self, app: ASGIApp) -> None:
        logging.getLogger("asyncio").setLevel(logging.CRITICAL)  # else a traceback for each connection that finds no free file
        super().__init__(server_config(app))
        self._waiting: dict[tuple[Any, Any], float] = {}
        """Connections without a request, each with the request before, and since when."""

    async def on_tick(self, counter: int) -> bool:
        """Called ten times a second: close connections whose next request is not whole in time, which uvicorn leaves open."""
        now, connections = time.monotonic(), cast("set[Any]", self.server_state.connections)
        idle = [(each, each.cycle) for each in connections if each.cycle is None or each.cycle.response_complete]
        self._waiting = {key: self._waiting.get(key, now) for key in idle}
        for (connection, _), since in self._waiting.items():
            if now - since > HEADERS:
                connection.transport.close()
        return await super().on_tick(counter)


def server_config(app: ASGIApp) -> uvicorn.Config:
    """The settings of uvicorn."""
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
