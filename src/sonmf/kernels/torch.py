"""Kernels for a torch block, dense or sparse CSR, on any device."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils.weak import WeakIdKeyDictionary

_TRANSPOSED = WeakIdKeyDictionary()
_COLUMN_SUMS = WeakIdKeyDictionary()


def ascent(X: Any, F: Any, threshold: float) -> tuple[Any, Any]:
    G = project(X, F).sub_(threshold).clamp_(min=0)
    return back(X, G), energies(G).sum()


def normal(X: Any, F: Any) -> Any:
    return back(X, project(X, F))


def sign_energies(X: Any, F: Any, shift: Any) -> tuple[Any, Any]:
    G = project(X, F) - shift
    return energies(G.clamp(min=0)), energies(G.clamp(max=0))


def square(X: Any) -> Any:
    return torch.linalg.vector_norm(values(X), dtype=torch.float64) ** 2  # the square of a float32 may not be one


def column_sums(X: Any) -> Any:
    if X not in _COLUMN_SUMS:  # every iteration asks for them
        _COLUMN_SUMS[X] = _column_sums(X)
    return _COLUMN_SUMS[X]


def _column_sums(X: Any) -> Any:
    if X.layout == torch.strided:
        return X.sum(dim=0, dtype=torch.float64)
    entries = X.values().to(torch.float64)
    return torch.zeros(X.shape[1], dtype=torch.float64, device=X.device).index_add_(0, X.col_indices(), entries)


def project(X: Any, F: Any) -> Any:
    return X @ F


def back(X: Any, G: Any) -> Any:
    return transposed(X) @ G


def energies(G: Any) -> Any:
    """The sum of squares of each column, in float64."""
    return torch.sum(G * G, dim=0, dtype=torch.float64)


def values(X: Any) -> Any:
    """The stored entries."""
    return X if X.layout == torch.strided else X.values()


def transposed(X: Any) -> Any:
    """X'; of a sparse X a copy by columns is kept as long as X, because a product with it is a gather, not a scatter."""
    if X.layout == torch.strided:
        return X.T
    if X not in _TRANSPOSED:
        _TRANSPOSED[X] = X.transpose(0, 1).to_sparse_csr()
    return _TRANSPOSED[X]
