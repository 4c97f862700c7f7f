"""Bodies of requests: each within a limit of size and of slowness, and only a few large ones in memory at once."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.exceptions import HTTPException
from starlette.requests import Request

from sonmf.errors import InputError

PATIENCE = 10  # seconds that a body may fall behind the slowest line
SLOWEST = 250_000  # bytes a second
LARGE_AT_ONCE = 2  # lists, or files for beds; each may take its limit of memory a few times over
WAIT = 30  # seconds until a large body that waits for its place is refused

Fields = dict[str, type]


async def read_body(request: Request, kind: str, limit: int, remedy: str) -> bytes:
    """The bytes, at most ``limit``, of the content type that no page of another origin can send without asking first."""
    sent = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if sent != kind:
        raise HTTPException(415, f"the body has the type {sent!r}: send it with the header content-type: {kind}")
    declared = request.headers.get("content-length", "")
    _refuse_more(int(declared) if declared.isdigit() else 0, limit, remedy)
    body, began = bytearray(), asyncio.get_running_loop().time()
    try:
        async with asyncio.timeout(PATIENCE) as late:
            async for part in request.stream():
                body += part
                _refuse_more(len(body), limit, remedy)
                late.reschedule(began + PATIENCE + len(body) / SLOWEST)
    except TimeoutError:
        raise HTTPException(408, f"the body came more slowly than {SLOWEST:,} bytes a second: send it again") from None
    return bytes(body)


@asynccontextmanager
async def large_body(request: Request, kind: str, limit: int, remedy: str, places: asyncio.Semaphore) -> AsyncIterator[bytes]:
    """A body that holds one of a few places, from its first byte until it has been answered."""
    try:
        async with asyncio.timeout(WAIT):
            await places.acquire()
    except TimeoutError:
        raise HTTPException(503, "other large files are being read: try again in a minute") from None
    try:
        yield await read_body(request, kind, limit, remedy)
    finally:
        places.release()


def _refuse_more(count: int, limit: int, remedy: str) -> None:
    if count > limit:
        raise HTTPException(413, f"the body is larger than {limit:,} bytes: {remedy}")


def read_fields(data: bytes, required: Fields, optional: Fields | None = None) -> dict[str, object]:
    """The fields of a JSON object, each of its type; an optional one that is missing or null is left out."""
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        raise InputError('the body is not JSON: send an object such as {"note": "cough x3d"}') from None
    if not isinstance(body, dict):
        raise InputError(f"the body is {_kind(body)}: send a JSON object with {', '.join(required)}")
    for name in required:
        if body.get(name) is None:
            raise InputError(f"the body has no {name!r}: send a JSON object with {', '.join(required)}")
    known = required | (optional or {})
    return {name: _check_field(name, body[name], kind) for name, kind in known.items() if body.get(name) is not None}


def _check_field(name: str, value: object, kind: type) -> object:
    if type(value) is not kind:
        raise InputError(f"{name!r} is {_kind(value)}: send {_kind(kind())}")
    return without_surrogates(str(value)) if kind is str else value


def without_surrogates(text: str) -> str:
    """Without halves of surrogate pairs, which cannot be sent back."""
    return text.encode("utf-8", "replace").decode()


def value_of_column(name: str, value: object) -> str | float | None:
    """A number, a text or null; anything else is refused."""
    if isinstance(value, str):
        return without_surrogates(value)
    if value is None or (isinstance(value, float | int) and not isinstance(value, bool)):
        return value
    raise InputError(
        f"column {without_surrogates(name)!r} is {_kind(value)}: send a number, a text, or null where it is missing"
    )


def _kind(value: object) -> str:
    names = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", list: "a list", dict: "an object"}
    return names.get(type(value), "null")
