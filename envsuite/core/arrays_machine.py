"""Whole arrays in one loop, or as bytes: compiled code runs these in place of the functions of `arrays`."""

from __future__ import annotations

from typing import Any

from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


@intrinsic
def fill(typing: Any, array: Any, value: Any) -> Any:
    if not _in_one_piece(array) or not isinstance(array.dtype, types.Number):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        start, size = _cells(context, builder, array, arguments[0])
        cell = context.cast(builder, arguments[1], value, array.dtype)
        cell = context.get_value_as_data(builder, array.dtype, cell)
        with cgutils.for_range(builder, size, intp=cgutils.intp_t) as loop:
            builder.store(cell, builder.gep(start, [loop.index], inbounds=True))
        return context.get_dummy_value()

    return types.void(array, value), generate


@intrinsic
def copy(typing: Any, target: Any, source: Any) -> Any:
    if not (_in_one_piece(target) and _in_one_piece(source)) or not _fits(target, source):
        return None

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        (to, size), (of, _) = (_cells(context, builder, *pair) for pair in zip((target, source), arguments))
        if target.dtype == source.dtype:
            each = context.get_constant(types.intp, context.get_abi_sizeof(context.get_data_type(target.dtype)))
            cgutils.raw_memcpy(builder, to, of, size, each)
            return context.get_dummy_value()
        with cgutils.for_range(builder, size, intp=cgutils.intp_t) as loop:
            cell = context.unpack_value(builder, source.dtype, builder.gep(of, [loop.index], inbounds=True))
            cell = context.cast(builder, cell, source.dtype, target.dtype)
            context.pack_value(builder, target.dtype, cell, builder.gep(to, [loop.index], inbounds=True))
        return context.get_dummy_value()

    return types.void(target, source), generate


def _in_one_piece(array: Any) -> bool:
    return isinstance(array, types.Array) and array.layout == "C"


def _fits(target: Any, source: Any) -> bool:
    """Whether the shapes are equal, as far as the types know them."""
    if isinstance(target, types.NestedArray) and isinstance(source, types.NestedArray):
        return target.shape == source.shape
    return target.ndim == source.ndim


def _cells(context: Any, builder: Any, array: Any, value: Any) -> tuple[Any, Any]:
    """The place of the first cell, and the number of cells."""
    parts = context.make_array(array)(context, builder, value)
    if isinstance(array, types.NestedArray):
        return parts.data, context.get_constant(types.intp, array.nitems)
    return parts.data, parts.nitems
