"""Bodies of requests: held in memory, each and all together within a limit of size, and within a limit of time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import NamedTuple

from starlette.exceptions import HTTPException
from starlette.requests import Request

PATIENCE = 10  # seconds for a body to arrive, and those it earns by arriving
SLOWEST = 50_000  # bytes that earn a second more

Fields = dict[str, type]


class Size(NamedTuple):
    """The largest number of bytes of a body, and what to do if there are more."""

    limit: int
    remedy: str


class Bodies:
    """The bodies that are in memory at the moment; all of them together have no more bytes than ``most``."""

    def __init__(self, most: int) -> None:
        self.left = most

    @asynccontextmanager
    async def body(self, request: Request, kind: str, size: Size) -> AsyncIterator[bytearray]:
        """The bytes, of the content type that no page of another origin can send without asking first."""
        sent = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if sent != kind:
            raise HTTPException(415, f"the body has the type {sent!r}: send it with the header content-type: {kind}")
        declared = request.headers.get("content-length", "")
        _refuse_more(int(declared) if declared.isdigit() else 0, size)
        held = bytearray()
        try:
            async for part in _receive_parts(request):
                _refuse_more(len(held) + len(part), size)
                if len(part) > self.left:
                    raise HTTPException(503, "too much is being sent at the same time: try again in a minute")
                self.left -= len(part)
                held += part
            yield held
        finally:
            self.left += len(held)


async def _receive_parts(request: Request) -> AsyncIterator[bytes]:
    """The parts of a body, as long as they arrive fast enough."""
    clock, size = asyncio.get_running_loop().time, 0
    began = clock()
    try:
        async with asyncio.timeout(PATIENCE) as patience:
            async for part in request.stream():
                yield part
                size += len(part)
                patience.reschedule(began + PATIENCE + size / SLOWEST)
    except TimeoutError:
        raise HTTPException(408, f"the body arrived more slowly than {SLOWEST:,} bytes a second: send it again") from None


def _refuse_more(count: int, size: Size) -> None:
    if count > size.limit:
        raise HTTPException(413, f"the body is larger than {size.limit:,} bytes: {size.remedy}")


def read_fields(data: bytearray, required: Fields, optional: Fields | None = None) -> dict[str, object]:
    """The fields of a JSON object, each of its type; an optional one that is missing or null is left out."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise ValueError('the body is not JSON: send an object such as {"note": "cough x3d"}') from None
    if not isinstance(found, dict):
        raise ValueError(f"the body is {_kind(found)}: send a JSON object with {', '.join(required)}")
    for name in required:
        if found.get(name) is None:
            raise ValueError(f"the body has no {name!r}: send a JSON object with {', '.join(required)}")
    known = required | (optional or {})
    return {name: _check_field(name, found[name], kind) for name, kind in known.items() if found.get(name) is not None}


def _check_field(name: str, value: object, kind: type) -> object:
    if type(value) is not kind:
        raise ValueError(f"{name!r} is {_kind(value)}: send {_kind(kind())}")
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
    raise ValueError(
        f"column {without_surrogates(name)!r} is {_kind(value)}: send a number, a text, or null where it is missing"
    )


def _kind(value: object) -> str:
    names = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", list: "a list", dict: "an object"}
    return names.get(type(value), "null")
