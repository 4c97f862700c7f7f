"""X as a torch tensor on any device: of floating point numbers, dense or CSR."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import torch

from sonmf.errors import InputError
from sonmf.estimators.matrix_inputs import Check, Input, require_matrix
from sonmf.kernels.torch import values
from sonmf.types import Array


class TensorInput(Input):
    """Dense and sparse tensors."""

    def checked(self, check: Check, **options: object) -> Input:
        X = require_matrix(self.X).detach()
        X = X if X.dtype in (torch.float32, torch.float64) else X.to(torch.get_default_dtype())
        X = X if X.layout == torch.strided else _check_indices(X).to_sparse_csr()
        if not torch.isfinite(values(X)).all():
            raise InputError("X contains NaN or infinity: remove or fill them first")
        return check(self._with(X))

    def ones(self) -> Input:
        stored = values(self.X)
        if ((stored != 0) & (stored != 1)).any():
            raise InputError("X must contain only 0 and 1: binarise it first, for instance by (X > 0).float()")
        with _csr_may_be_beta():
            return self._with(self.X.to_sparse_csr())

    def times_rows(self, factors: Array) -> Input:
        X, roots = self.X, torch.as_tensor(factors, dtype=self.X.dtype, device=self.X.device)
        if X.layout == torch.strided:
            return self._with(X * roots)
        entries = X.values() * roots[:, 0].repeat_interleave(X.crow_indices().diff())
        with _csr_may_be_beta():
            X = torch.sparse_csr_tensor(X.crow_indices(), X.col_indices(), entries, X.shape, check_invariants=False)
        return self._with(X)


@contextmanager
def _csr_may_be_beta() -> Iterator[None]:
    """torch warns that its CSR tensors are in beta. The user has chosen them."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sparse CSR tensor support is in beta")
        yield


def _check_indices(X: torch.Tensor) -> torch.Tensor:
    """The same sparse tensor, after torch has checked that its indices point into it. torch checks only on request."""
    try:
        if X.layout == torch.sparse_coo:
            return torch.sparse_coo_tensor(X._indices(), X._values(), X.shape, check_invariants=True)
        by_rows = X.layout in (torch.sparse_csr, torch.sparse_bsr)
        indices = (X.crow_indices(), X.col_indices()) if by_rows else (X.ccol_indices(), X.row_indices())
        return torch.sparse_compressed_tensor(*indices, X.values(), X.shape, layout=X.layout, check_invariants=True)
    except RuntimeError as error:
        raise InputError(
            f"X is not a valid sparse tensor ({str(error).splitlines()[0]}): "
            "build it again from its entries, with check_invariants=True"
        ) from error
