"""The origin of a request: browsers name it with every request that could change something."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import Response

from sonmf.web.errors import refusal


def check_origin(request: Request) -> Response | None:
    """Refuse what the page of another site sends."""
    origin = request.headers.get("origin")
    if origin is None or origin.partition("://")[2] == request.headers.get("host"):
        return None
    return refusal(request, 403, "the request comes from another site: open the page that `sonmf serve` printed")
