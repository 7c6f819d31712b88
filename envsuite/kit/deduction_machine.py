"""Copies of arrays as bytes: the machine code of `deduction.copy`."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def copy(typing: Any, target: Any, source: Any) -> Any:
    if not isinstance(target, types.NestedArray) or target != source:
        return None
    size = target.nitems * target.dtype.bitwidth // 8

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        to, of = (cgutils.create_struct_proxy(target)(context, builder, value=value).data for value in arguments)
        cgutils.raw_memcpy(builder, to, of, context.get_constant(types.intp, size), 1)
        return context.get_dummy_value()

    return types.void(target, source), generate
