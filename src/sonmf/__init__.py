"""Semi-orthogonal non-negative matrix factorisation: X ~ G F', F orthonormal with mixed signs, G non-negative."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sonmf import datasets, metrics, plot, simulate, stability, text, triage
    from sonmf.estimators.binary_sonmf import BinarySONMF
    from sonmf.estimators.logistic_nmf import LogisticNMF
    from sonmf.estimators.nmf import NMF, ONMF, SemiNMF
    from sonmf.estimators.sonmf import SONMF
    from sonmf.outcome_axes import OutcomeAxes
    from sonmf.rank import select_rank

__version__ = "0.1.0"
__all__ = [
    "NMF", "ONMF", "SONMF", "BinarySONMF", "LogisticNMF", "OutcomeAxes", "SemiNMF", "__version__", "datasets", "metrics",
    "plot", "select_rank", "simulate", "stability", "text", "triage",
]  # fmt: skip

_HOME = {
    "SONMF": "estimators.sonmf",
    "BinarySONMF": "estimators.binary_sonmf",
    "NMF": "estimators.nmf",
    "ONMF": "estimators.nmf",
    "SemiNMF": "estimators.nmf",
    "LogisticNMF": "estimators.logistic_nmf",
    "OutcomeAxes": "outcome_axes",
    "select_rank": "rank",
}
"""The file of each estimator and function: numba is not loaded for one that does without it until it is fitted."""
_MODULES = {"datasets", "metrics", "plot", "simulate", "stability", "text", "triage"}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import sonmf`` costs next to nothing."""
    if name in _HOME:
        value = getattr(import_module(f"sonmf.{_HOME[name]}"), name)
    elif name in _MODULES:
        value = import_module(f"sonmf.{name}")
    else:
        raise AttributeError(f"module 'sonmf' has no attribute {name!r}: its names are {', '.join(__all__)}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
