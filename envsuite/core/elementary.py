"""Elementary functions with the same bits everywhere: as Python, as machine code, with any C library and processor.

IEEE 754 fixes the results of + - * / and of square roots, but not those of `math.log` or `np.cos`. These come from the
C library, or from NumPy's code for one kind of processor, and may differ in the last bit. The functions here use only
+ - * / and the bits of a float64. Neither Python nor Numba rounds `a * b + c` once instead of twice: Numba would do so
only with its option `fastmath`, which nothing here uses.

Errors are below 1 ulp for `log`, `log1p` and `exp`, and below 2 ulp for the others. Special values are those of
IEEE 754: infinities and nan, never an exception.

Methods and polynomials are those of fdlibm. Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
Developed at SunPro, a Sun Microsystems, Inc. business. Permission to use, copy, modify, and distribute this software is
freely granted, provided that this notice is preserved.
"""

from __future__ import annotations

import math

import numpy as np

from envsuite.core.kernel import kernel, large_kernel

#: The logarithm of 2 in two parts: products of the first with the exponent of a float64 are exact.
_LN2_HIGH, _LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10
_LOG2_E = 1.44269504088896338700
_TWO_PI = 6.28318530717958647692

#: The bits of a float64: the number of those of the fraction, a mask of them, and the exponent of 1.
_PLACES, _FRACTION, _BIAS = 52, 2**52 - 1, 1023

#: The bits of a number just below sqrt(1/2), and how far they are below those of 1.
_ROOT = 0x3FE6A09E << 32
_BELOW = (0x3FF00000 << 32) - _ROOT

_LEAST_NORMAL = 2.0**-1022


@kernel
def _log(x, shift, correction):
    """The logarithm of x * 2**shift for a positive normal float64, plus a correction much smaller than the result."""
    bits = int(np.float64(x).view(np.int64)) + _BELOW
    fraction = np.int64((bits & _FRACTION) + _ROOT).view(np.float64)
    return _log_of((bits >> _PLACES) - _BIAS + shift, float(fraction) - 1.0, correction)


@kernel
def _log_of(exponent, f, correction):
    """The logarithm of 2**exponent * (1 + f), with 1 + f from sqrt(1/2) to sqrt(2), plus a correction."""
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    even = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01))
    odd = w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01))
    rest = even + z * (6.666666666666735130e-01 + odd)
    half = 0.5 * f * f
    return s * (half + rest) + (exponent * _LN2_LOW + correction) - half + f + exponent * _LN2_HIGH


@large_kernel
def log(x: float) -> float:
    """The natural logarithm of a float64; -inf for 0, nan for a number below 0."""
    x = float(x)
    if not x > 0.0:
        return -math.inf if x == 0.0 else math.nan
    if x == math.inf:
        return x
    if x < _LEAST_NORMAL:
        return _log(x * 2.0**54, -54, 0.0)
    return _log(x, 0, 0.0)


@kernel
def log2(x: float) -> float:
    """The logarithm to base 2, in bits."""
    return log(x) * _LOG2_E


@large_kernel
def log1p(x: float) -> float:
    """The natural logarithm of 1 + x, exact for small x too; -inf for -1, nan for a number below -1."""
    x = float(x)
    if not x > -1.0:
        return -math.inf if x == -1.0 else math.nan
    if x == math.inf or abs(x) < 2.0**-54:
        return x
    if -0.29 < x < 0.41:
        return _log_of(0, x, 0.0)
    total = 1.0 + x
    lost = 1.0 - (total - x) if x > 1.0 else x - (total - 1.0)
    return _log(total, 0, lost / total)


@large_kernel
def exp(x: float) -> float:
    """The exponential of a float64; inf above 709.78, 0 below -745.13."""
    x = float(x)
    if x > 709.782712893383973096:
        return math.inf
    if x < -745.133219101941108420:
        return 0.0
    if x != x:
        return x
    k = int(math.floor(_LOG2_E * x + 0.5))
    high, low = x - k * _LN2_HIGH, k * _LN2_LOW
    r = high - low
    t = r * r
    c = t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08)
    c = t * (-2.77777777770155933842e-03 + t * (6.61375632143793436117e-05 + c))
    c = r - t * (1.66666666666666019037e-01 + c)
    result = 1.0 + (r * c / (2.0 - c) - low + high)
    half = k >> 1  # in two steps: the first is exact, the second rounds once
    return result * _two_to(half) * _two_to(k - half)


@kernel
def _two_to(k):
    """2**k as a float64, for k of a normal number."""
    return float(np.int64((k + _BIAS) << _PLACES).view(np.float64))


@large_kernel
def logistic(x: float) -> float:
    """1 / (1 + exp(-x)); 0 below -709.78."""
    return 1.0 / (1.0 + exp(-x))


@kernel
def power(base: float, exponent: int) -> float:
    """A float64 to the power of a nonnegative integer, by squaring."""
    result = 1.0
    while exponent:
        if exponent & 1:
            result *= base
        exponent >>= 1
        base *= base
    return result


@kernel
def real_power(base: float, exponent: float) -> float:
    """A positive float64 to the power of any; its error grows with the size of its logarithm."""
    return exp(exponent * log(base)) if exponent != 0.0 else 1.0


@large_kernel
def cos_turns(turns: float) -> float:
    """The cosine of an angle in whole turns, which must be within 2**50."""
    turns = float(turns)
    quarters = int(math.floor(4.0 * turns + 0.5))
    return _turned(turns - 0.25 * quarters, quarters)


@large_kernel
def sin_turns(turns: float) -> float:
    """The sine of an angle in whole turns, which must be within 2**50."""
    turns = float(turns)
    quarters = int(math.floor(4.0 * turns + 0.5))
    return _turned(turns - 0.25 * quarters, quarters - 1)


@kernel
def _turned(part, quarters):
    """The cosine of a number of quarter turns plus a part of a turn, at most 1/8 in size."""
    x = _TWO_PI * part
    z = x * x
    if quarters & 1:
        r = z * (2.75573137070700676789e-06 + z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10))
        r = z * (8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + r))
        result = -x - z * x * (-1.66666666666666324348e-01 + r)
    else:
        r = z * (-2.75573143513906633035e-07 + z * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11))
        r = z * (-1.38888888888741095749e-03 + z * (2.48015872894767294178e-05 + r))
        r = z * (4.16666666666666019037e-02 + r)
        half = 0.5 * z
        near = 1.0 - half
        result = near + ((1.0 - near - half) + z * r)
    return -result if quarters & 2 else result
