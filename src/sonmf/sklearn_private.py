"""What scikit-learn has for its own estimators and does not promise to keep: only here, so that a release is followed here."""

from __future__ import annotations

from numbers import Integral

from sklearn.base import _fit_context as fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import _check_feature_names as check_feature_names
from sklearn.utils.validation import _check_n_features as check_n_features
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

__all__ = ["Count", "Interval", "StrOptions", "check_feature_names", "check_n_features", "check_sample_weight", "fit_context"]


class Count(Interval):
    """A parameter that is a whole number from 1 on; True, which Python takes for 1, is refused."""

    def __init__(self) -> None:
        super().__init__(Integral, 1, None, closed="left")

    def is_satisfied_by(self, val: object) -> bool:
        """Whether scikit-learn may accept the value."""
        return not isinstance(val, bool) and bool(super().is_satisfied_by(val))
