"""X as a torch tensor, on a GPU or any other device: documents and G stay there.

F and the sums stay there too where a solver says so (``near``); otherwise F travels and the sums come home.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
import torch
from numpy.typing import NDArray

from sonmf.engines.door import Engine, Kernel
from sonmf.tall import home


class GpuEngine(Engine):
    """The engine for torch tensors: one block, since a device shares the work among its own threads."""

    def __init__(self, X: Any) -> None:
        self.X = X.detach()  # an alias of our own: what kernels keep beside it ends with this engine
        self.shape: tuple[int, int] = tuple(X.shape)
        self.dtype: np.dtype[Any] = torch.empty(0, dtype=X.dtype).numpy().dtype
        self.passes = 0

    def sweep(self, kernel: Kernel, local: Any, *shared: Any) -> tuple[Any, tuple[Any, ...]]:
        self.passes += 1
        local, sums = kernel(self.X, local, *(self._there(value) for value in shared))
        stay = any(isinstance(value, torch.Tensor) for value in shared)
        return local, tuple(_total(value, stay) for value in sums)

    def each(self, function: Callable[..., Any], *local: Any) -> Any:
        return function(*local)

    def near(self, factor: Any) -> Any:
        return torch.tensor(factor, dtype=torch.float64, device=self.X.device)

    def place(self, array: Any) -> Any:
        return self._there(array)

    def gather(self, local: Any) -> Any:
        return local

    def documents(self, rows: NDArray[np.intp]) -> Any:
        wanted = torch.as_tensor(rows, device=self.X.device)
        if self.X.layout == torch.strided:
            return self.X[wanted].cpu().numpy()
        indptr = self.X.crow_indices()
        first, lengths = indptr[wanted], indptr[wanted + 1] - indptr[wanted]
        ends = lengths.cumsum(0)
        entries = torch.arange(int(ends[-1]), device=self.X.device) + (first - ends + lengths).repeat_interleave(lengths)
        here = [part.cpu().numpy() for part in (self.X.values()[entries], self.X.col_indices()[entries], ends)]
        parts = here[0], here[1].astype(np.int32), np.append(0, here[2]).astype(np.int32)  # all that KMeans takes
        return scipy.sparse.csr_array(parts, shape=(len(rows), self.shape[1]))

    def _there(self, value: Any) -> Any:
        if isinstance(value, np.ndarray | torch.Tensor):
            return torch.as_tensor(value, dtype=self.X.dtype, device=self.X.device)
        return value


def _total(value: Any, stay: bool) -> Any:
    """A sum: a matrix in float64, there or at home; a number always at home."""
    if not isinstance(value, torch.Tensor):
        return value
    if value.ndim == 0:
        return float(value)
    return value.double() if stay else home(value.double())
