"""Who may come in, and what browsers are told: the right Host, no foreign Origin, the token where there is one."""

from __future__ import annotations

import hmac
import ipaddress
import socket
import sys
import traceback
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sonmf.web.pages import refusal

ALWAYS_OPEN = ("/healthz", "/static/")
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-embedder-policy": "require-corp",
}


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


class Guard:
    """Everything passes here first; whatever goes wrong behind it becomes a sentence, and no word of a note reaches a log."""

    def __init__(self, app: ASGIApp, host: str, port: int, token: str) -> None:
        self.app = app
        self.local = is_loopback(host)
        self.names = (
            set() if self.local else {host.lower(), "localhost", socket.gethostname().lower(), socket.getfqdn().lower()}
        )
        self.token = token
        self.cookie = f"sonmf-{port}"  # cookies are shared by all ports of a host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request, sender = Request(scope), Sender(send, scope["path"])
        try:
            await (self._stopped(request) or self.app)(scope, receive, sender)
        except ClientDisconnect:
            return
        except Exception as error:
            answer = _defect(request, error)
            if not sender.started:
                await answer(scope, receive, sender)

    def _stopped(self, request: Request) -> Response | None:
        if not self._may_be_called(request.headers.get("host", "")):
            return refusal(request, 421, "this address is not served here: open the one that `sonmf serve` printed")
        if not _same_origin(request):
            return refusal(request, 403, "the request comes from another site: open the page that `sonmf serve` printed")
        if not self.token or request.url.path.startswith(ALWAYS_OPEN):
            return None
        return self._without_token(request)

    def _may_be_called(self, host: str) -> bool:
        """A name that someone else's DNS could point here is refused; an address cannot be borrowed like that."""
        name = _host_name(host)
        if self.local:
            return is_loopback(name)
        return name in self.names or _is_address(name)

    def _without_token(self, request: Request) -> Response | None:
        given = request.query_params.get("token")
        if given is not None and self._right(given):
            answer = RedirectResponse(request.url.path, 303)
            answer.set_cookie(self.cookie, self.token, httponly=True, samesite="strict")
            return answer
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        if self._right(request.cookies.get(self.cookie, "")) or self._right(bearer):
            return None
        return refusal(request, 401, "a token is needed: open the address that `sonmf serve` printed, with its ?token=")

    def _right(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self.token.encode())


def _host_name(host: str) -> str:
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        return bool(ipaddress.ip_address(name))
    except ValueError:
        return False


def _same_origin(request: Request) -> bool:
    """Browsers name the origin of every request that could change something."""
    origin = request.headers.get("origin")
    return origin is None or origin.partition("://")[2] == request.headers.get("host")


class Sender:
    """``send`` that adds the headers, and knows whether an answer has begun."""

    def __init__(self, send: Send, path: str) -> None:
        self.send = send
        self.caching = "no-cache" if path.startswith("/static/") else "no-store"  # no-cache: kept, but asked for again
        self.started = False

    async def __call__(self, message: Message) -> None:
        """ASGI."""
        if message["type"] == "http.response.start":
            self.started = True
            MutableHeaders(scope=message).update(HEADERS | {"cache-control": self.caching})
        await self.send(message)


def _defect(request: Request, error: Exception) -> Response:
    """The kind of error and where it arose, never its message: that could quote a note."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    what = f"{type(error).__name__} at {place.name}, line {place.lineno}"
    sys.stderr.write(f"sonmf: a defect, please report it: {what}\n")
    return refusal(request, 500, f"a defect, please report it: {what}")
