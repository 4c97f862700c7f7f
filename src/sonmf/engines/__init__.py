"""Where the blocks of documents live. ``engine_for(X)`` infers it from the type of X."""

from __future__ import annotations

from typing import Any

from sonmf.engines.door import Engine, Kernel
from sonmf.engines.memory import MemoryEngine

__all__ = ["Engine", "Kernel", "engine_for"]


def engine_for(X: Any) -> Engine:
    """The engine that runs kernels where X lives."""
    return MemoryEngine(X)
