"""What numba and llvmlite offer to those who write LLVM instructions, or keep kernels on disk: private, so named only here.

If llvmlite lacks the typed pointers that our instructions use, ``AVAILABLE`` is False. Everything then runs in plain numba:
slower, with the same results but for rounding. ``SONMF_PLAIN_NUMBA=1`` has the same effect.
"""

from __future__ import annotations

import os
from typing import Any, TypeAlias

import numba.core.caching
import numba.core.cgutils
import numba.core.event
import numba.core.serialize
import numba.extending
from llvmlite import ir  # type: ignore[import-untyped]

__all__ = ["AVAILABLE", "Foreign", "caching", "cgutils", "event", "extending", "ir", "serialize"]

extending: Any = numba.extending  # typed in part, and not as it is called
cgutils: Any = numba.core.cgutils
event: Any = numba.core.event
caching: Any = numba.core.caching
serialize: Any = numba.core.serialize

Foreign: TypeAlias = Any
"""An object of numba, whose own classes have no annotations."""


def _typed_pointers() -> bool:
    try:
        return bool(ir.IntType(8).as_pointer().pointee == ir.IntType(8))
    except (AttributeError, TypeError):
        return False


AVAILABLE = _typed_pointers() and os.environ.get("SONMF_PLAIN_NUMBA", "0") == "0"
"""Whether kernels use instructions of their own."""
