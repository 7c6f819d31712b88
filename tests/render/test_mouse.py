"""The mouse: what clicks and drags mean, at all points of the pictures of every world that has a meaning for them."""

import re

import kit
import numpy as np
import pytest

import envsuite
from envsuite import registry
from envsuite.core.world import World


def grid(scene, spacing):
    """Points of a picture and just outside it."""
    xs, ys = (np.arange(-1, end + 1.01, spacing).tolist() for end in (scene.width, scene.height))
    return [(x, y) for x in xs for y in ys]


def clicks(world, s, agent):
    spacing = 0.5 if world.id == "envsuite/AmongUs-v0" else 0.25  # it thinks long, and has large rooms
    return {world.click(s, agent, *point) for point in grid(world.scene(s, agent), spacing)}


def drags(world, s, agent):
    points = grid(world.scene(s, agent), 1.0)  # one in each square of a board
    return {world.drag(s, agent, start, end) for start in points for end in points}


def meant(method):
    """The worlds that give a meaning of their own to clicks, or to drags."""
    found = [id for id in envsuite.ids() if id.startswith("envsuite/")]
    return [id for id in found if getattr(registry.spec(id).load(), method) is not getattr(World, method)]


CASES = [(id, clicks) for id in meant("click")] + [(id, drags) for id in meant("drag")]


@pytest.mark.parametrize(("id", "means"), CASES, ids=[f"{id}-{means.__name__}" for id, means in CASES])
def test_points_mean_actions(id, means):
    """Every fourth of the first nine states of a random game, seen by one of those who act."""
    world, rng = registry.build(id), np.random.default_rng(0)
    batch = kit.started(world)
    reached = set()
    for t in range(9):
        acting = np.flatnonzero(batch.acting[0])
        if t % 4 == 0 and len(acting):
            agent = int(acting[t // 4 % len(acting)])
            names = world.action_names[agent]
            before = batch.records.tobytes()
            found = means(world, batch.record(), agent) - {None}
            assert batch.records.tobytes() == before
            assert found <= set(range(len(names)))
            legal = np.flatnonzero(batch.masks[0, agent]).tolist()
            placed = {action for action in legal if re.fullmatch(world.clickable, names[action])}
            assert {names[action] for action in placed - found} == set()
            reached |= placed
        if batch.over()[0]:
            break
        for a in acting:
            batch.actions[0, a] = rng.choice(np.flatnonzero(batch.masks[0, a]))
        batch.step()
    assert reached
