"""What went wrong, for programs and for people: a code that stays, and a sentence."""

from __future__ import annotations

import sys
import traceback
from http import HTTPStatus

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sonmf.errors import InputError
from sonmf.sources.errors import MissingColumnError
from sonmf.web.rendering import page_html

CODES = {
    400: "invalid",
    401: "token_needed",
    403: "foreign_origin",
    404: "not_found",
    405: "wrong_method",
    408: "too_slow",
    413: "too_large",
    415: "wrong_type",
    421: "wrong_host",
    500: "defect",
    503: "busy",
}
MISSING_COLUMN, OTHER = "missing_column", "refused"
SENTENCES = {
    404: "there is nothing at this address: check it, or start from the first page",
    405: "this address does not take this method: see /api/v1/openapi.json",
}


def error_fields(error: InputError) -> dict[str, object]:
    """What is wrong with what was sent, as openapi.json describes an error; ``columns`` are those of a file that lacks one."""
    if isinstance(error, MissingColumnError):
        return {"code": MISSING_COLUMN, "message": str(error), "columns": list(error.columns)}
    return {"code": CODES[400], "message": str(error)}


def refusal(request: Request, status: int, message: str) -> Response:
    """An error as JSON under /api, and as a plain page elsewhere."""
    return _answer(request, status, {"code": CODES.get(status, OTHER), "message": message})


def _answer(request: Request, status: int, fields: dict[str, object]) -> Response:
    if request.scope["path"].startswith("/api"):
        return JSONResponse(fields, status)
    title = HTTPStatus(status).phrase
    return HTMLResponse(page_html("problem.html", request.scope["path"], title, sentence=fields["message"]), status)


def answer_refused(request: Request, error: Exception) -> Response:
    """For Starlette: what this server or Starlette itself refuses."""
    assert isinstance(error, HTTPException)
    return refusal(request, error.status_code, SENTENCES.get(error.status_code, error.detail))


def answer_invalid(request: Request, error: Exception) -> Response:
    """For Starlette: what is wrong with what was sent."""
    assert isinstance(error, InputError)
    return _answer(request, 400, error_fields(error))


class Defects:
    """ASGI: whatever else goes wrong becomes a sentence, and no word of a note reaches a log."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        started = False

        async def noting_start(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self.app(scope, receive, noting_start)
        except ClientDisconnect:
            return
        except Exception as error:
            if scope["type"] != "http":
                raise
            place = traceback.extract_tb(error.__traceback__)[-1]
            what = f"{type(error).__name__} at {place.name}, line {place.lineno}"  # not its message: that could quote a note
            sys.stderr.write(f"sonmf: a defect, please report it: {what}\n")
            if not started:
                await refusal(Request(scope), 500, f"a defect, please report it: {what}")(scope, receive, send)
