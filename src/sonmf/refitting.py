"""A model fitted again to parts of its data: each time from its own start, as if it had never been fitted."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from sklearn.base import clone

QUIET = {"verbose": 0, "callback": None}


def unfitted(model: Any, rng: np.random.Generator, **parameters: Any) -> Any:
    """A copy of the model that has not been fitted and shows nothing; the luck of a random start is drawn anew."""
    known = model.get_params(deep=False)
    seed = {"random_state": int(rng.integers(2**31))}
    return clone(model).set_params(**{name: value for name, value in (QUIET | seed).items() if name in known}, **parameters)


@contextmanager
def without_warnings() -> Iterator[None]:
    """That one of many fits stopped early or ran out of rank is no news: what is asked is how far they agree."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield


def watched(steps: Iterable[Any], total: int, model: Any, unit: str) -> Iterable[Any]:
    """The steps, behind a bar where the model is verbose."""
    if not getattr(model, "verbose", 0):
        return steps
    from tqdm import tqdm

    return tqdm(steps, total=total, desc="sonmf", unit=unit)  # type: ignore[no-any-return]
