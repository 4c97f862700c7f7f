"""Where the blocks of documents live. ``engine_for(X)`` infers it from the kind of X."""

from __future__ import annotations

from typing import Any

from sonmf.engines.blocks import Blocks, of_dask
from sonmf.engines.door import Engine, Kernel
from sonmf.kernels import kinds

__all__ = ["Blocks", "Engine", "Kernel", "engine_for"]


def engine_for(X: Any) -> Engine:
    """The engine that runs kernels where X lives."""
    engine: Engine = kinds.load(kinds.of(X).engine)(X)
    return engine


def dask_engine(X: Any) -> Engine:
    """The cluster where a client is active; without one the blocks are computed here, one after another."""
    try:
        from distributed import get_client

        get_client()
    except (ImportError, ValueError):
        return engine_for(of_dask(X))
    from sonmf.engines.dask import DaskEngine

    return DaskEngine(X)
