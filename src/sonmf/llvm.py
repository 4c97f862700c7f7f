"""What numba and llvmlite offer to those who write LLVM instructions themselves: private or untyped, so it is named only here.

If llvmlite lacks the typed pointers that our instructions use, ``AVAILABLE`` is False. Everything then runs in plain numba:
slower, with the same results but for rounding. ``SONMF_PLAIN_NUMBA=1`` has the same effect; nothing is then kept on disk,
because numba's cache does not see the difference.
"""

from __future__ import annotations

import os
from typing import Any, TypeAlias

import numba.core.cgutils
import numba.core.event
import numba.extending
from llvmlite import ir  # type: ignore[import-untyped]

__all__ = ["ASKED_PLAIN", "AVAILABLE", "Foreign", "cgutils", "event", "extending", "ir"]

extending: Any = numba.extending  # typed in part, and not as it is called
cgutils: Any = numba.core.cgutils
event: Any = numba.core.event

Foreign: TypeAlias = Any
"""An object of numba, whose own classes have no annotations."""


def _typed_pointers() -> bool:
    try:
        return bool(ir.IntType(8).as_pointer().pointee == ir.IntType(8))
    except (AttributeError, TypeError):
        return False


ASKED_PLAIN = os.environ.get("SONMF_PLAIN_NUMBA", "0") != "0"
AVAILABLE = _typed_pointers() and not ASKED_PLAIN
"""Whether kernels use instructions of their own."""
