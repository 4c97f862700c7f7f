"""What touches X: one pass over a block of documents, whatever the block is made of.

Every kernel has the form ``kernel(X, local, *shared) -> (local', sums)`` of the one door (see ``engines``): X is a block
of documents, ``local`` the state that stays with the block, ``sums`` what comes home and is added up over the blocks.
The functions below only choose the module that knows the block's type; this is the one place that looks at types.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
import scipy.sparse

Sums = tuple[Any, ...]


def _of(X: Any) -> ModuleType:
    if isinstance(X, np.ndarray):
        from sonmf.kernels import dense

        return dense
    if scipy.sparse.issparse(X) and X.format == "csr":
        from sonmf.kernels import csr

        return csr
    raise TypeError(f"no kernels for a block of type {type(X).__name__}: give a numpy array or a scipy CSR matrix")


def ascent(X: Any, local: None, F: Any) -> tuple[None, Sums]:
    """G = [XF]+ ; sums M = X'G and ||G||^2, all that a continuous iteration needs."""
    return None, _of(X).ascent(X, F)


def normal(X: Any, local: None, F: Any) -> tuple[None, Sums]:
    """Sum X'(XF): one step of subspace iteration."""
    return None, (_of(X).normal(X, F),)


def sign_energies(X: Any, local: None, F: Any) -> tuple[None, Sums]:
    """Sums ||[Xf]+||^2 and ||[-Xf]+||^2 for each column f of F."""
    return None, _of(X).sign_energies(X, F)


def square(X: Any, local: None) -> tuple[None, Sums]:
    """Sum ||X||^2, in float64."""
    return None, (_of(X).square(X),)


def project(X: Any, local: None, F: Any) -> tuple[Any, Sums]:
    """Local XF, the signed projection."""
    return _of(X).project(X, F), ()


def clip(X: Any, local: None, F: Any) -> tuple[Any, Sums]:
    """Local G = [XF]+, the paper's eq. (G update)."""
    G = _of(X).project(X, F)
    return np.maximum(G, 0, out=G), ()


def split(X: Any, pieces: int) -> list[Any]:
    """At most ``pieces`` blocks of documents worth a thread each."""
    blocks: list[Any] = _of(X).split(X, pieces)
    return blocks
