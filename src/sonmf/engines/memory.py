"""X in the memory of this process: one block, because the kernels share the work among our threads."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sonmf.device_arrays import Sums
from sonmf.engines import Engine, Kernel, Local, convert_shared
from sonmf.types import Array, Matrix


class MemoryEngine(Engine):
    """The engine for numpy arrays and scipy CSR matrices."""

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
    """The engine for numpy arrays with missing entries."""

    def documents(self, rows: NDArray[np.intp]) -> Matrix:
        return self.X[rows]
