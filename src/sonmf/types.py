"""Names of types that every room uses. The types of a single room are in that room."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
"""A numpy array of numbers, or in triage of the values of a column."""

Matrix: TypeAlias = Any
"""Documents by words: a numpy array, a scipy sparse array, a torch tensor, a dask array, blocks in a file.

These libraries share no type, and most come without annotations: the kernels decide what is accepted.
"""

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
"""What a JSON text can hold."""
