"""What touches X: one pass over a block of documents, whatever the block is made of.

Every kernel has the form ``kernel(X, local, *shared) -> (local', sums)`` of the one door (see ``engines``): X is a block
of documents, ``local`` the state that stays with the block, ``sums`` what comes home and is added up over the blocks.
The functions below only choose the module that knows the block's type, by the entry of its kind in ``kinds``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sonmf import tall, threads
from sonmf.kernels import kinds
from sonmf.kernels.kinds import by_kind
from sonmf.kernels.recovery import recovers

Sums = tuple[Any, ...]

FLOOR = 0.01  # of the mean of G: a method of multiplicative updates cannot leave an exact zero


def _of(X: Any) -> Any:
    return kinds.load(kinds.kernels_for("products", X))


def finite(A: Any) -> Any:
    """A, unless a result has left the range of its numbers: NaN and infinity would go on in silence."""
    with np.errstate(over="ignore", invalid="ignore"):
        if not math.isfinite(tall.total(A)) and not bool((A - A == 0).all()):
            raise ValueError(f"a result leaves the range of {A.dtype}: scale X first, for instance by X / abs(X).max()")
    return A


def ascent(X: Any, local: None, F: Any, threshold: float = 0.0) -> tuple[None, Sums]:
    """G = [XF - threshold]+ ; sums M = X'G and ||G||^2, all that a continuous iteration needs."""
    return None, _of(X).ascent(X, F, threshold)


def normal(X: Any, local: None, F: Any) -> tuple[None, Sums]:
    """Sum X'(XF): one step of subspace iteration."""
    return None, (_of(X).normal(X, F),)


def sign_energies(X: Any, local: None, F: Any, shift: Any) -> tuple[None, Sums]:
    """Sums ||[Xf - s]+||^2 and ||[s - Xf]+||^2 for each column f of F and its shift s."""
    return None, _of(X).sign_energies(X, F, shift)


def column_sums(X: Any, local: None) -> tuple[None, Sums]:
    """Sum X'1, in float64."""
    return None, (_of(X).column_sums(X),)


def square(X: Any, local: None) -> tuple[None, Sums]:
    """Sum ||X||^2, in float64, over what was observed, and how many entries that are."""
    return None, (_of(X).square(X), float(getattr(X, "entries", X.shape[0] * X.shape[1])))


@by_kind("codes")
def observed(X: Any, local: None) -> tuple[Any, Sums]:
    """Local how many entries of each document are there, as a column ; sum how many of each word."""
    n, p = X.shape
    return np.full((n, 1), p), (np.full(p, float(n)),)


@by_kind("codes")
def explained(X: Any, local: None, F: Any, signed: bool, threshold: float) -> tuple[None, Sums]:
    """Sum ||X||^2 - ||X - GF'||^2 for G = [XF - threshold]+, or where ``signed`` G = XF."""
    if threshold and not signed:
        M, energy = _of(X).ascent(X, F, threshold)
        return None, (2 * tall.total(F * M) - energy,)
    _, (positive, negative) = sign_energies(X, None, F, 0 * F[0])
    return None, (positive.sum() + negative.sum() if signed else positive.sum(),)


@by_kind("codes")
def project(X: Any, local: None, F: Any) -> tuple[Any, Sums]:
    """Local XF, the signed projection."""
    with np.errstate(over="ignore", invalid="ignore"):
        return finite(_of(X).project(X, F)), ()


@by_kind("codes")
def clip(X: Any, local: None, F: Any, floor: float = 0.0, threshold: float = 0.0) -> tuple[Any, Sums]:
    """Local G = [XF - threshold]+, the paper's eq. (G update); a floor above 0 protects methods that cannot leave zero."""
    G = project(X, None, F)[0]
    if threshold:
        G -= threshold
    return tall.lifted(G, floor), ()


@by_kind("codes")
def completed(X: Any, F: Any) -> Any:
    """X, with GF' for what is missing."""
    return X


def _lifted(X: Any, F: Any) -> Any:
    """The best G >= 0 given F, away from zero."""
    G = solve(X, None, F, tall.gram(F))[0]
    return np.maximum(G, FLOOR * G.mean())


@recovers(_lifted)
@by_kind("alternating", at=1)
def alternate(rule: Callable[[Any, Any, Any], Any], X: Any, G: Any, F: Any) -> tuple[Any, Sums]:
    """Local G <- rule(XF, G, F'F) ; sums X'G and G'G with the new G: half an iteration of an alternating method."""
    XF, A = _of(X).project(X, F), tall.gram(F)

    def move(rows: slice) -> None:
        XF[rows] = rule(XF[rows], None if G is None else G[rows], A)

    threads.share(move, tall.parts_of(XF, XF.shape[1]))
    return XF, (_of(X).back(X, XF), tall.gram(XF))


@by_kind("alternating")
def assign(X: Any, local: None, C: Any, offset: float) -> tuple[Any, Sums]:
    """Local G: 1 for the nearest column of C, 0 elsewhere, plus an offset."""
    nearest = np.argmax(_of(X).project(X, C) - np.sum(C**2, axis=0) / 2, axis=1)
    return np.eye(C.shape[1], dtype=C.dtype)[nearest] + C.dtype.type(offset), ()


@by_kind("alternating")
def solve(X: Any, local: None, F: Any, A: Any) -> tuple[Any, Sums]:
    """Local G = argmin over G >= 0 of ||X - GF'||^2 with A = F'F ; sums X'G and G'G."""
    from sonmf.kernels import least_squares

    G = _of(X).project(X, F)
    threads.share(lambda rows: least_squares.nonnegative(G[rows], A), tall.parts_of(G, G.shape[1]))
    return G, (_of(X).back(X, G), tall.gram(G))
