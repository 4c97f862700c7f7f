"""sigma(mu + GF') in tiles that never leave the chip: product, sigma, gradient product and cost in one Triton kernel.

Two passes, because the new G needs a whole row of SF before S'G_new can begin; evaluating S twice costs less than keeping it.
Both are one kernel, sigma(LR' + bias)V with its row sums, once with documents on the left and once with words.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import Any, NamedTuple

import torch

TOPICS = 128  # the widest F whose tiles stay on the chip
CHUNK = 8192  # documents whose columns one program adds up


class Tiling(NamedTuple):
    """How a kernel is laid out on the chip."""

    left: int = 64
    right: int = 64
    """At most 64: so many factors of 2 stay finite under one logarithm."""
    warps: int = 4
    stages: int = 3
    product: Any = torch.float16
    """What products are taken in; sums are float32. float32 means TF32, which is slower and, as it truncates, less exact.
    A G beyond 65,504, far past any log-odds, would overflow fp16."""


DEFAULT = Tiling()


def fits(G: Any) -> bool:
    """Whether the fused kernel can run: float32 on a GPU, and not too many topics."""
    return bool(G.is_cuda and G.dtype == torch.float32 and G.shape[1] <= TOPICS and _triton())


@cache
def _triton() -> bool:
    return find_spec("triton") is not None  # a CPU build of torch comes without it


def rows(G: Any, F: Any, mu: Any, tiling: Tiling | None = None) -> tuple[Any, Any]:
    """SF, and softplus(theta) summed over each document."""
    SF, softplus = _launch(G, F, F, mu, len(F), True, tiling or DEFAULT)
    return SF[0, :, : G.shape[1]].contiguous(), softplus[0]


def columns(G: Any, F: Any, mu: Any, A: Any, tiling: Tiling | None = None) -> tuple[Any, Any]:
    """S'A and S'1; each chunk of documents leaves its own sums, which are added in one order, so that they repeat."""
    SA, s = _launch(F, G, A, mu, CHUNK, False, tiling or DEFAULT)
    return SA.sum(dim=0)[:, : G.shape[1]].contiguous(), s.sum(dim=0, dtype=torch.float64)


def _launch(L: Any, R: Any, V: Any, bias: Any, chunk: int, by_documents: bool, tiling: Tiling) -> tuple[Any, Any]:
    """Parts of sigma(LR' + bias)V, and of its row sums, over chunks of the rows of R and V."""
    from sonmf.kernels.fused_triton import sigma_product

    m, q, K = len(L), len(R), max(16, 1 << (L.shape[1] - 1).bit_length())
    L, R, V = (_padded(A, K, tiling.product) for A in (L, R, V))
    if tiling.product == torch.float32:
        V = V.T.contiguous().T  # tensor cores take a TF32 factor only with its inner dimension contiguous
    chunks = -(-q // chunk)
    out = torch.empty((chunks, m, K), dtype=torch.float32, device=L.device)
    sums = torch.empty((chunks, m), dtype=torch.float32, device=L.device)
    sigma_product[(-(-m // tiling.left), chunks)](
        L, R, V, bias, out, sums, m, q, V.stride(0), V.stride(1), chunk,
        K=K, M=tiling.left, Q=tiling.right, BY_DOCUMENTS=by_documents, num_warps=tiling.warps, num_stages=tiling.stages,
    )  # fmt: skip
    return out, sums


def _padded(A: Any, width: int, dtype: Any) -> Any:
    return torch.nn.functional.pad(A.to(dtype), (0, width - A.shape[1])).contiguous()
