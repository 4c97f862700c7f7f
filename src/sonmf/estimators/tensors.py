"""X as a torch tensor on any device: of floating point numbers, dense or CSR."""

from __future__ import annotations

import warnings
from typing import Any

import torch

from sonmf.estimators.check import Check, Function, a_matrix
from sonmf.kernels.torch import values


class Tensor(Check):
    """Dense and sparse tensors."""

    def checked(self, check: Function, **options: Any) -> Any:
        X = a_matrix(self.X).detach()
        X = X if X.dtype in (torch.float32, torch.float64) else X.to(torch.get_default_dtype())
        X = X if X.layout == torch.strided else _sound(X).to_sparse_csr()
        if not torch.isfinite(values(X)).all():
            raise ValueError("X contains NaN or infinity: remove or fill them first")
        return check(X)

    def ones(self) -> Any:
        stored = values(self.X)
        if ((stored != 0) & (stored != 1)).any():
            raise ValueError("X must contain only 0 and 1: binarise it first, for instance by (X > 0).float()")
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
            return self.X.to_sparse_csr()

    def times_rows(self, factors: Any) -> Any:
        X, factors = self.X, torch.as_tensor(factors, dtype=self.X.dtype, device=self.X.device)
        if X.layout == torch.strided:
            return X * factors
        entries = X.values() * factors[:, 0].repeat_interleave(X.crow_indices().diff())
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
            return torch.sparse_csr_tensor(X.crow_indices(), X.col_indices(), entries, X.shape, check_invariants=False)


def _sound(X: Any) -> Any:
    """The same sparse tensor, after torch has looked where its indices point, which it does only where it is asked to."""
    try:
        if X.layout == torch.sparse_coo:
            return torch.sparse_coo_tensor(X._indices(), X._values(), X.shape, check_invariants=True)
        by_rows = X.layout in (torch.sparse_csr, torch.sparse_bsr)
        indices = (X.crow_indices(), X.col_indices()) if by_rows else (X.ccol_indices(), X.row_indices())
        return torch.sparse_compressed_tensor(*indices, X.values(), X.shape, layout=X.layout, check_invariants=True)
    except RuntimeError as error:
        raise ValueError(
            f"X is no sparse tensor ({str(error).splitlines()[0]}): build it again from its entries, with check_invariants=True"
        ) from error
