from __future__ import annotations

import multiprocessing
import sys
import threading
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_info

from sonmf import SONMF, simulate, threads


def test_results_come_in_order_and_errors_come_home(thread_count):
    assert threads.share(lambda a: -a, range(50)) == [-a for a in range(50)]
    for zero in range(3):
        with pytest.raises(ZeroDivisionError):
            threads.share(lambda a: 1 / a, [a - zero for a in range(3)])


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="with one core there is nothing to share out")
def test_items_go_to_whoever_is_free_and_a_job_shares_out_nothing_itself():
    together = threading.Barrier(2, timeout=60)

    def job(item):
        together.wait()  # passes only if two threads are here at once
        return threads.count(), threads.share(lambda _: threading.get_ident(), range(3)), threading.get_ident()

    first, second = threads.share(job, range(2))
    assert first[0] == second[0] == 1
    assert first[2] != second[2]
    assert set(first[1]) == {first[2]}
    assert set(second[1]) == {second[2]}
    assert threads.count() > 1


def test_numpys_rules_for_overflow_hold_in_every_thread():
    together = threading.Barrier(min(2, threads.count()), timeout=60)

    def job(item):
        together.wait()
        return np.float64(1e308) * np.float64(10)

    with np.errstate(over="ignore"):
        assert np.isinf(threads.share(job, range(2 if threads.count() > 1 else 1))).all()


@pytest.mark.parametrize("begun", [0, 1])
def test_where_no_further_thread_can_begin_those_that_are_there_do_the_work(monkeypatch, begun):
    with ThreadPoolExecutor(1) as pool:
        futures = iter([pool.submit] * begun)

        class Ending:
            def submit(self, *call):
                submit = next(futures, None)
                if submit is None:
                    raise RuntimeError("cannot schedule new futures after interpreter shutdown")
                return submit(*call)

        monkeypatch.setattr(threads, "_helpers", Ending)
        assert threads.share(lambda a: -a, range(50), team=4) == [-a for a in range(50)]


def test_after_a_failure_no_further_item_is_begun(thread_count):
    begun = []

    def job(item):
        begun.append(item)
        time.sleep(0.01)
        raise ValueError(item)

    with pytest.raises(ValueError, match=r"[01]"):
        threads.share(job, range(1000))
    assert len(begun) <= 2


def blas_threads():
    return [library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas"]


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="with one core there is nothing to keep apart")
def test_blas_is_serial_inside_a_fit_and_as_before_afterwards():
    before, inside = blas_threads(), []
    SONMF(2, callback=lambda it: inside.extend(blas_threads())).fit(np.random.default_rng(0).random((20, 10)))
    assert set(inside) == {1}
    assert blas_threads() == before


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="with one core BLAS is left as it is")
def test_fits_in_several_threads_at_once_leave_blas_as_it_was():
    X, before = np.random.default_rng(0).random((200, 40)), blas_threads()
    overlap = threading.Barrier(2, timeout=60)

    def fit(iterations):  # both have begun before either ends, and they end in the order in which they began
        SONMF(2, max_iter=iterations, tol=0, callback=lambda it: overlap.wait() if it.iteration == 1 else None).fit(X)

    with warnings.catch_warnings(), ThreadPoolExecutor(2) as pool:
        warnings.simplefilter("ignore", ConvergenceWarning)
        list(pool.map(fit, [3, 60]))
    assert blas_threads() == before


@pytest.mark.skipif(numba.config.NUMBA_NUM_THREADS < 2, reason="with one core every library has one thread anyway")
@pytest.mark.parametrize("setting", [threads.single_threaded, threads.serial_blas])
def test_settings_of_two_fits_that_end_in_the_order_they_began_leave_every_library_as_it_was(setting):
    before = [library["num_threads"] for library in threadpool_info()]
    one, other = setting(), setting()
    one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    assert set(blas_threads()) == {1}
    other.__exit__(None, None, None)
    assert [library["num_threads"] for library in threadpool_info()] == before


def set_one_thread():
    with threads.single_threaded():
        return set(blas_threads())


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_child_forked_while_another_thread_changes_a_setting_can_change_it_too():
    with threads._single_threaded.lock, multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(set_one_thread).get(timeout=60) == {1}


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_forked_child_can_fit_after_its_parent_did():
    X = simulate.corpus(3000, 500, random_state=0)
    expected = SONMF(5).fit(X).components_
    with multiprocessing.get_context("fork").Pool(1) as pool:
        child = pool.apply_async(SONMF(5).fit, (X,)).get(timeout=300)
    assert np.array_equal(child.components_, expected)
