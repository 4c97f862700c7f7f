"""Our own threads share the work of a pass, and BLAS is serial inside each of them.

The threads of BLAS keep spinning after a product and would compete with ours for the cores, so a fit uses only ours.
"""

from __future__ import annotations

import contextvars
import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from functools import cache
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from threadpoolctl import ThreadpoolController

MOST_HELPERS = 1024

Item = TypeVar("Item")
Result = TypeVar("Result")
_this = threading.local()


def count() -> int:
    """numba's thread count: set by NUMBA_NUM_THREADS or ``numba.set_num_threads``, lowered inside joblib's workers."""
    return 1 if getattr(_this, "alone", False) else int(_numba().get_num_threads())


def layer() -> str:
    """What numba's threads are made of; an empty text as long as it has none."""
    try:
        return str(_numba().threading_layer())
    except ValueError:
        return ""


@cache
def _numba() -> ModuleType:
    """numba, with threads that survive a fork and sleep while they wait, unless the user has chosen others."""
    import numba

    settings: Any = numba.config
    if settings.THREADING_LAYER == "default":
        settings.THREADING_LAYER = "forksafe"
    return numba


def share(job: Callable[[Item], Result], items: Iterable[Item], team: int | None = None) -> list[Result]:
    """``job`` on each item, results in order. This thread is one of the team; the next free thread takes the next item.

    What a job raises is raised here, and no further item is begun.
    """
    items = list(items)
    team = min(count() if team is None else team, len(items))
    if team <= 1:
        return [job(item) for item in items]
    results, waiting = dict[int, Result](), iter(range(len(items)))

    def work() -> None:
        try:
            for i in waiting:
                results[i] = job(items[i])
        finally:
            deque(waiting, maxlen=0)

    with serial_blas():
        helping = []
        with suppress(RuntimeError):  # no further thread can begin, as when Python ends: those that are there do the work
            for _ in range(team - 1):  # a context holds numpy's rules for overflow, for one
                helping.append(_helpers().submit(contextvars.copy_context().run, work))
        try:
            with alone():
                work()
        finally:
            begun = [future for future in helping if not future.cancel()]
            wait(begun)
        for future in begun:
            future.result()
    return [results[i] for i in range(len(items))]


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
    """Limits libraries to one thread from the first entry to the last exit, in whatever order the exits come."""

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


def _always_alone() -> None:
    _this.alone = True


@cache
def _helpers() -> ThreadPoolExecutor:
    """Threads that help others, as many as were ever needed at once."""
    return ThreadPoolExecutor(MOST_HELPERS, "sonmf", initializer=_always_alone)


def _after_fork() -> None:
    """Give a child process threads and locks of its own: other threads, and thus holders of locks, are not copied."""
    _helpers.cache_clear()
    for setting in (_serial, _single_threaded):
        setting.lock = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
