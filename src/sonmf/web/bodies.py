"""Bodies of requests: held in memory, never larger than the limit, never waited for without end."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request

TIME_TO_SEND = 120  # seconds

Fields = dict[str, type]


async def body(request: Request, kind: str, limit: int, option: str) -> bytes:
    """The bytes, of the content type that no page of another origin can send without asking first."""
    sent = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if sent != kind:
        raise HTTPException(415, f"the body has the type {sent!r}: send it with the header content-type: {kind}")
    declared = request.headers.get("content-length", "")
    _refuse_more(int(declared) if declared.isdigit() else 0, limit, option)
    parts, size = [], 0
    try:
        async with asyncio.timeout(TIME_TO_SEND):
            async for part in request.stream():
                size += len(part)
                _refuse_more(size, limit, option)
                parts.append(part)
    except TimeoutError:
        raise HTTPException(408, f"the body did not arrive within {TIME_TO_SEND} seconds: send it again") from None
    return b"".join(parts)


def _refuse_more(size: int, limit: int, option: str) -> None:
    if size > limit:
        raise HTTPException(413, f"the body is larger than {limit:,} bytes: send less, or start `sonmf serve` with {option}")


async def asked(request: Request, limit: int, option: str, required: Fields, optional: Fields | None = None) -> dict[str, Any]:
    """The fields of a JSON object, each of its type; an optional one that is missing or null is left out."""
    data = await body(request, "application/json", limit, option)
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
    return {name: _checked(name, found[name], kind) for name, kind in known.items() if found.get(name) is not None}


def _checked(name: str, value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise ValueError(f"{name!r} is {_kind(value)}: send {_kind(kind())}")
    if kind is str:
        return str(value).encode("utf-8", "replace").decode()  # half a surrogate pair cannot be sent back
    return value


def _kind(value: Any) -> str:
    names = {str: "a text", int: "a whole number", float: "a number", bool: "true or false", list: "a list", dict: "an object"}
    return names.get(type(value), "null")
