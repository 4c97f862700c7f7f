"""What every request passes first, each part with one purpose: headers, errors, then host, origin and token."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from sonmf.web.errors import Defects
from sonmf.web.guard.authentication import token_check
from sonmf.web.guard.headers import SecurityHeaders
from sonmf.web.guard.host import host_check
from sonmf.web.guard.origin import check_origin

Check = Callable[[Request], Response | None]
"""Looks at a request; a response is sent instead of what was asked for."""


def guards(host: str, port: int, token: str) -> list[Middleware]:
    """In the order in which a request passes them; the headers are added to every answer, also to a refusal."""
    checks = [host_check(host), check_origin, token_check(token, port)]
    return [Middleware(SecurityHeaders), Middleware(Defects), Middleware(Checks, checks=checks)]


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
