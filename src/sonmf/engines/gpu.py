"""X as a torch tensor, on a GPU or any other device: documents and G stay there.

F and the sums stay there too if a solver requests it (``near``). Otherwise F is sent, and the sums are returned to memory.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.sparse
import torch
from numpy.typing import NDArray

from sonmf.device_arrays import DeviceArray, Sums, to_numpy
from sonmf.engines import Engine, Kernel, Local
from sonmf.types import Array


class GpuEngine(Engine):
    """The engine for torch tensors: one block, because a device shares the work among its own threads."""

    def __init__(self, X: torch.Tensor) -> None:
        self.X = X.detach()  # an alias of our own: what kernels cache for it ends with this engine
        self.shape: tuple[int, int] = tuple(X.shape)
        self.dtype = torch.empty(0, dtype=X.dtype).numpy().dtype
        self.passes = 0

    def sweep(self, kernel: Kernel, local: Local, *shared: object) -> tuple[Local, Sums]:
        self.passes += 1
        local, sums = kernel(self.X, local, *(self._there(value) for value in shared))
        stay = any(isinstance(value, torch.Tensor) for value in shared)
        return local, tuple(_total(value, stay) for value in sums)

    def each(self, function: Callable[..., object], *local: Local) -> Local:
        return function(*local)

    def near(self, factor: Array) -> torch.Tensor:
        return torch.tensor(factor, dtype=torch.float64, device=self.X.device)

    def place(self, array: Array) -> Local:
        return self._there(array)

    def gather(self, local: Local) -> torch.Tensor:
        return local

    def documents(self, rows: NDArray[np.intp]) -> Array | scipy.sparse.csr_array:
        wanted = torch.as_tensor(rows, device=self.X.device)
        if self.X.layout == torch.strided:
            return self.X[wanted].cpu().numpy()
        indptr = self.X.crow_indices()
        first, lengths = indptr[wanted], indptr[wanted + 1] - indptr[wanted]
        ends = lengths.cumsum(0)
        entries = torch.arange(int(ends[-1]), device=self.X.device) + (first - ends + lengths).repeat_interleave(lengths)
        here = [part.cpu().numpy() for part in (self.X.values()[entries], self.X.col_indices()[entries], ends)]
        parts = here[0], here[1].astype(np.int32), np.append(0, here[2]).astype(np.int32)  # KMeans takes no others
        return scipy.sparse.csr_array(parts, shape=(len(rows), self.shape[1]))

    def _there(self, value: object) -> object:
        if isinstance(value, np.ndarray | torch.Tensor):
            return torch.as_tensor(value, dtype=self.X.dtype, device=self.X.device)
        return value


def _total(value: DeviceArray | float, stay: bool) -> DeviceArray | float:
    """A sum: a matrix in float64, on the device or in memory; a number always in memory."""
    if not isinstance(value, torch.Tensor):
        return value
    if value.ndim == 0:
        return float(value)
    return value.double() if stay else to_numpy(value.double())
