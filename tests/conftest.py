from __future__ import annotations

import signal

import numba
import pytest
from hypothesis import settings

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as in the background of a shell; processes under test would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile("few", deadline=None, derandomize=True, max_examples=20)
settings.register_profile("many", deadline=None, derandomize=True, max_examples=150)  # in .ci/run
settings.load_profile("few")


@pytest.fixture(params=[1, 2], ids=["one-thread", "two-threads"])
def thread_count(request):
    """Run a test with one and with two threads, where the machine has two."""
    available = numba.config.NUMBA_NUM_THREADS
    before = numba.get_num_threads()
    numba.set_num_threads(min(request.param, available))
    yield request.param
    numba.set_num_threads(before)


@pytest.fixture(scope="session")
def torch():
    """The package; a test that asks for it has the marker of the same name."""
    import torch

    return torch


@pytest.fixture(scope="session")
def cluster():
    """Gives two living dask workers, each a process of its own: dask now and then fails to start a killed one again.

    Idle workers steal no tasks: when they do depends on the load of the machine.
    """
    import dask
    import distributed

    found = []

    def living():
        if found and not _complete(found[-1]):
            found.pop().close(timeout=10)
        if not found:
            options = {"threads_per_worker": 1, "dashboard_address": ":0", "silence_logs": 50}
            found.append(distributed.LocalCluster(n_workers=2, **options))
        return found[-1]

    quick_start = {"distributed.worker.multiprocessing-method": "forkserver"}
    with dask.config.set({"distributed.scheduler.work-stealing": False} | quick_start):
        yield living
    for started in found:
        started.close()


def _complete(cluster):
    from distributed import Client

    try:
        with Client(cluster) as client:
            client.wait_for_workers(2, timeout=60)
    except TimeoutError:
        return False
    return True


@pytest.fixture
def client(cluster):
    """The cluster as the place where dask runs, for one test."""
    from distributed import Client

    with Client(cluster()) as client:
        yield client
