"""Whether a sparse matrix is what it says: compiled code reads where its indices point, and does not look first."""

from __future__ import annotations

from typing import Any

import scipy.sparse

COMPRESSED = ("csr", "csc", "bsr")
REMEDY = "build it again from its entries, for instance with scipy.sparse.coo_array((values, (rows, columns)))"


def sound(X: Any, name: str = "X") -> Any:
    """A scipy sparse matrix as CSR whose indices point into it, or a ValueError; anything else as it is.

    The arrays are shared with X, but not what X remembers of their order, which is stale where somebody wrote into them.
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


def check_pointers(indptr: Any, entries: int, name: str) -> None:
    """Refuse a row pointer that falls, or that leads outside so many entries."""
    if len(indptr) and not (indptr[0] >= 0 and indptr[-1] <= entries and (indptr[1:] >= indptr[:-1]).all()):
        raise ValueError(f"{name} is no sparse matrix: indptr must rise from 0 to at most {entries}, the entries; {REMEDY}")


def _check_coordinates(X: Any, name: str) -> None:
    for axis, indices, size in zip(("row", "column"), X.coords, X.shape, strict=True):
        _check_lengths(indices, X.data, name)
        _check_range(indices, size, f"{axis} indices", name)


def _check_compressed(X: Any, name: str) -> None:
    rows, columns = X.shape if X.format != "csc" else X.shape[::-1]
    high, wide = X.data.shape[1:] if X.format == "bsr" else (1, 1)
    if rows % high or columns % wide or len(X.indptr) != rows // high + 1 or X.indptr.dtype.kind not in "iu":
        raise ValueError(f"{name} is no sparse matrix: indptr must hold {rows // high + 1} whole numbers; {REMEDY}")
    if X.indptr[0] != 0:
        raise ValueError(f"{name} is no sparse matrix: indptr begins with {X.indptr[0]}, not 0; {REMEDY}")
    _check_lengths(X.indices, X.data, name)
    check_pointers(X.indptr, len(X.data), name)
    _check_range(X.indices[: X.indptr[-1]], columns // wide, "indices", name)


def _check_lengths(indices: Any, data: Any, name: str) -> None:
    if len(indices) != len(data):
        raise ValueError(f"{name} is no sparse matrix: it has {len(indices)} indices for {len(data)} entries; {REMEDY}")


def _check_range(indices: Any, size: int, what: str, name: str) -> None:
    if indices.dtype.kind not in "iu":
        raise ValueError(f"{name} is no sparse matrix: its {what} are {indices.dtype}, not whole numbers; {REMEDY}")
    low, high = (int(indices.min()), int(indices.max())) if len(indices) else (0, -1)
    if low < 0 or high >= size:
        outside = low if low < 0 else high
        raise ValueError(
            f"{name} is no sparse matrix: its {what} must lie between 0 and {size - 1}, but {outside} is among them; {REMEDY}"
        )
