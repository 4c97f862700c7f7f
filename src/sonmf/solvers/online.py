"""The exact step on a stream: M <- forgetting M + X'[XF]+ with each batch X, F = polar(M).

M is what the documents so far say about F, each with the G it had when it came. Up to a constant 2 tr(F'M) minorises the energy
they keep, so its maximiser is a step of the batch method in which old documents fade away.
"""

from __future__ import annotations

import numpy as np

from sonmf import kernels
from sonmf.engines import Engine
from sonmf.stiefel import polar
from sonmf.threads import Array


def update(engine: Engine, F: Array, M: Array, forgetting: float) -> tuple[Array, Array]:
    """F and M after the documents of the engine, read once."""
    _, (new, _) = engine.sweep(kernels.ascent, None, F)
    M = forgetting * M + np.asarray(new, np.float64)
    return polar(M), M
