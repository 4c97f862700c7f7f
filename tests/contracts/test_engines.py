"""Every engine gives what one pass over all documents gives."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from sonmf import kernels
from sonmf.engines import engine_for

STORAGE = {"dense": np.ascontiguousarray, "csr": scipy.sparse.csr_array}


@pytest.fixture(params=STORAGE)
def X(request):
    rng = np.random.default_rng(0)
    return STORAGE[request.param](rng.random((3001, 400)) * (rng.random((3001, 400)) < 0.3))


@pytest.fixture
def F():
    return np.linalg.qr(np.random.default_rng(1).normal(size=(400, 7)))[0]


def test_sums_and_local_states_equal_one_pass(X, F, thread_count):
    engine = engine_for(X)
    calls = [(kernels.ascent, F), (kernels.normal, F), (kernels.sign_energies, F, F[0]), (kernels.column_sums,)]
    for kernel, *shared in calls:
        _, sums = engine.sweep(kernel, None, *shared)
        for actual, expected in zip(sums, kernel(X, None, *shared)[1], strict=True):
            assert np.allclose(actual, expected, rtol=1e-12)
    local, sums = engine.sweep(kernels.project, None, F)
    assert sums == ()
    assert np.allclose(engine.gather(local), X @ F, atol=1e-12)


def test_local_state_goes_back_to_its_own_block(X, thread_count):
    def stamp(block, local, add):
        rows = np.arange(block.shape[0]) if local is None else local + add
        return rows, (float(len(rows)),)

    engine = engine_for(X)
    local, (count,) = engine.sweep(stamp, None, 0.0)
    local, _ = engine.sweep(stamp, local, 1.0)
    assert count == X.shape[0]
    assert np.array_equal(engine.gather(local), np.arange(X.shape[0]) + 1)


def test_the_same_bits_every_time(X, F, thread_count):
    engine = engine_for(X)
    M, energy = engine.sweep(kernels.ascent, None, F)[1]
    for _ in range(5):
        again, energy_again = engine.sweep(kernels.ascent, None, F)[1]
        assert np.array_equal(M, again)
        assert energy == energy_again


def test_passes_are_counted_and_documents_come_home(X, F):
    engine = engine_for(X)
    engine.sweep(kernels.square, None)
    engine.sweep(kernels.ascent, None, F)
    assert engine.passes == 2
    rows = np.array([5, 0, 3000])
    home = engine.documents(rows)
    assert np.array_equal(
        home.toarray() if scipy.sparse.issparse(home) else home, (X.toarray() if scipy.sparse.issparse(X) else X)[rows]
    )
