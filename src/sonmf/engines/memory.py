"""X in this process's memory: one block, since the kernels share the work among our threads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sonmf.engines import exchange
from sonmf.engines.door import Engine, Kernel


class MemoryEngine(Engine):
    """The engine for numpy arrays and scipy CSR matrices."""

    def __init__(self, X: Any) -> None:
        self.X = X
        self.shape: tuple[int, int] = X.shape
        self.dtype: np.dtype[Any] = X.dtype
        self.passes = 0

    def sweep(self, kernel: Kernel, local: Any, *shared: Any) -> tuple[Any, tuple[Any, ...]]:
        self.passes += 1
        return kernel(self.X, local, *exchange.outbound(shared, self.dtype))

    def each(self, function: Callable[..., Any], *local: Any) -> Any:
        return function(*local)

    def place(self, array: Any) -> Any:
        return array

    def gather(self, local: Any) -> Any:
        return local

    def documents(self, rows: NDArray[np.intp]) -> Any:
        return self.X if len(rows) == self.shape[0] else self.X[rows]


class IncompleteEngine(MemoryEngine):
    """The engine for numpy arrays with missing entries."""

    def documents(self, rows: NDArray[np.intp]) -> Any:
        return self.X[rows]
