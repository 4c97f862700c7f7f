"""What numba and llvmlite have for those who write instructions themselves: private or untyped, so only here."""

from __future__ import annotations

from typing import Any

import numba.core.cgutils
import numba.core.event
import numba.extending
from llvmlite import ir  # type: ignore[import-untyped]

__all__ = ["cgutils", "event", "extending", "ir"]

extending: Any = numba.extending  # typed in part, and not as it is called
cgutils: Any = numba.core.cgutils
event: Any = numba.core.event
