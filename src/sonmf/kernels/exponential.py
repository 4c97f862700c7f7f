"""e^x for x <= 0 inside compiled loops: LLVM vectorises it, which it cannot do with the function of the C library."""

from __future__ import annotations

import math

import numba
import numpy as np

LOWEST = -708.7  # every x below gives the same result, 2e-308
LOG2_E = 1 / math.log(2)
LOG_2, REST = 355 / 512, -2.121944400546905827679e-4  # log(2) as a sum: multiples of the first part are exact
INVERSE_FACTORIALS = tuple(1 / math.factorial(i) for i in range(13, -1, -1))
BIAS, MANTISSA = 1023, 52  # of the exponent of a float64, and the bits below it


@numba.njit(nogil=True, fastmath={"contract"}, error_model="numpy")  # in another order r would lose its digits
def exponential(x):  # type: ignore[no-untyped-def]
    """e^x = 2^n e^r with |r| <= log(2) / 2, for which 14 terms of the series give all digits but the last."""
    x = LOWEST if x < LOWEST else np.float64(x)
    n = np.floor(x * LOG2_E + 0.5)
    r = (x - n * LOG_2) - n * REST
    series = 0.0
    for coefficient in INVERSE_FACTORIALS:
        series = series * r + coefficient
    exponent = np.int64(np.int32(n)) + BIAS  # by way of int32, for which processors have vector instructions
    return series * np.int64(exponent << MANTISSA).view(np.float64)
