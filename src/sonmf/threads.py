"""Our own threads share the work of a pass, and BLAS is serial inside each of them.

The threads of BLAS keep spinning after a product and would compete with ours for the cores, so a fit uses only ours.
"""

from __future__ import annotations

import contextvars
import os
import queue
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

import numpy as np

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

Item = TypeVar("Item")
Result = TypeVar("Result")
_this = threading.local()


def count() -> int:
    """numba's thread count: set by NUMBA_NUM_THREADS or ``numba.set_num_threads``, lowered inside joblib's workers."""
    if getattr(_this, "alone", False):
        return 1
    import numba

    return int(numba.get_num_threads())


def share(job: Callable[[Item], Result], items: Iterable[Item], team: int | None = None) -> list[Result]:
    """``job`` on each item, results in order. This thread is one of the team; the next free thread takes the next item."""
    items = list(items)
    team = min(count() if team is None else team, len(items))
    if team <= 1:
        return [job(item) for item in items]
    with serial_blas():
        task = _Task(job, items)
        helpers().put(task, team - 1)
        with alone():
            return task.finish()


@contextmanager
def alone() -> Iterator[None]:
    """``share`` inside does all the work in this thread: the other threads are busy."""
    before, _this.alone = getattr(_this, "alone", False), True
    try:
        yield
    finally:
        _this.alone = before


def serial_blas() -> AbstractContextManager[None]:
    """BLAS with one thread while ours are at work; as the user set it if we have only one."""
    return _serial if count() > 1 else nullcontext()


def single_threaded() -> AbstractContextManager[None]:
    """One thread for every library: threads that add up in any order would not give the same bits for the same data."""
    return _single_threaded


@cache
def _libraries() -> ThreadpoolController:
    from threadpoolctl import ThreadpoolController  # comes with scikit-learn

    return ThreadpoolController()


class _OneThread:
    """Libraries have one thread from the first entry to the last exit, in whatever order those who entered exit."""

    def __init__(self, libraries: str | None = None) -> None:
        self.libraries = libraries
        self.lock, self.users = threading.Lock(), 0

    def __enter__(self) -> None:
        with self.lock:
            if self.users == 0:
                self.limit = _libraries().limit(limits=1, user_api=self.libraries)
            self.users += 1

    def __exit__(self, *failure: object) -> None:
        with self.lock:
            self.users -= 1
            if self.users == 0:
                self.limit.restore_original_limits()


_serial, _single_threaded = _OneThread("blas"), _OneThread()


class _Task(Generic[Item, Result]):
    """Items given one by one to whoever helps. A helper that comes after the last item is not waited for."""

    def __init__(self, job: Callable[[Item], Result], items: list[Item]) -> None:
        self.job, self.items, self.results = job, items, dict[int, Result]()
        self.waiting = iter(range(len(items)))
        self.context = contextvars.copy_context()  # numpy's rules for overflow, for one
        self.lock, self.inside, self.closed = threading.Lock(), 0, False
        self.last_one_out = threading.Semaphore(0)
        self.failure: BaseException | None = None

    def help(self) -> None:
        with self.lock:
            if self.closed:
                return
            self.inside += 1
        self.context.copy().run(self.work)
        with self.lock:
            self.inside -= 1
            if self.closed and self.inside == 0:
                self.last_one_out.release()

    def work(self) -> None:
        try:
            for i in self.waiting:
                self.results[i] = self.job(self.items[i])
        except BaseException as failure:  # raised again in the thread that shared the work
            self.failure = failure
            deque(self.waiting, maxlen=0)  # no further item is begun

    def finish(self) -> list[Result]:
        """Work too, wait for those who are inside, and return the results or raise what went wrong."""
        self.work()
        with self.lock:
            self.closed = True
            wait = self.inside > 0
        if wait:
            self.last_one_out.acquire()
        if self.failure is not None:
            raise self.failure
        return [self.results[i] for i in range(len(self.items))]


class Work(Protocol):
    """Something that a thread can help with."""

    def help(self) -> None:
        """Called in a helper's thread."""


class Helpers:
    """Threads that wait for work; there are as many as were ever needed at once."""

    def __init__(self) -> None:
        self.work: queue.SimpleQueue[Work] = queue.SimpleQueue()
        self.lock, self.count = threading.Lock(), 0
        self.summons = np.zeros(1, np.int64)
        """Changes when there is a task: a helper that waits for other work then leaves it."""

    def put(self, task: Work, hands: int) -> None:
        """A task that should begin now."""
        self.summons += 1
        self.send(task, hands)

    def send(self, work: Work, hands: int, busy: int = 0) -> None:
        """Work for so many further hands when they are free, if ``busy`` hands have it already."""
        with self.lock:
            for _ in range(self.count, busy + hands):
                threading.Thread(target=self._wait, name="sonmf", daemon=True).start()
                self.count += 1
        for _ in range(hands):
            self.work.put(work)

    def _wait(self) -> None:
        _this.alone = True
        while True:
            self.work.get().help()


@cache
def helpers() -> Helpers:
    """The threads that help the others of this process."""
    return Helpers()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=helpers.cache_clear)  # threads do not survive a fork
