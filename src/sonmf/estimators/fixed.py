"""Topics that are given: unit length, orthogonal to each other."""

from __future__ import annotations

from typing import Any

import numpy as np

from sonmf.stiefel import corrected
from sonmf.types import Array

ORTHOGONAL = 1e-3  # the largest cosine that is taken for rounding: topics of a fit in float32, or printed with a few digits


def orthonormal_rows(components: Any, n_words: int, n_components: int) -> Array:
    """``fixed_components`` with rows of unit length, or a sentence on why they cannot be topics of one model."""
    C = np.atleast_2d(np.asarray(components, np.float64))
    if C.ndim != 2 or C.shape[1] != n_words:
        raise ValueError(f"fixed_components has the shape {C.shape}, but X has {n_words} words: give a row of so many for each")
    if len(C) > n_components:
        raise ValueError(f"fixed_components has {len(C)} topics, but n_components={n_components} counts them too: raise it")
    length = np.linalg.norm(C, axis=1)
    if not (np.isfinite(C).all() and length.all()):
        raise ValueError("fixed_components must be finite and have no row of zeros")
    C = C / length[:, None]
    cosines = np.abs(np.tril(C @ C.T, -1))
    if (worst := cosines.max(initial=0.0)) > ORTHOGONAL:
        i, j = (int(at) for at in np.unravel_index(cosines.argmax(), cosines.shape))
        raise ValueError(
            f"fixed_components {j} and {i} are not orthogonal (cosine {worst:.2g}), and topics are: "
            "give np.linalg.qr(fixed_components.T)[0].T, or leave one of them out"
        )
    return np.asarray(corrected(C.T).T)
