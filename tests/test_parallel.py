"""Every item that is dealt out is worked on once, whoever is there to help."""

from __future__ import annotations

import multiprocessing
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest

from sonmf import blas, llvm, parallel, threads

on_the_board = pytest.mark.skipif(not llvm.AVAILABLE, reason="without LLVM instructions of our own there is no board")


@parallel.for_each_item
def count_up(item, seen, sums):
    seen[item] += 1
    for i in range(1000):
        sums[item] += item * i


@parallel.leader
def counted(board, seen, sums):
    count_up(board, len(seen), (seen, sums))
    count_up(board, len(seen), (seen, sums))


def check(team, items=200):
    seen, sums = np.zeros(items, np.int64), np.zeros(items)
    parallel.run_together(counted, team, seen, sums)
    assert (seen == 2).all()
    assert np.array_equal(sums, 2 * np.arange(items) * 999 * 500)


@pytest.mark.parametrize("team", [1, 2, 5])
@pytest.mark.parametrize("items", [0, 1, 200])
def test_every_item_is_done_once_each_time(team, items):
    for _ in range(50):
        check(team, items)


@parallel.for_each_item
def give_up_at(item, seen, last):
    if item == last:
        raise ValueError
    seen[item] += 1


@parallel.leader
def given_up(board, seen, last):
    give_up_at(board, len(seen), (seen, last))


@pytest.mark.parametrize("team", [1, 3])
@pytest.mark.parametrize("last", [0, 7, 199])
def test_a_failure_is_not_lost_whoever_has_the_item(team, last):
    for _ in range(20):
        seen = np.zeros(200, np.int64)
        with pytest.raises(MemoryError if llvm.AVAILABLE else ValueError):
            parallel.run_together(given_up, team, seen, last)
        parallel.run_together(given_up, team, seen, -1)  # the next deal knows nothing of it
        assert seen[last] == 1


def test_several_threads_may_deal_out_at_once_among_other_tasks():
    with ThreadPoolExecutor(3) as pool:
        dealt = [pool.submit(lambda: [check(3) for _ in range(50)]) for _ in range(2)]
        shared = pool.submit(lambda: [threads.share(lambda a: -a, range(9), team=3) for _ in range(50)])
        assert shared.result(timeout=60) == [[-a for a in range(9)]] * 50
        for future in dealt:
            future.result(timeout=60)


@on_the_board
def test_helpers_leave_the_board_for_a_task():
    check(3)
    together = threading.Barrier(3, timeout=60)  # passes only if two helpers come
    threads.share(lambda _: together.wait(), range(3), team=3)


@on_the_board
def test_a_team_that_grows_gets_the_helpers_it_lacks(monkeypatch):
    helpers = threads.Helpers()
    monkeypatch.setattr(threads, "helpers", lambda: helpers)
    monkeypatch.setattr(parallel, "PATIENCE", 10**7)  # the first helper is still at the board when the second is called
    check(2)
    check(3)
    assert helpers.count == 2
    helpers.summons += 1


@on_the_board
def test_what_helpers_run_is_compiled_before_they_are_called(monkeypatch):
    """A helper that compiles holds numba's lock, which a child forked meanwhile never gets."""
    ran = []
    monkeypatch.setattr(parallel, "_serve", lambda board, summons, patience: ran.append(threading.get_ident()))
    parallel._Board(threads.Helpers())
    assert ran == [threading.get_ident()]


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_forked_child_has_helpers_of_its_own():
    check(3)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        pool.apply_async(check, (3,)).get(timeout=60)


@parallel.for_each_item
def address(item, A, out):
    parallel.native(out[0], (A,))


@parallel.leader
def called(board, A, out):
    address(board, 1, (A, out))


@on_the_board
def test_an_array_that_is_not_contiguous_is_not_given_to_blas():
    with pytest.raises(Exception, match="not contiguous"):
        parallel.run_together(called, 1, np.zeros((4, 4)).T[::2], np.zeros(1, np.int64))


@on_the_board
def test_arrays_of_two_precisions_are_not_handed_to_blas():
    A, B, out = np.ones((3, 2), np.float32), np.ones((2, 4)), np.empty((3, 4))
    with pytest.raises(numba.errors.TypingError, match="two precisions"):
        blas.multiply(blas.address("gemm", np.dtype(np.float64)), A, B, out)
