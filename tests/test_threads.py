from __future__ import annotations

import multiprocessing
import sys

import numba
import numpy as np
import pytest
from threadpoolctl import threadpool_info

from sonmf import SONMF, simulate, threads


def test_results_come_in_order_and_errors_come_home(thread_count):
    assert threads.run(lambda a, b: a - b, [5, 6, 7], [1, 2, 3]) == [4, 4, 4]
    with pytest.raises(ZeroDivisionError):
        threads.run(lambda a: 1 / a, [1, 0])


def blas_threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="with one core there is nothing to keep apart")
def test_blas_is_serial_inside_a_fit_and_as_before_afterwards():
    before, inside = blas_threads(), []
    SONMF(2, callback=lambda it: inside.extend(blas_threads())).fit(np.random.default_rng(0).random((20, 10)))
    assert set(inside) == {1}
    assert blas_threads() == before


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_forked_child_can_fit_after_its_parent_did():
    X = simulate.corpus(3000, 500, random_state=0)
    expected = SONMF(5).fit(X).components_
    with multiprocessing.get_context("fork").Pool(1) as pool:
        child = pool.apply_async(SONMF(5).fit, (X,)).get(timeout=300)
    assert np.array_equal(child.components_, expected)
