"""Where the blocks of documents live. ``engine_for(X)`` infers it from the type of X."""

from __future__ import annotations

from typing import Any

from sonmf.engines.blocks import Blocks, of_dask
from sonmf.engines.door import Engine, Kernel
from sonmf.engines.memory import MemoryEngine
from sonmf.kernels import library_of

__all__ = ["Blocks", "Engine", "Kernel", "engine_for", "library_of"]


def engine_for(X: Any) -> Engine:
    """The engine that runs kernels where X lives."""
    if library_of(X) == "dask":
        return _dask_engine(X)
    if library_of(X) == "torch":
        from sonmf.engines.gpu import GpuEngine

        return GpuEngine(X)
    if isinstance(X, Blocks):
        from sonmf.engines.stream import StreamEngine

        return StreamEngine(X)
    return MemoryEngine(X)


def _dask_engine(X: Any) -> Engine:
    """The cluster where a client is active; without one the blocks are computed here, one after another."""
    try:
        from distributed import get_client

        get_client()
    except (ImportError, ValueError):
        return engine_for(of_dask(X))
    from sonmf.engines.dask import DaskEngine

    return DaskEngine(X)
