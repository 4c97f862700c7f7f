"""``compiled``: the decorator of every compiled kernel. Machine code is kept on disk; a line says when there is none yet."""

from __future__ import annotations

import sys

import numba

from sonmf.llvm import ASKED_PLAIN, Foreign, event

compiled = numba.njit(
    cache=not ASKED_PLAIN, nogil=True, fastmath=True, error_model="numpy"
)  # Python's check for x / 0 would prevent vector instructions


class Notice(event.Listener):
    """One line when the first kernel is compiled, and not when it comes from disk."""

    shown = False

    def on_start(self, event: Foreign) -> None:
        """Called by numba before it compiles a function, whether ours or not."""
        if not self.shown and event.data["dispatcher"].py_func.__module__.startswith("sonmf."):
            self.shown = True
            print("sonmf: compiling its kernels, which takes some seconds; later runs load them from disk", file=sys.stderr)

    def on_end(self, event: Foreign) -> None:
        """Called by numba afterwards; there is nothing to say."""


event.register("numba:compile", Notice())
