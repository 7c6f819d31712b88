"""The signatures that editors read: `make_aec`, `make_parallel` and `make_vec` with the parameters of each world."""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Sequence
from typing import Any

import envsuite
from envsuite import registry
from envsuite.core.parameters import NEEDED, signature

#: The functions that make worlds, and the interfaces whose options they take.
MAKERS = {
    "make_aec": "envsuite.interfaces.aec:AEC",
    "make_parallel": "envsuite.interfaces.parallel:Parallel",
    "make_vec": "envsuite.interfaces.vector:Vector",
}

#: The functions that the package defines itself.
OWN = ("make_aec", "make_parallel", "make_policy", "make_vec", "policies")

#: The beginning of the stubs.
STUB_HEAD = """\
# Written by `python -m envsuite.cli.built` from the code.
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, overload

import numpy as np
from gymnasium.vector import AutoresetMode

from envsuite.registry import __version__ as __version__"""


def arguments(cls: Any) -> list[str]:
    """The parameters of a world's class as Python writes them: ``players: int = 2``."""
    return [argument(name, hint, default) for name, (hint, default) in signature(cls).items()]


def argument(name: str, hint: Any, default: Any) -> str:
    """A parameter with its type and default, if it has them."""
    text = name if hint is NEEDED else f"{name}: {hint if isinstance(hint, str) else typed(hint)}"
    return text if default is NEEDED else f"{text} = {'...' if default is ... else repr(default)}"


def typed(hint: Any) -> str:
    """A type hint as Python writes it, without bounds."""
    kind, options = typing.get_origin(hint), typing.get_args(hint)
    if kind is typing.Annotated:
        return typed(options[0])
    if kind in (typing.Union, types.UnionType):
        return " | ".join(map(typed, options))
    if kind is typing.Literal:
        return f"Literal[{', '.join(map(repr, options))}]"
    if kind is not None:
        return f"{kind.__name__}[{', '.join('...' if option is ... else typed(option) for option in options)}]"
    return {list: "list[Any]", tuple: "tuple[Any, ...]", types.NoneType: "None"}.get(hint, hint.__name__)


def stubs() -> str:
    """The text of envsuite/__init__.pyi: the package's functions, those that make a world once for each world."""
    parts = []
    for name in OWN:
        function = getattr(envsuite, name)
        parts += overloads(name, function) if name in MAKERS else [stub(name, function, listed(function))]
    return "\n".join([STUB_HEAD, *imports(), "\nPUBLIC: dict[str, str]\n", *parts]) + "\n"


def imports() -> list[str]:
    """Lines of the stubs that import the public names which are defined elsewhere."""
    lines = ["from envsuite.registry import ids as ids, register as register, spec as spec"]
    for name, place in envsuite.PUBLIC.items():
        module, _, defined = place.partition(":")
        package, _, last = module.rpartition(".")
        lines.append(f"from {module if defined else package} import {defined or last} as {name}")
    return lines


def listed(function: Callable[..., Any]) -> list[str]:
    """A function's parameters as Python writes them."""
    parameters = inspect.signature(function).parameters.values()
    return ["**" * (p.kind is p.VAR_KEYWORD) + argument(p.name, p.annotation, p.default) for p in parameters]


def stub(name: str, function: Callable[..., Any], parameters: Sequence[str]) -> str:
    """A function without its body."""
    return f"def {name}({', '.join(parameters)}) -> {inspect.signature(function).return_annotation}: ..."


def options(name: str) -> list[str]:
    """What the interface behind a function takes besides the function's own parameters and those of the world."""
    own = inspect.signature(getattr(envsuite, name)).parameters
    known = inspect.signature(registry.resolve(MAKERS[name])).parameters.values()
    # Not their defaults, which may depend on the process.
    return [argument(p.name, p.annotation, ...) for p in known if p.kind is p.KEYWORD_ONLY and p.name not in own]


def overloads(name: str, function: Callable[..., Any]) -> list[str]:
    """A function that makes a world: once for each world with its parameters, and for the worlds of other packages."""
    id, *own, others = listed(function)
    found = []
    for world in registry.ids():
        label = f'id: Literal["{world}", "{registry.short_name(world)}"]'
        parameters = [label, *own, "*", *arguments(registry.spec(world).load()), *options(name)]
        found.append(f"@overload\n{stub(name, function, parameters)}")
    parameters = ["id: str | type[World] | World", *own, *options(name), others]
    return [*found, f"@overload\n{stub(name, function, parameters)}"]
