"""What an estimator asks about X, answered for each kind of X by the class that its entry in ``kernels.kinds`` names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sonmf.kernels import kinds

Function = Callable[[Any], Any]


class Check:
    """Answers for one X; where X is made of blocks, ``in_form``, ``ones`` and ``lowest`` are asked of each block instead."""

    def __init__(self, X: Any) -> None:
        self.X = X

    def checked(self, check: Function, **options: Any) -> Any:
        """X of finite numbers whose blocks have passed ``check``; options are those of scikit-learn's ``check_array``."""
        raise NotImplementedError

    def each(self, function: Function, dtype: Any, n_words: int) -> Any:
        """X with a function applied to every block, which gives so many columns of this dtype."""
        return function(self.X)

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
