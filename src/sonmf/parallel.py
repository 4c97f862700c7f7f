"""Compiled work shared among numba's threads.

Threads that need the interpreter begin one after another, too late for work of a millisecond. numba's own threads do not. They
serve one caller at a time; a caller that comes meanwhile works alone.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable

import numba
import numpy as np

from sonmf import threads
from sonmf.compiled import compiled
from sonmf.types import Array

_free = threading.Lock()
"""Held by the thread that numba's threads work for."""


class for_each_item:  # noqa: N801
    """Compile ``function(item, *arguments)`` into ``function(team, items, *arguments)``, which runs it for every item.

    At most so many threads work, and all items are done on return. If the function fails for an item, an error is raised: a
    MemoryError if other threads helped, because memory is all that a kernel can lack.
    """

    def __init__(self, function: Callable[..., None]) -> None:
        self.alone = work = compiled(function)

        def together(done, *arguments):  # type: ignore[no-untyped-def]
            for item in numba.prange(len(done)):
                work(np.int64(item), *arguments)
                done[item] = True  # numba forgets what an item raises, and leaves out the items after it

        self.together = compiled(together, parallel_work=function)

    def __call__(self, team: int, items: int, *arguments: object) -> None:
        """Run the function for every item."""
        team = min(team, items, threads.count())
        if team <= 1 or not _free.acquire(blocking=False):
            for item in range(items):
                self.alone(item, *arguments)
            return
        try:
            self._run_together(team, np.zeros(items, np.bool_), arguments)
        finally:
            _free.release()

    def _run_together(self, team: int, done: Array, arguments: tuple[object, ...]) -> None:
        before = numba.get_num_threads()
        try:
            numba.set_num_threads(min(team, before))
            with threads.serial_blas():
                self.together(done, *arguments)
        finally:
            numba.set_num_threads(before)
        if not done.all():
            raise MemoryError("the threads of a fit have run out of memory")


def _after_fork() -> None:
    """Give a child process a lock of its own. With OpenMP it works alone, because the threads of OpenMP would end it."""
    global _free
    _free = threading.Lock()
    if threads.layer() == "omp":
        _free.acquire()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
