"""``sonmf serve``: the web page of a model, on this machine unless another address is asked for."""

from __future__ import annotations

import errno
import secrets
import socket
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated

from typer import Context, Option

from sonmf.cli import options
from sonmf.cli.say import refuse, refuse_options, stop
from sonmf.cli.terminal import Terminal

if TYPE_CHECKING:
    from sonmf.web.served_model import ServedModel

SHORTEST_TOKEN = 16
MOST_MEGABYTES = 1_000_000
ANY_ADDRESS = ("0.0.0.0", "::", "")

EXAMPLES = {
    "then open the address it prints": "sonmf serve model.sonmf",
    "for others too, behind a token": "sonmf serve model.sonmf --host 0.0.0.0 --port 8080",
}


def serve(
    ctx: Context,
    *,
    model: options.ModelFile,
    port: Annotated[int, Option(min=0, max=65535, help="Port; 0 chooses a free one.")] = 8000,
    host: Annotated[str, Option(help="Address to listen on; if other machines can reach it, a token is needed.")] = "127.0.0.1",
    token: Annotated[
        str | None, Option(envvar="SONMF_TOKEN", help="Token that requests must have. (default: a new one)")
    ] = None,
    notes: options.TypicalNotes = None,
    text: options.FittedText = None,
    group: options.FittedGroup = None,
    reading: options.FileOptions,
    max_note: Annotated[float, Option(min=0.001, help="Largest note, in MB.")] = 0.1,
    max_list: Annotated[float, Option(min=0.001, help="Largest list of patients, in MB.")] = 100.0,
    expect_sha256: options.Expected = None,
) -> None:
    """Serve a local web page: topics, a note scored as you type, a list of patients, beds by the hour, quality.

    Other limits than --max-note and --max-list: 1,000,000 patients and 10,000 columns of a list, 600 seconds to score it,
    2 lists at once, 200 connections, 10 seconds for the headers of a request, and for a body 10 seconds and one more for
    every 250,000 bytes.
    """
    from sonmf.web.guard import is_loopback
    from sonmf.web.served_model import ServedModel

    if notes is None:
        refuse_options(ctx, options.OF_TYPICAL_NOTES, options.WITHOUT_NOTES)
    refuse(token is not None and len(token) < SHORTEST_TOKEN, f"--token: give at least {SHORTEST_TOKEN} characters")
    source, loaded = reading.open_if_given(notes), options.load_model(model, expect_sha256)
    typical = options.typical_notes(loaded, source, text, group, Terminal()) or {}
    served = ServedModel(loaded, model, typical, megabytes("--max-note", max_note), megabytes("--max-list", max_list))
    key = token or ("" if is_loopback(host) else secrets.token_urlsafe(SHORTEST_TOKEN))
    door = listen(host, port)
    served.warm()
    Terminal().print(f"{model.name} is served at {address(host, door.getsockname()[1], key)} (Ctrl-C ends it)")
    answer_requests(served, door, host, key)


def megabytes(option: str, given: float) -> int:
    """A limit in bytes."""
    refuse(not given < MOST_MEGABYTES, f"{option} {given:g}: give a number of megabytes below {MOST_MEGABYTES:,}")
    return int(given * 1e6)


def answer_requests(served: ServedModel, door: socket.socket, host: str, token: str) -> None:
    """Until Ctrl-C; neither requests nor what is in them are logged."""
    from sonmf.web.application import Server, application

    app = application(served, host, door.getsockname()[1], token)
    with suppress(KeyboardInterrupt):
        Server(app).run(sockets=[door])


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
            errno.EACCES: f"you may not use port {port}: try one above 1023, such as --port 8000",
        }
        stop(reasons.get(error.errno or 0, f"--host {host}: this machine has no such address ({error.strerror})"))


def address(host: str, port: int, token: str) -> str:
    """What to type into a browser."""
    name = socket.gethostname() if host in ANY_ADDRESS else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/" + (f"?token={token}" if token else "")
