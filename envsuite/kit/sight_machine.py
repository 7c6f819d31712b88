"""Views in vector instructions: what compiled code runs in the place of `sight.look` and `sight.look_around`.

Numba copies and looks up cell by cell, which takes 57 ns for a view of 11 x 11. As rows of bytes, turned by shuffles,
it takes 22 ns.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

from envsuite.kit.grid import EAST, NORTH, SOUTH, WEST
from envsuite.kit.sight import LIT, OWN, PLAYER

_LANES = 16
_INTEGER, _BYTE, _INDEX = ir.IntType(64), ir.IntType(8), ir.IntType(32)
_BYTES, _WORDS = ir.VectorType(_BYTE, _LANES), ir.VectorType(_INTEGER, 2)


@intrinsic
def look(typing: Any, cells: Any, stride: Any, cell: Any, facing: Any, behind: Any, own: Any, change: Any, view: Any):
    """See `sight.look`; `view` is a part of a record."""
    rows, columns = _shape(view)
    middle = columns // 2

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        grid, stride, cell, facing, behind, own, change, seen = arguments
        array = context.make_array(cells)(context, builder, grid)
        grid = array.data
        seen = context.make_array(view)(context, builder, seen).data
        ahead = builder.sub(_integer(rows - 1), behind)
        adapt = _adapt(builder, facing, own, change)

        def lines(number: int, size: int, down: Callable[[int], Any], right: Any) -> list[Any]:
            """Lines of cells in the order of memory; the first cell of each is `down` rows and `right` cells away."""
            starts = [builder.add(builder.mul(down(k), stride), builder.add(cell, right)) for k in range(number)]
            _check_bounds(context, builder, starts, size, array)
            return [_load(builder, grid, start, size) for start in starts]

        end = builder.append_basic_block("end")
        cases = builder.switch(facing, end)
        for way in (EAST, SOUTH, WEST, NORTH):
            block = builder.append_basic_block(f"facing{way}")
            cases.add_case(_integer(way), block)
            builder.position_at_end(block)
            if way == NORTH:
                found = lines(rows, columns, lambda i: builder.sub(_integer(i), ahead), _integer(-middle))
            elif way == SOUTH:
                right = _integer(middle + 1 - columns)
                found = lines(rows, columns, lambda i: builder.sub(ahead, _integer(i)), right)
                where = _lanes(columns)
                back = [where.index(columns - 1 - cell) if cell >= 0 else -1 for cell in where]
                found = [_shuffle(builder, line, line, back) for line in found]
            elif way == WEST:
                right = builder.sub(_integer(0), ahead)
                found = _transposed(builder, lines(columns, rows, lambda j: _integer(middle - j), right), rows, columns)
            else:
                right = builder.sub(ahead, _integer(rows - 1))
                found = lines(columns, rows, lambda j: _integer(j - middle), right)
                found = _transposed(builder, found, rows, columns)[::-1]
            for i in range(0, rows, 2):  # two rows are as wide as the registers of most processors
                pair = _shuffle(builder, found[i], found[min(i + 1, rows - 1)], range(2 * _LANES))
                pair = adapt(pair)
                for k in range(i, min(i + 2, rows)):
                    half = _shuffle(builder, pair, pair, range((k - i) * _LANES, (k - i + 1) * _LANES))
                    _store(builder, half, seen, k * columns, columns)
            builder.branch(end)
        builder.position_at_end(end)
        return context.get_dummy_value()

    return types.void(cells, *[types.int64] * 6, view), generate


@intrinsic
def look_around(typing: Any, cells: Any, stride: Any, cell: Any, shown: Any, view: Any):
    """See `sight.look_around`; `view` is a part of a record."""
    rows, columns = _shape(view)

    def generate(context: Any, builder: ir.IRBuilder, signature: Any, arguments: Any) -> Any:
        grid, stride, cell, bits, seen = arguments
        array = context.make_array(cells)(context, builder, grid)
        bits, seen = (
            context.make_array(kind)(context, builder, value).data for kind, value in ((shown, bits), (view, seen))
        )
        first = builder.sub(cell, _integer(columns // 2))
        starts = [builder.add(first, builder.mul(stride, _integer(i - rows // 2))) for i in range(rows)]
        _check_bounds(context, builder, starts, columns, array)
        for i, start in enumerate(starts):
            line = _load(builder, array.data, start, columns)
            line = builder.and_(line, _load(builder, bits, _integer(i * columns), columns))
            _store(builder, line, seen, i * columns, columns)
        return context.get_dummy_value()

    return types.void(cells, types.int64, types.int64, shown, view), generate


def _shape(view: Any) -> tuple[int, int]:
    """The rows and columns of a view."""
    if not isinstance(view, types.NestedArray) or not all(4 <= size <= _LANES for size in view.shape):
        raise TypingError(f"a view must be a part of a record with 4 to 16 rows and columns, not {view}")
    return view.shape


def _check_bounds(context: Any, builder: ir.IRBuilder, starts: Sequence[Any], size: int, array: Any) -> None:
    """Check that lines of `size` cells from these on are in the array, where arrays are checked at all."""
    if context.enable_boundscheck:
        for start in starts:
            cgutils.do_boundscheck(context, builder, start, array.nitems)
            cgutils.do_boundscheck(context, builder, builder.add(start, _integer(size - 1)), array.nitems)


def _integer(value: int) -> ir.Constant:
    return ir.Constant(_INTEGER, value)


def _words(size: int) -> tuple[ir.IntType, list[int]]:
    """A line of that many cells as two words, which may overlap: their type, and the cells that they begin at."""
    width = 8 if size >= 8 else 4
    return ir.IntType(8 * width), [0, size - width]


def _lanes(size: int) -> list[int]:
    """Which cell of a line each lane holds; -1: none."""
    word, starts = _words(size)
    unused = [-1] * (8 - word.width // 8)
    return [cell for start in starts for cell in [*range(start, start + word.width // 8), *unused]]


def _load(builder: ir.IRBuilder, array: Any, start: Any, size: int) -> Any:
    line = ir.Constant(_WORDS, ir.Undefined)
    word, starts = _words(size)
    for k, offset in enumerate(starts):
        at = builder.gep(array, [builder.add(start, _integer(offset))])
        value = builder.load(builder.bitcast(at, word.as_pointer()), align=1)
        line = builder.insert_element(line, builder.zext(value, _INTEGER), ir.Constant(_INDEX, k))
    return builder.bitcast(line, _BYTES)


def _store(builder: ir.IRBuilder, line: Any, array: Any, start: int, size: int) -> None:
    line = builder.bitcast(line, _WORDS)
    word, starts = _words(size)
    for k, offset in enumerate(starts):
        at = builder.gep(array, [_integer(start + offset)])
        value = builder.extract_element(line, ir.Constant(_INDEX, k))
        builder.store(builder.trunc(value, word), builder.bitcast(at, word.as_pointer()), align=1)


def _shuffle(builder: ir.IRBuilder, first: Any, second: Any, lanes: Sequence[int]) -> Any:
    """A line of these lanes of two lines; -1: any."""
    mask = ir.Constant(ir.VectorType(_INDEX, len(lanes)), [max(lane, 0) for lane in lanes])
    return builder.shuffle_vector(first, second, mask)


def _transposed(builder: ir.IRBuilder, lines: list[Any], rows: int, columns: int) -> list[Any]:
    """The rows of a view whose columns these lines are."""
    lines = lines + [ir.Constant(_BYTES, ir.Undefined)] * (_LANES - columns)
    half = _LANES // 2
    for _ in range(4):  # lines k and k + 8 are interleaved: log2(16) times, and 16 lines are transposed
        pairs = [(lines[k], lines[k + half], first) for k in range(half) for first in (0, half)]
        lines = [
            _shuffle(builder, one, other, [lane for k in range(first, first + half) for lane in (k, _LANES + k)])
            for one, other, first in pairs
        ]
    where = _lanes(rows)
    return [_shuffle(builder, line, line, _lanes(columns)) for line in (lines[where.index(i)] for i in range(rows))]


def _adapt(builder: ir.IRBuilder, facing: Any, own: Any, change: Any) -> Callable[[Any], Any]:
    """How the observer sees the codes of a line."""

    def all_lanes(value: Any) -> Any:
        one = builder.insert_element(
            ir.Constant(_BYTES, ir.Undefined), builder.trunc(value, _BYTE), ir.Constant(_INDEX, 0)
        )
        return _shuffle(builder, one, one, [0] * 2 * _LANES)

    def constant(value: int) -> ir.Constant:
        return ir.Constant(ir.VectorType(_BYTE, 2 * _LANES), [value] * 2 * _LANES)

    facings, owns, changes = all_lanes(facing), all_lanes(own), all_lanes(change)

    def adapt(line: Any) -> Any:
        plain = builder.and_(line, constant(LIT - 1))
        player = builder.icmp_unsigned("<", builder.sub(plain, constant(PLAYER)), constant(OWN - PLAYER))
        relative = builder.and_(builder.sub(line, facings), constant(3))
        line = builder.select(player, builder.or_(builder.and_(line, constant(256 - 4)), relative), line)
        mine = builder.icmp_unsigned("==", builder.and_(plain, constant(LIT - 4)), owns)
        return builder.select(mine, builder.xor(line, changes), line)

    return adapt
