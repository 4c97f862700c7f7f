"""Where the blocks of documents live: the one interface between mathematics and machinery.

``engine_for(X)`` chooses the engine from the kind of X. Factors go out to the blocks; sums and a few documents come back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from sonmf.device_arrays import DeviceArray, Sums
from sonmf.engines.blocks import Blocks, blocks_of_dask
from sonmf.kernels import kinds
from sonmf.types import Array, Matrix

__all__ = ["Blocks", "Engine", "Kernel", "Local", "engine_for"]

Local: TypeAlias = Any
"""The local states of all blocks. Only their engine looks into it; all others pass it on."""

Kernel: TypeAlias = Callable[..., tuple[Local, Sums]]
"""A pure function ``kernel(block, local, *shared) -> (local', sums)`` of one block of documents."""

Request: TypeAlias = tuple[int, NDArray[np.intp]]
"""The number of a block and the documents wanted from it."""


class Engine(Protocol):
    """Blocks of documents, wherever they are, and the way to run a kernel over all of them."""

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    passes: int
    """How often X has been read from end to end."""

    def sweep(self, kernel: Kernel, local: Local, *shared: object) -> tuple[Local, Sums]:
        """Run the kernel on every block; return the new local states and the sums added up over the blocks."""
        ...

    def each(self, function: Callable[..., object], *local: Local) -> Local:
        """New local states from old ones, block by block, without reading X."""
        ...

    def near(self, factor: Array) -> DeviceArray:
        """A factor where steps on it are best taken, in memory by default. A sweep leaves its sums where its factors are."""
        return factor

    def place(self, array: Array) -> Local:
        """Local states from one array with a row for each document."""
        ...

    def gather(self, local: Local) -> Matrix:
        """One array, documents in order, from the local states of all blocks."""
        ...

    def documents(self, rows: NDArray[np.intp]) -> Matrix:
        """The documents with these numbers, in memory."""
        ...


def engine_for(X: Matrix) -> Engine:
    """The engine that runs kernels where X lives."""
    engine: Engine = kinds.load(kinds.of(X).engine)(X)
    return engine


def dask_engine(X: Matrix) -> Engine:
    """The cluster if a client is active; otherwise the blocks are computed in this process, one after another."""
    try:
        from distributed import get_client

        get_client()
    except (ImportError, ValueError):
        return engine_for(blocks_of_dask(X))
    from sonmf.engines.dask import DaskEngine

    return DaskEngine(X)


class MemoryEngine(Engine):
    """X in the memory of this process: one block, because the kernels share the work among our threads."""

    def __init__(self, X: Matrix) -> None:
        self.X = X
        self.shape: tuple[int, int] = X.shape
        self.dtype = X.dtype
        self.passes = 0

    def sweep(self, kernel: Kernel, local: Local, *shared: object) -> tuple[Local, Sums]:
        self.passes += 1
        return kernel(self.X, local, *convert_shared(shared, self.dtype))

    def each(self, function: Callable[..., object], *local: Local) -> Local:
        return function(*local)

    def place(self, array: Array) -> Local:
        return array

    def gather(self, local: Local) -> Matrix:
        return local

    def documents(self, rows: NDArray[np.intp]) -> Matrix:
        return self.X if len(rows) == self.shape[0] else self.X[rows]


class IncompleteEngine(MemoryEngine):
    """The engine for documents with missing entries, or with weights."""

    def documents(self, rows: NDArray[np.intp]) -> Matrix:
        return self.X[rows]


# ---- what the engines share ----


def convert_shared(shared: Sequence[object], dtype: np.dtype[Any]) -> tuple[object, ...]:
    """Arrays in the dtype of the documents, contiguous; everything else as it is."""
    return tuple(np.ascontiguousarray(s, dtype=dtype) if isinstance(s, np.ndarray) else s for s in shared)


def collect_documents(
    sizes: Sequence[int], rows: NDArray[np.intp], fetch: Callable[[list[Request]], Sequence[Matrix]]
) -> Matrix:
    """The documents in the order of ``rows``, from blocks of these sizes; ``fetch`` answers a request for each block."""
    first = np.cumsum([0, *sizes])
    block = np.searchsorted(first, rows, side="right") - 1
    order = np.argsort(block, kind="stable")
    parts = fetch([(int(b), rows[block == b] - first[b]) for b in np.unique(block)])
    sparse = scipy.sparse.issparse(parts[0])
    stacked = scipy.sparse.vstack(parts, format="csr") if sparse else np.concatenate(parts)
    return stacked[np.argsort(order)]
