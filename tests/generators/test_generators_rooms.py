"""Levels of rooms: minigrid's distributions, soundness by an independent solver, and the `rooms` kind."""

import json
from collections import Counter

import kit
import numpy as np
import pytest
from minigrid_play import export, theirs
from scipy.stats import chi2_contingency, chisquare

from envsuite.core.batch import Batch, stream_starts
from envsuite.core.errors import LevelError, ParameterError
from envsuite.core.record import as_views
from envsuite.generators import base
from envsuite.generators.base import describe, generate, generate_many, generator, mutate, picture
from envsuite.generators.layouts import Rooms, solve
from envsuite.gridworlds.door_key import DoorKey
from envsuite.gridworlds.empty import Empty
from envsuite.gridworlds.four_rooms import FourRooms
from envsuite.gridworlds.key_corridor import KeyCorridor
from envsuite.gridworlds.lava_crossing import LavaCrossing
from envsuite.gridworlds.memory import Memory
from envsuite.gridworlds.multi_room import MultiRoom
from envsuite.gridworlds.unlock import Unlock
from envsuite.gridworlds.unlock_pickup import UnlockPickup
from envsuite.kit.rooms import BALL, BOX, DECODE, DOOR, EMPTY, GOAL, KEY, LAVA, WALL

LAYOUTS = ("door_key", "four_rooms", "multi_room", "bsp", "unlock", "unlock_pickup", "key_corridor")


def reset_levels(world, num):
    """The level records (N,) of N resets."""
    batch = kit.started(world, num)
    return batch.records["level"]


# Distributions: the same features of equal numbers of our levels and minigrid's, compared one by one.


def place(grid, kind):
    """Column and row of the first object of a type in a grid (height, width, 3), and its color and state."""
    found = np.argwhere(grid[..., 0] == kind)
    return (*map(int, found[0][::-1]), *map(int, grid[tuple(found[0])][1:])) if len(found) else None


def doors(grid):
    return [tuple(map(int, cell)) for cell in np.argwhere((grid[..., 0] == DOOR) & (grid[..., 2] == 1))]


def features(grid, agent, direction):
    """The features of a level to compare. The doors of a grid are ordered by rows."""
    key, box, ball, goal = (place(grid, kind) for kind in (KEY, BOX, BALL, GOAL))
    locked = np.argwhere(grid[..., 2] == 2)
    shut = doors(grid)
    colors = [int(grid[y, x, 1]) for y, x in shut]
    x, y = map(int, agent)
    return {
        "agent": (x, y),
        "agent's column and facing": (x, int(direction)),
        "agent's row and facing": (y, int(direction)),
        "in front": tuple(grid[y + (0, 1, 0, -1)[direction], x + (1, 0, -1, 0)[direction]][[0, 2]].tolist()),
        "key": key and key[:2],
        "key's color": key and key[2],
        "thing": (box or ball or (0, 0))[:2],
        "thing's color": (box or ball or (0, 0, 0))[2],
        "locked door": tuple(map(int, locked[0])) if len(locked) else None,
        "goal": goal and goal[:2],
        "goal and agent": goal and (np.sign(goal[0] - x), np.sign(goal[1] - y)),
        "number of doors": len(shut),
        "first door's row": shut[0][0] if shut else None,
        "last door's column": shut[-1][1] if shut else None,
        "first door's color": colors[0] if colors else None,
        "colors of neighbours": len(set(colors[:2])),
        "walls": int((grid[..., 0] == WALL).sum()) // 8,
        "walls in the first column": int((grid[:, 0, 0] == WALL).sum()) // 4,
        "walls in the last row": int((grid[-1, :, 0] == WALL).sum()) // 4,
        "lava": int((grid[..., 0] == LAVA).sum()),
        "openings": str(np.argwhere(grid[1:-1, 4, 0] == EMPTY).ravel()),
    }


def alike(ours, theirs):
    """The p-value of two lists of outcomes having one distribution; rare outcomes are pooled."""
    counts = Counter(ours), Counter(theirs)
    total = counts[0] + counts[1]
    common = [outcome for outcome, count in total.items() if count >= 20]
    table = [[count[outcome] for outcome in common] for count in counts]
    rest = [count.total() - sum(row) for count, row in zip(counts, table)]
    if sum(rest):
        table = [[*row, left] for row, left in zip(table, rest)]
    return chi2_contingency(table).pvalue if len(table[0]) > 1 else 1.0


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    ("ours", "reference", "num", "varied"),
    [
        (FourRooms(), theirs("FourRoomsEnv"), 800, ["agent", "goal", "openings", "in front"]),
        (MultiRoom(), theirs("MultiRoomEnv", 6, 6), 400, ["agent", "goal", "first door's row", "walls"]),
        (
            MultiRoom(min_rooms=2, max_rooms=4, max_room_size=5), theirs("MultiRoomEnv", 2, 4, maxRoomSize=5),
            800, ["number of doors", "goal and agent", "colors of neighbours", "walls in the first column"],
        ),
        (Unlock(), theirs("UnlockEnv"), 1000, ["agent", "key", "key's color", "locked door", "in front"]),
        (UnlockPickup(), theirs("UnlockPickupEnv"), 1000, ["agent", "key", "thing", "thing's color", "in front"]),
        (
            KeyCorridor(), theirs("KeyCorridorEnv"), 1500,
            ["agent", "key", "thing", "thing's color", "locked door", "number of doors", "in front", "openings"],
        ),
        (KeyCorridor(2, 3), theirs("KeyCorridorEnv", 2, "ball", 3), 800, ["agent", "in front", "number of doors"]),
        (
            LavaCrossing(size=11, crossings=5), theirs("CrossingEnv", size=11, num_crossings=5),
            1000, ["lava", "openings"],
        ),
        (
            Memory(size=13, random_length=True), theirs("MemoryEnv", size=13, random_length=True),
            1000, ["agent", "key", "walls"],
        ),
    ],
    ids=lambda value: "-".join([type(value).__name__, *map(str, getattr(value, "parameters", {}).values())])
    if hasattr(value, "parameters")
    else "",
)  # fmt: skip
@pytest.mark.slow
def test_levels_have_minigrids_distribution(ours, reference, num, varied):
    env = reference()
    levels = reset_levels(ours, 2 * num)
    mine = [features(DECODE[level["grid"]], level["agent"], level["direction"]) for level in levels]
    other = []
    env.reset(seed=0)
    for _ in range(num):
        level = export(env)
        other.append(features(np.array(level["grid"]), level["agent"], level["direction"]))
        env.reset()
    for name in mine[0]:
        found = [[level[name] for level in levels] for levels in (mine, other)]
        assert name not in varied or len(set(found[1])) > 1
        assert alike(*found) > 1e-4, name


@pytest.mark.mostly_slow
@pytest.mark.parametrize(
    ("ours", "reference", "number"),
    [
        (LavaCrossing(), theirs("CrossingEnv"), 42),  # 6 rivers with 7 openings
        (Memory(), theirs("MemoryEnv", 9), 24),  # 6 cells of the agent, 2 objects, 2 orders
    ],
    ids=["LavaCrossing", "Memory"],
)
def test_small_worlds_have_all_of_minigrids_levels_equally_often(ours, reference, number):
    env = reference()

    def text(grid, agent):
        return json.dumps([np.asarray(grid).tolist(), np.asarray(agent).tolist()])

    levels = Counter(text(DECODE[level["grid"]], level["agent"]) for level in reset_levels(ours, 4800))
    expected = set()
    for seed in range(500):
        env.reset(seed=seed)
        level = export(env)
        expected.add(text(level["grid"], level["agent"]))
    assert set(levels) == expected and len(levels) == number
    assert chisquare(list(levels.values())).pvalue > 1e-3


@pytest.mark.slow
def test_random_starts_are_uniform():
    levels = reset_levels(Empty(size=5, random_start=True), 6400)
    counts = Counter((*level["agent"].tolist(), int(level["direction"])) for level in levels)
    assert len(counts) == 4 * (9 - 1) and chisquare(list(counts.values())).pvalue > 1e-3


def test_a_chain_that_does_not_fit_is_shorter():
    rooms = []
    for level in reset_levels(MultiRoom(min_rooms=10, max_rooms=10, max_room_size=15), 20):
        grid = DECODE[level["grid"]]
        assert place(grid, GOAL) and grid[level["agent"][1], level["agent"][0], 0] == EMPTY
        rooms.append(len(doors(grid)) + 1)
    assert min(rooms) < max(rooms) <= 10, rooms


def solved(levels):
    """Which of the level records (N,) the tests' solver solves."""
    from rooms_solver import all_solvable

    grids = DECODE[levels["grid"]]
    assert ((grids[..., 0] == KEY).sum(axis=(1, 2)) <= 1).all() or "success" in levels.dtype.names
    assert ((grids[..., 2] == 2).sum(axis=(1, 2)) <= 1).all()
    if "success" in levels.dtype.names:
        n = np.arange(len(levels))
        goals = levels["success"]
        grids[n, levels["failure"][:, 1], levels["failure"][:, 0]] = WALL, 0, 0
        grids[n, :, :, 0] = np.where(grids[..., 0] == KEY, WALL, grids[..., 0])
        wanted = EMPTY
    elif "target" in levels.dtype.names and levels["target"].any():
        goals, wanted = levels["target"], None
    else:
        n, y, x = np.nonzero(grids[..., 0] == GOAL)
        assert np.array_equal(n, np.arange(len(levels)))  # one goal in each
        goals, wanted = np.stack([x, y], axis=1), GOAL
    kinds = grids[np.arange(len(levels)), goals[:, 1], goals[:, 0], 0]
    assert (kinds == wanted).all() if wanted else np.isin(kinds, (DOOR, KEY, BALL, BOX)).all()
    return all_solvable(grids, np.ascontiguousarray(levels["agent"]), np.ascontiguousarray(goals)).astype(bool)


@pytest.mark.slow
@pytest.mark.parametrize(
    "world",
    [
        DoorKey(), FourRooms(), MultiRoom(), MultiRoom(min_rooms=2, max_rooms=4, max_room_size=5), Unlock(),
        UnlockPickup(), KeyCorridor(), KeyCorridor(rows=2, room_size=3), LavaCrossing(),
        LavaCrossing(crossings=3, obstacle="wall"), LavaCrossing(size=11, crossings=5),
        Memory(size=13, random_length=True), Empty(size=5, random_start=True),
    ],
    ids=lambda world: type(world).__name__,
)  # fmt: skip
def test_ten_thousand_levels_of_a_world_can_be_solved(world):
    assert solved(reset_levels(world, 10_000)).all()


@pytest.mark.slow
@pytest.mark.parametrize("layout", LAYOUTS)
def test_ten_thousand_levels_of_a_layout_can_be_solved_and_changed(layout):
    made = generator("rooms", layout=layout)
    records = made.records(10_000)
    records["rng"] = stream_starts(np.arange(10_000))
    base.fill(made, records)
    assert solved(records["level"]).all()
    changed = Rooms.of(base.plain(made, as_views(records)[0]))
    again = changed.records(10_000)
    again["rng"], again["level"] = records["rng"], records["level"]
    for _ in range(15):
        before = again["level"].copy()
        base._run(changed, type(changed).change, "change", again, np.ones(len(again), bool))
        assert (before != again["level"]).all()
    assert solved(again["level"]).all()
    assert (records["level"]["grid"] != again["level"]["grid"]).any(axis=(1, 2)).mean() > 0.9


def test_the_solvers_agree_on_broken_levels():
    """`solve` and the independent solver, on levels with additional walls; both find the unsolvable ones."""
    rng = np.random.default_rng(0)
    answers = Counter()
    for layout in ("door_key", "bsp", "multi_room", "unlock"):
        made = generator("rooms", layout=layout)
        records = made.records(60)
        records["rng"] = stream_starts(np.arange(60))
        base.fill(made, records)
        for s in as_views(records):
            free = np.argwhere(s.level.grid == EMPTY)
            for y, x in free[rng.random(len(free)) < 0.1]:
                if (x, y) != tuple(s.level.agent):
                    s.level.grid[y, x] = 0x80 | 5 << 4 | WALL
        expected = solved(records["level"])
        for s, answer in zip(as_views(records), expected):
            found = solve(base.plain(made, s))
            assert found is not None and found.solved == answer
            answers[layout, bool(answer)] += 1
    assert len(answers) == 8 and min(answers.values()) >= 3, answers


# The kind.


@pytest.mark.parametrize("layout", LAYOUTS)
def test_rooms_as_a_kind(layout):
    levels = generate_many("rooms", 12, seed=5, layout=layout)
    assert levels[3] == generate("rooms", 8, layout=layout)
    for level in levels:
        assert json.loads(json.dumps(level)) == level and level["kind"] == "rooms"
        facts = describe(level)
        assert facts["solvable"] and facts["size"] == list(np.shape(level["grid"])[:2])
        assert facts["difficulty"] >= facts["path"] >= 0
        assert facts["locks"] == (layout in ("door_key", "unlock", "unlock_pickup", "key_corridor"))
        changed = mutate(level, seed=1)
        assert changed != level and describe(changed)["solvable"]
    drawn = picture(levels[0])
    assert [drawn.height, drawn.width] == describe(levels[0])["size"]
    train, test = (generate_many("rooms", 30, 0, split, layout=layout) for split in ("train", "test"))
    assert not {json.dumps(level) for level in train} & {json.dumps(level) for level in test}


def test_levels_of_the_kind_start_worlds():
    for world, layout in ((DoorKey(), "door_key"), (MultiRoom(), "multi_room"), (KeyCorridor(), "key_corridor")):
        batch = Batch(world, 1)
        level = generate("rooms", 3, layout=layout)
        batch.start(levels=level)
        assert {"kind": "rooms", **world.get_level(batch.record())} == level


def small(*rows, agent=(1, 1), target=None):
    """A level from letters: # wall, . empty, K L a red key and locked door, D a closed door, o a ball, G the goal."""
    cells = {"#": (WALL, 5, 0), ".": (EMPTY, 0, 0), "K": (KEY, 0, 0), "L": (DOOR, 0, 2), "D": (DOOR, 0, 1)}
    cells |= {"o": (BALL, 0, 0), "G": (GOAL, 1, 0), "b": (KEY, 2, 0)}
    grid = [[list(cells[letter]) for letter in row] for row in rows]
    level = {"kind": "rooms", "grid": grid, "agent": list(agent), "direction": 0}
    return level if target is None else {**level, "target": list(target)}


def test_figures_of_levels_made_by_hand():
    # Steps, then doors and things handled, counted by hand.
    straight = describe(small("#####", "#..G#", "#####"))
    assert straight == {
        "kind": "rooms", "size": [3, 5], "solvable": True, "difficulty": 2, "path": 2, "dead_ends": 2, "doors": 0,
        "locks": 0,
    }  # fmt: skip
    assert describe(small("######", "#.D.G#", "######"))["difficulty"] == 4
    # One step down to take the key, one up, unlock, two steps to the goal.
    assert solve(small("#######", "#..L.G#", "#..####", "#.K####", "#######"))[1:] == (6, 2)
    # The key is put down beside the ball, which is in a room of one cell.
    assert solve(small("#######", "#K.L.o#", "#######", agent=(2, 1), target=(5, 1))) == (True, 2, 4)
    # The ball in the way must be put aside, and the key behind it taken.
    assert solve(small("########", "#.o.K.L#", "#.######", "#.######", "########", target=(6, 1))) == (True, 4, 4)
    assert not solve(small("#####", "#.#G#", "#####")).solved
    assert not solve(small("#####", "#.#o#", "#####", target=(3, 1))).solved
    assert not solve(small("#######", "#b.L.G#", "#######", agent=(2, 1))).solved  # a blue key for a red door
    assert not solve(small("######", "#.LKG#", "######")).solved


def test_what_is_wrong_is_said():
    for params, message in (
        (dict(layout="door_key", rooms=3), "has no rooms, only width, height"),
        (dict(layout="four_rooms", width=10), "must be odd"),
        (dict(layout="multi_room", room_size=3), "room_size=3 must be at least 4"),
        (dict(layout="key_corridor", rooms=30), "at most 20"),
        (dict(layout="attic"), "layout"),
    ):
        with pytest.raises(ParameterError, match=message):
            generate("rooms", **params)
    level = small("#####", "#..G#", "#####")
    for broken, message in (
        ({**level, "agent": [3, 1]}, "is a green goal"),
        ({**level, "target": [1, 1]}, "target must be"),
        ({**level, "grid": level["grid"][:2]}, "walls all around"),
        ({**level, "grid": 3}, "cannot be read"),
        ({name: level[name] for name in ("kind", "grid", "agent")}, "lacks 'direction'"),
    ):
        with pytest.raises(LevelError, match=message):
            describe(broken)
