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
