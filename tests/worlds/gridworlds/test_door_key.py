"""DoorKey against minigrid: steps in equal levels, the distribution of levels, and the features of this world."""

import itertools
import json
from collections import Counter, deque
from functools import partial

import kit
import numpy as np
import pytest
from minigrid_play import export, play_both
from scipy.stats import chisquare

from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError
from envsuite.gridworlds.door_key import DoorKey
from envsuite.kit.rooms import BALL, DECODE, DOOR, EMPTY, GOAL, KEY, LAVA, LOCKED, WALL, YELLOW


def door_key(**parameters):
    world = DoorKey(**parameters)
    world.id = "envsuite/DoorKey-v0"
    return world


started = partial(kit.started, DoorKey)


@pytest.mark.mostly_slow
@pytest.mark.parametrize(("size", "episodes", "horizon"), [(5, 120, 100), (6, 80, 100), (8, 70, 160), (16, 25, 300)])
def test_plays_like_minigrid(size, episodes, horizon):
    from minigrid.envs import DoorKeyEnv

    envs = [DoorKeyEnv(size=size, max_steps=horizon) for _ in range(episodes)]
    for seed, env in enumerate(envs):
        env.reset(seed=seed)
    count = play_both(Batch(door_key(size=size, horizon=horizon), episodes), envs, np.random.default_rng(size))
    assert count["truncated"] and count["pickup"] and count["drop"] and count["unlock"], count
    if size <= 8:
        assert count["goal"] >= 10 and count["close"] >= 10 and count["open"] >= 10, count


def test_plays_like_minigrid_among_all_objects():
    """Random levels with walls, floor, doors of all states, keys, balls, boxes, goals and lava in all colors."""
    from minigrid.core.grid import Grid
    from minigrid.envs import DoorKeyEnv

    rng, episodes, size = np.random.default_rng(0), 80, 8
    envs = [DoorKeyEnv(size=size, max_steps=150) for _ in range(episodes)]
    for seed, env in enumerate(envs):
        env.reset(seed=seed)
        grid = env.grid.encode()
        for x, y in itertools.product(range(1, size - 1), repeat=2):
            kind = rng.choice(10, p=[0, 0.6, 0.06, 0.05, 0.12, 0.06, 0.05, 0.04, 0.01, 0.01])
            grid[x, y] = kind, rng.integers(6) if kind != EMPTY else 0, rng.integers(3) if kind == DOOR else 0
            if kind == LAVA:
                grid[x, y, 1] = 0  # MiniGrid's is always red
        x, y = rng.integers(1, size - 1, 2)
        grid[x, y] = EMPTY, 0, 0
        env.grid, _ = Grid.decode(grid)
        env.agent_pos, env.agent_dir = (x, y), rng.integers(4)
    count = play_both(Batch(door_key(size=size, horizon=150), episodes), envs, rng)
    seen = ("pickup", "drop", "unlock", "open", "close", "box", "goal", "lava", "truncated")
    assert all(count[event] for event in seen), count


@pytest.mark.parametrize("size", [5, 8])
def test_horizon_is_minigrids(size):
    from minigrid.envs import DoorKeyEnv

    assert started(size=size).record().params.horizon == DoorKeyEnv(size=size).max_steps


# Levels.


def parts(codes):
    """Split column, door row and key cell of a level's grid of codes."""
    door, key = np.argwhere(codes == LEVEL_DOOR), np.argwhere(codes == YELLOW | KEY)
    assert len(door) == len(key) == 1
    return door[0][1], door[0][0], (key[0][1], key[0][0])


LEVEL_DOOR = 0x80 | YELLOW | LOCKED


def test_size_5_has_minigrids_48_levels_equally_often():
    from minigrid.envs import DoorKeyEnv

    env = DoorKeyEnv(size=5)
    theirs = set()
    for seed in range(1000):
        env.reset(seed=seed)
        theirs.add(json.dumps(export(env)))
    batch = started(4800, size=5)
    ours = Counter(json.dumps(batch.world.get_level(batch.record(i))) for i in range(batch.num))
    assert len(theirs) == 48 and set(ours) == theirs
    assert chisquare(list(ours.values())).pvalue > 1e-3


def test_generator_has_minigrids_distribution():
    """Ranges as in MiniGrid's `_gen_grid`: split in [2, size - 2), door row in [1, size - 2), cells at random."""
    size = 8
    batch = started(6000, size=size)
    levels = batch.records["level"]
    splits, doors, keys, agents = [], [], [], []
    for grid, agent in zip(levels["grid"], levels["agent"]):
        split, door, key = parts(grid)
        splits.append(split)
        doors.append(door)
        if split == 5:
            keys.append(key)
            agents.append(tuple(agent))
        assert 0 < agent[0] < split and 0 < key[0] < split and key != tuple(agent)
        assert DECODE[grid[size - 2, size - 2], 0] == GOAL
    room = set(itertools.product(range(1, 5), range(1, 7)))
    for found, possible in (
        (splits, range(2, size - 2)),
        (doors, range(1, size - 2)),
        (levels["direction"], range(4)),
        (keys, room),
        (agents, room),
    ):
        counted = Counter(found)
        assert set(counted) == set(possible)
        assert chisquare(list(counted.values())).pvalue > 1e-3
    distances = Counter(abs(k[0] - a[0]) + abs(k[1] - a[1]) for k, a in zip(keys, agents))
    expected = Counter(abs(k[0] - a[0]) + abs(k[1] - a[1]) for k, a in itertools.permutations(room, 2))
    frequency = np.array([expected[d] for d in expected]) * len(keys) / expected.total()
    assert chisquare([distances[d] for d in expected], frequency).pvalue > 1e-3  # key and agent are independent


def test_size_6_uses_every_place():
    """Of 100 levels: splits, rows of doors, cells of keys and of agents, each at every place, and nowhere else."""
    batch = started(100, size=6)
    found = [parts(grid) for grid in batch.records["level"]["grid"]]
    agents = [tuple(agent) for agent in batch.records["level"]["agent"]]
    assert {split for split, *_ in found} == {2, 3} and {door for _, door, _ in found} == {1, 2, 3}
    for columns in (1, 2):
        room = set(itertools.product(range(1, columns + 1), range(1, 5)))
        assert {key for split, _, key in found if split == columns + 1} == room
        assert {agent for (split, *_), agent in zip(found, agents) if split == columns + 1} == room
    for (split, row, _), grid in zip(found, batch.records["level"]["grid"]):
        wall = [[x in (0, 5) or y in (0, 5) or (x == split and y != row) for x in range(6)] for y in range(6)]
        assert np.array_equal(DECODE[grid, 0] == WALL, wall) and DECODE[grid[4, 4], 0] == GOAL


def around(x, y):
    return {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)}


def reachable(free, start):
    seen, todo = {start}, deque([start])
    while todo:
        for cell in around(*todo.popleft()) & free - seen:
            seen.add(cell)
            todo.append(cell)
    return seen


def test_every_level_can_be_solved():
    batch = started(1000, size=8)
    for level in batch.records["level"]:
        kinds = DECODE[level["grid"], 0]
        split, row, key = parts(level["grid"])
        free = {(x, y) for y, x in np.argwhere(kinds == EMPTY)}
        at_first = reachable(free, tuple(level["agent"]))
        assert at_first & around(*key)
        with_key = reachable(free | {key}, tuple(level["agent"]))
        assert (split - 1, row) in with_key and all(x < split for x, _ in with_key)
        assert (6, 6) in reachable(free | {key, (split, row), (6, 6)}, tuple(level["agent"]))


def test_a_level_is_plain_data_and_stays_the_episodes_start():
    batch = started(2)
    level = batch.world.get_level(batch.record(0))
    rng = np.random.default_rng(1)
    for _ in range(300):
        batch.step(rng.integers(0, 6, (2, 1)))
    assert batch.world.get_level(batch.record(0)) == level
    batch.start(0, [None, json.loads(json.dumps(level))])
    one, other = batch.records[0].copy(), batch.records[1].copy()
    one["rng"] = other["rng"] = 0
    assert one == other


def changed(level, x, y, cell):
    grid = [[list(c) for c in row] for row in level["grid"]]
    grid[y][x] = cell
    return {**level, "grid": grid}


def test_bad_levels_say_what_is_wrong():
    batch = started()
    level = batch.world.get_level(batch.record())
    bad = {
        "lacks 'agent'": {"grid": level["grid"], "direction": 0},
        "8 rows of 8 cells": {**level, "grid": level["grid"][:-1]},
        "three integers": {**level, "grid": np.array(level["grid"], float).tolist()},
        "cannot be read": {**level, "grid": [*level["grid"][:-1], level["grid"][-1][:-1]]},
        r"no object \[10, 0, 0\], at x=3, y=4": changed(level, 3, 4, [10, 0, 0]),
        r"no object \[11, 0, 0\]": changed(level, 3, 4, [11, 0, 0]),
        r"no object \[-1, 0, 0\]": changed(level, 3, 4, [-1, 0, 0]),
        r"no object \[5, 6, 0\]": changed(level, 3, 4, [5, 6, 0]),
        r"no object \[5, 0, 1\]": changed(level, 3, 4, [5, 0, 1]),
        r"no object \[1, 5, 0\]": changed(level, 3, 4, [1, 5, 0]),
        "walls all around, not a closed red door at x=0, y=4": changed(level, 0, 4, [DOOR, 0, 1]),
        "walls all around, not nothing at x=7, y=0": changed(level, 7, 0, [EMPTY, 0, 0]),
        r"\[6, 6\] is a green goal": {**level, "agent": [6, 6]},
        r"\[8, 1\] is outside": {**level, "agent": [8, 1]},
        r"\[0, 0\] is wall": {**level, "agent": [0, 0]},
        "cannot be read: too many values": {**level, "agent": [1, 1, 1]},
        "cannot be read: 'float'": {**level, "agent": [1.5, 1]},
        "direction must be 0 east": {**level, "direction": 4},
    }
    before = batch.records.copy()
    for message, wrong in bad.items():
        with pytest.raises(LevelError, match=message):
            batch.set_level(0, wrong)
        assert np.array_equal(batch.records, before)


# Observations and policies.


def test_text_and_picture_know_the_view():
    batch = started(64)
    rng, world = np.random.default_rng(3), batch.world
    for _ in range(60):
        batch.step(rng.integers(0, 6, (64, 1)))
    for i in range(batch.num):
        s, image = batch.record(i), batch.observations[i, 0]["image"].copy()
        assert np.array_equal(DECODE[world.view(s)], image)
        text = world.text(s, 0)
        assert world.mission in text
        assert ("a yellow key " in text) == (KEY in image[..., 0][np.arange(7) != 3] or KEY in image[3, :6, 0])
        assert ("locked yellow door" in text) == ((image == (DOOR, 4, 2)).all(axis=2).any())
        assert text.count("#") == 1 + (image[..., 0] == WALL).sum()
        scene = world.scene(s)
        assert (scene.width, scene.height) == (8, 8.5)


def test_text_tells_places():
    batch = started()
    grid = [[[WALL, 5, 0] if {x, y} & {0, 7} else [EMPTY, 0, 0] for x in range(8)] for y in range(8)]
    grid[3][2], grid[5][4], grid[4][6] = [KEY, 2, 0], [BALL, 0, 0], [GOAL, 1, 0]
    batch.set_level(0, {"grid": grid, "agent": [3, 5], "direction": 0})
    batch.start()
    text = batch.world.text(batch.record(), 0)
    assert "You face east and carry nothing." in text
    assert "In front of you: a red ball." in text
    assert "a green goal 3 ahead and 1 to the left" in text
    assert "key" not in text.splitlines()[3]  # it is behind


@pytest.mark.parametrize(("size", "least"), [(5, 0.95), (8, 0.96), (16, 0.96)])
def test_solver_solves(size, least):
    returns = {name: kit.finish(started(200, size=size), name, seed=7) for name in ("solver", "random")}
    assert (returns["solver"] > 0).all()
    assert returns["solver"].mean() > least > returns["random"].mean() + 0.4
