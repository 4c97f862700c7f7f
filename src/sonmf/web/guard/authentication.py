"""The token, if there is one: given once in the address, then kept in a cookie, or sent in a header."""

from __future__ import annotations

import hmac
from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from sonmf.web.errors import refusal

ALWAYS_OPEN = ("/healthz", "/static/")


def token_check(token: str, port: int) -> Callable[[Request], Response | None]:
    """The check of a server that asks for ``token``; an empty one lets everyone in."""
    cookie = f"sonmf-{port}"  # cookies are shared by all ports of a host

    def is_right(given: str) -> bool:
        return hmac.compare_digest(given.encode(), token.encode())

    def check(request: Request) -> Response | None:
        if not token or request.scope["path"].startswith(ALWAYS_OPEN):
            return None
        if is_right(request.query_params.get("token", "")):
            answer = RedirectResponse(request.scope["path"], 303)
            answer.set_cookie(cookie, token, httponly=True, samesite="strict")
            return answer
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        if is_right(request.cookies.get(cookie, "")) or is_right(bearer):
            return None
        return refusal(request, 401, "a token is needed: open the address that `sonmf serve` printed, with its ?token=")

    return check
