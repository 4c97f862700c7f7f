"""A model fitted again to parts of its data, each time from its own start, as if it had never been fitted."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Protocol, TypeVar

import numpy as np
import scipy.sparse
from sklearn.base import clone

from sonmf.errors import InputError
from sonmf.estimators.matrix_inputs import input_of
from sonmf.kernels import kinds
from sonmf.kernels.structure import check_matrix
from sonmf.types import Array, Matrix

QUIET = {"verbose": 0, "callback": None}

Step = TypeVar("Step")


class Model(Protocol):
    """An estimator with topics: ours, or one of scikit-learn's."""

    components_: Array

    def get_params(self, deep: bool = True) -> dict[str, object]:
        """The parameters by name."""

    def fit(self, X: Matrix) -> object:
        """Learn the topics of X."""

    def fit_transform(self, X: Matrix) -> Matrix:
        """Learn the topics of X, and return documents x topics."""


def unfitted_copy(model: Model, rng: np.random.Generator, **parameters: object) -> Model:
    """A copy of the model that has not been fitted and shows nothing; the seed of a random start is drawn anew."""
    known = model.get_params(deep=False)
    seed = {"random_state": int(rng.integers(2**31))}
    quiet = {name: value for name, value in (QUIET | seed).items() if name in known}
    copy: Model = clone(model).set_params(**quiet, **parameters)
    return copy


def matrix_for(model: Model, X: Matrix, purpose: str) -> Matrix:
    """X as a numpy array or a CSR matrix of finite numbers, with NaN only if the model takes missing entries.

    Objects become the numbers that a fit makes of them: a table with pandas' nullable types is an array of objects. A model
    that has no number of topics is refused before it is fitted.
    """
    if isinstance(model, type) or "n_components" not in model.get_params(deep=False):
        name = model.__name__ if isinstance(model, type) else type(model).__name__
        raise InputError(f"{purpose} needs a model with n_components, such as SONMF(10), and not {name}")
    if kinds.of(X) is kinds.DENSE and not scipy.sparse.issparse(X) and np.asarray(X).dtype == object:
        X = input_of(X).checked(lambda known: known, ensure_all_finite=False).X
    return check_matrix(X, purpose, missing=getattr(model, "_missing", False))


def without_gaps(X: Matrix) -> Matrix:
    """X with zeros in the documents and words of which no entry is observed.

    A fit refuses them, and a part of X may have them although X has none. A row or column of zeros has no part in any topic.
    """
    if scipy.sparse.issparse(X) or not (missing := np.isnan(X)).any():
        return X
    return np.where(missing.all(axis=1, keepdims=True) | missing.all(axis=0), 0.0, X)


@contextmanager
def without_warnings() -> Iterator[None]:
    """Silence warnings that one of many fits stops early or runs out of rank: the question is how far the fits agree."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def show_progress(steps: Iterable[Step], total: int, model: Model) -> Iterable[Step]:
    """The steps, with a progress bar if the model is verbose."""
    if not getattr(model, "verbose", 0):
        return steps
    from tqdm import tqdm

    return tqdm(steps, total=total, desc="sonmf", unit="fits")  # type: ignore[no-any-return]
