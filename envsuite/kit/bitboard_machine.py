"""Sets of squares in single instructions: compiled code runs these in place of functions of `bitboard`."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.extending import intrinsic


@intrinsic
def lowest(typing: Any, word: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.uint64), code


@intrinsic
def leading_zeros(typing: Any, word: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctlz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), code


@intrinsic
def size(typing: Any, word: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.uint64), code


@intrinsic
def mirrored(typing: Any, word: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bswap(arguments[0])

    return types.uint64(types.uint64), code


@intrinsic
def write_squares(typing: Any, out: Any, plane: Any, word: Any) -> Any:
    # A vector of 64 bits is widened to bytes in a few instructions; a loop takes ten times as long.

    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, arguments[0])
        bits = builder.bitcast(arguments[2], ir.VectorType(ir.IntType(1), 64))
        squares = builder.zext(bits, ir.VectorType(ir.IntType(8), 64))
        start = builder.bitcast(array.data, ir.IntType(8).as_pointer())
        place = builder.gep(start, [builder.mul(arguments[1], ir.Constant(ir.IntType(64), 64))])
        builder.store(squares, builder.bitcast(place, squares.type.as_pointer()), align=1)
        return context.get_dummy_value()

    return types.none(out, types.int64, types.uint64), code


@intrinsic
def read_squares(typing: Any, array: Any, plane: Any) -> Any:
    def code(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source = context.make_array(signature.args[0])(context, builder, arguments[0])
        kind = ir.VectorType(ir.IntType(8), 64)
        start = builder.bitcast(source.data, ir.IntType(8).as_pointer())
        place = builder.gep(start, [builder.mul(arguments[1], ir.Constant(ir.IntType(64), 64))])
        squares = builder.load(builder.bitcast(place, kind.as_pointer()), align=1)
        bits = builder.icmp_unsigned("!=", squares, ir.Constant(kind, None))
        return builder.bitcast(bits, ir.IntType(64))

    return types.uint64(array, types.int64), code
