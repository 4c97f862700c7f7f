"""Work that takes a while: a few tasks at a time, so that the server still answers, and none for clients that have left."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

AT_ONCE = 4
PATIENCE = 10  # seconds until someone who waits for a thread is told to come back

Result = TypeVar("Result")


class Turns:
    """At most ``at_once`` at the same time; others wait ``patience`` seconds, and are then refused with a sentence."""

    def __init__(self, at_once: int, patience: float, sentence: str) -> None:
        self.free = asyncio.Semaphore(at_once)
        self.patience = patience
        self.sentence = sentence

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait for a turn, and hold it."""
        try:
            async with asyncio.timeout(self.patience):
                await self.free.acquire()
        except TimeoutError:
            raise HTTPException(503, self.sentence) from None
        try:
            yield
        finally:
            self.free.release()


class Work:
    """Tasks in threads."""

    def __init__(self) -> None:
        self.turns = Turns(AT_ONCE, PATIENCE, "too many requests are waiting: try again in a minute")

    async def run(self, request: Request, task: Callable[[], Result]) -> Result:
        """Run a task in a thread once there is a turn; it does not begin if the browser has left meanwhile."""
        async with self.turns.turn():
            if await request.is_disconnected():
                raise ClientDisconnect
            return await run_in_threadpool(task)
