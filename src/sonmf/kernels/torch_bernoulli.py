"""Kernels for 0/1 data in a torch CSR block. X enters only by sparse products, and sigma(theta) only by sums over it:

    DF = XF - SF,    D'G = X'G - S'G,    cost = sum softplus(theta) - <XF, G> - mu'X'1    with S = sigma(theta).

So no matrix of size n x p exists: S is evaluated in tiles of documents, or by ``sigmoid_products`` on a GPU.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch

from sonmf import kernels
from sonmf.device_arrays import Sums
from sonmf.kernels import sigmoid_products
from sonmf.kernels.bernoulli import SOLVE_ITERATIONS, SOLVE_TOLERANCE, Codes
from sonmf.kernels.torch import back, column_sums, energies, product

TILE_BYTES = 2**26


def evaluate(X: torch.Tensor, G: torch.Tensor, F: torch.Tensor, mu: torch.Tensor) -> tuple[torch.Tensor, Sums]:
    _, softplus = rows(G, F, mu)
    return G, (_cost(X, product(X, F), G, mu, softplus), energies(G).sum())


def gradients(X: torch.Tensor, G: torch.Tensor, F: torch.Tensor, mu: torch.Tensor) -> tuple[torch.Tensor, Sums]:
    _, softplus = rows(G, F, mu)
    SG, s = columns(G, F, mu, G)
    return G, (_cost(X, product(X, F), G, mu, softplus), back(X, G) - SG, column_sums(X) - s)


def count(X: torch.Tensor, local: None) -> tuple[None, Sums]:
    ones = column_sums(X)
    return None, (ones, torch.full_like(ones, len(X)), float(len(X)), 0.0)


def project(
    X: torch.Tensor, local: None, F: torch.Tensor, mu: torch.Tensor, alpha: float, curvature: float
) -> tuple[torch.Tensor, Sums]:
    return kernels.project(X, None, F)


def newton(
    X: torch.Tensor, G: torch.Tensor, F: torch.Tensor, mu: torch.Tensor, eta: float, alpha: float
) -> tuple[torch.Tensor, Sums]:
    D1, D2 = 2 * alpha * G - product(X, F), torch.empty_like(G)
    for tile, S, _ in _tiles(G, F, mu):
        D1[tile] += S @ F
        D2[tile] = (S - S * S) @ F**2 + 2 * alpha
    return (G - eta * D1 / D2.clamp_(min=1e-10)).clamp_(min=0), ()


def start_codes(X: torch.Tensor, local: None, F: torch.Tensor, shift: torch.Tensor) -> tuple[torch.Tensor, Sums]:
    return (product(X, F) - shift).clamp_(min=0), ()


def majorise(X: torch.Tensor, local: Codes, F: torch.Tensor, mu: torch.Tensor, beta: float, alpha: float) -> tuple[Codes, Sums]:
    image, previous = local.image, local.previous
    G: torch.Tensor = image if beta == 0 else torch.add(image, image - previous, alpha=beta).clamp_(min=0)
    XF, (SF, softplus) = product(X, F), rows(G, F, mu)
    new = torch.add(G, SF.neg_().add_(XF), alpha=4).clamp_(min=0).div_(1 + 8 * alpha)
    SG, s = columns(G, F, mu, new)
    cost = _cost(X, XF, G, mu, softplus)
    d, (g, g_new) = column_sums(X) - s, (A.sum(dim=0, dtype=torch.float64) for A in (G, new))
    return Codes(G, new, image), (cost, 0.0, energies(G).sum(), back(X, new) - SG, d, G.T @ new, g, g_new)


def solve(
    X: torch.Tensor, G: torch.Tensor | None, F: torch.Tensor, mu: torch.Tensor, alpha: float, floor: float, curvature: float
) -> tuple[torch.Tensor, Sums]:
    """The kernel of the CPU for all documents at once, because XF is the same in every iteration."""
    XF = product(X, F)
    G = torch.zeros_like(XF) if G is None else G
    step = 1 / max(curvature / 4 + 2 * alpha, 1e-12)
    Y, age = G, torch.zeros_like(G[:, :1])
    for _ in range(SOLVE_ITERATIONS):
        new = (Y + step * (XF - rows(Y, F, mu)[0] - 2 * alpha * Y)).clamp_(min=floor)
        move = new - G
        uphill = ((Y - new) * move).sum(dim=1, keepdim=True) > 0
        age = torch.where(uphill, 0, age + 1)
        Y, G = new + age / (age + 3) * move, new
        if float(move.abs().amax()) <= SOLVE_TOLERANCE * max(1.0, float(G.abs().amax())):
            break
    return G, evaluate(X, G, F, mu)[1]


def ascend(X: torch.Tensor, G: torch.Tensor, F: torch.Tensor, eta: float) -> tuple[torch.Tensor, Sums]:
    nothing = torch.zeros_like(F[:, 0])
    XF, (SF, softplus) = product(X, F), rows(G, F, nothing)
    new = torch.add(G, XF - SF, alpha=eta)
    _, (_, DG, _) = gradients(X, new, F, nothing)
    return new, (_cost(X, XF, G, nothing, softplus), DG)


def sigmoid(theta: torch.Tensor) -> torch.Tensor:
    return torch.sigmoid(theta)


def rows(G: torch.Tensor, F: torch.Tensor, mu: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """SF, and softplus(theta) summed over each document."""
    if sigmoid_products.fits(G):
        return sigmoid_products.rows(G, F, mu)
    SF, softplus = torch.empty_like(G), torch.empty_like(G[:, 0])
    for tile, S, theta in _tiles(G, F, mu):
        SF[tile] = S @ F
        softplus[tile] = torch.nn.functional.softplus(theta).sum(dim=1)
    return SF, softplus


def columns(G: torch.Tensor, F: torch.Tensor, mu: torch.Tensor, A: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """S'A for a matrix A with a row for each document, and S'1."""
    if sigmoid_products.fits(G):
        return sigmoid_products.columns(G, F, mu, A)
    SA, s = torch.zeros_like(F), torch.zeros(len(F), dtype=torch.float64, device=F.device)
    for tile, S, _ in _tiles(G, F, mu):
        SA += S.T @ A[tile]
        s += S.sum(dim=0, dtype=torch.float64)
    return SA, s


def _cost(X: torch.Tensor, XF: torch.Tensor, G: torch.Tensor, mu: torch.Tensor, softplus: torch.Tensor) -> torch.Tensor:
    explained = torch.sum(XF * G, dtype=torch.float64) + column_sums(X) @ mu.to(torch.float64)
    return softplus.sum(dtype=torch.float64) - explained


def _tiles(G: torch.Tensor, F: torch.Tensor, mu: torch.Tensor) -> Iterator[tuple[slice, torch.Tensor, torch.Tensor]]:
    """A few documents at a time, with their S and theta."""
    height = max(8, TILE_BYTES // (len(F) * F.element_size()))
    for start in range(0, len(G), height):
        tile = slice(start, start + height)
        theta = torch.addmm(mu, G[tile], F.T)
        yield tile, torch.sigmoid(theta), theta
