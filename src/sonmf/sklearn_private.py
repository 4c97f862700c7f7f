"""Private parts of scikit-learn, which may change with a release: they are used only here, so only this file must follow."""

from __future__ import annotations

from numbers import Integral

from sklearn.base import BaseEstimator
from sklearn.base import _fit_context as fit_context
from sklearn.utils._param_validation import Interval, InvalidParameterError, StrOptions
from sklearn.utils.validation import _check_feature_names as check_feature_names
from sklearn.utils.validation import _check_n_features as check_n_features
from sklearn.utils.validation import _check_sample_weight as check_sample_weight

from sonmf.errors import InputError

__all__ = [
    "CheckedParameters",
    "Count",
    "Interval",
    "StrOptions",
    "check_feature_names",
    "check_n_features",
    "check_sample_weight",
    "fit_context",
]


class ParameterError(InputError, InvalidParameterError):
    """A parameter that an estimator does not take, as scikit-learn says it; also the error that scikit-learn raises."""


class CheckedParameters(BaseEstimator):
    """An estimator that refuses parameters which its ``_parameter_constraints`` do not allow."""

    def _validate_params(self) -> None:
        """Validate the parameters; ``fit_context`` calls it."""
        try:
            super()._validate_params()
        except InvalidParameterError as refusal:
            raise ParameterError(str(refusal)) from None


class Count(Interval):
    """A parameter that is a whole number from 1 on; True, which Python takes for 1, is refused."""

    def __init__(self) -> None:
        super().__init__(Integral, 1, None, closed="left")

    def is_satisfied_by(self, val: object) -> bool:
        """Whether scikit-learn may accept the value."""
        return not isinstance(val, bool) and bool(super().is_satisfied_by(val))
