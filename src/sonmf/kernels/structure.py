"""Checks that compiled code can read X: it reads wherever the indices point, without looking first."""

from __future__ import annotations

import numpy as np
import scipy.sparse

from sonmf.errors import InputError
from sonmf.kernels import kinds
from sonmf.types import Array, Matrix

COMPRESSED = ("csr", "csc", "bsr")
REMEDY = "build it again from its entries, for instance with scipy.sparse.coo_array((values, (rows, columns)))"


def check_matrix(X: Matrix, purpose: str, missing: bool = False) -> Matrix:
    """A numpy array or a CSR matrix of finite numbers, or an InputError that names the purpose. Nothing is copied to memory.

    If ``missing``, a numpy array may have NaN.
    """
    X = without_mask(X)
    if kinds.of(X) not in (kinds.DENSE, kinds.CSR):
        library, name = type(X).__module__.partition(".")[0], type(X).__name__
        raise InputError(f"X is a {library} {name}: {purpose} needs a numpy array or a scipy sparse matrix")
    X = check_sparse(X) if scipy.sparse.issparse(X) else np.asarray(X)
    if X.ndim != 2 or X.dtype.kind not in "buif":
        raise InputError(f"X has {X.ndim} dimensions and type {X.dtype}: {purpose} needs a matrix of real numbers")
    values = X.data if scipy.sparse.issparse(X) else X
    allowed = np.isfinite(values) | np.isnan(values) if missing and values is X else np.isfinite(values)
    if not allowed.all():
        raise InputError(f"X contains NaN or infinity: fill or remove what is missing before {purpose}")
    return X


def without_mask(X: Matrix) -> Matrix:
    """A masked array with NaN where it is masked; anything else is returned as it is."""
    if not isinstance(X, np.ma.MaskedArray):
        return X
    return np.ma.filled(X if X.dtype.kind in "fc" else X.astype(np.float64), np.nan)


def check_sparse(X: Matrix, name: str = "X") -> Matrix:
    """A scipy sparse matrix as CSR whose indices point into it, or an InputError; anything else is returned as it is.

    The result shares the arrays of X, but not the flags that say whether they are sorted: those are stale if somebody wrote
    into the arrays.
    """
    if not scipy.sparse.issparse(X) or X.ndim != 2:
        return X
    if X.format == "coo":
        _check_coordinates(X, name)
    elif X.format in COMPRESSED:
        _check_compressed(X, name)
    if X.format != "csr":
        X = X.tocsr()
        _check_compressed(X, name)  # lists and diagonals can be wrong as well
    return type(X)((X.data, X.indices, X.indptr), shape=X.shape)


def check_pointers(indptr: Array, entries: int, name: str) -> None:
    """Refuse a row pointer that falls, or that leads beyond the entries."""
    if len(indptr) and not (indptr[0] >= 0 and indptr[-1] <= entries and (indptr[1:] >= indptr[:-1]).all()):
        raise _invalid(name, f"indptr must rise from 0 to at most {entries}, the number of entries")


def _check_coordinates(X: Matrix, name: str) -> None:
    for axis, indices, size in zip(("row", "column"), X.coords, X.shape, strict=True):
        _check_lengths(indices, X.data, name)
        _check_range(indices, size, f"{axis} indices", name)


def _check_compressed(X: Matrix, name: str) -> None:
    rows, columns = X.shape if X.format != "csc" else X.shape[::-1]
    high, wide = X.data.shape[1:] if X.format == "bsr" else (1, 1)
    if rows % high or columns % wide or len(X.indptr) != rows // high + 1 or X.indptr.dtype.kind not in "iu":
        raise _invalid(name, f"indptr must hold {rows // high + 1} whole numbers")
    if X.indptr[0] != 0:
        raise _invalid(name, f"indptr begins with {X.indptr[0]}, not 0")
    _check_lengths(X.indices, X.data, name)
    check_pointers(X.indptr, len(X.data), name)
    _check_range(X.indices[: X.indptr[-1]], columns // wide, "indices", name)


def _check_lengths(indices: Array, data: Array, name: str) -> None:
    if len(indices) != len(data):
        raise _invalid(name, f"it has {len(indices)} indices for {len(data)} entries")


def _check_range(indices: Array, size: int, what: str, name: str) -> None:
    if indices.dtype.kind not in "iu":
        raise _invalid(name, f"its {what} are {indices.dtype}, not whole numbers")
    low, high = (int(indices.min()), int(indices.max())) if len(indices) else (0, -1)
    if low < 0 or high >= size:
        raise _invalid(name, f"its {what} must lie between 0 and {size - 1}, but {low if low < 0 else high} is among them")


def _invalid(name: str, what: str) -> InputError:
    return InputError(f"{name} is not a valid sparse matrix: {what}; {REMEDY}")
