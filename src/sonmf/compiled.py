"""``compiled``, the decorator of every compiled kernel. Machine code is kept on disk; a message says if it is missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba

from sonmf.kernel_files import keep_on_disk, tell_of_compiling
from sonmf.llvm import Foreign, event

ANY_ORDER = {"afn", "arcp", "contract", "nsz", "reassoc"}
"""Sums may be taken in any order, which vector instructions need. NaN and infinity are what they are."""


def compiled(function: Callable[..., Any], parallel_work: Callable[..., Any] | None = None) -> Callable[..., Any]:
    """The function in machine code, without the interpreter's lock.

    A function whose ``prange`` shares a piece of work among numba's threads is kept on disk beside the compiled work itself.
    """
    shared = parallel_work is not None
    # Python's check for x / 0 would prevent vector instructions
    kernel: Callable[..., Any] = numba.njit(nogil=True, fastmath=ANY_ORDER, error_model="numpy", parallel=shared)(function)
    if parallel_work is None:
        keep_on_disk(kernel, function)
    else:
        keep_on_disk(kernel, parallel_work, "-shared")
    return kernel


class Notice(event.Listener):
    """Prints one line when the first kernel is compiled, but not when it comes from disk."""

    shown = False

    def on_start(self, event: Foreign) -> None:
        """Called by numba before it compiles a function, whether ours or not."""
        kernel = event.data["dispatcher"]
        if not self.shown and kernel.py_func.__module__.startswith("sonmf."):
            self.shown = True
            tell_of_compiling(kernel)

    def on_end(self, event: Foreign) -> None:
        """Called by numba afterwards; there is nothing to say."""


event.register("numba:compile", Notice())
