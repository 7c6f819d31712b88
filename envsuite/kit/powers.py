"""Powers with the same bits in Python and in machine code."""

from __future__ import annotations

from envsuite.core.kernel import kernel


@kernel
def power(base, exponent):
    """A float to the power of an integer of at least 0, by squaring.

    `**` does so in machine code, but calls the C library in Python, whose last bit may differ.
    """
    result = 1.0
    while exponent:
        if exponent & 1:
            result *= base
        exponent >>= 1
        base *= base
    return result
