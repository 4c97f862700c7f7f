"""X as a torch tensor, on a GPU or any other device: documents and G stay there, F travels, sums come home."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
import torch
from numpy.typing import NDArray

from sonmf.engines.door import Kernel


class GpuEngine:
    """The engine for torch tensors: one block, since a device shares the work among its own threads."""

    def __init__(self, X: Any) -> None:
        self.X = X.detach()  # an alias of our own: what kernels keep beside it ends with this engine
        self.shape: tuple[int, int] = tuple(X.shape)
        self.dtype: np.dtype[Any] = torch.empty(0, dtype=X.dtype).numpy().dtype
        self.passes = 0

    def sweep(self, kernel: Kernel, local: Any, *shared: Any) -> tuple[Any, tuple[Any, ...]]:
        self.passes += 1
        local, sums = kernel(self.X, local, *(self._there(value) for value in shared))
        return local, tuple(_home(value) for value in sums)

    def each(self, function: Callable[..., Any], *local: Any) -> Any:
        return function(*local)

    def place(self, array: Any) -> Any:
        return self._there(array)

    def gather(self, local: Any) -> Any:
        return local

    def documents(self, rows: NDArray[np.intp]) -> Any:
        if self.X.layout == torch.strided:
            return self.X[torch.as_tensor(rows, device=self.X.device)].cpu().numpy()
        parts = (part.cpu().numpy() for part in (self.X.values(), self.X.col_indices(), self.X.crow_indices()))
        home = scipy.sparse.csr_array(tuple(parts), shape=self.shape)[rows]
        home.indices, home.indptr = home.indices.astype(np.int32), home.indptr.astype(np.int32)  # all that KMeans takes
        return home

    def _there(self, value: Any) -> Any:
        return torch.tensor(value, dtype=self.X.dtype, device=self.X.device) if isinstance(value, np.ndarray) else value


def _home(value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    return float(value) if value.ndim == 0 else value.to(torch.float64).cpu().numpy()
