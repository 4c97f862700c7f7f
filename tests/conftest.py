from __future__ import annotations

import numba
import pytest
from hypothesis import settings

settings.register_profile("sonmf", deadline=None, derandomize=True, max_examples=60)
settings.load_profile("sonmf")


@pytest.fixture(params=[1, 2], ids=["one-thread", "two-threads"])
def thread_count(request):
    """Run a test with one and with two threads, where the machine has two."""
    available = numba.config.NUMBA_NUM_THREADS
    before = numba.get_num_threads()
    numba.set_num_threads(min(request.param, available))
    yield request.param
    numba.set_num_threads(before)


@pytest.fixture(scope="session")
def cluster():
    """Two dask workers, each a process of its own."""
    distributed = pytest.importorskip("distributed", reason="dask did not run: python -m pip install 'sonmf[dask]'")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0", silence_logs=50
    ) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    """The cluster as the place where dask runs, for one test."""
    from distributed import Client

    with Client(cluster) as client:
        client.wait_for_workers(2)  # the test before may have killed one
        yield client
