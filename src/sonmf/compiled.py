"""``compiled``: the decorator of every compiled kernel, which keeps its machine code on disk and says when it has none yet."""

from __future__ import annotations

import sys
from typing import Any

import numba

from sonmf.llvm import event

compiled = numba.njit(cache=True, nogil=True, fastmath=True, error_model="numpy")  # Python's test for x / 0 forbids vectors


class Notice(event.Listener):
    """One line when the first kernel is compiled, and not when it comes from disk."""

    shown = False

    def on_start(self, event: Any) -> None:
        """Called by numba before it compiles a function, ours or another's."""
        if not self.shown and event.data["dispatcher"].py_func.__module__.startswith("sonmf."):
            self.shown = True
            print("sonmf: compiling its kernels, a matter of seconds; later runs find them on disk", file=sys.stderr)

    def on_end(self, event: Any) -> None:
        """Nothing is said when it is done."""


event.register("numba:compile", Notice())
