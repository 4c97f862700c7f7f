"""X in this process's memory: a block of documents for each thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sonmf import kernels, threads
from sonmf.engines import exchange
from sonmf.engines.door import Engine, Kernel


class MemoryEngine(Engine):
    """The engine for numpy arrays and scipy CSR matrices; sums are added in the order of the blocks, so they repeat."""

    def __init__(self, X: Any) -> None:
        self.X = X
        self.shape: tuple[int, int] = X.shape
        self.dtype: np.dtype[Any] = X.dtype
        self.passes = 0
        self.blocks = kernels.split(X, threads.count())

    def sweep(self, kernel: Kernel, local: Any, *shared: Any) -> tuple[Any, tuple[Any, ...]]:
        self.passes += 1
        shared = exchange.outbound(shared, self.dtype)
        locals_ = [None] * len(self.blocks) if local is None else local
        results = threads.run(lambda block, state: kernel(block, state, *shared), self.blocks, locals_)
        return [state for state, _ in results], exchange.added([sums for _, sums in results])

    def each(self, function: Callable[..., Any], *local: Any) -> Any:
        return threads.run(function, *local)

    def place(self, array: Any) -> Any:
        bounds = np.cumsum([block.shape[0] for block in self.blocks])[:-1]
        return np.split(array, bounds)

    def gather(self, local: Any) -> Any:
        return local[0] if len(local) == 1 else np.concatenate(local)

    def documents(self, rows: NDArray[np.intp]) -> Any:
        return self.X if len(rows) == self.shape[0] else self.X[rows]
