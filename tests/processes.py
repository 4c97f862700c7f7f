"""Processes that a test starts, and that do not outlive it, whatever becomes of the test."""

from __future__ import annotations

import ctypes
import json
import os
import pickle
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

from sonmf import jobs

PATIENCE = 300.0  # seconds: reached only where something hangs, however loaded the machine is
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of Linux
LIBRARY = ctypes.CDLL(None) if sys.platform == "linux" else None  # loaded before any fork


def _die_with_parent() -> None:
    """For the child: a session of its own is not killed with the tests, as by a runner whose time is over."""
    if LIBRARY is not None:
        LIBRARY.prctl(DIE_WITH_PARENT, signal.SIGKILL)


@contextmanager
def running(command: list[Any], also: Callable[[], None] | None = None, **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """The command in a session of its own; at the end whatever is left of the session is killed.

    ``also`` is done in the new process before the command.
    """

    def first() -> None:
        _die_with_parent()
        if also is not None:
            also()

    parts = [str(part) for part in command]
    with subprocess.Popen(parts, start_new_session=True, preexec_fn=first, **options) as process:
        try:
            yield process
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)


def alive(session: int) -> list[int]:
    """The processes of a session that have not ended."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            state, _, _, its_session = status.read_text().rpartition(")")[2].split()[:4]
            if int(its_session) == session and state != "Z":
                found.append(int(status.parent.name))
    return found


def wait_until(condition: Callable[[], Any], patience: float = PATIENCE) -> bool:
    """Whether the condition held before the patience was over."""
    deadline = time.monotonic() + patience
    while not (held := bool(condition())) and time.monotonic() < deadline:
        time.sleep(0.05)
    return held


class LineToThisProcess:
    """In the place of a line to another process: what is sent is done at once, here."""

    def send_bytes(self, request: bytes) -> None:
        self.work, self.shared = pickle.loads(request)

    def send(self, task: object) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.answer = json.dumps(self.work(task, *self.shared))

    def recv(self) -> str:
        return self.answer


def work_here(monkeypatch: Any, at_most: int = 1) -> None:
    """Work for so many processes is done in this one: to start another takes longer than the small fits of a test."""
    start, wait = jobs._processes, jobs.wait
    monkeypatch.setattr(
        jobs, "_processes", lambda n, module: nullcontext([LineToThisProcess()]) if n <= at_most else start(n, module)
    )
    monkeypatch.setattr(jobs, "wait", lambda busy: [line for line in busy if isinstance(line, LineToThisProcess)] or wait(busy))
