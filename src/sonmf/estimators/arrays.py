"""X in memory: what scikit-learn can check, and the numpy arrays and CSR matrices that it makes of it."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from sklearn.utils import check_array

from sonmf.estimators.check import Check, Function
from sonmf.kernels.incomplete import filled, incomplete
from sonmf.kernels.structure import sound

ROWS = 1024


class Dense(Check):
    """Numpy arrays, and before it is checked whatever scikit-learn makes an array of."""

    def checked(self, check: Function, *, input_name: str = "X", **options: Any) -> Any:
        """With scikit-learn's first words where it goes on to quote X or to praise other estimators."""
        X = sound(self.X, input_name)
        if scipy.sparse.issparse(X):
            options["ensure_all_finite"] = True  # what is not stored is zero, not missing
        options = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C", "input_name": input_name} | options
        try:
            with np.errstate(invalid="ignore"):  # a signalling NaN is refused like any other, without a warning first
                X = check_array(X, **options)
        except ValueError as refusal:
            first, _, rest = str(refusal).partition("\n")
            if not (rest or "infinity" in first) or "Reshape your data" in rest:
                raise
            raise ValueError(f"{first.rstrip('.')}: give real numbers, and fill or remove what is missing") from None
        return check(X)

    def in_form(self) -> Any:
        """Where entries are missing the block that knows which."""
        return incomplete(self.X)

    def ones(self) -> Any:
        for start in range(0, len(self.X), ROWS):
            tile = self.X[start : start + ROWS]
            if len(others := np.argwhere((tile != 0) & (tile != 1))):
                row, column = (int(v) for v in others[0])
                raise _not_binary(start + row, column, tile[row, column])
        return scipy.sparse.csr_array(self.X)

    def lowest(self) -> float:
        return float(self.X.min(initial=0.0))

    def with_weight(self, weights: Any) -> tuple[Any, Any]:
        kept = weights > 0
        return (self.X, weights) if kept.all() else (self.X[kept], weights[kept])


class Gaps(Dense):
    """Numpy arrays with missing entries, as ``Dense`` leaves them."""

    def in_form(self) -> Any:
        return self.X

    def with_weight(self, weights: Any) -> tuple[Any, Any]:
        X, weights = Dense(filled(self.X, np.broadcast_to(np.nan, self.X.shape))).with_weight(weights)
        return incomplete(X), weights


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

    def times_rows(self, factors: Any) -> Any:
        X = self.X
        return type(X)(
            (X.data * np.repeat(factors[:, 0].astype(X.dtype), np.diff(X.indptr)), X.indices, X.indptr), shape=X.shape
        )


def _not_binary(row: int, column: int, value: float) -> ValueError:
    return ValueError(
        f"X must contain only 0 and 1, but X[{row}, {column}] is {value:g}: "
        "binarise it first, for instance by (X > 0).astype(float)"
    )
