"""Powers with the same bits in Python and in machine code."""

from __future__ import annotations

from envsuite.core.kernel import kernel


@kernel
def power(base, exponent):
    """A float to the power of a nonnegative integer, by squaring.

    Machine code computes `**` in this way, but Python calls the C library, whose result may differ in the last bit.
    """
    result = 1.0
    while exponent:
        if exponent & 1:
            result *= base
        exponent >>= 1
        base *= base
    return result
