"""What an estimator asks about X, answered for each kind of X by the class that its entry in ``kernels.kinds`` names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sonmf.kernels import kinds

Function = Callable[..., Any]


class Check:
    """Answers for one X; where it is made of blocks, each is asked for ``in_form``, ``ones``, ``lowest`` and ``times_rows``."""

    def __init__(self, X: Any) -> None:
        self.X = X

    def checked(self, check: Function, **options: Any) -> Any:
        """X of finite numbers whose blocks have passed ``check``; options are those of scikit-learn's ``check_array``."""
        raise NotImplementedError

    def each(self, function: Function, dtype: Any, n_words: int, beside: Any = None) -> Any:
        """X with a function applied to every block, which gives so many columns of this dtype.

        ``beside`` has a row for each document: a block and its rows of it are the arguments then.
        """
        return function(self.X) if beside is None else function(self.X, beside)

    def with_weight(self, weights: Any) -> tuple[Any, Any]:
        """X and the weights without documents of weight zero, where X can be cut."""
        return self.X, weights

    def times_rows(self, factors: Any) -> Any:
        """X with each document multiplied by its factor, n_documents x 1 in float64."""
        return self.X * factors.astype(self.X.dtype)

    def in_form(self) -> Any:
        """X in the one form that the kernels take."""
        return self.X

    def ones(self) -> Any:
        """X of zeros and ones in the form that the kernels for them take, or a ValueError."""
        raise NotImplementedError

    def lowest(self) -> float:
        """The lowest value, or 0 if all are above."""
        raise NotImplementedError


def check_of(X: Any) -> Check:
    """Who answers for X."""
    check: Check = kinds.load(kinds.of(X).check)(X)
    return check


def a_matrix(X: Any) -> Any:
    """X, if it has two dimensions."""
    if X.ndim != 2:
        raise ValueError(f"X has {X.ndim} dimensions: give a matrix of shape (n_documents, n_words)")
    return X
