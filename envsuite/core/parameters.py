"""Parameters of worlds, generators, planners and policies: declared, checked, described, read from text and written.

A constructor's type hints declare its parameters. ``Annotated[int, Between(2, 16)]`` is an integer from 2 to 16,
``Literal["open", "closed"]`` one of two texts, ``Sequence[float]`` a list of numbers; ``| None`` allows None. Checked
values are Python's own, of the declared type. NumPy numbers and members of enumerations become plain numbers and
texts, integers given for floats become floats, and sequences become tuples (lists where the hint is `list`). So JSON
can hold all of them.
"""

from __future__ import annotations

import ast
import enum
import inspect
import json
import keyword
import math
import sys
import types
import typing
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

import numpy as np

from envsuite.core.errors import ParameterError, suggest

_T = TypeVar("_T")


#: The default of a parameter that must be given.
NEEDED = inspect.Parameter.empty


class Parameter(NamedTuple):
    """The values that a parameter may have, and its default."""

    hint: Any
    default: Any


@dataclass(frozen=True)
class Between:
    """Bounds of a number, both included: ``players: Annotated[int, Between(2, 5)] = 2``."""

    low: float
    high: float

    def at(self, default: float) -> Parameter:
        """A number within these bounds, of its default's type: ``keep=Between(0, 8).at(4)``, as policies declare it."""
        return Parameter(Annotated[type(default), self], default)


@dataclass(frozen=True)
class Horizon(Between):
    """Bounds of the maximum number of transitions per episode; PettingZoo's name `max_cycles` is a synonym for it."""


@dataclass(frozen=True)
class Formerly:
    """The name that a parameter had: it still works, with a warning. ``Annotated[int, Formerly("opponents")]``."""

    name: str


class Checked(type):
    """The type of classes whose constructors receive checked arguments only; `parameters` keeps all of them."""

    def __call__(cls: type[_T], *args: Any, **kwargs: Any) -> _T:
        values = check(cls.__name__, signature(cls), kwargs, args)  # type: ignore[arg-type]
        made: Any = cls.__new__(cls, **values)
        made.parameters = values
        made.__init__(**values)
        return made

    @property
    def __signature__(cls) -> inspect.Signature:  # which inspect would take from `__call__`
        found = inspect.signature(cls.__init__)  # type: ignore[misc]
        return found.replace(parameters=list(found.parameters.values())[1:])


@cache
def signature(function: Any) -> dict[str, Parameter]:
    """The parameters of a class or a function by name, with their evaluated type hints (Annotated kept)."""
    target = function.__init__ if isinstance(function, type) else function  # type: ignore[misc]
    hints = typing.get_type_hints(target, include_extras=True)
    listed = inspect.signature(target).parameters.values()
    named = (p for p in listed if p.name != "self" and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD))
    return {p.name: Parameter(hints.get(p.name, Any), p.default) for p in named}


def inferred(default: Any) -> Parameter:
    """A parameter that is declared by `Between.at`, or by its default alone: of the same type then."""
    if isinstance(default, Parameter):
        return default
    return Parameter(type(_own(default)) if isinstance(_own(default), (bool, int, float)) else Any, default)


def check(
    label: str, declared: Mapping[str, Parameter], given: Mapping[str, Any], positional: Sequence[Any] = ()
) -> dict[str, Any]:
    """All parameters, those given as Python's own values and the others by default; or `ParameterError`.

    Args:
        label: whose parameters they are, for the error.
        declared: the declared parameters, in order.
        given: values by name.
        positional: values of the first parameters.
    """
    if len(positional) > len(declared):
        raise ParameterError(f"{label} takes at most {len(declared)} parameters, got {len(positional)}")
    values = dict(zip(declared, positional))
    for key, value in given.items():
        name = synonym(key, declared)
        if name not in declared:
            raise ParameterError(f"{label} has no parameter {name!r}{suggest(name, declared)}")
        if name in values:
            raise ParameterError(f"{label} got the parameter {name!r} twice")
        values[name] = value
    complete = {}
    for name, (hint, default) in declared.items():
        value = values.get(name, default)
        if value is NEEDED:
            raise ParameterError(f"{label} needs the parameter {name!r}")
        try:
            complete[name] = _fitted(value, hint)
        except _Misfit:
            raise ParameterError(f"{label}: {name}={_shown(value)} must be {describe(hint)}") from None
    return complete


def _shown(value: Any) -> str:
    """A value in a message, cut off where it is long."""
    try:
        return f"{_part(value, None)!r:.200}"
    except ValueError:  # Python writes no integer of more than 4,300 digits
        return f"a number too long to show ({type(value).__name__})"


def synonym(name: str, declared: Mapping[str, Parameter]) -> str:
    """The parameter that a name means: a former name, or `max_cycles`, PettingZoo's name for the horizon."""
    for own, (hint, _) in declared.items():
        if Formerly(name) in getattr(hint, "__metadata__", ()):
            warnings.warn(f"the parameter {name!r} is now called {own!r}", FutureWarning, stacklevel=4)
            return own
    if name != "max_cycles" or name in declared:
        return name
    horizons = (own for own, (hint, _) in declared.items() if isinstance(bounds(hint), Horizon))
    return next((own for own in ("horizon", "max_steps", *horizons) if own in declared), name)


class _Misfit(Exception):
    """A value does not fit its hint."""


def _fitted(value: Any, hint: Any) -> Any:
    """A value as its hint has it, or `_Misfit`."""
    kind, options = typing.get_origin(hint) or hint, typing.get_args(hint)
    if kind is Annotated:
        value = _fitted(value, options[0])
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            _demand(all(b.low <= value <= b.high for b in options[1:] if isinstance(b, Between)))
        return value
    if kind in (typing.Union, types.UnionType):
        for option in sorted(options, key=lambda option: option is float):  # an integer stays one where it may
            with suppress(_Misfit):
                return _fitted(value, option)
        raise _Misfit
    if kind in _SEQUENCES:
        return _sequence(value, kind, options)
    if kind in (dict, Mapping):
        _demand(isinstance(value, Mapping))
        key, entry = options or (None, None)
        return {_part(k, key): _part(v, entry) for k, v in value.items()}
    if kind not in _WORDS and kind not in (Any, Literal, None):  # a class of its own
        _demand(isinstance(value, kind))
        return value
    value = _own(value)
    if kind is Literal:
        _demand(any(type(value) is type(choice) and value == choice for choice in options))
    elif kind is float:
        _demand(isinstance(value, (int, float)) and not isinstance(value, bool))
        _demand(abs(value) <= sys.float_info.max)  # neither infinite nor NaN
        value = float(value)
    elif kind is not Any:
        _demand(isinstance(value, kind or type(None)) and not (kind is int and isinstance(value, bool)))
    return value


def _demand(holds: bool) -> None:
    if not holds:
        raise _Misfit


def _sequence(value: Any, kind: Any, options: tuple[Any, ...]) -> Any:
    """A list or tuple of values as the hint of the sequence demands."""
    if isinstance(value, np.ndarray) and value.ndim:
        value = value.tolist()
    _demand(isinstance(value, Sequence) and not isinstance(value, (str, bytes, bytearray)))
    if kind is tuple and options and options[-1] is not ...:
        hints = options  # tuple[A, B, C]: one for each
    else:
        hints = (options[0] if options else None,) * len(value)
    _demand(len(hints) == len(value))
    parts = [_part(part, hint) for part, hint in zip(value, hints)]
    return parts if kind is list else tuple(parts)


def _part(value: Any, hint: Any) -> Any:
    """An element of a sequence or mapping; without a hint whatever it is, but Python's own all through."""
    if hint is not None:
        return _fitted(value, hint)
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if type(value) in (list, tuple):
        return type(value)(_part(part, None) for part in value)
    return _own(value)


def _own(value: Any) -> Any:
    """A number of NumPy or a member of an enumeration as Python's own number or text; others as they are."""
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        if value.dtype.kind in "mM":  # dates and spans of time are no numbers
            return value
        value = value.item()
    if isinstance(value, enum.Enum):
        value = _own(value.value)
    for kind in (int, float, str):
        if isinstance(value, kind) and type(value) not in (kind, bool):
            return kind(value)
    return value


def is_integer(value: Any) -> bool:
    """Whether this is one integer, of Python or NumPy, a 0-d array included; flags and spans of time are none."""
    if isinstance(value, np.ndarray):
        return value.shape == () and value.dtype.kind in "iu"
    return isinstance(value, (int, np.integer)) and not isinstance(value, (bool, np.timedelta64))


def is_number(value: Any) -> bool:
    """Whether this is one number, an integer or a float, of Python or NumPy."""
    return is_integer(value) or isinstance(value, (float, np.floating))


def bounds(hint: Any) -> Between | None:
    """The bounds that a type hint sets, if any."""
    return next((option for option in typing.get_args(hint)[1:] if isinstance(option, Between)), None)


_SEQUENCES = (Sequence, tuple, list)
_WORDS: dict[Any, tuple[str, str]] = {
    int: ("an integer", "integers"),
    float: ("a number", "numbers"),
    bool: ("True or False", "flags"),
    str: ("a text", "texts"),
    type(None): ("None", "None"),
}


def describe(hint: Any) -> str:
    """A type hint in words: the values that a parameter may have."""
    return _described(hint, [], 0)


def _described(hint: Any, bounds: list[Between], plural: int) -> str:
    kind, options = typing.get_origin(hint) or hint, typing.get_args(hint)
    if kind is Annotated:
        return _described(options[0], [*bounds, *(b for b in options[1:] if isinstance(b, Between))], plural)
    if kind in (typing.Union, types.UnionType):
        return " or ".join(_described(option, bounds, plural) for option in options)
    if kind is Literal:
        return "one of " + ", ".join(repr(choice) for choice in options)
    if kind in _SEQUENCES:
        return ("lists" if plural else "a list") + _elements(kind, options)
    if kind in (dict, Mapping):
        pair = " to ".join(_described(option, [], 1) for option in options)
        return ("mappings" if plural else "a mapping") + f" from {pair}" * bool(pair)
    if kind is float and not plural and all(bound.high == math.inf for bound in bounds):
        return "a finite number" + "".join(map(_range, bounds))
    if kind in (int, float):
        return _WORDS[kind][plural] + "".join(map(_range, bounds))
    if kind in _WORDS:
        return _WORDS[kind][plural]
    return getattr(kind, "__name__", str(hint))


def _elements(kind: Any, options: tuple[Any, ...]) -> str:
    """The elements of a list in words: " of texts", " of 2 numbers" or " of an integer, a text"; nothing if any."""
    if not options:
        return ""
    if kind is not tuple or ... in options:
        return f" of {_described(options[0], [], 1)}"
    if len(options) > 1 and len(set(options)) == 1:
        return f" of {len(options)} {_described(options[0], [], 1)}"
    return " of " + ", ".join(_described(option, [], 0) for option in options)


def _range(bound: Between) -> str:
    low, high = (f"{end:g}" if isinstance(end, float) else str(end) for end in (bound.low, bound.high))
    return f" of {low} or more" if bound.high == math.inf else f" from {low} to {high}"


def parse(hint: Any, text: str) -> Any:
    """A value from a command line, as its hint has it; the text itself if it cannot be, for `check` to refuse."""
    options = _options(hint)
    for option in options:
        if typing.get_origin(option) is Literal:
            for choice in typing.get_args(option):
                if text in (str(choice), repr(choice)):
                    return choice
        elif option in (None, type(None)):
            if text.lower() in ("none", "null"):
                return None
        elif option is bool:
            flags = ["false", "no", "off", "true", "yes", "on", *(() if int in options else ("0", "1"))]
            if text.lower() in flags:
                return text.lower() in ("true", "yes", "on", "1")
        elif option in (int, float):
            with suppress(ValueError):
                return option(text)
        elif option is not str:
            for read in (json.loads, ast.literal_eval):
                with suppress(ValueError, SyntaxError, RecursionError, MemoryError):
                    return read(text)
    return text


def _options(hint: Any) -> list[Any]:
    """The alternatives of a type hint, those that fewer texts fit first."""
    origin = typing.get_origin(hint)
    if origin is Annotated:
        return _options(hint.__origin__)
    if origin in (typing.Union, types.UnionType):
        found = [option for part in typing.get_args(hint) for option in _options(part)]
        return sorted(found, key=lambda option: {type(None): 0, bool: 2, int: 3, float: 4, str: 6}.get(option, 1))
    return [hint]


def read(declared: Mapping[str, Parameter], texts: Iterable[str], label: str) -> dict[str, Any]:
    """Parameters from texts of the form "name=value", yet to be checked; `label` begins the error for another form."""
    found = {}
    for text in texts:
        name, equals, value = (part.strip() for part in text.partition("="))
        if not (name and equals):
            raise ParameterError(f"{label} {text!r} must have the form name=value")
        name = synonym(name, declared)
        found[name] = parse(declared[name].hint, value) if name in declared else value
    return found


def to_json(value: Any, other: Callable[[Any], Any] | None = None) -> Any:
    """Data in the form in which JSON returns them; `check` turns them into parameters again.

    `other` converts objects that are neither plain data nor NumPy's; without it they raise `TypeError`.
    """

    def plain(part: Any) -> Any:
        if isinstance(part, (np.ndarray, np.generic)):
            return part.tolist()
        if other is None:
            raise TypeError(f"{type(part).__name__} is not plain data")
        return other(part)

    return json.loads(json.dumps(value, default=plain))


# Numbers in records.


def value_fields(label: str, values: Mapping[str, Any]) -> list[tuple[str, Any, tuple[int, ...]]]:
    """The fields of a record that holds these numbers and arrays: int64, float64, uint8 for flags, uint64 for words."""
    kinds: dict[str, type] = {"b": np.uint8, "i": np.int64, "u": np.int64, "f": np.float64}
    arrays = {name: np.asarray(value) for name, value in values.items()}
    for name, array in arrays.items():
        if array.dtype.kind not in kinds:
            raise ParameterError(f"{label}: {name}={values[name]!r:.60} must be numbers that 64 bits hold")
    # Words are given as such; NumPy takes a large Python int for one too.
    words = {name for name, value in values.items() if getattr(value, "dtype", None) == np.uint64}
    return [
        (name, np.uint64 if name in words else _kept(array.dtype) or kinds[array.dtype.kind], array.shape)
        for name, array in arrays.items()
    ]


#: The names that compiled code takes for attributes of a record, and of an array of records, whatever their fields.
_OF_RECORDS = {"view"}
_OF_ARRAYS = {
    "T", "argsort", "astype", "copy", "ctypes", "dtype", "flags", "flat", "flatten", "imag", "item", "itemsize",
    "nbytes", "ndim", "nonzero", "ravel", "real", "reshape", "shape", "size", "sort", "strides", "transpose",
}  # fmt: skip


def layout(label: str, fields: Sequence[tuple]) -> np.dtype:
    """The dtype of a record with these fields; `ParameterError` for a name that kernels cannot read as a field."""
    made = np.dtype(list(fields), align=True)
    _check_names(label, made, _OF_RECORDS)
    return made


def _check_names(label: str, record: np.dtype, taken: set[str]) -> None:
    for name in record.names or ():
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
            raise ParameterError(f"{label}: a field cannot be called {name!r}: kernels read fields as attributes")
        if name in taken:
            raise ParameterError(f"{label}: a field cannot be called {name!r}: NumPy has an attribute of that name")
        part = record[name]
        _check_names(label, part.base, _OF_RECORDS | _OF_ARRAYS if part.shape else _OF_RECORDS)


def _kept(dtype: np.dtype) -> np.dtype | None:
    """The type of a number that has a range (see `envsuite.core.ranges`)."""
    return dtype if dtype.metadata else None


def record_of(label: str, values: Mapping[str, Any]) -> np.ndarray:
    """One record, shape (), that holds these numbers and arrays of the world or generator `label`."""
    record = np.zeros((), layout(label, value_fields(label, values) or [("none", np.uint8, ())]))
    write(record, label, values)
    return record


def write(records: np.ndarray, label: str, values: Mapping[str, Any]) -> None:
    """Write numbers into the fields of their names, or `ParameterError` if one is too large."""
    for name, value in values.items():
        try:
            records[name] = value
        except OverflowError:
            raise ParameterError(f"{label}: {name}={value!r:.60} must be a number that 64 bits hold") from None
