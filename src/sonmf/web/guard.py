"""What every request passes first: headers for the browser, then checks of the host, the origin and the token."""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Callable, Sequence
from urllib.parse import urlsplit

from starlette.datastructures import MutableHeaders
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sonmf.web.errors import Defects, refusal

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
"""What tells a browser what a page may do."""
ALWAYS_OPEN = ("/healthz", "/static/")
"""Paths that need no token."""

Check = Callable[[Request], Response | None]
"""Looks at a request; a response is sent instead of what was asked for."""


def guards(host: str, port: int, token: str) -> list[Middleware]:
    """In the order in which a request passes them; the headers are added to every answer, also to a refusal."""
    checks = [host_check(host), check_origin, token_check(token, port)]
    return [Middleware(SecurityHeaders), Middleware(Defects), Middleware(Checks, checks=checks)]


class SecurityHeaders:
    """ASGI: adds the headers to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        is_static = scope.get("path", "").startswith("/static/")
        added = HEADERS | {"cache-control": "no-cache" if is_static else "no-store"}  # no-cache: kept, but asked for again

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(added)
            await send(message)

        await self.app(scope, receive, send_with_headers)


class Checks:
    """ASGI: the answer of the first check that has one, else that of the application."""

    def __init__(self, app: ASGIApp, checks: Sequence[Check]) -> None:
        self.app = app
        self.checks = checks

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        answers = (check(Request(scope)) for check in self.checks) if scope["type"] == "http" else ()
        answer = next((answer for answer in answers if answer is not None), self.app)
        await answer(scope, receive, send)


def host_check(host: str) -> Check:
    """The check of a server that listens at ``host``: a page of a stranger must not reach it under a name that points here.

    Starlette's ``TrustedHostMiddleware`` compares with a list of names. Here any IP address is allowed when the server is
    reached from other machines: someone else's DNS can point a name to this machine, but cannot borrow an address.
    """
    names = {host.lower(), "localhost", socket.gethostname().lower(), socket.getfqdn().lower()}

    def is_allowed(name: str) -> bool:
        return is_loopback(name) if is_loopback(host) else name in names or _is_address(name)

    def check(request: Request) -> Response | None:
        if is_allowed(_name_in(request.headers.get("host", ""))):
            return None
        return refusal(request, 421, "this address is not served here: open the one that `sonmf serve` printed")

    return check


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach the address."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def _name_in(header: str) -> str:
    """The name without the port; empty if there is none."""
    try:
        return urlsplit(f"//{header}").hostname or ""
    except ValueError:
        return ""


def _is_address(name: str) -> bool:
    try:
        return bool(ipaddress.ip_address(name))
    except ValueError:
        return False


def check_origin(request: Request) -> Response | None:
    """Refuse what the page of another site sends: browsers name the origin of every request that could change something."""
    origin = request.headers.get("origin")
    if origin is None or origin.partition("://")[2] == request.headers.get("host"):
        return None
    return refusal(request, 403, "the request comes from another site: open the page that `sonmf serve` printed")


def token_check(token: str, port: int) -> Check:
    """The check of a server that asks for ``token``; an empty one lets everyone in.

    The token is given once in the address and then kept in a cookie, or sent with every request in a header.
    """
    cookie = f"sonmf-{port}"  # cookies are shared by all ports of a host

    def is_right(given: str) -> bool:
        return hmac.compare_digest(given.encode(), token.encode())

    def check(request: Request) -> Response | None:
        if not token or request.scope["path"].startswith(ALWAYS_OPEN):
            return None
        if is_right(request.query_params.get("token", "")):
            answer = RedirectResponse(_path_here(request), 303)
            answer.set_cookie(cookie, token, httponly=True, samesite="strict")
            return answer
        if is_right(request.cookies.get(cookie, "")) or is_right(_bearer_token(request)):
            return None
        return refusal(request, 401, "a token is needed: open the address that `sonmf serve` printed, with its ?token=")

    return check


def _path_here(request: Request) -> str:
    """The path with one slash in front: //name/ would be another host, and a request line may name a whole address."""
    return f"/{request.scope['path'].lstrip('/')}"


def _bearer_token(request: Request) -> str:
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    return given.strip() if scheme.lower() == "bearer" else ""
