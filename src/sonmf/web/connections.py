"""Connections that wait for the client: not for ever, and never in the way of a new one."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 200  # connections; a process may often open no more than 256 files
ALL_BUSY = 240  # connections that are all being answered: a new one is closed
REQUEST_WITHIN = 10.0  # seconds, from the connection or the last answer to the end of the headers
READ_WITHIN = 30.0  # seconds in which nothing of an answer is read


class Connection(H11Protocol):
    """HTTP of uvicorn for clients that are slow, silent or many.

    Where there are more than ``MOST``, the one that has been silent for longest is closed for the new one. Only those that wait
    for the client are: for a request, for the rest of its body, or for the answer to be read. uvicorn's own limit would count
    the requests of connections that were just closed too, and refuse the new one.
    """

    heard = 0.0
    unread = 0
    timer: asyncio.TimerHandle | None = None

    @property
    def waits(self) -> bool:
        """Whether it is the client's turn."""
        return self._idle or self.cycle.more_body or self.flow.write_paused

    @property
    def _idle(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """From asyncio."""
        super().connection_made(transport)
        self.heard = self.loop.time()
        self._set_timer()
        if len(self.connections) > MOST:
            self._make_room()

    def data_received(self, data: bytes) -> None:
        """From asyncio."""
        self.heard = self.loop.time()
        was_idle = self._idle
        super().data_received(data)
        if was_idle and not self._idle:
            self._set_timer()

    def on_response_complete(self) -> None:
        """From uvicorn, which then looks whether the next request is there already."""
        super().on_response_complete()
        self._set_timer()

    def pause_writing(self) -> None:
        """From asyncio: what was answered is not read."""
        super().pause_writing()
        self._set_timer()

    def resume_writing(self) -> None:
        """From asyncio."""
        super().resume_writing()
        self._set_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        """From asyncio."""
        super().connection_lost(exc)
        self._stop_timer()

    def _make_room(self) -> None:
        silent = [one for one in self.connections if isinstance(one, Connection) and one is not self and one.waits]
        if silent:
            min(silent, key=lambda one: one.heard).give_up()
        elif len(self.connections) > ALL_BUSY:
            self.give_up()

    def give_up(self) -> None:
        """Close at once, whatever has not been sent."""
        self._stop_timer()
        self.connections.discard(self)
        self.transport.abort()

    def _set_timer(self) -> None:
        self._stop_timer()
        seconds = READ_WITHIN if self.flow.write_paused else REQUEST_WITHIN if self._idle else None
        self.unread = self.transport.get_write_buffer_size()
        if seconds is not None:
            self.timer = self.loop.call_later(seconds, self._time_is_over)

    def _stop_timer(self) -> None:
        if self.timer is not None:
            self.timer.cancel()

    def _time_is_over(self) -> None:
        """Someone who is still reading a long answer gets more time."""
        if 0 < self.transport.get_write_buffer_size() < self.unread:
            self._set_timer()
        else:
            self.give_up()
