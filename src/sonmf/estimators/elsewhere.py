"""X that scikit-learn does not know: dask arrays and blocks on disk, checked block by block when they are read."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from sklearn.utils import check_array

from sonmf.engines import Blocks, library_of

Check = Callable[[Any], Any]


def lives(X: Any) -> bool:
    """Whether X is of a kind that is checked here."""
    return isinstance(X, Blocks) or library_of(X) == "dask"


def checked(X: Any, check: Check) -> Any:
    """X whose blocks pass scikit-learn's checks and the method's own as they are read."""
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimensions: give a matrix of shape (n_documents, n_words)")
    dtype = np.dtype(np.float32 if X.dtype == np.float32 else np.float64)
    block = partial(_checked_block, check, dtype)
    return X.map(block, dtype) if isinstance(X, Blocks) else _dask(X, block, dtype)


def _dask(X: Any, block: Check, dtype: np.dtype[Any]) -> Any:
    if X.numblocks[1] > 1:
        X = X.rechunk({1: -1})  # a block holds whole documents
    if np.isnan(X.shape[0]):
        X = X.compute_chunk_sizes()
    return X.map_blocks(block, dtype=dtype, meta=np.empty((0, 0), dtype))


def _checked_block(check: Check, dtype: np.dtype[Any], block: Any) -> Any:
    return check(
        check_array(block, accept_sparse="csr", dtype=dtype, order="C", ensure_min_samples=0, input_name="a block of X")
    )
