"""The local state of a block that lost it with its worker: G solved again from the shared factors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from sonmf import kernels
from sonmf.kernels import bernoulli

FLOOR = 0.01  # of the mean of G: a method of multiplicative updates cannot leave an exact zero


def recovered(kernel: Any, X: Any, F: Any, *shared: Any) -> Any:
    """What ``kernel`` needs as the local state of the block X: the best G given what the kernel is about to be given."""
    return _RULES[getattr(kernel, "func", kernel)](X, F, *shared)


def _least_squares(X: Any, F: Any) -> Any:
    G = kernels.solve(X, None, F, F.T @ F)[0]
    return np.maximum(G, FLOOR * G.mean())


def _bernoulli(X: Any, F: Any, mu: Any, alpha: float = 0.0, floor: float = 0.0) -> Any:
    return bernoulli.solve(X, None, F, mu, alpha, floor, float(np.linalg.norm(F, 2) ** 2))[0]


def _codes(X: Any, F: Any, mu: Any, beta: float, alpha: float) -> bernoulli.Codes:
    G = _bernoulli(X, F, mu, alpha)
    return bernoulli.Codes(G, G, G)


_RULES: dict[Any, Callable[..., Any]] = {
    kernels.alternate: _least_squares,
    bernoulli.majorise: _codes,
    bernoulli.newton: lambda X, F, mu, eta, alpha: _bernoulli(X, F, mu, alpha),
    bernoulli.gradients: _bernoulli,
    bernoulli.evaluate: _bernoulli,
    bernoulli.ascend: lambda X, F, eta: _bernoulli(X, F, np.zeros(len(F), F.dtype), floor=-np.inf),
    bernoulli.solve: lambda X, *shared: None,
}
