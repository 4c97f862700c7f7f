"""``sonmf serve``: the web page of a model, on this machine unless another address is asked for."""

from __future__ import annotations

import errno
import secrets
import socket
from contextlib import suppress
from pathlib import Path

import uvicorn
from starlette.types import ASGIApp

from sonmf.cli.option_values import load_model, typical_notes
from sonmf.cli.say import refuse, stop
from sonmf.cli.terminal import Terminal
from sonmf.sources import Source
from sonmf.web.application import application
from sonmf.web.connections import Connection
from sonmf.web.guard import is_loopback
from sonmf.web.served_model import Limits, ServedModel

SHORTEST_TOKEN = 16
ANY_ADDRESS = ("0.0.0.0", "::", "")


def run(
    model: Path,
    notes: Source | None,
    text: str | None,
    group: str | None,
    host: str,
    port: int,
    token: str | None,
    limits: Limits,
    expect_sha256: str | None = None,
) -> None:
    refuse(token is not None and len(token) < SHORTEST_TOKEN, f"--token: give at least {SHORTEST_TOKEN} characters")
    loaded = load_model(model, expect_sha256)
    served = ServedModel(loaded, model, typical_notes(loaded, notes, text, group, Terminal()) or {}, limits)
    key = token or ("" if is_loopback(host) else secrets.token_urlsafe(SHORTEST_TOKEN))
    door = listen(host, port)
    served.warm()
    Terminal().print(f"{model.name} is served at {address(host, door.getsockname()[1], key)} (Ctrl-C ends it)")
    serve(served, door, host, key)


def serve(served: ServedModel, door: socket.socket, host: str, token: str) -> None:
    """Until Ctrl-C; neither requests nor what is in them are logged."""
    app = application(served, host, door.getsockname()[1], token)
    with suppress(KeyboardInterrupt):
        uvicorn.Server(quiet_config(app)).run(sockets=[door])


def quiet_config(app: ASGIApp) -> uvicorn.Config:
    """How the application is served: nothing is logged, nothing is said of the server, and slow clients are ended."""
    return uvicorn.Config(
        app,
        access_log=False,
        date_header=False,
        lifespan="off",
        http=Connection,
        log_config=None,
        log_level="critical",
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=2,
        ws="none",
    )


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens, or a sentence."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        door = socket.create_server((host, port), family=family)
        door.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # asyncio does so only for sockets of its own making
        return door
    except OSError as error:
        reasons = {
            errno.EADDRINUSE: f"port {port} of {host} is in use: try --port {port + 1}",
            errno.EACCES: f"port {port} may not be used by you: try one above 1023, such as --port 8000",
        }
        stop(reasons.get(error.errno or 0, f"--host {host}: this machine has no such address ({error.strerror})"))


def address(host: str, port: int, token: str) -> str:
    """What to type into a browser."""
    name = socket.gethostname() if host in ANY_ADDRESS else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/" + (f"?token={token}" if token else "")
