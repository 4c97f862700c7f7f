"""X on a dask cluster: every worker keeps its shards of documents, F goes out, sums come back by tree reduction.

If a worker is lost, dask loads its shards again, and F is sent again as a task. A local state has no history on purpose:
replaying it would cost every pass so far. It is computed again from the shared factors.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from itertools import chain
from typing import TypeAlias, TypedDict

import dask
import dask.array
import numpy as np
from distributed import Client, Future, KilledWorker, futures_of, get_client, get_worker, wait
from distributed.utils import sync
from numpy.typing import NDArray

from sonmf import threads
from sonmf.device_arrays import Sums, add_up
from sonmf.engines import Engine, Kernel, Local, Request, collect_documents, convert_shared
from sonmf.kernels import recover
from sonmf.types import Array, Matrix

FAN_IN = 8
ATTEMPTS = 3
MALLOC = {"MALLOC_MMAP_THRESHOLD_": 2**25, "MALLOC_TRIM_THRESHOLD_": 2**26}  # glibc's own limits; bytes

State: TypeAlias = tuple[list[Local], Sums]
"""What a task leaves on its worker: the local states of a shard's blocks, and their sums."""


class Placement(TypedDict, total=False):
    """Options of dask that say where a task should run."""

    workers: list[str]
    allow_other_workers: bool


def local_client(workers: int) -> Client:
    """A client with so many worker processes of its own on this machine.

    Its workers keep freed memory of the size of F. By default dask's workers return it to the system, and the page faults of
    taking it again for every block and message are most of the cost of a small iteration.
    """
    with dask.config.set({f"distributed.nanny.pre-spawn-environ.{name}": size for name, size in MALLOC.items()}):
        return Client(n_workers=workers, threads_per_worker=1, dashboard_address=":0")


class DaskEngine(Engine):
    """The engine for dask arrays if a distributed client is active.

    A shard is what one thread of a worker holds, formed once. Sums are added in the order of the shards, wherever they are, so
    that they are the same to the bit even if a worker is lost.
    """

    def __init__(self, X: Matrix) -> None:
        self.client = get_client()
        self.shape: tuple[int, int] = X.shape
        self.dtype = X.dtype
        self.passes = 0
        self.sizes = X.chunks[0]
        self.client.run(_import_sonmf)
        blocks, homes = self._load(X)
        self.members = _shards_of(homes, self.client.nthreads())
        self.shards = [
            self.client.submit(_shard, [blocks[b] for b in members], pure=False, **_near([homes[members[0]]]))
            for members in self.members
        ]
        self._settled(self.shards)

    def _load(self, X: Matrix) -> tuple[list[Future], list[str]]:
        """The blocks and their workers: a block on a worker stays there, the others are loaded where they will be needed."""
        blocks = list(X.to_delayed().ravel())
        if futures_of(X):
            futures = self._settled(self.client.compute(blocks))
            where = self.client.who_has(futures)
            return futures, [where[future.key][0] for future in futures]
        places = [home for home, count in self.client.nthreads().items() for _ in range(count)]
        runs = np.array_split(np.arange(len(blocks)), len(places))  # neighbours together
        loading = [
            self.client.compute([blocks[b] for b in run], **_near([home])) for run, home in zip(runs, places, strict=True)
        ]
        return self._settled(list(chain(*loading))), np.repeat(places, [len(run) for run in runs]).tolist()

    def _settled(self, futures: list[Future]) -> list[Future]:
        """Wait until futures are finished, because a task that looks for a local state by its key does not wait."""
        with _readable_failures():
            for future in wait(futures).done:
                if future.status != "finished":
                    future.result()  # raises what went wrong
        return futures

    def sweep(self, kernel: Kernel, local: Local, *shared: object) -> tuple[Local, Sums]:
        self.passes += 1
        keys = [None] * len(self.shards) if local is None else [future.key for future in local]
        with _readable_failures():
            for _ in range(ATTEMPTS - 1):
                try:
                    return self._sweep(kernel, keys, convert_shared(shared, self.dtype))
                except CancelledError:  # what was lost with a worker is loaded again by the next attempt
                    continue
            return self._sweep(kernel, keys, convert_shared(shared, self.dtype))

    def _sweep(self, kernel: Kernel, keys: list[str | None], shared: tuple[object, ...]) -> tuple[Local, Sums]:
        with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1TB"}):  # F has to be sent
            factors = self.client.submit(_identity, shared, pure=False)
        results = self._map(_step, [kernel] * len(keys), keys, [factors] * len(keys))
        parts = self._map(_sums, results)  # apart from the local states, which do not travel
        while len(parts) > 1:
            parts = [self.client.submit(add_up, parts[i : i + FAN_IN], pure=False) for i in range(0, len(parts), FAN_IN)]
        return results, parts[0].result()

    def each(self, function: Callable[..., object], *local: Local) -> Local:
        return self._settled(self._map(_each, [function] * len(self.shards), *local))

    def place(self, array: Array) -> Local:
        parts = np.split(array, np.cumsum(self.sizes)[:-1])
        return self._settled(self._map(_place, [[parts[b] for b in members] for members in self.members]))

    def gather(self, local: Local) -> Matrix:
        """A dask array; every part of it stays on its worker."""
        parts = [self.client.submit(_part, local[s], i, pure=False) for s, i in self._addresses()]
        with _readable_failures():
            _, width = self.client.submit(np.shape, parts[0]).result()
        rows = zip(parts, self.sizes, strict=True)
        return dask.array.concatenate(
            [dask.array.from_delayed(dask.delayed(part), (size, width), dtype=self.dtype) for part, size in rows]
        )

    def documents(self, rows: NDArray[np.intp]) -> Matrix:
        addresses = self._addresses()

        def fetch(requests: list[Request]) -> list[Matrix]:
            places = [(*addresses[b], within) for b, within in requests]
            return list(self.client.gather([self.client.submit(_documents, self.shards[s], i, r) for s, i, r in places]))

        with _readable_failures():
            return collect_documents(self.sizes, rows, fetch)

    def _addresses(self) -> list[tuple[int, int]]:
        """The shard of each block of X, and its position there."""
        address = {b: (s, i) for s, members in enumerate(self.members) for i, b in enumerate(members)}
        return [address[b] for b in range(len(address))]

    def _map(self, function: Callable[..., object], *arguments: Iterable[object]) -> list[Future]:
        """A task for each shard, on its worker, or on another one if that worker is gone."""
        homes = self.client.who_has(self.shards)
        return [
            self.client.submit(function, shard, *each, pure=False, **_near(homes.get(shard.key, ())))
            for shard, *each in zip(self.shards, *arguments, strict=True)
        ]


def _shards_of(homes: list[str], nthreads: dict[str, int]) -> list[list[int]]:
    """The blocks of each worker divided among its threads; shards in the order of their first blocks."""
    held: dict[str, list[int]] = {}
    for block, home in enumerate(homes):
        held.setdefault(home, []).append(block)
    runs = [run.tolist() for home, blocks in held.items() for run in np.array_split(blocks, nthreads.get(home, 1)) if len(run)]
    return sorted(runs)


def _near(homes: Collection[str]) -> Placement:
    """Placement on one of these workers, if there is one: a strict one would wait for ever for a worker that died."""
    return {"workers": list(homes), "allow_other_workers": True} if homes else {}


@contextmanager
def _readable_failures() -> Iterator[None]:
    try:
        yield
    except (KilledWorker, MemoryError) as failure:
        raise MemoryError(
            "a dask worker ran out of memory, or died repeatedly on the same documents: "
            "give X smaller chunks, or each worker more memory"
        ) from failure
    except CancelledError as failure:
        raise RuntimeError(
            "a block of X was lost with its worker and dask cannot load it again: "
            "make X from loaders (dask.delayed, dask.array.from_delayed), not from scattered data"
        ) from failure


# ---- what runs on the workers ----


def _import_sonmf() -> None:
    """A message that makes a worker import us. One that did so only in its first task would lose documents to the others."""


def _shard(blocks: list[Matrix]) -> list[Matrix]:
    return blocks


def _identity(shared: tuple[object, ...]) -> tuple[object, ...]:
    return shared


def _step(blocks: list[Matrix], kernel: Kernel, key: str | None, shared: tuple[object, ...]) -> State:
    states = [None] * len(blocks) if key is None else _states_at(key)
    shared = tuple(
        np.array(s) if isinstance(s, np.ndarray) else s for s in shared
    )  # received arrays lie at unaligned addresses
    with threads.alone():  # the other shards of this worker have the other threads
        if states is None:
            states = [recover(kernel, block, *shared) for block in blocks]
        results = [kernel(block, state, *shared) for block, state in zip(blocks, states, strict=True)]
        return [state for state, _ in results], add_up([sums for _, sums in results])


def _states_at(key: str) -> list[Local] | None:
    """The local states under this key, also if dask gave a busy worker's task to an idle one; None if their worker died."""
    worker = get_worker()
    if key in worker.data:
        return worker.data[key][0]  # type: ignore[no-any-return]
    answer = sync(worker.loop, worker.scheduler.gather, keys=[key])
    return answer["data"][key][0] if answer["status"] == "OK" else None


def _sums(blocks: list[Matrix], state: State) -> Sums:
    return state[1]


def _each(blocks: list[Matrix], function: Callable[..., object], *local: State) -> State:
    return [function(*states) for states in zip(*(of_shard for of_shard, _ in local), strict=True)], ()


def _place(blocks: list[Matrix], parts: list[Array]) -> State:
    return parts, ()


def _part(state: State, place: int) -> Local:
    return state[0][place]


def _documents(blocks: list[Matrix], place: int, rows: NDArray[np.intp]) -> Matrix:
    return blocks[place][rows]
