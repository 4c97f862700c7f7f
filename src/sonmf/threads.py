"""Our own threads: they share blocks of rows, and BLAS stays serial inside each of them.

BLAS's threads keep spinning after a product and would fight with ours over the cores, so a fit uses only one kind.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

from numpy.typing import NDArray

Array = NDArray[Any]


def count() -> int:
    """numba's thread count: set by NUMBA_NUM_THREADS or ``numba.set_num_threads``, lowered inside joblib's workers."""
    import numba

    return int(numba.get_num_threads())


def run(job: Callable[..., Any], *arguments: Iterable[Any]) -> list[Any]:
    """``job`` on each set of arguments, a thread each; results in order."""
    jobs = list(zip(*arguments, strict=True))
    if len(jobs) == 1:
        return [job(*jobs[0])]
    with serial_blas():
        return [future.result() for future in [_pool(len(jobs)).submit(job, *each) for each in jobs]]


def spread(job: Callable[[Any], Any], items: Iterable[Any]) -> list[Any]:
    """``job`` on each item, as many at a time as there are threads; results in order."""
    items = list(items)
    if min(count(), len(items)) <= 1:
        return [job(item) for item in items]
    with serial_blas():
        return list(_pool(min(count(), len(items))).map(job, items))


def serial_blas() -> AbstractContextManager[Any]:
    """BLAS with one thread while ours are at work; as the user set it where we have only one."""
    return _blas().limit(limits=1, user_api="blas") if count() > 1 else nullcontext()


def in_order() -> AbstractContextManager[Any]:
    """One thread for every library: where threads add up as they come, the same data would not give the same bits."""
    return _blas().limit(limits=1)  # type: ignore[no-any-return]


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="sonmf")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork; a pool without them would hang


@cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController  # comes with scikit-learn

    return ThreadpoolController()
