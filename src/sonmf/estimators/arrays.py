"""X in memory: what scikit-learn can check, and the numpy arrays and CSR matrices that it makes of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils import check_array

from sonmf.estimators.check import Check, Function
from sonmf.kernels.structure import sound

ROWS = 1024


class Dense(Check):
    """Numpy arrays, and before it is checked whatever scikit-learn makes an array of."""

    def checked(self, check: Function, *, input_name: str = "X", **options: Any) -> Any:
        """With scikit-learn's first words where it goes on to quote X or to praise other estimators."""
        options = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C", "input_name": input_name} | options
        try:
            with np.errstate(invalid="ignore"):  # a signalling NaN is refused like any other, without a warning first
                X = check_array(sound(self.X, input_name), **options)
        except ValueError as refusal:
            first, _, rest = str(refusal).partition("\n")
            if not rest or "Reshape your data" in rest:
                raise
            raise ValueError(f"{first.rstrip('.')}: give real numbers, and fill or remove what is missing") from None
        return check(X)

    def ones(self) -> Any:
        for start in range(0, len(self.X), ROWS):
            tile = self.X[start : start + ROWS]
            if len(others := np.argwhere((tile != 0) & (tile != 1))):
                row, column = (int(v) for v in others[0])
                raise _not_binary(start + row, column, tile[row, column])
        return scipy.sparse.csr_array(self.X)

    def lowest(self) -> float:
        return float(self.X.min(initial=0.0))


class Sparse(Dense):
    """Scipy CSR matrices; the user's own stays as it was."""

    def in_form(self) -> Any:
        X = self.X
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        if X.indices.dtype != np.int32 and max(X.nnz, *X.shape) <= np.iinfo(np.int32).max:
            # Half the memory traffic, one set of compiled kernels, and all that scikit-learn's KMeans takes.
            X = type(X)((X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)), shape=X.shape)
        return X

    def ones(self) -> Any:
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


def _not_binary(row: int, column: int, value: float) -> ValueError:
    return ValueError(
        f"X must contain only 0 and 1, but X[{row}, {column}] is {value:g}: "
        "binarise it first, for instance by (X > 0).astype(float)"
    )
