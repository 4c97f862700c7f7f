"""Our own threads: they share blocks of rows, and BLAS stays serial inside each of them.

BLAS's threads keep spinning after a product and would fight with ours over the cores, so a fit uses only one kind.
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

ENTRIES_WORTH_A_THREAD = 2**15
ROWS_IN_CACHE = 384


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


def serial_blas() -> AbstractContextManager[Any]:
    """BLAS with one thread while ours are at work; as the user set it where we have only one."""
    return _blas().limit(limits=1, user_api="blas") if count() > 1 else nullcontext()


def gram(A: Array) -> Array:
    """A'A for a tall A."""
    parts: list[Array] = run(lambda rows: rows.T @ rows, _rows(A, _pieces(A)))
    return np.asarray(sum(parts[1:], start=parts[0]))


def product(A: Array, B: Array) -> Array:
    """A B for a tall A and a small B."""
    out = np.empty((len(A), B.shape[1]), A.dtype)
    run(lambda rows, part: np.matmul(rows, B, out=part), _rows(A, _pieces(A)), _rows(out, _pieces(A)))
    return out


def shrunk(A: Array, B: Array) -> Array:
    """A - A B for a tall A and a small B, the product in the precision of B."""
    out = np.empty_like(A)

    def some(rows: Array, part: Array) -> None:
        for i in range(0, len(rows), ROWS_IN_CACHE):
            few = rows[i : i + ROWS_IN_CACHE]
            np.subtract(few, few.astype(B.dtype, copy=False) @ B, out=part[i : i + ROWS_IN_CACHE])

    run(some, _rows(A, _pieces(A)), _rows(out, _pieces(A)))
    return out


def _pieces(A: Array) -> int:
    return max(1, min(count(), A.size // ENTRIES_WORTH_A_THREAD))


def _rows(A: Array, pieces: int) -> list[Array]:
    bounds = np.linspace(0, len(A), pieces + 1).astype(int)
    return [A[a:b] for a, b in itertools.pairwise(bounds)]


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(threads, thread_name_prefix="sonmf")


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork; a pool without them would hang


@cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController  # comes with scikit-learn

    return ThreadpoolController()
