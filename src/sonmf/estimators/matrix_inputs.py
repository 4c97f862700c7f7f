"""What an estimator asks about X, answered for each kind of X by the class that its entry in ``kernels.kinds`` names.

The answers for torch tensors are in ``tensor_inputs``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
import scipy.sparse
from numpy.typing import DTypeLike
from sklearn.utils import check_array

from sonmf.engines.blocks import EntryError, check_shape, in_block
from sonmf.errors import InputError
from sonmf.kernels import kinds
from sonmf.kernels.incomplete import fill_missing, mark_missing
from sonmf.kernels.structure import check_sparse
from sonmf.types import Array, Matrix

ROWS = 1024

BlockFunction: TypeAlias = Callable[..., Matrix]
"""A function of one block of documents, or of a block and its rows of another array."""


class Input:
    """Answers for one X. Of an X in blocks, each block answers ``canonical``, ``ones``, ``lowest`` and ``times_rows``."""

    def __init__(self, X: Matrix) -> None:
        self.X = X

    def checked(self, check: BlockFunction, **options: object) -> Matrix:
        """X of finite numbers whose blocks have passed ``check``; the options are those of scikit-learn's ``check_array``."""
        raise NotImplementedError

    def map_blocks(self, function: BlockFunction, dtype: DTypeLike, n_words: int, rows: Array | None = None) -> Matrix:
        """X with a function applied to every block, which returns ``n_words`` columns of this dtype.

        ``rows`` has a row for each document. If it is given, the function also takes the rows of its block.
        """
        return function(self.X) if rows is None else function(self.X, rows)

    def drop_zero_weights(self, weights: Array) -> tuple[Matrix, Array]:
        """X and the weights without documents of weight zero, if X can be cut."""
        return self.X, weights

    def times_rows(self, factors: Array) -> Matrix:
        """X with each document multiplied by its factor, n_documents x 1 in float64."""
        return self.X * factors.astype(self.X.dtype)

    def canonical(self) -> Matrix:
        """X in the one form that the kernels take."""
        return self.X

    def ones(self) -> Matrix:
        """X of zeros and ones in the form that the binary kernels take, or an InputError."""
        raise NotImplementedError

    def lowest(self) -> float:
        """The lowest value, or 0 if all values are above 0."""
        raise NotImplementedError


def input_of(X: Matrix) -> Input:
    """The object that answers for X."""
    found: Input = kinds.load(kinds.of(X).input)(X)
    return found


def require_matrix(X: Matrix) -> Matrix:
    """X, if it has two dimensions."""
    if X.ndim != 2:
        raise InputError(f"X has {X.ndim} dimensions: give a matrix of shape (n_documents, n_words)")
    return X


class Dense(Input):
    """Numpy arrays, and everything that scikit-learn converts to one."""

    def checked(self, check: BlockFunction, **options: object) -> Matrix:
        """The message of scikit-learn is shortened to its first line where it would quote X or recommend other estimators."""
        X = check_sparse(self.X, str(options.get("input_name", "X")))
        if scipy.sparse.issparse(X):
            options["ensure_all_finite"] = True  # an entry that is not stored is zero, not missing
        options = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C", "input_name": "X"} | options
        try:
            with np.errstate(invalid="ignore"):  # a signalling NaN is refused like any other, without a warning first
                X = check_array(X, **options)
        except ValueError as refusal:
            first, _, rest = str(refusal).partition("\n")
            if not (rest or "infinity" in first) or "Reshape your data" in rest:
                raise InputError(str(refusal)) from None
            raise InputError(f"{first.rstrip('.')}: give real numbers, and fill or remove what is missing") from None
        return check(X)

    def canonical(self) -> Matrix:
        """An ``Incomplete`` block if entries are missing."""
        return mark_missing(self.X)

    def ones(self) -> Matrix:
        for start in range(0, len(self.X), ROWS):
            tile = self.X[start : start + ROWS]
            if len(others := np.argwhere((tile != 0) & (tile != 1))):
                row, column = (int(v) for v in others[0])
                raise _not_binary(start + row, column, tile[row, column])
        return scipy.sparse.csr_array(self.X)

    def lowest(self) -> float:
        return float(self.X.min(initial=0.0))

    def drop_zero_weights(self, weights: Array) -> tuple[Matrix, Array]:
        kept = weights > 0
        return (self.X, weights) if kept.all() else (self.X[kept], weights[kept])


class Incomplete(Dense):
    """Numpy arrays with missing entries, as ``Dense`` leaves them."""

    def canonical(self) -> Matrix:
        return self.X

    def drop_zero_weights(self, weights: Array) -> tuple[Matrix, Array]:
        with_nan = fill_missing(self.X, np.broadcast_to(np.nan, self.X.shape))
        X, weights = Dense(with_nan).drop_zero_weights(weights)
        return mark_missing(X), weights


class Sparse(Dense):
    """Scipy CSR matrices. The user's own matrix is never changed."""

    def canonical(self) -> Matrix:
        X = self.X
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        if X.indices.dtype != np.int32 and max(X.nnz, *X.shape) <= np.iinfo(np.int32).max:
            # Half the memory traffic, one set of compiled kernels, and all that scikit-learn's KMeans takes.
            X = type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
        return X

    def ones(self) -> Matrix:
        """The stored entries are then exactly the ones."""
        X = self.X
        if len(others := np.flatnonzero((X.data != 0) & (X.data != 1))):
            row = int(np.searchsorted(X.indptr, others[0], side="right")) - 1
            raise _not_binary(row, int(X.indices[others[0]]), X.data[others[0]])
        if (X.data == 0).any():
            X = X.copy()
            X.eliminate_zeros()
        return X

    def lowest(self) -> float:
        return float(self.X.data.min(initial=0.0))

    def times_rows(self, factors: Array) -> Matrix:
        X = self.X
        return type(X)(
            (X.data * np.repeat(factors[:, 0].astype(X.dtype), np.diff(X.indptr)), X.indices, X.indptr), shape=X.shape
        )


def _not_binary(row: int, column: int, value: float) -> EntryError:
    message = (
        "X must contain only 0 and 1, but X[{row}, {column}] is {value:g}: "
        "binarise it first, for instance by (X > 0).astype(float)"
    )
    return EntryError(message, row, column, float(value))


class InBlocks(Input):
    """Blocks that are read whenever a pass needs them. Each block is checked when it is read, like an X in memory."""

    def checked(self, check: BlockFunction, **options: object) -> Matrix:
        dtype = np.dtype(np.float32 if self.X.dtype == np.float32 else np.float64)
        finite = options.get("ensure_all_finite", True)
        return self.map_blocks(partial(_check_block, check, dtype, finite), dtype, self.X.shape[1])

    def map_blocks(self, function: BlockFunction, dtype: DTypeLike, n_words: int, rows: Array | None = None) -> Matrix:
        return self.X.map(function, dtype, n_words, rows)


class Dask(InBlocks):
    """Dask arrays, and dataframes with a column for each word. A block holds whole documents."""

    def __init__(self, X: Matrix) -> None:
        X = require_matrix(X.to_dask_array() if hasattr(X, "to_dask_array") else X)
        X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
        super().__init__(X.compute_chunk_sizes() if np.isnan(X.shape[0]) else X)

    def map_blocks(self, function: BlockFunction, dtype: DTypeLike, n_words: int, rows: Array | None = None) -> Matrix:
        with_shape, chunks = partial(_map_dask_block, function, rows), (self.X.chunks[0], (n_words,))
        return self.X.map_blocks(with_shape, dtype=dtype, chunks=chunks, meta=np.empty((0, 0), dtype))


def _check_block(check: BlockFunction, dtype: np.dtype, finite: object, block: Matrix) -> Matrix:
    options = {"dtype": dtype, "ensure_all_finite": finite, "ensure_min_samples": 0, "input_name": "a block of X"}
    return Dense(block).checked(check, **options)


def _map_dask_block(
    function: BlockFunction, rows: Array | None, block: Matrix, block_info: dict[int, dict[str, Array]]
) -> Matrix:
    """The function of a block, which must be as large as the dask array says. dask gives ``block_info``."""
    (first, last), (_, words) = block_info[0]["array-location"]
    block = check_shape((last - first, words), block)
    return in_block(first, function, block) if rows is None else in_block(first, function, block, rows[first:last])
