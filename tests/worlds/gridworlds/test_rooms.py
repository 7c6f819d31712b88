"""The worlds of rooms except DoorKey against minigrid, step for step, and their own features."""

import json
from collections import Counter

import kit
import numpy as np
import pytest
from kit import started
from minigrid_play import export, play_both, theirs
from scipy.stats import chisquare

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import LevelError, ParameterError
from envsuite.gridworlds.dynamic_obstacles import DynamicObstacles
from envsuite.gridworlds.empty import Empty
from envsuite.gridworlds.four_rooms import FourRooms
from envsuite.gridworlds.key_corridor import KeyCorridor
from envsuite.gridworlds.lava_crossing import LavaCrossing
from envsuite.gridworlds.memory import Memory
from envsuite.gridworlds.multi_room import MultiRoom
from envsuite.gridworlds.unlock import Unlock
from envsuite.gridworlds.unlock_pickup import UnlockPickup
from envsuite.kit.rooms import BALL, BLUE, BOX, COLORS, DECODE, DROP, LEFT, MARGIN, PICKUP, RIGHT, TOGGLE, WALL
from envsuite.kit.rooms import EMPTY as FREE

WORLDS = (Empty, FourRooms, MultiRoom, Unlock, UnlockPickup, KeyCorridor, LavaCrossing, DynamicObstacles, Memory)


def build(world_class, **parameters):
    """The world that its id builds."""
    world = world_class(**parameters)
    world.id = f"envsuite/{world_class.__name__}-v0"
    return world


def named(**cells):
    """Exports of an environment with cells that the level names."""
    return lambda env: {**export(env), **{name: [int(k) for k in place(env)] for name, place in cells.items()}}


DOOR_TARGET = named(target=lambda env: env.door.cur_pos)
THING_TARGET = named(target=lambda env: env.obj.cur_pos)
ENDS = named(success=lambda env: env.success_pos, failure=lambda env: env.failure_pos)


def small_four_rooms():
    env = theirs("FourRoomsEnv")()
    env.width = env.height = 9
    return env


#: Our parameters, minigrid's environment, the number of episodes, the horizon, how a level is exported, and what
#: must happen: half of the episodes are our solver's, the others random.
CASES = [
    (Empty, {}, theirs("EmptyEnv"), 40, 80, export, ["goal", "truncated"]),
    (Empty, dict(random_start=True), theirs("EmptyEnv", agent_start_pos=None), 40, 80, export, ["goal"]),
    (Empty, dict(size=5), theirs("EmptyEnv", size=5), 40, 60, export, ["goal"]),
    (FourRooms, {}, theirs("FourRoomsEnv"), 60, 100, export, ["goal", "truncated"]),
    (FourRooms, dict(size=9), small_four_rooms, 60, 100, export, ["goal", "truncated"]),
    (MultiRoom, {}, theirs("MultiRoomEnv", 6, 6), 40, 120, export, ["goal", "open", "truncated"]),
    (
        MultiRoom, dict(min_rooms=2, max_rooms=4, max_room_size=5), theirs("MultiRoomEnv", 2, 4, maxRoomSize=5),
        60, 80, export, ["goal", "open", "close"],
    ),
    (Unlock, {}, theirs("UnlockEnv"), 100, 150, DOOR_TARGET, ["goal", "unlock", "drop"]),
    (UnlockPickup, {}, theirs("UnlockPickupEnv"), 100, 150, THING_TARGET, ["goal", "unlock", "drop", "close"]),
    (KeyCorridor, {}, theirs("KeyCorridorEnv"), 40, 200, THING_TARGET, ["goal", "unlock", "drop", "open"]),
    (KeyCorridor, dict(object="key"), theirs("KeyCorridorEnv", obj_type="key"), 30, 200, THING_TARGET, ["unlock"]),
    (
        KeyCorridor, dict(room_size=3, rows=2, object="box"), theirs("KeyCorridorEnv", 2, "box", 3),
        120, 150, THING_TARGET, ["goal", "unlock", "drop", "open"],
    ),
    (LavaCrossing, {}, theirs("CrossingEnv"), 80, 100, export, ["goal", "lava"]),
    (
        LavaCrossing, dict(obstacle="wall", crossings=3), theirs("CrossingEnv", num_crossings=3, obstacle_type="wall"),
        50, 100, export, ["goal", "truncated"],
    ),
    (
        LavaCrossing, dict(size=11, crossings=5), theirs("CrossingEnv", size=11, num_crossings=5),
        60, 100, export, ["goal", "lava"],
    ),
    (Memory, {}, theirs("MemoryEnv", size=9), 100, 120, ENDS, ["goal", "lava"]),  # "lava": an end without a reward
    (
        Memory, dict(size=13, random_length=True), theirs("MemoryEnv", size=13, random_length=True),
        60, 120, ENDS, ["goal", "lava"],
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("world", "parameters", "reference", "episodes", "horizon", "level", "wanted"),
    [pytest.param(*case, marks=[pytest.mark.slow] * bool(case[1])) for case in CASES],
    ids=[f"{case[0].__name__}-{'-'.join(map(str, case[1].values()))}".rstrip("-") for case in CASES],
)
def test_plays_like_minigrid(world, parameters, reference, episodes, horizon, level, wanted):
    envs = [reference() for _ in range(episodes)]
    for seed, env in enumerate(envs):
        env.reset(seed=seed)
        env.max_steps = horizon
    ours = build(world, horizon=horizon, **parameters)
    policy = make_policy("solver", ours)
    count = play_both(Batch(ours, episodes), envs, np.random.default_rng(1), level, policy)
    assert count["episodes"] == episodes and all(count[event] for event in wanted), count


@pytest.mark.parametrize(("size", "number", "random_start"), [(8, 4, False), (8, 4, True), (5, 2, False)])
def test_plays_like_minigrid_among_obstacles(size, number, random_start):
    """The balls' moves are random: ours are given to minigrid, ball by ball, as the outcomes of its own draws."""
    from obstacles_reference import Led

    world = build(DynamicObstacles, size=size, obstacles=number, random_start=random_start, horizon=80)
    row = size + MARGIN
    envs = [Led(size, None if random_start else (1, 1), n_obstacles=number, max_steps=80) for _ in range(60)]
    for seed, env in enumerate(envs):
        env.reset(seed=seed)

    def careful(rng, image):
        blocked = image[3, 5, 0] in (BALL, WALL)
        return rng.choice(3, p=[0.45, 0.45, 0.1] if blocked else [0.2, 0.2, 0.6])

    def same_order(env, s):
        s.balls[:] = [(y + MARGIN) * row + x for x, y in (ball.cur_pos for ball in env.obstacles)]

    def lead(env, s):
        env.places = iter([(cell % row, cell // row - MARGIN) for cell in s.balls.tolist()])

    count = play_both(
        Batch(world, len(envs)), envs, np.random.default_rng(size), policy=make_policy("solver", world), act=careful,
        start=same_order, before_step=lead,
    )  # fmt: skip
    assert count["episodes"] == 60 and count["goal"] > 20 and count["lost"] > 10, count


def hall(width, height, things):
    """A walled grid with objects at cells (x, y)."""
    grid = np.full((height, width, 3), (WALL, 5, 0))
    grid[1:-1, 1:-1] = FREE, 0, 0
    for (x, y), thing in things.items():
        grid[y, x] = thing
    return grid.tolist()


def test_a_ball_rolls_anywhere_around():
    world = build(DynamicObstacles)
    batch = started(world, 4000)
    level = {"grid": hall(8, 8, {(4, 4): [BALL, 2, 0]}), "agent": [1, 1], "direction": 3}
    batch.start(levels=level)
    batch.step(LEFT)
    cells = Counter(batch.records["balls"][:, 0].tolist())
    here = (4 + MARGIN) * (8 + MARGIN) + 4
    assert sorted(cell - here for cell in cells) == [-15, -14, -13, -1, 1, 13, 14, 15]
    assert chisquare(list(cells.values())).pvalue > 1e-3
    balls = (batch.records["grid"] == BLUE | BALL).sum(axis=1)
    assert (balls == 1).all()


@pytest.mark.parametrize(
    ("ours", "reference"),
    [
        (Empty(), theirs("EmptyEnv")),
        (FourRooms(), theirs("FourRoomsEnv")),
        (MultiRoom(), theirs("MultiRoomEnv", 6, 6)),
        (Unlock(), theirs("UnlockEnv")),
        (UnlockPickup(), theirs("UnlockPickupEnv")),
        (KeyCorridor(room_size=4), theirs("KeyCorridorEnv", room_size=4)),
        (LavaCrossing(size=11), theirs("CrossingEnv", size=11)),
        (DynamicObstacles(), theirs("DynamicObstaclesEnv")),
        (Memory(size=13), theirs("MemoryEnv", size=13)),
    ],
    ids=lambda value: getattr(value, "__name__", type(value).__name__),
)
def test_horizon_and_actions_are_minigrids(ours, reference):
    env = reference()
    assert Batch(ours, 1).record().params.horizon == env.max_steps
    assert ours.num_actions == env.action_space.n


@pytest.mark.parametrize("size, number", [(5, 3), (5, 4), (6, 4), (6, 5), (8, 5), (8, 6), (16, 9)])
def test_too_many_obstacles_are_reduced_as_in_minigrid(size, number):
    env = theirs("DynamicObstaclesEnv", size=size, n_obstacles=number)()
    assert DynamicObstacles(size=size, obstacles=number)._params["obstacles"] == env.n_obstacles


def act(batch, *actions):
    for action in actions:
        batch.step(action)
    return float(batch.rewards[0, 0]), bool(batch.terminations[0, 0])


def test_only_the_target_itself_counts():
    """MiniGrid compares object identities, not appearances; a toggled target can never be picked up."""
    batch = started(build(UnlockPickup))
    level = {"grid": hall(11, 6, {(3, 2): [BOX, 2, 0], (2, 3): [BOX, 2, 0]}), "agent": [2, 2], "direction": 0}
    for target, reward in (([3, 2], 1 - 0.9 / 288), ([2, 3], 0.0)):
        batch.set_level(0, {**level, "target": target})
        batch.start()
        assert "pick up the blue box" in batch.world.text(batch.record(), 0)
        assert act(batch, PICKUP) == (reward, reward > 0)
    batch.set_level(0, {**level, "target": [3, 2]})
    batch.start()
    # The target is gone, and an identical object lies in its place.
    assert act(batch, TOGGLE, RIGHT, PICKUP, LEFT, DROP, PICKUP) == (0.0, False)
    assert batch.record().carrying == BLUE | BOX


def test_missions_are_told():
    batch = started(build(UnlockPickup), 60)
    seen = set()
    for i in range(batch.num):
        s, observed = batch.record(i), batch.observations[i, 0]
        boxes = np.argwhere(DECODE[s.level.grid, 0] == BOX)
        assert len(boxes) == 1 and (boxes[0][::-1] == s.level.target).all()
        color = COLORS[observed["color"]]
        assert color == COLORS[DECODE[s.level.grid[tuple(boxes[0])], 1]]
        assert batch.world.text(s, 0).startswith(f"Mission: pick up the {color} box.")
        seen.add(color)
    assert seen == set(COLORS)
    assert "find the opening" in (lambda b: b.world.text(b.record(), 0))(started(build(LavaCrossing, obstacle="wall")))


def test_pictures_and_texts_know_the_view():
    for world_class in WORLDS:
        batch = started(build(world_class))
        world, s = batch.world, batch.record()
        text = world.text(s, 0)
        assert world.mission_of(s) in text
        assert text.count("#") == 1 + (batch.observations[0, 0]["image"][..., 0] == WALL).sum()
        height, width = s.level.grid.shape
        scene = world.scene(s)
        assert (scene.width, scene.height) == (width, height + max(width, height) / 16)


def test_levels_name_cells():
    batch = started(build(Memory))
    level = batch.world.get_level(batch.record())
    assert json.loads(json.dumps(level)) == level and level["success"] != level["failure"]
    with pytest.raises(LevelError, match=r"failure must be \[x, y\] of an empty cell; \[0, 0\] is wall"):
        batch.set_level(0, {**level, "failure": [0, 0]})
    with pytest.raises(LevelError, match="lacks 'success'"):
        batch.set_level(0, {name: level[name] for name in ("grid", "agent", "direction", "failure")})
    batch = started(build(KeyCorridor))
    level = batch.world.get_level(batch.record())
    with pytest.raises(LevelError, match=r"target must be \[x, y\] of a red ball"):
        batch.set_level(0, {**level, "target": level["agent"]})
    batch = started(build(DynamicObstacles, size=5, obstacles=2))
    many = hall(5, 5, {(x, 2): [BALL, 2, 0] for x in (1, 2, 3)})
    with pytest.raises(LevelError, match="3 balls; 2 is the most"):
        batch.set_level(0, {"grid": many, "agent": [1, 1], "direction": 0})


def test_levels_are_walled_in_around_the_agent():
    """Outside MultiRoom's rooms there is nothing, up to the edge of the level."""
    batch = started(build(MultiRoom))
    level = batch.world.get_level(batch.record())
    edge = np.array(level["grid"])[[0, -1], :, 0]
    assert (edge == FREE).any()
    batch.set_level(0, level)
    x, y = level["agent"]
    broken = np.array(level["grid"])
    broken[y, x:] = FREE, 0, 0
    with pytest.raises(LevelError, match="walls all around"):
        batch.set_level(0, {**level, "grid": broken.tolist()})


@pytest.mark.parametrize(
    ("world", "parameters", "message"),
    [
        (Empty, dict(size=4), "size"),
        (FourRooms, dict(size=18), "must be odd"),
        (MultiRoom, dict(min_rooms=3, max_rooms=2), "at least min_rooms"),
        (Unlock, dict(room_size=3), "room_size"),
        (KeyCorridor, dict(rows=6, room_size=7), "37 cells high"),
        (KeyCorridor, dict(object="goal"), "object"),
        (LavaCrossing, dict(size=10), "must be odd"),
        (LavaCrossing, dict(obstacle="water"), "obstacle"),
        (DynamicObstacles, dict(obstacles=-1), "obstacles"),
        (Memory, dict(size=8), "must be odd"),
    ],
)
def test_bad_parameters_are_refused(world, parameters, message):
    with pytest.raises(ParameterError, match=message):
        world(**parameters)


# Policies: the least share of episodes that the solver must win, and its least and random's highest mean return.


@pytest.mark.parametrize(
    ("world", "parameters", "won", "least", "most"),
    [
        (Empty, {}, 1.0, 0.94, 0.3),
        (FourRooms, {}, 0.95, 0.65, 0.15),
        (MultiRoom, {}, 1.0, 0.55, 0.05),
        (Unlock, {}, 1.0, 0.95, 0.15),
        (UnlockPickup, {}, 1.0, 0.92, 0.05),
        (KeyCorridor, {}, 1.0, 0.9, 0.05),
        (KeyCorridor, dict(room_size=3, rows=2, object="box"), 1.0, 0.8, 0.15),
        (LavaCrossing, dict(size=11, crossings=5), 1.0, 0.93, 0.05),
        (LavaCrossing, dict(crossings=3, obstacle="wall"), 1.0, 0.9, 0.1),
        (DynamicObstacles, {}, 1.0, 0.92, -0.9),
        (Memory, {}, 1.0, 0.95, 0.4),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
@pytest.mark.mostly_slow
def test_solver_solves(world, parameters, won, least, most):
    returns = {
        name: kit.finish(started(build(world, **parameters), 100), name, seed=7) for name in ("solver", "random")
    }
    assert (returns["solver"] > 0).mean() >= won
    assert returns["solver"].mean() > least and most > returns["random"].mean()


def test_multi_room_has_the_size_that_is_asked_for():
    """All rooms lie within `height` x `width` cells."""
    batch = started(build(MultiRoom, height=9, width=13, min_rooms=2, max_rooms=2, max_room_size=5), 20)
    grids = [np.array(batch.world.get_level(batch.record(i))["grid"]) for i in range(20)]
    assert {grid.shape[:2] for grid in grids} == {(9, 13)}
    assert all((grid[..., 0] == WALL).any() for grid in grids)
