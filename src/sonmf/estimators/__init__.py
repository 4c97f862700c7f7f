"""The scikit-learn classes: parameters, validation, docstrings; nothing numerical."""

from sonmf.estimators.binary_sonmf import BinarySONMF
from sonmf.estimators.logistic_nmf import LogisticNMF
from sonmf.estimators.nmf import NMF, ONMF
from sonmf.estimators.semi_nmf import SemiNMF
from sonmf.estimators.sonmf import SONMF

__all__ = ["NMF", "ONMF", "SONMF", "BinarySONMF", "LogisticNMF", "SemiNMF"]
