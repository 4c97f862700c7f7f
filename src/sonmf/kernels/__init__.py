"""What touches X: one pass over a block of documents, whatever the block is made of.

Every kernel has the form ``kernel(X, local, *shared) -> (local', sums)`` that engines run: X is a block of documents,
``local`` the state that stays with the block, and ``sums`` is returned and added up over the blocks.
The functions below only choose the module for the block's type, by the entry of its kind in ``kinds``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType
from typing import Any, TypeAlias, TypeVar

import numpy as np

from sonmf import device_arrays, threads
from sonmf.device_arrays import DeviceArray, Sums
from sonmf.errors import InputError
from sonmf.kernels import kinds
from sonmf.kernels.kinds import by_kind
from sonmf.types import Array, Matrix

Rule: TypeAlias = Callable[[Array, Matrix, Array], Array]
"""How an alternating method moves G: new G from XF, the old G and F'F, for some documents."""

Kernel = TypeVar("Kernel", bound=Callable[..., object])

FLOOR = 0.01  # of the mean of G: multiplicative updates cannot leave an exact zero


def recovers(rule: Callable[..., object]) -> Callable[[Kernel], Kernel]:
    """Give a kernel the rule by which a local state that was lost with its worker is computed again.

    ``rule(block, *shared) -> local`` is the best local state given what the kernel is about to be given.
    """

    def decorate(kernel: Kernel) -> Kernel:
        kernel.recovery = rule  # type: ignore[attr-defined]
        return kernel

    return decorate


def recover(kernel: Any, X: Matrix, *shared: object) -> object:
    """The local state of the block X that ``kernel``, or the kernel of a ``partial``, needs."""
    return getattr(kernel, "func", kernel).recovery(X, *shared)


def _of(X: Matrix) -> ModuleType:
    module: ModuleType = kinds.load(kinds.kernels_for("products", X))
    return module


def check_finite(A: DeviceArray) -> DeviceArray:
    """A, or an InputError if it has left the range of its numbers: NaN and infinity would spread without notice."""
    with np.errstate(over="ignore", invalid="ignore"):
        if not math.isfinite(device_arrays.total(A)) and not bool((A - A == 0).all()):
            raise InputError(f"a result leaves the range of {A.dtype}: scale X first, for instance by X / abs(X).max()")
    return A


def prices(threshold: float, roots: DeviceArray | None) -> float | DeviceArray:
    """The threshold, or a column with that of each document: a document that is multiplied by a root pays by it too."""
    return threshold if roots is None else roots * threshold


def _lost_roots(X: Matrix, *shared: object) -> None:
    raise InputError("a worker was lost, and with it the weights of its documents: fit again")


@recovers(_lost_roots)
def ascent(X: Matrix, roots: DeviceArray | None, F: DeviceArray, threshold: float = 0.0) -> tuple[None, Sums]:
    """G = [XF - threshold]+ ; sums M = X'G and ||G||^2, all that a continuous iteration needs."""
    return None, _of(X).ascent(X, F, prices(threshold, roots))


@recovers(_lost_roots)
def ascent_and_image(
    X: Matrix, roots: DeviceArray | None, F: DeviceArray, B: DeviceArray, threshold: float = 0.0
) -> tuple[DeviceArray, Sums]:
    """Local XB ; the sums of ``ascent`` at F, in the same pass."""
    return project(X, None, B)[0], ascent(X, roots, F, threshold)[1]


def normal(X: Matrix, local: None, F: DeviceArray) -> tuple[None, Sums]:
    """Sum X'(XF), one step of subspace iteration."""
    return None, (_of(X).normal(X, F),)


@recovers(_lost_roots)
def sign_energies(X: Matrix, roots: DeviceArray | None, F: DeviceArray, shift: DeviceArray) -> tuple[None, Sums]:
    """Sums ||[Xf - s]+||^2 and ||[s - Xf]+||^2 for each column f of F and its shift s, times its root for each document."""
    if roots is None:
        return None, _of(X).sign_energies(X, F, shift)
    G = _of(X).product(X, F) - roots * shift
    return None, ((G.clip(min=0) ** 2).sum(0), (G.clip(max=0) ** 2).sum(0))


def column_sums(X: Matrix, local: None) -> tuple[None, Sums]:
    """Sum X'1, in float64."""
    return None, (_of(X).column_sums(X),)


def square(X: Matrix, local: None) -> tuple[None, Sums]:
    """Sum ||X||^2 over the observed entries, in float64, and their number."""
    return None, (_of(X).square(X), float(getattr(X, "entries", X.shape[0] * X.shape[1])))


@by_kind("codes")
def count_observed(X: Matrix, local: None) -> tuple[DeviceArray, Sums]:
    """Local the number of observed entries of each document, as a column ; sum their number for each word."""
    n, p = X.shape
    return np.full((n, 1), p), (np.full(p, float(n)),)


@recovers(_lost_roots)
@by_kind("codes")
def explained(X: Matrix, roots: DeviceArray | None, F: DeviceArray, signed: bool, threshold: float) -> tuple[None, Sums]:
    """Sum ||X||^2 - ||X - GF'||^2 for G = [XF - threshold]+, or for G = XF if ``signed``."""
    if threshold and not signed:
        M, energy = _of(X).ascent(X, F, prices(threshold, roots))
        return None, (2 * device_arrays.total(F * M) - energy,)
    _, (positive, negative) = sign_energies(X, None, F, 0 * F[0])
    return None, (positive.sum() + negative.sum() if signed else positive.sum(),)


@by_kind("codes")
def project(X: Matrix, local: None, F: DeviceArray) -> tuple[DeviceArray, Sums]:
    """Local XF, the signed projection."""
    with np.errstate(over="ignore", invalid="ignore"):
        return check_finite(_of(X).product(X, F)), ()


@recovers(_lost_roots)
@by_kind("codes")
def clip(
    X: Matrix, roots: DeviceArray | None, F: DeviceArray, floor: float = 0.0, threshold: float = 0.0
) -> tuple[DeviceArray, Sums]:
    """Local G = [XF - threshold]+, the paper's eq. (G update); a floor above 0 serves methods that cannot leave zero."""
    G = project(X, None, F)[0]
    if threshold:
        G -= prices(threshold, roots)
    return device_arrays.raise_to(G, floor), ()


@by_kind("codes")
def fill_missing(X: Matrix, F: DeviceArray, threshold: float) -> Matrix:
    """X with GF' in place of missing entries, G as in ``clip``."""
    return X


def _positive_codes(X: Matrix, F: Array) -> Array:
    """Local G: the best G >= 0 for a given F, with exact zeros raised a little."""
    G = solve(X, None, F, device_arrays.gram(F))[0]
    return np.asarray(np.maximum(G, FLOOR * G.mean()))


@recovers(_positive_codes)
@by_kind("alternating", at=1)
def alternate(rule: Rule, X: Matrix, G: Matrix, F: Array) -> tuple[DeviceArray, Sums]:
    """Local G <- rule(XF, G, F'F) ; sums X'G and G'G with the new G: half an iteration of an alternating method."""
    XF, A = _of(X).product(X, F), device_arrays.gram(F)

    def move(rows: slice) -> None:
        XF[rows] = rule(XF[rows], None if G is None else G[rows], A)

    threads.share(move, device_arrays.thread_slices(XF, XF.shape[1]))
    return XF, (_of(X).back(X, XF), device_arrays.gram(XF))


@by_kind("alternating")
def assign(X: Matrix, local: None, C: Array, offset: float) -> tuple[DeviceArray, Sums]:
    """Local G: 1 for the nearest column of C, 0 elsewhere, plus an offset."""
    nearest = np.argmax(_of(X).product(X, C) - np.sum(C**2, axis=0) / 2, axis=1)
    return np.eye(C.shape[1], dtype=C.dtype)[nearest] + C.dtype.type(offset), ()


@by_kind("alternating")
def solve(X: Matrix, local: None, F: Array, A: Array) -> tuple[DeviceArray, Sums]:
    """Local G = argmin over G >= 0 of ||X - GF'||^2 with A = F'F ; sums X'G and G'G."""
    from sonmf.kernels import least_squares

    G = _of(X).product(X, F)
    threads.share(lambda rows: least_squares.nonnegative(G[rows], A), device_arrays.thread_slices(G, G.shape[1]))
    return G, (_of(X).back(X, G), device_arrays.gram(G))
