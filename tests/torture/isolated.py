"""Trials in a process of their own: one that dies, hangs or takes too much memory is a trial that failed, not the end."""

from __future__ import annotations

import multiprocessing
import os
import resource
import warnings
from collections.abc import Callable, Iterable, Iterator
from multiprocessing.connection import Connection
from typing import Any

PATIENCE = 300.0  # seconds; a loaded machine is slow
ROOM = 6 * 2**30  # bytes of address space


def isolated(work: Callable[[Any], str], cases: Iterable[Any], patience: float = PATIENCE) -> Iterator[str]:
    """``work(case)`` for each case, in one process after another as they die."""
    worker: Worker | None = None
    try:
        for case in cases:
            worker = worker or Worker(work)
            try:
                yield worker.answer(case, patience)
            except (EOFError, ConnectionError, TimeoutError) as end:
                yield worker.ended(end)
                worker = None
    finally:
        if worker is not None:
            worker.ended()


class Worker:
    """A process that takes one case after another."""

    def __init__(self, work: Callable[[Any], str]) -> None:
        spawn = multiprocessing.get_context("spawn")
        self.line, theirs = spawn.Pipe()
        self.process = spawn.Process(target=_serve, args=(work, theirs))
        self.process.start()
        theirs.close()

    def answer(self, case: Any, patience: float) -> str:
        self.line.send(case)
        if not self.line.poll(patience):
            raise TimeoutError(f"no answer in {patience:.0f} s")
        return str(self.line.recv())

    def ended(self, end: Exception | None = None) -> str:
        """Kill it if it lives; how it died, if it did."""
        self.line.close()
        if isinstance(end, EOFError | ConnectionError):
            self.process.join()
            return f"the process died with exit code {self.process.exitcode}"
        self.process.kill()
        self.process.join()
        return str(end)


def _serve(work: Callable[[Any], str], line: Connection) -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # what a dying process says is not for the table
    warnings.simplefilter("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (ROOM, ROOM))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    while True:
        try:
            case = line.recv()
        except EOFError:
            return
        line.send(work(case))
