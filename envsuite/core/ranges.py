"""Ranges of fields: declared with a field's type, checked wherever records come from outside.

    ("player", below(np.uint8, 2)),  # whose turn it is
    ("paid", within(np.int64, 0, MOST), (players,)),  # by each player
    ("pieces", free(np.uint64)),  # a bit for each square

Kernels have no bounds checks, so a record with an index of 200 where 9 is the most takes the process down. A record
that is read from bytes is therefore checked first (`World.admit`). Each function here gives the type that it is given,
with a note of the range, which NumPy ignores; `World.define` takes the notes off again.
"""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from envsuite.core.parameters import Parameter, bounds

#: More than any count of an episode reaches; for counts that no rule bounds.
MANY = 2**53


def within(dtype: Any, low: Any, high: Any) -> np.dtype:
    """A field whose values are from `low` to `high`, both included; for an array, these may be arrays that broadcast.

    A tunable parameter may differ from record to record, so a bound that depends on one is that of its largest value.
    """
    return np.dtype(dtype, metadata={"range": (low, high)})


def below(dtype: Any, count: int) -> np.dtype:
    """A field whose values are one of `count` numbers from 0: an index, a code, a member of an enumeration."""
    return within(dtype, 0, count - 1)


def flag(dtype: Any = np.uint8) -> np.dtype:
    """A field that is 0 or 1."""
    return below(dtype, 2)


def free(dtype: Any) -> np.dtype:
    """A field that may have any value of its type: random words, hashes, sets of bits; any finite number of a float."""
    dtype = np.dtype(dtype)
    ends: Any = np.finfo(dtype) if dtype.kind == "f" else np.iinfo(dtype)
    return within(dtype, ends.min, ends.max)


def lifetime(dtype: np.dtype) -> np.dtype:
    """The same field, as one that a reset keeps: `reset` reads and leaves it. A reset with a seed sets it to zero."""
    return np.dtype(dtype, metadata={"range": _range(dtype), "lifetime": True})


def among(choices: Sequence[Any], chosen: Any) -> np.ndarray:
    """The number of a choice, as a parameter of the record that can be that of any choice."""
    return np.array(list(choices).index(chosen), below(np.int64, len(choices)))


def limited(value: Any, low: Any, high: Any) -> np.ndarray:
    """A number or an array of numbers, as a parameter or variable of the record, with its range."""
    array = np.asarray(value)
    kind = np.uint8 if array.dtype == np.uint8 else np.float64 if array.dtype.kind == "f" else np.int64
    return array.astype(within(kind, low, high))


def scratch(shape: Any, dtype: Any = np.int64) -> np.ndarray:
    """Room for numbers that a policy writes before it reads them; so they may be any."""
    return np.zeros(shape, free(dtype))


def usual(dtype: Any) -> np.dtype:
    """A type of a variable with its range: flags and floats need not declare theirs, nor words of 64 bits."""
    dtype = np.dtype(dtype)
    if _range(dtype) is None and dtype == np.uint8:
        return flag()
    return free(dtype) if _range(dtype) is None and dtype in (np.float64, np.uint64) else dtype


def fixed(value: Any) -> np.ndarray:
    """A number or an array of numbers, as a parameter of the record, that cannot change in a running environment."""
    return limited(value, value, value)


def bare(dtype: np.dtype) -> np.dtype:
    """The same type without notes of ranges."""
    if dtype.subdtype is not None:
        return np.dtype((bare(dtype.base), dtype.shape))
    if dtype.names is None:
        return np.dtype(dtype.str)
    return np.dtype([(name, bare(dtype[name])) for name in dtype.names], align=dtype.isalignedstruct)


def _range(dtype: np.dtype) -> tuple[Any, Any] | None:
    return dtype.metadata.get("range") if dtype.metadata else None


def _fields(dtype: np.dtype, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], np.dtype]]:
    """The fields of numbers: the names that lead to each, and its type."""
    for name in dtype.names or ():
        part = dtype[name].base
        if part.names is None:
            yield (*path, name), part
        else:
            yield from _fields(part, (*path, name))


def of_parameters(values: np.ndarray, declared: Mapping[str, Parameter], given: Mapping[str, Any]) -> np.dtype:
    """The type of the record `values` of tunable numbers, with the range of each.

    Where a number has none of its own (`among`, `limited`), its range is that of the parameter of its name and the
    value itself. A float that has none is free; any other number is one that no parameter changes.

    Args:
        values: shape ().
        declared: the parameters of the constructor.
        given: their values.
    """

    def ranged(name: str) -> np.dtype:
        part, value = values.dtype[name].base, values[name]
        hint = declared[name].hint if name in declared else None
        between = bounds(hint)
        if _range(part) is not None:
            return part
        if part == np.uint8:
            return flag()
        if part.kind == "f" and between is None:
            return free(part)
        ends: Any = (between.low, between.high) if between else ()
        if hint is bool:
            ends = (0, 1)
        elif typing.get_origin(hint) is Literal:
            choices = typing.get_args(hint)
            if type(choices[0]) is int:
                ends = choices
            elif given[name] in choices and value == choices.index(given[name]):
                ends = (0, len(choices) - 1)
        low, high = (min((*ends, *value.flat)), max((*ends, *value.flat))) if value.size else (0, 0)
        return within(part, low, high)

    names = values.dtype.names or ()
    return np.dtype([(name, ranged(name), values.dtype[name].shape) for name in names], align=True)


class Ranges:
    """The ranges of all fields of a record.

    Attributes:
        undeclared: the fields that have none.
        ends: the least and the largest value of each other field, by its path, such as ``"start.board"``.
        lifetime: the names of the fields that a reset keeps, see `lifetime`.
    """

    def __init__(self, dtype: np.dtype):
        fields = list(_fields(dtype))
        self.lifetime = tuple(path[0] for path, part in fields if part.metadata and part.metadata.get("lifetime"))
        self.undeclared = [".".join(path) for path, part in fields if _range(part) is None]
        self.ends: dict[str, tuple[np.ndarray, np.ndarray]] = {}
        self._checks = []
        for path, part in fields:
            if (ends := _range(part)) is not None:
                low, high = (np.asarray(end).astype(part) for end in ends)
                if (low != ends[0]).any() or (high != ends[1]).any():
                    raise ValueError(f"the range {ends[0]} .. {ends[1]} of {'.'.join(path)} does not fit {part}")
                self.ends[".".join(path)] = low, high
                if part.kind == "f" or not _covers(part, low, high):
                    self._checks.append((path, low, high))

    def outside(self, records: np.ndarray, under: str | None = None) -> tuple[int, str] | None:
        """The first field of N records that is out of its range: the record's number, and the fault in words.

        With `under`, only that field and the fields within it are checked.
        """
        for path, low, high in self._checks:
            if under not in (None, path[0]):
                continue
            part = records
            for name in path:
                part = part[name]
            inside = (part >= low) & (part <= high)
            if not inside.all():
                where = tuple(np.argwhere(~inside)[0].tolist())
                shape = part.shape
                low, high = np.broadcast_to(low, shape)[where], np.broadcast_to(high, shape)[where]
                name = ".".join(path) + "".join(f"[{k}]" for k in where[1:])
                finite = part.dtype.kind == "f" and high == np.finfo(part.dtype).max
                kept = "not a finite number" if finite else f"out of range {low} .. {high}"
                return where[0], f"{name} is {part[where]}, {kept}"
        return None


def _covers(dtype: np.dtype, low: np.ndarray, high: np.ndarray) -> bool:
    """Whether a range holds all values of an integer type."""
    ends = np.iinfo(dtype)
    return bool((low <= ends.min).all() and (high >= ends.max).all())
