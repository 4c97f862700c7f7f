"""A dask cluster gives the in-memory fit, keeps documents and G where they are, and outlives its workers."""

from __future__ import annotations

import itertools
import os
import platform
import resource
import signal
from contextlib import contextmanager, suppress
from functools import partial
from unittest import mock

import dask
import dask.array as da
import distributed
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.base import clone

from sonmf import NMF, ONMF, SONMF, BinarySONMF, LogisticNMF, SemiNMF, kernels, simulate
from sonmf.engines import engine_for
from sonmf.engines.dask import DaskEngine
from sonmf.solvers import alternating

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
CORPUS = simulate.corpus(2000, 300, random_state=0)
ONES = scipy.sparse.csr_array(simulate.binary(300, 60, 4, random_state=0)[0])
MODELS = {
    "SONMF": (SONMF(4), CORPUS),
    "SONMF, cayley, K-means": (SONMF(4, solver="cayley", init="kmeans", random_state=0), CORPUS),
    "BinarySONMF": (BinarySONMF(4, max_iter=12), ONES),
    "BinarySONMF, newton": (BinarySONMF(4, solver="newton", max_iter=5), ONES),
    "NMF": (NMF(4, max_iter=20, random_state=0), CORPUS),
    "ONMF": (ONMF(4, max_iter=20, random_state=0), CORPUS),
    "SemiNMF": (SemiNMF(4, max_iter=20, random_state=0), CORPUS),
    "LogisticNMF": (LogisticNMF(4, max_iter=12, random_state=0), ONES),
}


def in_blocks(X, count=5):
    """A dask array of sparse blocks of unequal length."""
    cuts = (X.shape[0] * np.linspace(0, 1, count + 1) ** 1.5).astype(int)
    blocks = [da.from_delayed(dask.delayed(X[a:b]), (b - a, X.shape[1]), dtype=X.dtype) for a, b in itertools.pairwise(cuts)]
    return da.concatenate(blocks)


def kill(client):
    """SIGKILL one worker."""
    os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)


@contextmanager
def kill_within_a_pass(client):
    """SIGKILL one worker when the steps of the next pass are on their way and their sums have not been asked for."""
    pid, submit = next(iter(client.run(os.getpid).values())), DaskEngine._map

    def submit_and_kill(engine, function, *arguments):
        futures = submit(engine, function, *arguments)
        if function.__name__ == "_step":
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return futures

    with mock.patch.object(DaskEngine, "_map", submit_and_kill):
        yield


def page_faults():
    """Of taking and freeing 3 MB once more, at the best of many times."""
    found = []
    for _ in range(100):
        before = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
        np.ones(3 * 2**17)
        found.append(resource.getrusage(resource.RUSAGE_THREAD).ru_minflt - before)
    return min(found)


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the setting is one of glibc")
def test_our_own_workers_take_freed_memory_again():
    from sonmf.engines.dask import MALLOC, local_client

    elsewhere = {name: value for name, value in os.environ.items() if name not in MALLOC}  # dask leaves its settings here
    spawned = dask.config.set({"distributed.worker.multiprocessing-method": "spawn"})  # a fork keeps the first settings
    with spawned, mock.patch.dict(os.environ, elsewhere, clear=True), local_client(1) as client:
        assert client.submit(page_faults).result() < 768 / 2  # 3 MB are 768 pages if all is new


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.long] * (name not in ("SONMF", "BinarySONMF", "NMF"))) for name in MODELS]
)
def test_every_method_gives_the_fit_in_memory(client, name):
    model, X = MODELS[name]
    here, there = clone(model).fit(X), clone(model).fit(in_blocks(X))
    assert np.allclose(here.components_, there.components_, rtol=0, atol=1e-10)
    assert np.allclose(here.objective_history_, there.objective_history_, rtol=1e-10)
    assert here.n_passes_ == there.n_passes_
    assert np.isclose(here.score(X), there.score(in_blocks(X)), rtol=1e-8)


@pytest.mark.parametrize("name", ["BinarySONMF", "SemiNMF"])
def test_a_task_given_to_another_worker_finds_the_state_of_its_shard(client, name):
    """dask lets an idle worker take the tasks of a busy one, rarely and when it likes; here many are taken."""
    model, X = MODELS[name]
    one, other = client.scheduler_info()["workers"]
    turns = itertools.cycle([one, one, other])
    with mock.patch(
        "sonmf.engines.dask._near", side_effect=lambda homes: {"workers": [next(turns)], "allow_other_workers": True}
    ):
        taken = clone(model).fit(in_blocks(X, count=3))
    assert np.allclose(clone(model).fit(X).components_, taken.components_, rtol=0, atol=1e-10)


@pytest.mark.parametrize("name", ["SONMF", "BinarySONMF", "NMF"])
def test_g_stays_on_the_workers_and_comes_back_as_a_dask_array(client, name):
    model, X = MODELS[name]
    G = clone(model).fit_transform(in_blocks(X))
    assert isinstance(G, da.Array)
    assert G.shape == (X.shape[0], 4)
    distributed.wait(G)  # the last sweep may still run
    holders = client.who_has(G).values()  # which worker has which block is the scheduler's choice, and may be one for all
    assert len(holders) == G.npartitions
    assert all(holders)
    assert np.allclose(G.compute(), clone(model).fit_transform(X), atol=1e-5)


def test_dense_blocks_unknown_lengths_and_cut_words_are_taken(client):
    dense = CORPUS.toarray()
    expected = SONMF(3).fit(dense).components_
    unknown = da.from_array(dense, chunks=(700, 120))
    unknown = unknown[unknown.sum(axis=1) >= 0]
    assert np.isnan(unknown.shape[0])
    assert np.allclose(SONMF(3).fit(unknown).components_, expected, atol=1e-10)


def test_a_dask_dataframe_has_a_column_for_each_word(client):
    frame = pd.DataFrame(CORPUS.toarray()[:, :50]).rename(columns=str)
    expected = SONMF(3).fit(frame.to_numpy()).components_
    import dask.dataframe as dataframe

    assert np.allclose(SONMF(3).fit(dataframe.from_pandas(frame, npartitions=3)).components_, expected, atol=1e-10)


def test_no_block_and_no_g_leaves_its_worker(client):
    X = in_blocks(CORPUS, 8).persist()
    distributed.wait(X)
    before = client.who_has(X)
    engine = engine_for(X)
    local, _ = engine.sweep(kernels.clip, None, np.eye(300, 4))
    for _ in range(3):
        local, _ = engine.sweep(partial(kernels.alternate, alternating.keep), local, np.eye(300, 4))
    assert client.who_has(X) == before
    homes = {block: home for (_, block, _), home in before.items()}
    for held in (engine.shards, local):
        for shard, members in zip(held, engine.members, strict=True):
            assert {homes[b] for b in members} == {client.who_has(shard)[shard.key]}


def test_without_a_client_the_blocks_are_computed_here():
    model, X = MODELS["BinarySONMF"]
    there = clone(model).fit(in_blocks(X))
    assert np.allclose(there.components_, clone(model).fit(X).components_, rtol=0, atol=1e-10)


def test_a_worker_killed_between_two_passes_changes_no_bit_of_sonmf(client):
    model = SONMF(4, max_iter=8, tol=0)
    expected = clone(model).fit(in_blocks(CORPUS)).components_
    model.callback = lambda it: kill(client) if it.iteration == 3 else None
    survivor = model.fit(in_blocks(CORPUS))
    assert survivor.n_iter_ == 8
    assert np.array_equal(survivor.components_, expected)


def test_a_worker_killed_within_a_pass_changes_no_bit_of_its_sums(client):
    X, F = in_blocks(CORPUS), np.eye(300, 4)
    expected = engine_for(X).sweep(kernels.ascent, None, F)[1]
    engine = engine_for(X)
    with kill_within_a_pass(client):
        M, energy = engine.sweep(kernels.ascent, None, F)[1]
    assert np.array_equal(M, expected[0])
    assert energy == expected[1]


@pytest.mark.long
def test_a_killed_worker_solves_the_g_it_lost_again_and_ends_at_the_same_objective(client):
    model = BinarySONMF(2, tol=1e-8)
    expected = clone(model).fit(in_blocks(ONES)).objective_history_[-1]
    model.callback = lambda it: kill(client) if it.iteration == 5 else None
    survivor = model.fit(in_blocks(ONES)).objective_history_[-1]
    assert survivor != expected  # G was lost indeed
    assert np.isclose(survivor, expected, rtol=0, atol=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("name", ["NMF"])
def test_a_killed_worker_leaves_the_other_methods_no_worse(client, name):
    model, X = clone(MODELS[name][0]), MODELS[name][1]
    expected = clone(model).fit(in_blocks(X)).objective_history_[-1]
    model.callback = lambda it: kill(client) if it.iteration == 3 else None
    assert model.fit(in_blocks(X)).objective_history_[-1] <= expected * (1 + 1e-3)


@pytest.mark.parametrize("make", [SONMF, BinarySONMF, NMF])
def test_bad_blocks_are_refused_as_in_memory(client, make):
    X = (ONES if make is BinarySONMF else CORPUS).copy()
    X.data[-1] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        make(2).fit(in_blocks(X))
    X.data[-1] = -2
    if make is not SONMF:
        with pytest.raises(ValueError, match=r"only 0 and 1|Negative values"):
            make(2).fit(in_blocks(X))
    with pytest.raises(ValueError, match="n_components=301"):
        make(301).fit(in_blocks(CORPUS))
    with pytest.raises(ValueError, match="3 dimensions"):
        make(2).fit(da.zeros((4, 3, 2)))


def test_documents_that_cannot_be_loaded_again_are_one_sentence(client):
    scattered = client.scatter([CORPUS[:1000], CORPUS[1000:]])
    X = da.concatenate([da.from_delayed(dask.delayed(block), (1000, 300), dtype=float) for block in scattered])
    with pytest.raises(RuntimeError, match="lost with its worker and dask cannot load it again: make X from loaders"):
        SONMF(3, tol=0, callback=lambda it: kill(client) if it.iteration == 2 else None).fit(X)


def test_entries_cannot_be_held_out_of_documents_that_are_elsewhere(client):
    with pytest.raises(ValueError, match="validation_fraction needs X in memory"):
        BinarySONMF(2, validation_fraction=0.1).fit(in_blocks(ONES))


def test_a_worker_out_of_memory_is_one_sentence():
    def greedy(block):
        return np.concatenate([np.full((2000, 300), i + 1.0) for i in range(2000)])  # 10 GB

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0, "distributed.worker.memory.monitor-interval": "20ms"}),
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, memory_limit="600MB", dashboard_address=":0", silence_logs=50
        ) as cluster,
        distributed.Client(cluster),
        pytest.raises(MemoryError, match="a dask worker ran out of memory"),
    ):
        SONMF(2).fit(in_blocks(CORPUS).map_blocks(greedy, dtype=float, meta=np.empty((0, 0))))
