"""Odd settings of worlds, which the attacks share."""

import random

from envsuite import registry
from envsuite.core.errors import ParameterError
from envsuite.core.parameters import signature

#: What is tried for every parameter of every world.
VALUES = (
    None, True, False, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 15, 16, 17, 20, 31, 32, 64, 100, 127, 128, 255,
    256, 1000, 2**31 - 1, 2**31, 2**63, -(2**63) - 1, 10**30, 0.0, -0.0, 0.1, 0.5, 0.9, 1.0, 1.5, 2.5, -0.5, 1e-300,
    1e300, -1e300, float("nan"), float("inf"), float("-inf"), 1j, "", "x", "\0", "\ud800", "None", "9" * 5000, b"x",
    (), (0,), (1, 2), [], [[]], ["x"] * 9, {}, {"x": 1}, object(), ...,
)  # fmt: skip


def built(id, params):
    """A world with these parameters; None if it is refused."""
    try:
        return registry.build(id, params)
    except ParameterError as problem:
        assert 0 < len(str(problem)) < 3000
        return None


def declared_of(id):
    """A world's parameters by name."""
    return signature(registry.spec(id).load())


def accepted(id):
    """The odd values, and the choices of literals, that a world takes for one parameter: (name, value)."""
    for name, declared in declared_of(id).items():
        for value in (*VALUES, *choices(declared.hint)):
            if built(id, {name: value}) is not None and repr(value) != repr(declared.default):
                yield name, value


def choices(hint):
    """All texts that a hint allows by name."""
    parts = getattr(hint, "__args__", ())
    return [part for part in parts if isinstance(part, str)] + [text for part in parts for text in choices(part)]


def settings(id, count):
    """Some worlds at odd settings, each of one to three odd parameters: (parameters, world)."""
    chance, singles = random.Random(id), list(accepted(id))
    for k in range(count if singles else 0):
        params = dict(chance.sample(singles, min(len(singles), 1 + k % 3)))
        while (world := built(id, params)) is None:  # odd values that do not go together
            params.popitem()
        yield params, world
