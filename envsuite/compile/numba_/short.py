"""Common operations in fewer instructions, which Numba then writes and LLVM reads and optimizes in less time.

Numba writes and reads a whole array structure in memory at each use of an array, and computes for each loop how many
turns it takes with any step. LLVM removes all this again. Here what is known, such as the shape of an array in a record
or the step 1 of a loop, is a constant from the start, and the optimized code is as good.

Kernels have no text: of a global tuple of names they take the length.

All that is used of Numba here stands in `pins`, as for `linking`.
"""

from __future__ import annotations

import hashlib
import math
import operator
from functools import reduce
from typing import Any

from llvmlite import ir
from numba.core import cgutils, errors, types
from numba.core.cpu import CPUContext
from numba.core.imputils import user_function
from numba.np import arrayobj


class ShortContext(CPUContext):
    """Numba's context, with shorter code for the operations below."""

    def get_getattr(self, kind: Any, name: str) -> Any:
        if isinstance(kind, types.Record) and isinstance(kind.typeof(name), types.NestedArray):
            return _array_in_record
        return super().get_getattr(kind, name)

    def get_constant_generic(self, builder: Any, kind: Any, value: Any) -> Any:
        if kind == types.unicode_type or isinstance(kind, types.StringLiteral):
            return ir.Constant(self.get_value_type(kind), None)
        if isinstance(kind, types.BaseTuple):
            parts = [self.get_constant_generic(builder, *part) for part in zip(kind.types, value)]  # type: ignore[attr-defined]
            if parts and all(isinstance(part, ir.Constant) for part in parts):
                known = None if all(part.constant is None for part in parts) else parts
                return ir.Constant(self.get_value_type(kind), known)
        return super().get_constant_generic(builder, kind, value)

    def cast(self, builder: Any, value: Any, given: Any, wanted: Any) -> Any:
        if isinstance(wanted, types.UniTuple) and wanted.dtype == types.unicode_type:
            return ir.Constant(self.get_value_type(wanted), None)
        return super().cast(builder, value, given, wanted)

    def make_constant_array(self, builder: Any, kind: Any, array: Any) -> Any:
        if kind.layout != "C" or not 0 < array.nbytes <= _MOST:
            return super().make_constant_array(builder, kind, array)
        data = _data(builder.module, array.tobytes(), self.get_abi_alignment(self.get_data_type(kind.dtype)))
        data = data.bitcast(self.get_data_type(kind.dtype).as_pointer())
        return _array(self, builder, kind, data, array.shape, array.itemsize)

    def get_function(self, function: Any, signature: Any, _firstcall: bool = True) -> Any:
        if types.unicode_type in signature.args:
            raise errors.UnsupportedError("compiled code has no text")
        key = function.get_impl_key(signature.as_function()) if isinstance(function, types.Function) else function
        short, applies = _SHORT.get(key, (None, None))
        if short and applies(*signature.args):
            return lambda builder, values, loc=None: short(self, builder, signature, values)
        return super().get_function(function, signature, _firstcall)

    def pair_first(self, builder: Any, pair: Any, kind: Any) -> Any:
        return builder.extract_value(pair, 0)

    def pair_second(self, builder: Any, pair: Any, kind: Any) -> Any:
        return builder.extract_value(pair, 1)


#: Bytes of the largest global array that is kept in code; larger ones stay where they are.
_MOST = 1_000_000


def _data(module: Any, data: bytes, alignment: int) -> Any:
    """Bytes in a module, once for all that read them."""
    name = f".data.{alignment}.{hashlib.blake2b(data, digest_size=8).hexdigest()}"
    if name not in module.globals:
        content = cgutils.create_constant_array(ir.IntType(8), bytearray(data))
        cgutils.global_constant(module, name, content).align = alignment
    return module.globals[name]


def _structure(context: Any, builder: Any, kind: Any, **parts: Any) -> Any:
    """A value whose type is a structure; parts that are not given are null."""
    places, made = context.data_model_manager[kind]._fields, context.get_value_type(kind)
    constants = {place: value for place, value in parts.items() if isinstance(value, ir.Constant)}
    whole = ir.Constant(made, [constants.get(place, part(None)) for place, part in zip(places, made.elements)])
    for place, value in parts.items():
        if place not in constants:
            whole = builder.insert_value(whole, value, places.index(place))
    return whole


def _part(context: Any, builder: Any, kind: Any, value: Any, name: str, *axis: int) -> Any:
    """A part of a value whose type is a structure."""
    return builder.extract_value(value, [context.data_model_manager[kind].get_field_position(name), *axis])


def _numbers(values: Any) -> Any:
    return ir.Constant(ir.ArrayType(cgutils.intp_t, len(values)), [cgutils.intp_t(value) for value in values])


def _array(context: Any, builder: Any, kind: Any, data: Any, shape: Any, itemsize: int) -> Any:
    """A contiguous array of which only the place is not known."""
    strides = [itemsize * math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    known = {"shape": _numbers(shape), "strides": _numbers(strides)}
    sizes = {"nitems": cgutils.intp_t(math.prod(shape)), "itemsize": cgutils.intp_t(itemsize)}
    return _structure(context, builder, kind, data=data, **known, **sizes)


def _array_in_record(context: Any, builder: Any, kind: Any, record: Any, name: str) -> Any:
    """`record.name`, an array."""
    context.sentry_record_alignment(kind, name)
    array = kind.typeof(name)
    data = cgutils.get_record_member(builder, record, kind.offset(name), context.get_data_type(array.dtype))
    return _array(context, builder, array, data, array.shape, array.strides[-1])


def _integers(index: Any) -> tuple[Any, ...]:
    """The types of the numbers in an index, if it has nothing else; else ()."""
    kinds = index.types if isinstance(index, (types.Tuple, types.UniTuple)) else (index,)
    return kinds if all(isinstance(kind, types.Integer) for kind in kinds) else ()


def _reads(array: Any, index: Any) -> bool:
    """Whether this index of a contiguous array reads a cell, or an array of known shape within one."""
    if not isinstance(array, types.Array) or array.layout != "C" or not (kinds := _integers(index)):
        return False
    return len(kinds) == array.ndim or isinstance(array, types.NestedArray)


def _writes(array: Any, index: Any, value: Any) -> bool:
    return _reads(array, index) and len(_integers(index)) == array.ndim


def _cell(context: Any, builder: Any, array: Any, value: Any, index: Any, indices: Any) -> Any:
    """The place of the cell, or of the first of the array, that indices from the left stand for."""
    kinds, axes = _integers(index), range(array.ndim)
    if isinstance(index, types.BaseTuple):
        indices = [builder.extract_value(indices, axis) for axis in range(len(kinds))]
    else:
        indices = [indices]
    if isinstance(array, types.NestedArray):
        shape = [cgutils.intp_t(size) for size in array.shape]
        steps = [cgutils.intp_t(math.prod(array.shape[axis + 1 :])) for axis in axes]
    else:
        shape = [_part(context, builder, array, value, "shape", axis) for axis in axes]
        steps = [reduce(builder.mul, shape[axis + 1 :], cgutils.intp_t(1)) for axis in axes]
    fixed = [arrayobj.fix_integer_index(context, builder, *one) for one in zip(kinds, indices, shape)]
    offset = reduce(builder.add, map(builder.mul, fixed, steps))
    return builder.gep(_part(context, builder, array, value, "data"), [offset])


def _read(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """`array[i]` or `array[i, j]`."""
    array, index = signature.args
    value, indices = values
    place = _cell(context, builder, array, value, index, indices)
    if not isinstance(signature.return_type, types.Array):
        return arrayobj.load_item(context, builder, array, place)
    left = len(_integers(index))
    return _array(context, builder, signature.return_type, place, array.shape[left:], array.strides[-1])


def _write(context: Any, builder: Any, signature: Any, values: Any) -> None:
    """`array[i] = value` or `array[i, j] = value`."""
    array, index, kind = signature.args
    whole, indices, value = values
    place = _cell(context, builder, array, whole, index, indices)
    arrayobj.store_item(context, builder, array, context.cast(builder, value, kind, array.dtype), place)


def _range(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """`range(stop)` or `range(start, stop)`."""
    number = context.get_value_type(signature.args[0])
    start = values[0] if len(values) == 2 else number(0)
    return _structure(context, builder, signature.return_type, start=start, stop=values[-1], step=number(1))


def _loop(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """The start of a loop over a range."""
    (kind,), (value,) = signature.args, values
    made = value
    while isinstance(made, ir.instructions.InsertValue):
        made = made.operands[0]
    parts = made.constant if isinstance(made, ir.Constant) else None
    if not isinstance(parts, list) or parts[2].constant != 1:  # not from `_range`
        return CPUContext.get_function(context, "getiter", signature)(builder, values)
    start, stop = (_part(context, builder, kind, value, name) for name in ("start", "stop"))
    place, count = (cgutils.alloca_once(builder, start.type) for _ in range(2))
    builder.store(start, place)
    builder.store(builder.sub(stop, start), count)
    return _structure(context, builder, signature.return_type, iter=place, stop=stop, step=start.type(1), count=count)


def _turn(context: Any, builder: Any, signature: Any, values: Any) -> Any:
    """The next number of a loop over a range, and whether there is one."""
    (kind,), (value,) = signature.args, values
    place, step, count = (_part(context, builder, kind, value, name) for name in ("iter", "step", "count"))
    left, before = builder.load(count), builder.block
    more = builder.icmp_signed(">", left, left.type(0))
    with builder.if_then(more):
        now, inside = builder.load(place), builder.block
        builder.store(builder.sub(left, left.type(1), flags=["nsw"]), count)
        builder.store(builder.add(now, step), place)
    number = builder.phi(now.type)
    number.add_incoming(now, inside)
    number.add_incoming(ir.Constant(now.type, ir.Undefined), before)
    return _structure(context, builder, signature.return_type, first=number, second=more)


def _signed(*kinds: Any) -> bool:
    return all(isinstance(kind, types.Integer) and kind.signed for kind in kinds)  # type: ignore[attr-defined]


def _division(function: Any, part: int) -> Any:
    """A division, rounded down, of which this part is the result: 0 the quotient, 1 the remainder."""

    def divide(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        number, divisor = values
        if not isinstance(divisor, ir.Constant) or not isinstance(divisor.constant, int) or divisor.constant <= 0:
            return CPUContext.get_function(context, function, signature)(builder, values)
        number = context.cast(builder, number, signature.args[0], signature.return_type)
        whole = number.type
        quotient, rest = builder.sdiv(number, whole(divisor.constant)), builder.srem(number, whole(divisor.constant))
        below = builder.ashr(rest, whole(whole.width - 1))  # -1 where the division has rounded up, else 0
        return builder.add(rest, builder.and_(below, whole(divisor.constant))) if part else builder.add(quotient, below)

    return divide


def call_of(fndesc: Any, libraries: Any) -> Any:
    """Numba's `user_function`, which writes calls, in fewer instructions: the code of an error is returned as it is."""
    usual = user_function(fndesc, libraries)
    if isinstance(fndesc.restype, types.Optional):
        return usual

    def call(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        convention = context.call_conv
        function = context.declare_function(builder.module, fndesc)
        place = cgutils.alloca_once(builder, convention.get_return_type(fndesc.restype).pointee)
        error = convention._get_excinfo_argument(builder.function)
        given = convention._get_arg_packer(fndesc.argtypes).as_arguments(builder, values)
        code = builder.call(function, [place, error, *given])
        with cgutils.if_unlikely(builder, builder.icmp_signed("!=", code, code.type(0))):
            builder.ret(code)
        return context.get_returned_value(builder, fndesc.restype, builder.load(place))

    vars(call).update(vars(usual))
    return call


_SHORT: dict[Any, tuple[Any, Any]] = {
    operator.getitem: (_read, _reads),
    operator.setitem: (_write, _writes),
    operator.floordiv: (_division(operator.floordiv, 0), _signed),
    operator.mod: (_division(operator.mod, 1), _signed),
    range: (_range, lambda *numbers: len(numbers) < 3),
    "getiter": (_loop, lambda kind: isinstance(kind, types.RangeType)),
    "iternext": (_turn, lambda kind: isinstance(kind, types.RangeIteratorType)),
}
