"""Odd clicks and drags on the pictures of all worlds: an action of the agent or none, and never another state."""

import itertools
import json
import math
import random

import numpy as np
import pytest
from kit import started
from shapes import every_world

from envsuite.core.errors import ActionError, ParameterError
from envsuite.core.world import World
from envsuite.serve.choices import meant
from envsuite.serve.messages import checked
from envsuite.testing import random_actions

#: Coordinates that a picture has, or a place near or far from it, and others that are none.
PLACES = (
    0.0, -0.0, 5e-324, 1e-9, 0.5, 1, 1.0 - 2**-53, 2.5, 7, 13.49, 99.9, -1e-9, -0.5, -1, -7, -1e3, 1e3, 65536,
    -999999.9, 999999.9,
)  # fmt: skip
NO_PLACES = (
    1e6, -1e6, 2**31, 2**53 + 1, -(2**63), 2**64, 1e18, 1e300, -1e300, 1.7976931348623157e308, 10**400, -(10**400),
    math.nan, math.inf, -math.inf, True, False, None, "", "1", "²", "1e999", b"1", 1j, (), [], [1.0], {}, {"x": 1},
    object(), np.zeros(2), np.array("x"), Ellipsis, len, "\ud83d", "9" * 5000,
)  # fmt: skip
NO_POINTS = (None, True, 3, 1.5, math.nan, "", "12", b"12", (), [], [1.0], [1, 2, 3], {}, {0: 1, 1: 2}, {1, 2}, len)


def odd_points(chance, count):
    """Points of which a third has a coordinate that is none, and what is no point at all."""
    for k in range(count):
        x, y = chance.choice(PLACES), chance.choice((*PLACES, chance.uniform(0, 12)))
        odd = chance.choice(NO_PLACES)
        yield chance.choice(NO_POINTS) if k % 30 == 0 else ((odd, y), (x, odd), [x, y], (x, y), (y, x), [y, x])[k % 6]


def clicked(world, record, agent, point, start):
    """What a click or a drag means: an action of the agent, or None."""
    found = world.pointed(record, agent, point, start)
    assert found is None or (type(found) is int and 0 <= found < len(world.action_names[agent]))
    return found


def sent(world, batch, agent, point):
    """A click as the message of a page; what it means, None where it is refused."""
    try:
        text = json.dumps({"click": point, "n": 1})
    except TypeError:
        return None
    try:
        message = checked(text)
    except ParameterError:
        return None
    try:
        return meant(world, batch.record(), batch.masks[0, agent], agent, message)
    except ActionError as refused:
        assert str(refused) == "a click there means nothing"
        return None


def attack(id, count, states=4):
    """Odd clicks and drags in some states of an episode: how many meant an action, and how many did not."""
    chance, batch, found = random.Random(id), started(id), [0, 0]
    world, rng = batch.world, np.random.default_rng(0)
    drags = type(world).drag is not World.drag
    for _ in range(states):
        record, before = batch.record(), batch.records.tobytes()
        agents = chance.sample(range(len(world.agents)), min(2, len(world.agents)))
        points = odd_points(chance, count // states)
        for agent, point in zip(itertools.cycle(agents), points):
            start = next(odd_points(chance, 1)) if drags and chance.random() < 0.5 else None
            try:
                action = clicked(world, record, agent, point, start)
                assert start is not None or sent(world, batch, agent, point) in (action, None)
            except Exception as problem:
                raise AssertionError(f"{id}: {point!r} {start!r}: {type(problem).__name__}: {problem}") from problem
            found[action is None] += 1
        assert batch.records.tobytes() == before
        if batch.over()[0]:
            break
        batch.step(random_actions(batch.masks, rng) if not world.control_spaces else np.zeros_like(batch.actions[0]))
    return found


@pytest.mark.long
@pytest.mark.parametrize("id", every_world())
def test_odd_clicks(id, counted):
    meaning, nothing = attack(id, 3600)
    counted("odd clicks that mean an action", meaning)
    counted("odd clicks that mean nothing", nothing)


def test_a_few_clicks():
    found = [attack(id, 90, 1) for id in ("TicTacToe", "Checkers", "Go", "LiarsDice", "Maze", "Pendulum")]
    assert sum(meaning for meaning, _ in found) > 10 and sum(nothing for _, nothing in found) > 400


def test_no_point_means_an_action():
    """A click at (2.5, 1.5) is one on a square of TicTacToe, and a drag from (1.5, 5.5) one of a piece of Checkers."""
    squares, pieces = started("TicTacToe"), started("Checkers")
    assert squares.world.pointed(squares.record(), 0, (2.5, 1.5)) is not None
    assert pieces.world.pointed(pieces.record(), 0, (2.5, 4.5), (1.5, 5.5)) is not None
    for odd in NO_PLACES:
        for point in ((odd, 1.5), (2.5, odd), [odd, odd]):
            assert squares.world.pointed(squares.record(), 0, point) is None
            assert pieces.world.pointed(pieces.record(), 0, (2.5, 4.5), point) is None
    for odd in NO_POINTS:
        assert squares.world.pointed(squares.record(), 0, odd) is None
        assert pieces.world.pointed(pieces.record(), 0, odd, (1.5, 5.5)) is None
