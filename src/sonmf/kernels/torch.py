"""Kernels for a torch block, dense or sparse CSR, on any device."""

from __future__ import annotations

import weakref
from collections.abc import Callable

import torch

_KNOWN: dict[tuple[str, int], torch.Tensor] = {}
"""What every iteration needs of an X, by its name and the id of X, as long as that X lives."""


def _remembered(compute: Callable[[torch.Tensor], torch.Tensor], X: torch.Tensor) -> torch.Tensor:
    """compute(X), once for each X."""
    key = compute.__name__, id(X)
    if key not in _KNOWN:
        _KNOWN[key] = compute(X)
        weakref.finalize(X, _KNOWN.pop, key, None)
    return _KNOWN[key]


def ascent(X: torch.Tensor, F: torch.Tensor, threshold: float | torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    G = product(X, F).sub_(threshold).clamp_(min=0)
    return back(X, G), energies(G).sum()


def normal(X: torch.Tensor, F: torch.Tensor) -> torch.Tensor:
    return back(X, product(X, F))


def sign_energies(X: torch.Tensor, F: torch.Tensor, shift: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    G = product(X, F) - shift
    return energies(G.clamp(min=0)), energies(G.clamp(max=0))


def square(X: torch.Tensor) -> torch.Tensor:
    return torch.linalg.vector_norm(values(X), dtype=torch.float64) ** 2  # the square may exceed float32


def column_sums(X: torch.Tensor) -> torch.Tensor:
    return _remembered(_column_sums, X)


def _column_sums(X: torch.Tensor) -> torch.Tensor:
    if X.layout == torch.strided:
        return X.sum(dim=0, dtype=torch.float64)
    entries = X.values().to(torch.float64)
    return torch.zeros(X.shape[1], dtype=torch.float64, device=X.device).index_add_(0, X.col_indices(), entries)


def product(X: torch.Tensor, F: torch.Tensor) -> torch.Tensor:
    return X @ F


def back(X: torch.Tensor, G: torch.Tensor) -> torch.Tensor:
    return transposed(X) @ G


def energies(G: torch.Tensor) -> torch.Tensor:
    """The sum of squares of each column, in float64."""
    return torch.sum(G * G, dim=0, dtype=torch.float64)


def values(X: torch.Tensor) -> torch.Tensor:
    """The stored entries."""
    return X if X.layout == torch.strided else X.values()


def transposed(X: torch.Tensor) -> torch.Tensor:
    """X'; of a sparse X a copy by columns is kept as long as X lives, because a product with it is a gather, not a scatter."""
    if X.layout == torch.strided:
        return X.T
    return _remembered(_transposed_csr, X)


def _transposed_csr(X: torch.Tensor) -> torch.Tensor:
    return X.transpose(0, 1).to_sparse_csr()
