"""X as a matrix whose rows, columns and entries can be picked at will."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse

from sonmf.kernels import kinds
from sonmf.kernels.structure import sound


def matrix(X: Any, purpose: str) -> Any:
    """A numpy array or a CSR matrix, or a ValueError that names the purpose: data that live elsewhere are not copied here."""
    if kinds.of(X) not in (kinds.DENSE, kinds.CSR):
        library, name = type(X).__module__.partition(".")[0], type(X).__name__
        raise ValueError(f"X is a {library} {name}: {purpose} needs a numpy array or a scipy sparse matrix")
    X = sound(X) if scipy.sparse.issparse(X) else np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "buif":
        raise ValueError(f"X has {X.ndim} dimensions and type {X.dtype}: {purpose} needs a matrix of real numbers")
    if not np.isfinite(X.data if scipy.sparse.issparse(X) else X).all():
        raise ValueError(f"X contains NaN or infinity: fill or remove what is missing before {purpose}")
    return X
