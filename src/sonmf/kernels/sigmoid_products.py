"""sigma(mu + GF') in tiles that never leave the GPU chip: product, sigma, gradient product and cost in one Triton kernel.

There are two passes, because the new G needs a whole row of SF before S'G_new can begin; evaluating S twice costs less than
storing it. Both are the same kernel, sigma(LR' + bias)V with its row sums, once with documents on the left and once with words.
"""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from typing import NamedTuple

import torch

TOPICS = 128  # the widest F whose tiles stay on the chip
CHUNK = 8192  # documents whose columns one program adds up


class Tiling(NamedTuple):
    """How the kernel is laid out on the chip."""

    left: int = 64
    right: int = 64
    """The width of a tile on the right, at most 64: the product of 64 factors of at most 2 is still finite in float32."""
    warps: int = 4
    stages: int = 3
    product: torch.dtype = torch.float16
    """The precision of products; sums are float32. float32 means TF32, which is slower and, because it truncates, less exact.
    A G beyond 65,504, far above any log-odds, would overflow float16."""


DEFAULT = Tiling()


def fits(G: torch.Tensor) -> bool:
    """Whether the kernel can run: float32 on a GPU, and not too many topics."""
    return bool(G.is_cuda and G.dtype == torch.float32 and G.shape[1] <= TOPICS and _triton())


@cache
def _triton() -> bool:
    return find_spec("triton") is not None  # CPU builds of torch come without it


def rows(G: torch.Tensor, F: torch.Tensor, mu: torch.Tensor, tiling: Tiling | None = None) -> tuple[torch.Tensor, torch.Tensor]:
    """SF, and softplus(theta) summed over each document."""
    SF, softplus = _launch(G, F, F, mu, len(F), True, tiling or DEFAULT)
    return SF[0, :, : G.shape[1]].contiguous(), softplus[0]


def columns(
    G: torch.Tensor, F: torch.Tensor, mu: torch.Tensor, A: torch.Tensor, tiling: Tiling | None = None
) -> tuple[torch.Tensor, torch.Tensor]:
    """S'A and S'1; each chunk of documents leaves its own sums, which are added in one order, so that they repeat."""
    SA, s = _launch(F, G, A, mu, CHUNK, False, tiling or DEFAULT)
    return SA.sum(dim=0)[:, : G.shape[1]].contiguous(), s.sum(dim=0, dtype=torch.float64)


def _launch(
    L: torch.Tensor, R: torch.Tensor, V: torch.Tensor, bias: torch.Tensor, chunk: int, by_documents: bool, tiling: Tiling
) -> tuple[torch.Tensor, torch.Tensor]:
    """Parts of sigma(LR' + bias)V, and of its row sums, over chunks of the rows of R and V."""
    from sonmf.kernels.sigmoid_products_triton import sigma_product

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


def _padded(A: torch.Tensor, width: int, dtype: torch.dtype) -> torch.Tensor:
    return torch.nn.functional.pad(A.to(dtype), (0, width - A.shape[1])).contiguous()
