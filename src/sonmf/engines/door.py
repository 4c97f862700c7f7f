"""The one door between mathematics and machinery."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Kernel = Callable[..., tuple[Any, tuple[Any, ...]]]
"""A pure function ``kernel(block, local, *shared) -> (local', sums)`` of one block of documents."""


class Engine(Protocol):
    """Blocks of documents, wherever they are, and the way to run a kernel over all of them."""

    shape: tuple[int, int]
    dtype: np.dtype[Any]
    passes: int
    """How often X has been read from end to end."""

    def sweep(self, kernel: Kernel, local: Any, *shared: Any) -> tuple[Any, tuple[Any, ...]]:
        """Run the kernel on every block; return the new local states and the sums added up over the blocks."""
        ...

    def each(self, function: Callable[..., Any], *local: Any) -> Any:
        """New local states from old ones, block by block, without reading X."""
        ...

    def near(self, factor: Any) -> Any:
        """A factor where steps on it are best taken, at home by default; a sweep leaves its sums where its factors are."""
        return factor

    def place(self, array: Any) -> Any:
        """Local states from one array with a row for each document."""
        ...

    def gather(self, local: Any) -> Any:
        """One array, documents in order, from the local states of all blocks."""
        ...

    def documents(self, rows: NDArray[np.intp]) -> Any:
        """The named documents, brought home."""
        ...
