"""X in blocks, on disk or in dask: each is checked when it is read, like an X in memory."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from sonmf.engines.blocks import of_shape
from sonmf.estimators.arrays import Dense
from sonmf.estimators.check import Check, Function, a_matrix


class OnDisk(Check):
    """Blocks that are read whenever a pass needs them."""

    def checked(self, check: Function, **options: Any) -> Any:
        dtype = np.dtype(np.float32 if self.X.dtype == np.float32 else np.float64)
        finite = options.get("ensure_all_finite", True)
        return self.each(partial(_checked, check, dtype, finite), dtype, self.X.shape[1])

    def each(self, function: Function, dtype: Any, n_words: int, beside: Any = None) -> Any:
        return self.X.map(function, dtype, n_words, beside)


class Dask(OnDisk):
    """Dask arrays, and dataframes with a column for each word; a block holds whole documents."""

    def __init__(self, X: Any) -> None:
        X = a_matrix(X.to_dask_array() if hasattr(X, "to_dask_array") else X)
        X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
        super().__init__(X.compute_chunk_sizes() if np.isnan(X.shape[0]) else X)

    def each(self, function: Function, dtype: Any, n_words: int, beside: Any = None) -> Any:
        whole, chunks = partial(_announced, function, beside), (self.X.chunks[0], (n_words,))
        return self.X.map_blocks(whole, dtype=dtype, chunks=chunks, meta=np.empty((0, 0), dtype))


def _checked(check: Function, dtype: np.dtype[Any], finite: Any, block: Any) -> Any:
    options = {"dtype": dtype, "ensure_all_finite": finite, "ensure_min_samples": 0, "input_name": "a block of X"}
    return Dense(block).checked(check, **options)


def _announced(function: Function, beside: Any, block: Any, block_info: Any = None) -> Any:
    """The function of a block of a dask array that is as large as the array says."""
    (first, last), (_, words) = block_info[0]["array-location"]
    block = of_shape((last - first, words), block)
    return function(block) if beside is None else function(block, beside[first:last])
