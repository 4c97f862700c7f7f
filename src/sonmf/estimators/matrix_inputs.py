"""X as an estimator takes it: ``input_of`` finds out once what it is, and the object that it returns knows it from then on.

There is a class for each kind of X, which the entry of the kind in ``kernels.kinds`` names. That of torch tensors is in
``tensor_inputs``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeAlias

import numpy as np
import scipy.sparse
from numpy.typing import DTypeLike
from sklearn.utils import check_array

from sonmf.engines import Engine
from sonmf.engines.blocks import check_shape, in_block
from sonmf.errors import EntryError, InputError
from sonmf.kernels import kinds
from sonmf.kernels.binary_documents import BinaryDocuments, LeftOut
from sonmf.kernels.incomplete import fill, mark_missing
from sonmf.kernels.kinds import Kind
from sonmf.kernels.structure import check_sparse, without_mask
from sonmf.types import Array, Matrix

ROWS = 1024

BlockFunction: TypeAlias = Callable[..., Matrix]
"""A function of one block of documents, or of a block and its rows of another array."""


class Input:
    """An X and its kind. Of an X in blocks, ``check`` asks each block for ``canonical``, ``ones`` and ``lowest``."""

    def __init__(self, X: Matrix, kind: Kind) -> None:
        self.X, self.kind = X, kind

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of documents and of words."""
        shape: tuple[int, int] = self.X.shape
        return shape

    @property
    def dtype(self) -> DTypeLike:
        """The type of its numbers."""
        dtype: DTypeLike = self.X.dtype
        return dtype

    def engine(self) -> Engine:
        """The engine that runs kernels where X is."""
        engine: Engine = kinds.load(self.kind.engine)(self.X)
        return engine

    def checked(self, check: Check, **options: object) -> Input:
        """X of finite numbers whose blocks have passed ``check``; the options are those of scikit-learn's ``check_array``."""
        raise NotImplementedError

    def map_blocks(self, function: BlockFunction, dtype: DTypeLike, n_words: int, rows: Array | None = None) -> Input:
        """X with a function applied to every block, which returns ``n_words`` columns of this dtype.

        ``rows`` has a row for each document. If it is given, the function also takes the rows of its block.
        """
        return input_of(function(self.X) if rows is None else function(self.X, rows))

    def drop_zero_weights(self, weights: Array) -> tuple[Input, Array]:
        """X and the weights without documents of weight zero, if X can be cut."""
        return self, weights

    def times_rows(self, factors: Array) -> Input:
        """X with each document multiplied by its factor, n_documents x 1 in float64."""
        return self._with(self.X * factors.astype(self.X.dtype))

    def canonical(self) -> Input:
        """X in the one form that the kernels take."""
        return self

    def ones(self) -> Input:
        """X of zeros and ones in the form that the binary kernels take, or an InputError."""
        raise NotImplementedError

    def lowest(self) -> float:
        """The lowest value, or 0 if all values are above 0."""
        raise NotImplementedError

    def _with(self, X: Matrix) -> Input:
        """Another X of the same kind."""
        return type(self)(X, self.kind)


Check: TypeAlias = Callable[[Input], Input]
"""What an estimator does with an X in memory, or with each block of it: refuse it, or return it in another form."""


def input_of(X: Matrix) -> Input:
    """X with what it is."""
    kind = kinds.of(X)
    known: Input = kinds.load(kind.input)(X, kind)
    return known


def require_matrix(X: Matrix) -> Matrix:
    """X, if it has two dimensions."""
    if X.ndim != 2:
        raise InputError(f"X has {X.ndim} dimensions: give a matrix of shape (n_documents, n_words)")
    return X


class DenseInput(Input):
    """Numpy arrays, and everything that scikit-learn converts to one."""

    def checked(self, check: Check, **options: object) -> Input:
        """The message of scikit-learn is shortened to its first line where it would quote X or recommend other estimators."""
        X = check_sparse(without_mask(self.X), str(options.get("input_name", "X")))
        if scipy.sparse.issparse(X):
            options["ensure_all_finite"] = True  # an entry that is not stored is zero, not missing
        options = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C", "input_name": "X"} | options
        try:
            with np.errstate(invalid="ignore"):  # a signalling NaN is refused like any other, without a warning first
                X = check_array(X, **options)
        except ValueError as refusal:
            if np.asarray(X).dtype.kind in "OSUT" and "string" in str(refusal):  # scikit-learn would quote a piece of a note
                raise InputError("X holds text, not numbers: give NotesVectorizer().fit_transform(notes)") from None
            first, _, rest = str(refusal).partition("\n")
            if not (rest or "infinity" in first) or "Reshape your data" in rest:
                raise InputError(str(refusal)) from None
            raise InputError(f"{first.rstrip('.')}: give real numbers, and fill or remove what is missing") from None
        return check(SparseInput(X, kinds.CSR) if scipy.sparse.issparse(X) else DenseInput(X, kinds.DENSE))

    def canonical(self) -> Input:
        """An ``IncompleteInput`` if entries are missing."""
        X = mark_missing(self.X)
        return self if X is self.X else IncompleteInput(X, kinds.INCOMPLETE)

    def ones(self) -> Input:
        for start in range(0, len(self.X), ROWS):
            tile = self.X[start : start + ROWS]
            if len(others := np.argwhere((tile != 0) & (tile != 1))):
                row, column = (int(v) for v in others[0])
                raise _not_binary(start + row, column, tile[row, column])
        return SparseInput(scipy.sparse.csr_array(self.X), kinds.CSR)

    def lowest(self) -> float:
        return float(self.X.min(initial=0.0))

    def drop_zero_weights(self, weights: Array) -> tuple[Input, Array]:
        counted = weights > 0
        return (self, weights) if counted.all() else (self._with(self.X[counted]), weights[counted])


class IncompleteInput(DenseInput):
    """Numpy arrays with missing entries, as ``DenseInput`` leaves them."""

    def canonical(self) -> Input:
        return self

    def drop_zero_weights(self, weights: Array) -> tuple[Input, Array]:
        with_nan = fill(self.X, np.broadcast_to(np.nan, self.X.shape))
        counted, weights = DenseInput(with_nan, kinds.DENSE).drop_zero_weights(weights)
        return counted.canonical(), weights

    def ones(self) -> Input:
        """Zeros and ones where they were observed."""
        observed = DenseInput(self.X.values, kinds.DENSE).ones().X
        left_out = LeftOut(self.X.first[:-1], self.X.missing, self.X.words, watched=False)
        return BinaryInput(BinaryDocuments(observed, left_out), kinds.BINARY)


class SparseInput(DenseInput):
    """Scipy CSR matrices. The user's own matrix is never changed."""

    def canonical(self) -> Input:
        X = self.X
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        if X.indices.dtype != np.int32 and max(X.nnz, *X.shape) <= np.iinfo(np.int32).max:
            # Half the memory traffic, one set of compiled kernels, and all that scikit-learn's KMeans takes.
            X = type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
        return self._with(X)

    def ones(self) -> Input:
        """The stored entries are then exactly the ones."""
        X = self.X
        if len(others := np.flatnonzero((X.data != 0) & (X.data != 1))):
            row = int(np.searchsorted(X.indptr, others[0], side="right")) - 1
            raise _not_binary(row, int(X.indices[others[0]]), X.data[others[0]])
        if (X.data == 0).any():
            X = X.copy()
            X.eliminate_zeros()
        return self._with(X)

    def lowest(self) -> float:
        return float(self.X.data.min(initial=0.0))

    def times_rows(self, factors: Array) -> Input:
        X = self.X
        entries = X.data * np.repeat(factors[:, 0].astype(X.dtype), np.diff(X.indptr))
        return self._with(type(X)((entries, X.indices, X.indptr), shape=X.shape))


class BinaryInput(SparseInput):
    """0/1 documents with missing entries or weights, as the binary methods leave them."""

    def canonical(self) -> Input:
        return self

    def ones(self) -> Input:
        return self


def _not_binary(row: int, column: int, value: float) -> EntryError:
    message = (
        "X must contain only 0 and 1, but X[{row}, {column}] is {value:g}: "
        "binarise it first, for instance by (X > 0).astype(float)"
    )
    return EntryError(message, row, column, float(value))


class BlocksInput(Input):
    """Blocks that are read whenever a pass needs them. Each block is checked when it is read, like an X in memory."""

    def checked(self, check: Check, **options: object) -> Input:
        dtype = np.dtype(np.float32 if self.X.dtype == np.float32 else np.float64)
        finite = options.get("ensure_all_finite", True)
        return self.map_blocks(partial(_check_block, check, dtype, finite), dtype, self.X.shape[1])

    def map_blocks(self, function: BlockFunction, dtype: DTypeLike, n_words: int, rows: Array | None = None) -> Input:
        return self._with(self.X.map(function, dtype, n_words, rows))

    def times_rows(self, factors: Array) -> Input:
        return self.map_blocks(_times_rows, self.dtype, self.shape[1], factors)


class DaskInput(BlocksInput):
    """Dask arrays, and dataframes with a column for each word. A block holds whole documents."""

    def __init__(self, X: Matrix, kind: Kind) -> None:
        X = require_matrix(X.to_dask_array() if hasattr(X, "to_dask_array") else X)
        X = X.rechunk({1: -1}) if X.numblocks[1] > 1 else X
        super().__init__(X.compute_chunk_sizes() if np.isnan(X.shape[0]) else X, kind)

    def map_blocks(self, function: BlockFunction, dtype: DTypeLike, n_words: int, rows: Array | None = None) -> Input:
        with_shape, chunks = partial(_map_dask_block, function, rows), (self.X.chunks[0], (n_words,))
        return self._with(self.X.map_blocks(with_shape, dtype=dtype, chunks=chunks, meta=np.empty((0, 0), dtype)))


def _check_block(check: Check, dtype: np.dtype, finite: object, block: Matrix) -> Matrix:
    options = {"dtype": dtype, "ensure_all_finite": finite, "ensure_min_samples": 0, "input_name": "a block of X"}
    return DenseInput(block, kinds.DENSE).checked(check, **options).X


def _times_rows(block: Matrix, factors: Array) -> Matrix:
    return input_of(block).times_rows(factors).X


def _map_dask_block(
    function: BlockFunction, rows: Array | None, block: Matrix, block_info: dict[int, dict[str, Array]]
) -> Matrix:
    """The function of a block, which must be as large as the dask array says. dask gives ``block_info``."""
    (first, last), (_, words) = block_info[0]["array-location"]
    block = check_shape((last - first, words), block)
    return in_block(first, function, block) if rows is None else in_block(first, function, block, rows[first:last])
