"""The laws of the door: wherever the blocks live, an engine gives what one pass over all documents gives."""

from __future__ import annotations

import itertools
import warnings

import numba
import numpy as np
import pytest
import scipy.sparse

from sonmf import kernels
from sonmf.engines import Blocks, engine_for
from sonmf.solvers import subspace
from sonmf.solvers.problem import least_squares

STORAGE = {"dense": np.ascontiguousarray, "csr": scipy.sparse.csr_array}
CUTS = [0, 400, 401, 1500, 3001]


def in_files(X, request):
    """Blocks that are read again for every pass."""
    rows = [X[a:b] for a, b in itertools.pairwise(CUTS)]
    return Blocks([block.copy for block in rows], [block.shape[0] for block in rows], X.shape[1], X.dtype)


def on_a_cluster(X, request):
    request.getfixturevalue("client")
    import dask.array as da
    from dask import delayed

    rows = [X[a:b] for a, b in itertools.pairwise(CUTS)]
    return da.concatenate([da.from_delayed(delayed(block), block.shape, dtype=X.dtype) for block in rows])


def as_tensor(X, request):
    import torch

    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
        return torch.tensor(X) if isinstance(X, np.ndarray) else torch.tensor(X.toarray()).to_sparse_csr()


def in_one_thread(X, request):
    before = numba.get_num_threads()
    request.addfinalizer(lambda: numba.set_num_threads(before))
    numba.set_num_threads(1)
    return X


PLACES = {
    "memory": lambda X, request: X,
    "one-thread": in_one_thread,
    "files": in_files,
    "dask": on_a_cluster,
    "torch": as_tensor,
}


@pytest.fixture(params=STORAGE)
def X(request):
    rng = np.random.default_rng(0)
    return STORAGE[request.param](rng.random((3001, 200)) * (rng.random((3001, 200)) < 0.3))


@pytest.fixture(params=[pytest.param(name, marks=[pytest.mark.torch] * (name == "torch")) for name in PLACES])
def engine(X, request):
    return engine_for(PLACES[request.param](X, request))


@pytest.fixture
def F():
    return np.linalg.qr(np.random.default_rng(1).normal(size=(200, 7)))[0]


def at_home(engine, local):
    """What the engine gathers, as an array here."""
    return np.asarray(engine.gather(local))


def test_sums_and_local_states_equal_one_pass(X, engine, F):
    calls = [(kernels.ascent, F), (kernels.normal, F), (kernels.sign_energies, F, F[0]), (kernels.column_sums,)]
    for kernel, *shared in calls:
        _, sums = engine.sweep(kernel, None, *shared)
        for actual, expected in zip(sums, kernel(X, None, *shared)[1], strict=True):
            assert np.allclose(actual, expected, rtol=1e-12)
    local, sums = engine.sweep(kernels.project, None, F)
    assert sums == ()
    assert np.allclose(at_home(engine, local), X @ F, atol=1e-12)
    local, sums = engine.sweep(kernels.ascent_and_image, None, F, F[:, :2])
    assert all(np.allclose(a, b, rtol=1e-12) for a, b in zip(sums, kernels.ascent(X, None, F)[1], strict=True))
    assert np.allclose(at_home(engine, local), X @ F[:, :2], atol=1e-12)
    assert engine.passes == 6
    assert engine.shape == X.shape
    assert engine.dtype == X.dtype


def test_local_states_go_back_to_their_own_blocks_and_old_ones_stay_valid(X, engine, F):
    G = X @ F
    local = engine.place(G)
    doubled = engine.each(lambda g, h: g + h, local, local)

    def compare(block, state, basis):
        return state, (float(abs(block @ basis - state).max()),)

    assert engine.sweep(compare, local, F)[1][0] < 1e-12
    kept, (error,) = engine.sweep(compare, doubled, 2 * F)
    assert error < 1e-11
    assert np.allclose(at_home(engine, kept), 2 * G)
    assert np.array_equal(at_home(engine, local), G)


def test_the_same_bits_every_time(engine, F):
    sums = [engine.sweep(kernels.ascent, None, F)[1] for _ in range(3)]
    for M, energy in sums[1:]:
        assert np.array_equal(M, sums[0][0])
        assert energy == sums[0][1]


def test_documents_come_home_in_the_order_named(X, engine):
    whole = X.toarray() if scipy.sparse.issparse(X) else X
    for rows in ([5, 0, 3000, 400, 399], [1, 1, 2], list(range(3001))):
        home = engine.documents(np.array(rows))
        assert np.array_equal(home.toarray() if scipy.sparse.issparse(home) else home, whole[rows])


def test_a_solver_that_keeps_an_image_of_the_documents_ends_where_one_pass_over_all_does(X, engine, F):
    roots, ends = np.random.default_rng(2).integers(1, 4, (3001, 1)) ** 0.5, []
    for place in (engine_for(X), engine):
        problem = least_squares(place)._replace(threshold=0.1, roots=place.place(roots), fixed=F[:, :1])
        state = subspace.init_state(problem, F)
        for _ in range(4):
            state = subspace.update(problem, state)
        ends.append(state.point)
    assert np.allclose(ends[0].F, ends[1].F, atol=1e-9)
    assert np.array_equal(ends[1].F[:, 0], F[:, 0])
    assert ends[0].objective < subspace.init_state(problem, F).point.objective
