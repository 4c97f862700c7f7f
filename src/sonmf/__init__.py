"""Semi-orthogonal non-negative matrix factorisation: X ~ G F', F orthonormal with mixed signs, G non-negative."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sonmf import datasets, metrics, simulate, text, triage
    from sonmf.estimators import NMF, ONMF, SONMF, BinarySONMF, LogisticNMF, SemiNMF

__version__ = "0.1.0"
__all__ = [
    "NMF", "ONMF", "SONMF", "BinarySONMF", "LogisticNMF", "SemiNMF", "__version__", "datasets", "metrics", "simulate",
    "text", "triage",
]  # fmt: skip

_HOME = dict.fromkeys(["SONMF", "BinarySONMF", "NMF", "ONMF", "SemiNMF", "LogisticNMF"], "sonmf.estimators")
_MODULES = {"datasets", "metrics", "simulate", "text", "triage"}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import sonmf`` costs next to nothing."""
    if name in _HOME:
        value = getattr(import_module(_HOME[name]), name)
    elif name in _MODULES:
        value = import_module(f"sonmf.{name}")
    else:
        raise AttributeError(f"module 'sonmf' has no attribute {name!r}: its names are {', '.join(__all__)}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
