"""What travels between a driver and its blocks: factors out, sums and a few documents home."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

Request = tuple[int, NDArray[np.intp]]
"""The number of a block and the documents wanted from it."""


def outbound(shared: Sequence[Any], dtype: np.dtype[Any]) -> tuple[Any, ...]:
    """Arrays in the dtype of the documents, contiguous; everything else as it is."""
    return tuple(np.ascontiguousarray(s, dtype=dtype) if isinstance(s, np.ndarray) else s for s in shared)


def collected(sizes: Sequence[int], rows: NDArray[np.intp], fetch: Callable[[list[Request]], list[Any]]) -> Any:
    """The named documents in the order named, from blocks of these sizes; ``fetch`` answers a request for each block."""
    first = np.cumsum([0, *sizes])
    block = np.searchsorted(first, rows, side="right") - 1
    order = np.argsort(block, kind="stable")
    parts = fetch([(int(b), rows[block == b] - first[b]) for b in np.unique(block)])
    return stacked(parts)[np.argsort(order)]


def stacked(parts: Sequence[Any]) -> Any:
    """Rows above each other, sparse or dense."""
    return scipy.sparse.vstack(parts, format="csr") if scipy.sparse.issparse(parts[0]) else np.concatenate(parts)
