"""The triad of the STREAM benchmark, compiled."""

from __future__ import annotations

from typing import Any

import numba


@numba.njit(nogil=True, fastmath=True)
def triad(arrays: Any, times: int) -> None:
    """c = a + s b, so many times."""
    a, b, c = arrays[0], arrays[1], arrays[2]
    for t in range(times):
        for i in range(len(a)):
            c[i] = a[i] + (3.0 + t) * b[i]
