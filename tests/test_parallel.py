"""Every item is worked on once, whoever is there to help."""

from __future__ import annotations

import multiprocessing
import sys
from concurrent.futures import ThreadPoolExecutor

import numba
import numpy as np
import pytest

from sonmf import parallel, threads


@parallel.for_each_item
def count_up(item, seen, sums):
    seen[item] += 1
    for i in range(1000):
        sums[item] += item * i


def check(team, items=200):
    seen, sums = np.zeros(items, np.int64), np.zeros(items)
    count_up(team, items, seen, sums)
    assert (seen == 1).all()
    assert np.array_equal(sums, np.arange(items) * 999 * 500)


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


@pytest.mark.parametrize("team", [1, 2])
@pytest.mark.parametrize("last", [0, 7, 199])
def test_a_failure_is_not_lost_whoever_has_the_item(team, last):
    for _ in range(20):
        seen = np.zeros(200, np.int64)
        with pytest.raises((MemoryError, ValueError)):
            give_up_at(team, 200, seen, last)
        give_up_at(team, 200, seen, -1)  # the next call knows nothing of it
        assert seen[last] == 1


def test_several_threads_may_share_items_at_once_among_other_tasks():
    with ThreadPoolExecutor(3) as pool:
        compiled = [pool.submit(lambda: [check(3) for _ in range(50)]) for _ in range(2)]
        shared = pool.submit(lambda: [threads.share(lambda a: -a, range(9), team=3) for _ in range(50)])
        assert shared.result(timeout=60) == [[-a for a in range(9)]] * 50
        for future in compiled:
            future.result(timeout=60)


def test_the_number_of_threads_is_what_it_was_afterwards(thread_count):
    before = numba.get_num_threads()
    check(2)
    with pytest.raises((MemoryError, ValueError)):
        give_up_at(2, 200, np.zeros(200, np.int64), 7)
    assert numba.get_num_threads() == before


@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
@pytest.mark.parametrize("layer", ["forksafe", "omp"])
def test_a_forked_child_can_share_items_even_if_its_parent_is_at_it(layer, monkeypatch):
    """Another thread of the parent holds the lock when the child is made. OpenMP would end a child that uses its threads."""
    check(3)
    if layer == "omp":
        monkeypatch.setattr(threads, "layer", lambda: "omp")
    with parallel._free, multiprocessing.get_context("fork").Pool(1) as pool:
        pool.apply_async(check, (3,)).get(timeout=60)


def test_threads_that_survive_a_fork_and_sleep_while_they_wait_are_chosen():
    check(2)
    assert threads.layer() in {"tbb", "workqueue"} or numba.config.THREADING_LAYER != "forksafe"
