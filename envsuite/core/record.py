"""Records and arrays as kernels see them that run as Python: fields are attributes, elements are Python numbers.

Machine code computes with integers and floats of 64 bits, whatever the type of a field. NumPy's scalars do not: an
element of a uint8 array plus 1 is a uint8. So a field, and an element of an array, is a Python int, float or bool here.
Only unsigned words of 64 bits stay NumPy's, since code that uses them means them to wrap around. Writing converts as
machine code does, except that an integer that does not fit its field is an error.

These are views: they share memory with the arrays that they are made from. A field may have any name; names of
`numpy.recarray` fields clash with the attributes of arrays.
"""

from __future__ import annotations

import contextlib
import operator
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np


class Cells(np.ndarray):
    """An array whose elements are Python numbers."""

    def __getitem__(self, key: Any) -> Any:
        found = np.ndarray.__getitem__(self, key)
        return found.item() if isinstance(found, np.generic) else found

    @property
    def flat(self) -> Any:
        """All elements in one row, which share memory with the array, as kernels use them."""
        return self.reshape(-1)


class Strict(Cells):
    """Cells that refuse operations that machine code does silently: a negative index, a float among integers."""

    def __getitem__(self, key: Any) -> Any:
        _refuse_negative(key)
        return super().__getitem__(key)

    def __setitem__(self, key: Any, value: Any) -> None:
        _refuse_negative(key)
        if self.dtype.kind in "iub" and isinstance(value, (float, np.floating)):
            raise ValueError(f"{value} is written into an array of integers ({self.dtype})")
        super().__setitem__(key, value)


#: The class of the arrays that kernels see.
_cells: type[Cells] = Cells


@contextlib.contextmanager
def strict() -> Iterator[None]:
    """While this lasts, views that are made are `Strict`; for tests of kernels that run as Python."""
    global _cells
    before, _cells = _cells, Strict
    try:
        yield
    finally:
        _cells = before


def _refuse_negative(key: Any) -> None:
    for part in key if isinstance(key, tuple) else (key,):
        if isinstance(part, (int, np.integer)) and part < 0:
            raise IndexError(f"the index {part} is below zero")


class Record:
    """One record; each dtype has a class of its own, with its fields as properties."""

    __slots__ = ("_array",)
    _array: np.ndarray

    def __getitem__(self, name: str) -> Any:
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        setattr(self, name, value)

    def __repr__(self) -> str:
        names = self._array.dtype.names or ()
        return f"Record({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"


class Records:
    """An array of records: an index gives a `Record`, a field's name the array of that field."""

    __slots__ = ("_array", "_made")

    def __init__(self, array: np.ndarray):
        self._array = array
        self._made: dict[Any, Record] = {}

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape, as an array's."""
        return self._array.shape

    def __len__(self) -> int:
        return len(self._array)

    def __getitem__(self, key: Any) -> Any:
        if _cells is Strict:
            _refuse_negative(key)
        try:
            return self._made[key]
        except (KeyError, TypeError):  # a slice cannot be hashed
            if isinstance(key, str):
                return getattr(self, key)
            found = as_views(self._array[(*key, ...) if isinstance(key, tuple) else (key, ...)])
            if isinstance(found, Record):
                self._made[key] = found
            return found

    def __setitem__(self, key: Any, value: Any) -> None:
        self._array[key] = array_of(value)

    def __getattr__(self, name: str) -> Any:
        if name in (self._array.dtype.names or ()):
            return as_views(self._array[name])
        raise AttributeError(f"these records have no field {name!r}")

    def __repr__(self) -> str:
        return f"Records({self._array!r})"


def as_views(value: Any) -> Any:
    """An array as kernels see it: `Record` or `Records` if it is structured, else `Cells`; other values as they are."""
    if not isinstance(value, np.ndarray):
        return value
    if value.dtype.names is not None:
        return _view(value) if value.ndim == 0 else Records(value)
    return value if value.dtype == np.uint64 else value.view(_cells)


def array_of(value: Any) -> Any:
    """The array that a view was made from; other values as they are."""
    return value._array if isinstance(value, (Record, Records)) else value


def copied(record: Any) -> Any:
    """A copy of a record, which does not share its memory."""
    return as_views(array_of(record).copy())


def field_names(value: Any) -> tuple[str, ...] | None:
    """The names of a record's fields, None for anything else."""
    return value._array.dtype.names if isinstance(value, Record) else None


def _view(array: np.ndarray) -> Record:
    made = _record_class(array.dtype)
    view = made.__new__(made)
    view._array = array
    for name, slot in made._slots:  # type: ignore[attr-defined]
        part = array[name]
        setattr(view, slot, part if slot[1] == "v" else as_views(part))
    return view


@cache
def _record_class(dtype: np.dtype) -> type[Record]:
    namespace: dict[str, Any] = {}
    slots = []
    for k, name in enumerate(dtype.names or ()):
        part = dtype[name]
        scalar = part.names is None and part.shape == ()
        slot = f"_{'v' if scalar else 'a'}{k}"
        slots.append((name, slot))
        namespace[name] = _scalar(slot, part) if scalar else _part(slot)
    namespace["__slots__"] = tuple(slot for _, slot in slots)
    namespace["_slots"] = tuple(slots)
    return type("Record", (Record,), namespace)


def _scalar(slot: str, dtype: np.dtype) -> property:
    scope: dict[str, Any] = {}
    read = f"s.{slot}[()]" if dtype == np.uint64 else f"s.{slot}.item()"
    exec(f"def get(s): return {read}\ndef put(s, value): s.{slot}[()] = value", scope)
    return property(scope["get"], scope["put"])


def _part(slot: str) -> property:
    scope: dict[str, Any] = {"array_of": array_of}
    exec(f"def put(s, value): array_of(s.{slot})[...] = array_of(value)", scope)
    return property(operator.attrgetter(slot), scope["put"])  # which a debugger does not step into
