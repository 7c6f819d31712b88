"""Levels changed at random: refused as `LevelError`, or played without a fault."""

import copy
import math
import random

import numpy as np
import pytest
from kit import started
from shapes import every_world

from envsuite import registry
from envsuite.core.errors import LevelError
from envsuite.generators import KINDS
from envsuite.generators.base import describe, generate, mutate, picture
from envsuite.testing import random_actions

ODD = [
    None, True, False, 0, 1, -1, 7, 255, 256, 2**31, 2**63, -(2**63), 10**30, 0.5, -1e300, math.nan, math.inf, "",
    "x", "0", "#\n#", "\0", "é" * 300, [], [[]], [None], [[[1]]], {}, {"a": 1}, (), b"x", Ellipsis, np.zeros(2),
]  # fmt: skip


def places(part, path=()):
    """The paths to all parts of a level."""
    yield path
    for key, inner in part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ():
        yield from places(inner, (*path, key))


def changed(level, chance):
    """A level with one part replaced, left out, doubled or put elsewhere."""
    level = copy.deepcopy(level)
    *path, last = chance.choice([path for path in places(level) if path])
    inside = level
    for key in path:
        inside = inside[key]
    old = inside[last]
    kind = chance.randrange(5)
    if kind == 0:
        inside[last] = chance.choice(ODD)
    elif kind == 1:
        del inside[last]
    elif kind == 2 and isinstance(inside, list):
        inside.insert(chance.randrange(len(inside) + 1), copy.deepcopy(old))
    elif kind == 3 and isinstance(old, str) and old:
        at = chance.randrange(len(old))
        inside[last] = old[:at] + chance.choice([*old, "", "?", "##"]) + old[at + 1 :]
    elif type(old) in (int, float):
        inside[last] = old + chance.choice([-1000, -2, -1, 1, 2, 1000])
    elif isinstance(inside, dict):
        inside[chance.choice(["extra", *inside])] = old
    else:
        inside[last] = chance.choice(inside)
    return level


def attack(id, count):
    """How many of `count` changed levels of a world were refused, and how many played."""
    chance, batch = random.Random(id), started(id)
    try:
        levels = [batch.world.get_level(started(id, seed=seed).record()) for seed in range(2)]
    except LevelError:
        return 0, 0
    refused, rng = 0, np.random.default_rng(0)
    for k in range(count):
        level = changed(levels[k % 2], chance)
        try:
            batch.start(k, level)
            for _ in range(3):
                batch.world.text(batch.record(), 0), batch.world.scene(batch.record())
                batch.step(random_actions(batch.masks, rng))
            batch.world.get_level(batch.record())
        except LevelError as error:
            assert str(error)
            refused += 1
        except Exception as error:
            raise AssertionError(f"{id}: {type(error).__name__}: {error} for {level}") from error
    return refused, count - refused


def attack_kind(kind, count):
    """As `attack`, for what generators do with levels of a kind."""
    chance, level, refused = random.Random(kind), generate(kind), 0
    for _ in range(count):
        other = changed(level, chance)
        try:
            describe(other), picture(other), mutate(other)
        except LevelError as error:
            refused += "cannot be changed" not in str(error)
        except Exception as error:
            raise AssertionError(f"{kind}: {type(error).__name__}: {error} for {other}") from error
    return refused, count - refused


@pytest.mark.parametrize(
    "attack, name", [*every_world(attack), *(pytest.param(attack_kind, kind, id=kind) for kind in KINDS)]
)
@pytest.mark.slow
def test_levels_changed_at_random(attack, name, counted):
    refused, played = attack(name, 300)
    counted("changed levels refused", refused)
    counted("changed levels played", played)


def test_a_few_levels():
    counts = [attack(id, 3) for id in registry.ids()[::4]] + [attack_kind(kind, 3) for kind in [*KINDS][::4]]
    assert sum(refused for refused, _ in counts) > 20 and sum(played for _, played in counts) > 5
