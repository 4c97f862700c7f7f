"""e^x for x <= 0 inside compiled loops, which LLVM makes vectors of, as it cannot of the C library's function."""

from __future__ import annotations

import math

import numba
import numpy as np
from numba import types

from sonmf.llvm import extending, ir

LOWEST = -708.7  # the same is returned for any x below, 2e-308
LOG2_E = 1 / math.log(2)
LOG_2, REST = 355 / 512, -2.121944400546905827679e-4  # log(2) in two: multiples of the first are exact
INVERSE_FACTORIALS = tuple(1 / math.factorial(i) for i in range(13, -1, -1))


@numba.njit(nogil=True, fastmath={"contract"}, error_model="numpy")  # in another order r would lose its digits
def exponential(x):  # type: ignore[no-untyped-def]
    """e^x = 2^n e^r with |r| <= log(2) / 2, where 14 terms of the series give all digits but the last."""
    x = LOWEST if x < LOWEST else np.float64(x)
    n = np.floor(x * LOG2_E + 0.5)
    r = (x - n * LOG_2) - n * REST
    series = 0.0
    for coefficient in INVERSE_FACTORIALS:
        series = series * r + coefficient
    return series * _power_of_two(np.int32(n))


@extending.intrinsic
def _power_of_two(typing, n):  # type: ignore[no-untyped-def]
    """2^n, by the bits of a float64."""

    def generate(context, builder, signature, values):  # type: ignore[no-untyped-def]
        number = ir.IntType(64)
        exponent = builder.add(builder.sext(values[0], number), number(1023))
        return builder.bitcast(builder.shl(exponent, number(52)), ir.DoubleType())

    return types.float64(types.int32), generate
