"""The scikit-learn classes: parameters, validation, docstrings; nothing numerical."""

from sonmf.estimators.sonmf import SONMF

__all__ = ["SONMF"]
