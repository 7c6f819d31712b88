"""XLand: episodes and single steps of xminigrid in lock-step, its generator in closed form, maps, trials, players."""

from collections import Counter
from functools import cache, partial
from itertools import product

import kit
import numpy as np
import pytest
from kit import DATA

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError, SnapshotError
from envsuite.evaluation.matches import play
from envsuite.generators import generate, generate_many, split_of
from envsuite.gridworlds.xland import levels as words
from envsuite.gridworlds.xland.levels import BLACK_FLOOR, GREY_WALL, LARGEST, SETTINGS, SHADE
from envsuite.gridworlds.xland.rules import MARGIN
from envsuite.registry import build

ID = "envsuite/XLand-v0"

started = partial(kit.started, ID)


def in_python(level, **params):
    """A batch of these levels whose rules run as Python: less work than to compile them."""
    batch = Batch(build(ID, params), len(level), compiled=False)
    batch.start(0, level)
    return batch


F, R, L, PICK, PUT, TOGGLE = range(6)
EAST, SOUTH, WEST, NORTH = range(4)

#: Layouts of the recording: rooms and size.
LAYOUTS = {"R1": (1, 7), "R2": (2, 7), "R4": (4, 9), "R6": (6, 9), "R9": (9, 10)}


@cache
def recording():
    with np.load(DATA / "XLand" / "xland.npz") as held:
        return dict(held)


def tile(pair):
    """A tile of the source: its kind and color."""
    return int(pair[0]) + SHADE * int(pair[1])


def level_of(goal, rules, grid, agent):
    """A level from the source's encodings. Its directions are 0 up, 1 right, 2 down, 3 left."""
    kind = int(goal[0])
    if kind == 6:
        parts = kind, int(goal[1]) * LARGEST + int(goal[2]), 0
    elif kind == 5:
        parts = kind, tile(goal[1:3]), int(goal[3]) * LARGEST + int(goal[4])
    else:
        parts = kind, tile(goal[1:3]), tile(goal[3:5])
    made = []
    for kind, *pairs in rules.tolist():
        a, b, c = tile(pairs[:2]), tile(pairs[2:4]), tile(pairs[4:])
        if kind:
            made.append(words.rule_in_words((kind, a, b, c) if 3 <= kind <= 7 else (kind, a, 0, b)))
    y, x, direction = agent.tolist()
    return {
        "goal": words.goal_of(parts),
        "rules": made,
        "objects": [],
        "grid": np.stack([grid & 15, grid // SHADE], axis=2).tolist(),
        "players": [[x, y, (direction + 3) % 4]],
    }


def inner(batch):
    """(N, size, size) the maps without their margins."""
    size = int(batch.records["params"]["size"][0])
    side = size + 2 * MARGIN
    return batch.records["grid"].reshape(-1, side, side)[:, MARGIN:-MARGIN, MARGIN:-MARGIN]


def agents(batch):
    """(N, 3) row, column and direction of the first player, as the source has them."""
    side = int(batch.records["params"]["size"][0]) + 2 * MARGIN
    cell, facing = batch.records["cell"][:, 0], batch.records["facing"][:, 0]
    return np.stack([cell // side - MARGIN, cell % side - MARGIN, (facing + 1) % 4], axis=1)


def compare_episodes(layout, episodes):
    """Play episodes of the recording; the number of steps."""
    data = {name[3:]: values[episodes] for name, values in recording().items() if name.startswith(f"{layout}_")}
    rooms, size = LAYOUTS[layout]
    parts = zip(data["goals"], data["rules"], data["grid"][:, 0], data["agent"][:, 0])
    levels = [level_of(*part) for part in parts]
    batch = in_python(levels, size=size, rooms=rooms, steps=85)
    steps, alive = 0, np.ones(len(levels), bool)
    for t in range(data["actions"].shape[1] + 1):
        image = batch.observations["image"][:, 0].astype(int)
        assert (inner(batch) == data["grid"][:, t])[alive].all()
        assert (agents(batch) == data["agent"][:, t])[alive].all()
        assert (batch.records["pocket"][:, 0] == data["pocket"][:, t])[alive].all()
        assert (image[..., 0] + SHADE * image[..., 1] == data["view"][:, t])[alive].all()
        if not alive.any():
            return steps
        batch.step(data["actions"][:, [t]].astype(np.int64), alive)
        steps += alive.sum()
        assert np.allclose(batch.rewards[alive, 0], data["rewards"][alive, t], atol=1e-6)
        ends = batch.terminations[:, 0] + 2 * batch.truncations[:, 0]
        assert (ends == data["ends"][:, t])[alive].all()
        alive &= ends == 0
    raise AssertionError("an episode did not end")


def test_some_episodes_of_the_source():
    assert sum(compare_episodes(layout, slice(2)) for layout in LAYOUTS) > 400


@pytest.mark.slow
def test_all_episodes_of_the_source():
    """States, views, rewards and ends of 140 episodes."""
    assert sum(compare_episodes(layout, slice(None)) for layout in LAYOUTS) == 10405


def compare_steps(which):
    """Single steps with one rule and one goal of all kinds: kinds of rules that have applied, and of goals reached."""
    data = {name[4:]: values[which] for name, values in recording().items() if name.startswith("one_")}
    parts = zip(data["goals"], data["rules"], data["grid"][:, 0], data["agent"][:, 0])
    levels = [level_of(*part) for part in parts]
    batch = in_python(levels, size=7, rooms=1, steps=10)
    batch.records["pocket"][:, 0] = data["pocket"][:, 0]
    batch.step(data["actions"][:, None].astype(np.int64))
    assert (inner(batch) == data["grid"][:, 1]).all()
    assert (agents(batch) == data["agent"][:, 1]).all()
    assert (batch.records["pocket"][:, 0] == data["pocket"][:, 1]).all()
    assert np.allclose(batch.rewards[:, 0], data["rewards"], atol=1e-6)
    return np.unique(data["goals"][data["rewards"] > 0, 0])


def test_some_steps_of_the_source():
    assert len(compare_steps(slice(400))) > 8


@pytest.mark.slow
def test_all_steps_of_the_source():
    """2,000 steps, in which each of the 14 kinds of goal is reached."""
    assert compare_steps(slice(None)).tolist() == list(range(1, 15))


# By hand.


def room(size=7, **cells):
    """A grid of one room with tiles at places such as ``x2y3="red ball"``."""
    grid = np.full((size, size, 2), (1, 7))
    grid[[0, -1]] = grid[:, [0, -1]] = (2, 6)
    for place, name in cells.items():
        color, kind = name.split()
        grid[int(place[3]), int(place[1])] = words.KINDS.index(kind), words.COLORS.index(color)
    return grid.tolist()


def at(batch, x, y):
    """The tile in a column and row, in words."""
    return words.tile_name(int(inner(batch)[0, y, x]))


def test_doors():
    """A locked door opens for its key only, which stays; no door is walked through while it is closed."""
    grid = room(x3y2="red locked", x2y3="red key", x1y2="blue key")
    level = {"goal": "none", "rules": [], "objects": [], "grid": grid, "players": [[2, 2, EAST]]}
    batch = started(level=level, size=7, rooms=1)
    kit.act(batch, TOGGLE, F)
    assert at(batch, 3, 2) == "red locked" and agents(batch).tolist() == [[2, 2, 1]]
    kit.act(batch, R, R, PICK, R, R, TOGGLE)
    assert batch.records["pocket"][0, 0] == words.read_tile("blue key") and at(batch, 3, 2) == "red locked"
    kit.act(batch, R, R, PUT, L, PICK, L, TOGGLE)
    assert at(batch, 3, 2) == "red open" and batch.records["pocket"][0, 0] == words.read_tile("red key")
    kit.act(batch, TOGGLE, F)
    assert at(batch, 3, 2) == "red closed" and agents(batch).tolist() == [[2, 2, 1]]
    kit.act(batch, TOGGLE, F)
    assert agents(batch).tolist() == [[2, 3, 1]]


LEVEL = {"goal": "hold blue hex", "rules": ["hold red ball makes blue hex"], "objects": ["red ball", "grey goal"]}


def test_trials():
    """The ruleset stays; map, hands and clock are new. The reward counts from the start of the trial."""
    batch = started(level=LEVEL, size=6, rooms=1, difficulty="small", trials=3, steps=50)
    maps, rewards = [], []
    for trial in range(3):
        maps.append(inner(batch)[0].tobytes())
        assert batch.observations["trial"][0, 0].tolist() == [trial, 3] and not batch.over()[0]
        assert batch.observations["clock"][0, 0].tolist() == [0, 50] and batch.records["pocket"][0, 0] == 0
        batch.records["clock"] = 10 * trial
        y, x, _ = agents(batch)[0]
        grid = batch.records["grid"][0].reshape(14, 14)
        grid[MARGIN + 1 : -MARGIN - 1, MARGIN + 1 : -MARGIN - 1] = BLACK_FLOOR
        batch.records["facing"] = EAST if x < 3 else WEST
        grid[MARGIN + y, MARGIN + x + (1 if x < 3 else -1)] = words.read_tile("red ball")
        kit.act(batch, PICK)
        rewards.append(batch.rewards[0, 0])
    assert np.allclose(rewards, [1 - 0.9 * (1 + 10 * trial) / 50 for trial in range(3)])
    assert batch.terminations[0, 0] and len(set(maps)) == 3
    assert batch.observations["trial"][0, 0].tolist() == [3, 3]


def test_trials_that_time_out():
    batch = started(level=LEVEL, size=6, rooms=1, difficulty="small", trials=2, steps=3)
    kit.act(batch, R, R, R)
    assert batch.records["trial"][0] == 1 and not batch.over()[0]
    kit.act(batch, R, R, R)
    assert batch.truncations[0, 0] and not batch.terminations[0, 0]


def test_what_is_told():
    """Goal and rules as numbers; nothing of them, or of the hands, where they are hidden."""
    level = {**LEVEL, "goal": "blue hex above red ball", "rules": ["blue key left of player makes black floor"]}
    seen = started(level=level, size=6, rooms=1, difficulty="small").observations[0, 0]
    assert seen["goal"].tolist() == [[7, 3, 1, 11, 3, 0, 0]]
    assert seen["rules"].tolist() == [[11, 7, 3, 0, 0, 1, 7]] + [[0] * 7] * 3
    for told, rows in (("goal", 1), ("nothing", 0)):
        seen = started(level=level, size=6, rooms=1, difficulty="small", told=told).observations[0, 0]
        assert seen["goal"].any() == rows and not seen["rules"].any()
    placed = started(level={**LEVEL, "goal": "red ball at 3 1"}, size=6, rooms=1, difficulty="small")
    assert placed.observations[0, 0]["goal"].tolist() == [[5, 3, 1, 0, 0, 3, 1]]
    for pocket in (True, False):
        batch = started(level=LEVEL, size=6, rooms=1, difficulty="small", pocket=pocket)
        batch.records["pocket"] = words.read_tile("pink star")
        batch.observe()
        assert batch.observations[0, 0]["pocket"].tolist() == [12 * pocket, 11 * pocket]


# Maps and rulesets.

#: Doors of each layout, and the floor of a map of this size: rooms without walls and doors.
PLANS = [(1, 9, 0, 49), (2, 9, 1, 42), (4, 9, 4, 36), (6, 9, 6, 31), (6, 13, 6, 87), (9, 10, 12, 36), (9, 13, 12, 81)]


@pytest.mark.parametrize("rooms, size, doors, floor", PLANS)
def test_maps(rooms, size, doors, floor):
    """Numbers of doors and cells; all rooms are connected; each object and player has a cell of its own."""
    batch = started(20, rooms=rooms, size=size, difficulty="trivial")
    for grid, s in zip(inner(batch), batch.records):
        assert (s["grid"] != words.EMPTY).sum() == size * size  # nothing outside of the map
        kinds = grid & 15
        objects = s["level"]["objects"]
        assert (kinds == words.CLOSED).sum() == doors and (grid == words.EMPTY).sum() == 0
        assert sorted(grid[~np.isin(kinds, (1, 2, 9))].tolist()) == sorted(objects[objects > 0].tolist())
        assert (~np.isin(kinds, (2, 9))).sum() == floor
        assert set((grid[kinds == 9] // SHADE).tolist()) <= set(range(1, 7))
        assert (grid[[0, -1]] == GREY_WALL).all() and (grid[:, [0, -1]] == GREY_WALL).all()
        side = size + 2 * MARGIN
        y, x = divmod(int(s["cell"][0]), side)
        assert grid[y - MARGIN, x - MARGIN] == BLACK_FLOOR
        reached, todo = set(), [(y - MARGIN, x - MARGIN)]
        while todo:
            row, column = todo.pop()
            if (row, column) not in reached and kinds[row, column] != words.WALL:
                reached.add((row, column))
                todo += [(row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1)]
        assert len(reached) == floor + doors


def test_doors_lie_anywhere_in_their_walls():
    batch = started(300, rooms=4, size=7, difficulty="trivial", seed=5)
    doors = (inner(batch) & 15 == words.CLOSED).sum(axis=0)
    wall = np.array([3, 3, 3, 3]), np.array([1, 2, 4, 5])
    for counts in (doors[wall], doors[wall[::-1]]):  # two places in each half of a wall
        assert (abs(counts - 150) < 5 * 300**0.5 / 2).all() and counts[:2].sum() == counts[2:].sum() == 300
    assert doors.sum() == 1200


def test_sizes_without_room():
    for params, message in (
        (dict(rooms=4, size=8), "4 rooms need an odd size, not 8"),
        (dict(rooms=6, size=7), "6 rooms need an odd size of at least 9"),
        (dict(rooms=9, size=9), "9 rooms need a size of 7, 10"),
        (dict(rooms=4, size=7, difficulty="high"), "16 cells for 26 things"),
    ):
        with pytest.raises(ParameterError, match=message):
            build(ID, params)


def means(setting):
    """The mean numbers of objects and of rules: tiles have 16/11 inputs on average."""
    inputs, tiles, objects, rules = 16 / 11, 16 / 11, setting.spare_objects, setting.spare_rules / 2
    objects += rules * inputs
    for _ in range(setting.depth):
        objects += setting.prune * tiles
        rules += (1 - setting.prune) * tiles
        tiles *= (1 - setting.prune) * inputs
    return objects + tiles, rules


def check_means(num):
    for difficulty, setting in SETTINGS.items():
        levels = generate_many("rulesets", num, seed=3, difficulty=difficulty)
        counts = np.array([[len(level["objects"]), len(level["rules"])] for level in levels])
        errors = counts.std(axis=0) / num**0.5 + 1e-9
        assert (abs(counts.mean(axis=0) - means(setting)) < 4.5 * errors).all(), difficulty
        assert counts[:, 1].max() <= setting.rules and counts[:, 0].max() <= setting.objects


def test_rulesets_in_closed_form():
    assert means(SETTINGS["trivial"])[0] == pytest.approx(4.4545, abs=1e-4)  # the page's number
    check_means(150)


@pytest.mark.slow
def test_many_rulesets_in_closed_form():
    """Numbers of objects and rules, and kinds of goals, of 800 rulesets of each difficulty."""
    check_means(800)
    goals = Counter(level["goal"] for level in generate_many("rulesets", 800, difficulty="trivial"))
    kinds = Counter()
    for goal, count in goals.items():
        kinds[words.read_goal(goal)[0]] += count
    assert sorted(kinds) == [1, 3, 4, *range(7, 15)]
    assert all(abs(count - 800 / 11) < 5 * (800 / 11) ** 0.5 for count in kinds.values())


def test_rulesets():
    """Each tile of a chain is made by one rule or lies about, goal tiles are in first place, splits are apart."""
    for level in generate_many("rulesets", 60, seed=8, difficulty="high"):
        _, a, b = words.read_goal(level["goal"])
        wanted, made = [x for x in (a, b) if x], Counter(level["objects"])
        products = {}
        for rule in reversed(level["rules"]):
            head, _, product = rule.rpartition(" makes ")
            products[product] = words.read_condition(head)
        while wanted:
            name = words.tile_name(wanted.pop())
            assert name in products or made[name]
            wanted += [x for x in products.get(name, (0, 0, 0))[1:] if x and not made[name]]
        assert b & 15 != words.GOAL
    for split in ("train", "test"):
        assert {split_of(level) for level in generate_many("rulesets", 20, split=split)} == {split}


def test_tiles_of_goals_and_rules():
    """The module's page: eleven kinds of each; only a goal's tile a, and a pair's, may be a goal tile."""
    levels = generate_many("rulesets", 60, seed=6, difficulty="medium")
    rules = [words.read_condition(rule.rpartition(" makes ")[0]) for level in levels for rule in level["rules"]]
    goals = [words.read_goal(level["goal"]) for level in levels]
    kinds = Counter(kind for kind, *_ in rules)
    assert sorted(kinds) == list(range(1, 12)) and min(kinds.values()) > 0.3 * len(rules) / 11
    assert {kind for kind, *_ in goals} <= {1, 3, 4, *range(7, 15)}
    for drawn, pairs, alone in ((rules, range(3, 8), range(1)), (goals, (4, *range(7, 11)), (3, *range(11, 15)))):
        paired = [found for found in drawn if found[0] in pairs]
        assert all(b == 0 for kind, _, b in drawn if kind not in pairs)
        assert {b & 15 for _, _, b in paired} == set(words.THINGS) - {words.GOAL}
        assert words.GOAL in {a & 15 for _, a, _ in paired}
        assert all(a & 15 != words.GOAL for kind, a, _ in drawn if kind not in (*pairs, *alone))
    assert {a & 15 for _, a, _ in rules} == set(words.THINGS) and {a // SHADE for _, a, _ in rules} == set(words.PAINTS)


# Several players.


def several(*players, goals, grid=None, **params):
    """Players at places [x, y, direction] of a room of 7 x 7 cells, with their goals."""
    ruleset = {"goals": [[goal] if isinstance(goal, str) else goal for goal in goals], "rules": [], "objects": []}
    level = {**ruleset, "grid": grid or room(), "players": [list(player) for player in players]}
    return started(level=level, size=7, rooms=1, difficulty="small", players=len(players), **params)


def paid(batch, *actions):
    batch.step(np.array([actions]))
    return batch.rewards[0].tolist()


def places(batch):
    side = 7 + 2 * MARGIN
    return [[int(cell % side - MARGIN), int(cell // side - MARGIN)] for cell in batch.records["cell"][0]]


TAG = ["player_0 near player_1", "not player_1 near player_0"]


def test_moves_at_once():
    """A cell that two want moves nobody, nor does a cell that was taken; players cannot swap."""
    batch = several((1, 1, EAST), (3, 1, WEST), (5, 5, NORTH), goals=["player_0 near player_1"] * 3)
    assert paid(batch, F, F, F) == [0, 0, 0] and places(batch) == [[1, 1], [3, 1], [5, 4]]
    assert paid(batch, F, L, F) == [1, 1, 1] and places(batch) == [[2, 1], [3, 1], [5, 3]]
    batch = several((1, 1, EAST), (2, 1, WEST), (2, 2, NORTH), goals=["player_0 near player_1"] * 3)
    paid(batch, F, F, F)
    assert places(batch) == [[1, 1], [2, 1], [2, 2]]
    batch = several((1, 1, EAST), (2, 1, EAST), goals=TAG)
    assert paid(batch, F, F) == [0, 1] and places(batch) == [[1, 1], [3, 1]]  # the cell was taken


def test_one_thing_for_two():
    """Nobody gets a thing that two reach for; one that reaches alone gets it; the other's open door stays open."""
    grid = room(x2y1="red ball", x4y4="blue open")
    batch = several((1, 1, EAST), (3, 1, WEST), goals=["player_0 holds red ball", "player_1 holds red ball"], grid=grid)
    assert paid(batch, PICK, PICK) == [0, 0] and at(batch, 2, 1) == "red ball"
    assert paid(batch, PICK, R) == [1, 0] and at(batch, 2, 1) == "black floor"
    assert paid(batch, TOGGLE, L) == [1, 0]
    assert paid(batch, PUT, F) == [1, 0] and places(batch)[1] == [3, 1]  # one cell for two
    assert paid(batch, PUT, R) == [0, 0] and at(batch, 2, 1) == "red ball"
    batch = several((3, 4, EAST), (4, 4, EAST), goals=TAG, grid=grid)
    paid(batch, TOGGLE, R)
    assert at(batch, 4, 4) == "blue open"
    paid(batch, TOGGLE, R)
    assert at(batch, 4, 4) == "blue open"


def test_statements():
    """Each kind of statement, true and false: after a step in which both players turn, which changes little."""
    grid = room(x2y2="red goal", x4y2="pink star", x5y2="blue hex", x4y4="grey wall", x2y4="green closed")
    spots = {
        "east": (1, 1, EAST),
        "goal": (2, 2, SOUTH),
        "wall": (4, 5, EAST),
        "door": (2, 5, EAST),
        "far": (5, 5, NORTH),
        "over": (5, 4, EAST),
    }
    for first, second, statement, true in (
        ("east", "far", "player_0 near player_1", False),
        ("wall", "far", "player_0 near player_1", True),
        ("wall", "far", "player_1 near player_0", True),
        ("far", "over", "player_0 near player_1", True),
        ("wall", "over", "player_0 near player_1", False),
        ("over", "wall", "player_0 near player_1", False),
        ("goal", "far", "player_0 on red goal", True),
        ("goal", "far", "player_1 on red goal", False),
        ("east", "far", "pink star near blue hex", True),
        ("east", "far", "blue hex near pink star", True),
        ("east", "far", "red goal near pink star", False),
        ("east", "far", "player_0 holds pink star", False),
        ("far", "east", "player_1 sees red goal", False),  # it turns left, to the wall
        ("goal", "east", "player_0 sees blue hex", True),  # to the east, three ahead
        ("wall", "far", "player_0 sees pink star", False),  # behind the wall
        ("door", "far", "player_0 sees red goal", False),  # behind the door
        ("far", "east", "player_0 sees blue hex", False),  # to the west
        ("far", "wall", "player_0 sees player_1", True),
        ("goal", "east", "player_0 sees player_1", False),  # behind
    ):
        batch = several(spots[first], spots[second], goals=[statement, f"not {statement}"], grid=grid)
        assert paid(batch, L, L) == [true, not true], (first, second, statement)
    batch = several((1, 1, EAST), (5, 5, EAST), goals=["player_0 holds pink star", "player_1 holds pink star"])
    batch.records["pocket"][0] = [0, words.read_tile("pink star")]
    assert paid(batch, L, L) == [0, 1]
    batch = several((2, 5, NORTH), spots["far"], goals=["player_0 sees red goal", TAG[1]], grid=grid)
    assert [paid(batch, action, L)[0] for action in (PUT, TOGGLE, PUT, TOGGLE)] == [0, 1, 1, 0]  # through the door


def test_formulas():
    """All statements of a clause, or another clause."""
    true, false = "player_0 near player_1", "player_0 on red goal"
    for clauses, value in (
        ([f"{true} and {false}"], 0),
        ([f"{true} and not {false}"], 1),
        ([f"{true} and {false}", true], 1),
        ([false, f"{false} and {true}", f"not {false} and {true} and not {true}"], 0),
    ):
        batch = several((1, 1, EAST), (2, 1, EAST), goals=[clauses, true])
        assert paid(batch, L, L) == [value, 1]


def test_rules_of_several():
    """Rules look at what each player has done, in turn."""
    grid = room(x1y3="red ball", x5y3="red ball")
    rules = ["red ball below player makes blue hex", "blue hex above player makes green star"]
    level = {"goals": [[TAG[0]], [TAG[1]]], "rules": rules, "objects": [], "grid": grid}
    level["players"] = [[1, 1, SOUTH], [5, 4, NORTH]]
    batch = started(level=level, size=7, rooms=1, difficulty="small", players=2)
    paid(batch, F, F)  # the second one bumps; what the rule wants is below a player, not above
    assert (at(batch, 1, 3), at(batch, 5, 3)) == ("blue hex", "red ball")
    paid(batch, R, R)
    assert at(batch, 1, 3) == "blue hex"
    level["players"] = [[1, 2, SOUTH], [1, 4, NORTH]]
    batch = started(level=level, size=7, rooms=1, difficulty="small", players=2)
    paid(batch, F, F)  # the first one makes the hex that the second one needs
    assert at(batch, 1, 3) == "green star"


def test_what_several_see():
    batch = several(
        (2, 2, SOUTH), (3, 4, WEST), (1, 1, EAST), goals=[*TAG, "player_2 sees player_0 and not player_1 near red ball"]
    )
    third = batch.observations["image"][0, :, :, :, 2]
    assert third[0, 4, 2] == 1 and third[0, 2, 1] == 1 + 4 * 1 + 1  # player_1 looks to the right
    assert third[1, 4, 2] == 5 and third[1, 3, 4] == 1 + 3 and (third > 0).sum() == 6
    goal = batch.observations["goal"][0, 2]
    assert goal[:2].tolist() == [[4, 0, 13, 2, 13, 0, 0], [1, 1, 13, 1, 3, 1, 0]] and not goal[2:].any()
    assert batch.observations["seat"][0].tolist() == [0, 1, 2]


def test_relations_of_goals():
    """Opposed goals are paid 1 in each step together, common ones the same; steps end together."""
    batch = started(6, players=2, goals="opposed", size=7, rooms=2, difficulty="small", steps=8, trials=2)
    rng = np.random.default_rng(0)
    for _ in range(16):
        batch.step(rng.integers(6, size=(6, 2)))
        assert (batch.rewards.sum(axis=1) == 1).all()
    assert batch.truncations.all()
    batch = started(12, players=4, goals="common", size=7, rooms=1, difficulty="trivial")
    total = 0
    for _ in range(4):
        batch.step(rng.integers(6, size=(12, 4)))
        assert (batch.rewards == batch.rewards[:, :1]).all()
        total += batch.rewards[:, 0].sum()
    assert 0 < total < 48
    batch = started(20, players=4, goals="opposed", size=9, rooms=1, difficulty="trivial")
    literals = batch.records["level"]["literals"]
    assert (literals[:, :2] == literals[:, 2:]).all() and (literals[:, 0, 1:] == 0).all()


def test_random_goals():
    batch = started(100, players=2, goals="random", size=6, rooms=1, difficulty="trivial")
    literals = batch.records["level"]["literals"]
    kinds = Counter(literals[..., 0][literals[..., 0] > 0].tolist())
    assert sorted(kinds) == [1, 2, 3, 4] and min(kinds.values()) > 0.18 * kinds.total()
    clauses = Counter((literals[:, :, :, 0, 0] > 0).sum(axis=2).reshape(-1).tolist())
    assert min(clauses[k] for k in (1, 2, 3)) > 40 and clauses.total() == 200
    counts = Counter((literals[..., 0] > 0).sum(axis=3)[literals[:, :, :, 0, 0] > 0].tolist())
    assert sorted(counts) == [1, 2, 3] and min(counts.values()) > 0.25 * counts.total()


def test_what_random_goals_are_about():
    """The page: half of the statements are about the own player, the others about a random one, and half of "near"."""

    def fits(found, chance):
        return abs(np.mean(found) - chance) < 4.5 * (chance * (1 - chance) / len(found)) ** 0.5

    said = []  # kind, negated, x, y, the player whose goal it is; a thing is 10 more than its number
    for level in generate_many("rulesets", 80, seed=1, players=2, difficulty="trivial"):
        places = {words.read_tile(name): 10 + k for k, name in enumerate(level["objects"])}
        for own, clauses in enumerate(level["goals"]):
            for clause in clauses:
                found = [words.read_literal(text, 2) for text in clause.split(" and ")]
                assert len({(kind, x, y) for kind, _, x, y in found}) == len(found)  # not even the opposite
                said += [(kind, negated, places.get(x, x), places.get(y, y), own) for kind, negated, x, y in found]
    kind, negated, x, y, own = np.array(said).T
    near, on, holds, sees = (kind == k for k in (1, 2, 3, 4))
    players = x < 2
    assert fits(negated == 1, 0.5) and fits(players[near], 0.5) and players[~near].all()
    assert fits(x[players] == own[players], 0.75) and (x != y).all()
    things, everything = set(range(10, 16)), {0, 1, *range(10, 16)}
    assert set(y[on]) == {15} and set(y[holds]) == things - {15}
    assert all(fits(y[holds] == thing, 1 / 5) for thing in things - {15})
    assert set(x[near]) == set(y[near]) == set(y[sees]) == everything


def test_opposed_goals_are_opposites():
    """The second goal has a clause for each statement of the first one, and denies it; the others alternate."""
    for level in generate_many("rulesets", 12, seed=4, players=4, goals="opposed", difficulty="trivial"):
        first, second, third, fourth = level["goals"]
        assert len(first) == 1 and (third, fourth) == (first, second)
        parts = first[0].split(" and ")
        assert second == [part[4:] if part.startswith("not ") else f"not {part}" for part in parts]


def test_things_of_several_players():
    """Five things that can be picked up, a goal tile, and those of up to three rules that no goal needs."""
    levels = generate_many("rulesets", 60, seed=2, players=2, difficulty="medium")
    objects = np.array([[words.read_tile(name) for name in level["objects"][:6]] for level in levels])
    assert set((objects[:, :5] & 15).ravel()) == set(words.THINGS) - {words.GOAL}
    assert (objects[:, 5] & 15 == words.GOAL).all()
    assert set((objects[:, :5] // SHADE).ravel()) == set(objects[:, 5] // SHADE) == set(words.PAINTS)
    assert {len(level["rules"]) for level in levels} == {0, 1, 2, 3}
    for level in levels:
        heads = [words.read_condition(rule.rpartition(" makes ")[0]) for rule in level["rules"]]
        assert level["objects"][6:] == [words.tile_name(tile) for _, *tiles in heads for tile in tiles if tile]


def test_neighbours_at_the_start():
    """Two players on 16 cells, 24 pairs of which are beside each other: 48 of 240 placements."""
    level = {"goals": [[TAG[0]], [TAG[1]]], "rules": [], "objects": []}
    batch = started(250, level=level, seed=2, players=2, size=6, rooms=1, difficulty="trivial")
    batch.step(np.full((250, 2), R))
    assert abs(batch.rewards[:, 0].mean() - 0.2) < 4.5 * (0.2 * 0.8 / 250) ** 0.5


# Levels, texts, clicks.


def test_levels_come_back():
    for params in (dict(), dict(players=3, size=9, rooms=2, goals="random"), dict(difficulty="high", rooms=9, size=10)):
        batch = started(3, seed=4, **params)
        levels = [batch.world.get_level(batch.record(k)) for k in range(3)]
        again = started(3, seed=99, level=levels, **params)
        for name in ("level", "grid", "cell", "facing"):
            assert (again.records[name] == batch.records[name]).all()
    ruleset = generate("rulesets", 5, difficulty="small")
    batch = started(2, level=ruleset, difficulty="small")
    assert (batch.records["grid"][0] != batch.records["grid"][1]).any()
    level = batch.world.get_level(batch.record(0))
    assert all(level[key] == ruleset[key] for key in ("goal", "rules", "objects"))


def test_words():
    """Every kind of goal and rule reads back."""
    tiles = [words.read_tile(name) for name in ("red ball", "pink goal", "orange star")]
    for kind, made in product(range(1, 12), tiles[1:] + [BLACK_FLOOR]):
        rule = kind, tiles[1], tiles[0] if 3 <= kind <= 7 else 0, made
        head, _, product_ = words.rule_in_words(rule).rpartition(" makes ")
        assert (*words.read_condition(head), words.read_tile(product_)) == rule
    for kind in range(15):
        b = tiles[0] if kind in (4, 7, 8, 9, 10) else 3 * LARGEST + 2 if kind == 5 else 0
        goal = (0, 0, 0) if kind == 0 else (6, 4 * LARGEST + 1, 0) if kind == 6 else (kind, tiles[2], b)
        assert words.read_goal(words.goal_of(goal)) == goal


def test_refusals():
    grid = room()
    kit.refuses(
        build(ID, dict(size=7, rooms=1)),
        ({**LEVEL, "goals": []}, "a ruleset has 'goal', 'objects', 'rules', not"),
        ({**LEVEL, "goal": "eat red ball"}, "the goal 'eat red ball' cannot be read"),
        ({**LEVEL, "goal": "red wall beside player"}, "the goal 'red wall beside player' cannot be read"),
        ({**LEVEL, "goal": "player at 7 2"}, "the place of the goal 'player at 7 2' is outside of the map"),
        ({**LEVEL, "rules": ["hold red ball"]}, "the rule 'hold red ball' cannot be read"),
        ({**LEVEL, "rules": ["hold red ball makes soup"]}, "'soup', a tile, cannot be read"),
        ({**LEVEL, "rules": LEVEL["rules"] * 10}, "'rules' must be a list of at most 9 rules"),
        ({**LEVEL, "objects": ["black floor"]}, "floor is no object"),
        ({**LEVEL, "grid": grid}, "lacks 'players'"),
        ({**LEVEL, "grid": room(9), "players": [[1, 1, 0]]}, "'grid' must be 7 rows of 7 cells"),
        ({**LEVEL, "grid": room(x0y3="red ball"), "players": [[1, 1, 0]]}, "the edge of 'grid' must be grey walls"),
        ({**LEVEL, "grid": np.full((7, 7, 2), 13).tolist(), "players": [[1, 1, 0]]}, "cells of 'grid' must be from"),
        ({**LEVEL, "grid": grid, "players": []}, "'players' must be a list of 1 places"),
        ({**LEVEL, "grid": grid, "players": [[0, 1, 0]]}, "player_0 must be a column, a row and a direction"),
        ({**LEVEL, "grid": room(x1y1="red ball"), "players": [[1, 1, 0]]}, "player_0 must be alone on floor"),
    )
    level = {"goals": [[TAG[0]], [TAG[1]]], "rules": [], "objects": []}
    kit.refuses(
        build(ID, dict(size=7, rooms=1, players=2, difficulty="small")),
        ({**level, "goals": [[TAG[0]]]}, "'goals' must be a list of the goals of 2 players"),
        ({**level, "goals": [[TAG[0]], []]}, "the goal of player_1 must be a list of 1 to 3 clauses"),
        ({**level, "goals": [[TAG[0]], [" and ".join(TAG * 2)]]}, "has more than 3 parts"),
        ({**level, "goals": [[TAG[0]], ["player_1 near player_2"]]}, "the part 'player_1 near player_2' of a goal"),
        ({**level, "goals": [[TAG[0]], ["red ball holds player_1"]]}, "the part 'red ball holds player_1' of a goal"),
        ({**level, "goals": [[TAG[0]], ["player_1 near player_1"]]}, "the part 'player_1 near player_1' of a goal"),
        ({**level, "grid": grid, "players": [[1, 1, 0], [1, 1, 0]]}, "player_1 must be alone on floor"),
    )


def test_states_that_cannot_be():
    batch = started(players=2, size=7, rooms=1, difficulty="small")
    good = batch.records.copy()
    for field, where, value in (
        ("literals", (0, 0, 0, 0), (1, 0, 3, 0)),  # a player that is not there
        ("rules", (0, 0), (1, GREY_WALL, 0, BLACK_FLOOR)),
    ):
        records = good.copy()
        records["level"][field][where] = value
        with pytest.raises(SnapshotError, match="a goal or a rule is about nothing"):
            batch.world.admit(records)
    records = good.copy()
    records["cell"][0, 0] = (MARGIN + 2) * (7 + 2 * MARGIN) + 1
    with pytest.raises(SnapshotError, match="a player is outside of the map"):
        batch.world.admit(records)
    records = good.copy()
    records["params"]["rooms"] = 6
    with pytest.raises(SnapshotError, match="the rooms do not fit the map"):
        batch.world.admit(records)
    alone = started(size=7, rooms=1, difficulty="small")
    records = alone.records.copy()
    records["level"]["goal"][0] = (6, 9 * LARGEST, 0)
    with pytest.raises(SnapshotError, match="about nothing"):
        alone.world.admit(records)


def test_text_and_clicks():
    grid = room(x3y1="red ball", x2y2="blue closed")
    level = {**LEVEL, "grid": grid, "players": [[2, 1, EAST]]}
    batch = started(level=level, size=7, rooms=1)
    text = batch.world.text(batch.record(), 0)
    assert "Goal: hold blue hex.\nRule: hold red ball makes blue hex.\nYou face east and hold nothing.\n" in text
    assert "You see: red ball 1 ahead; blue door, closed, 1 right." in text
    kit.act(batch, PICK)
    assert batch.terminations[0, 0] and "hold blue hex.\n" in batch.world.text(batch.record(), 0)
    assert kit.clicks(batch, 0) == {None, F, R, L}


# Baselines.


@pytest.mark.slow
def test_baselines():
    """The planner reaches nearly all goals of trivial rulesets, the explorer many more than random moves.

    Random moves reach 17.6 % of the goals of 256 rulesets of the source's generator in xminigrid.
    """
    world = build(ID, dict(difficulty="trivial", size=13, rooms=1))
    num = {"planner": 50, "explorer": 50, "random": 1000}
    reached = {name: (play(world, [name], count).returns > 0).mean() for name, count in num.items()}
    assert reached["planner"] > 0.95 and reached["planner"] > reached["explorer"] + 0.1 > 2 * reached["random"] + 0.1
    assert abs(reached["random"] - 0.176) < 3.5 * (0.176 * 0.824 * (1 / 256 + 1 / 1000)) ** 0.5


@pytest.mark.slow
def test_baseline_of_several():
    """The planner comes near another player that moves at random, and stays near it."""
    level = {"goals": [[TAG[0]], [TAG[1]]], "rules": [], "objects": []}
    batch = in_python([level] * 4, size=7, rooms=1, players=2, difficulty="small")
    returns = kit.finish(batch, "random", "planner", second=lambda: np.array([[True, False]] * 4))
    assert (returns.sum(axis=1) == 100).all() and returns[:, 0].mean() > 45
    returns = kit.finish(in_python([level] * 4, size=7, rooms=1, players=2, difficulty="small"), "random")
    assert returns[:, 0].mean() < 30


def test_planner_needs_what_it_is_told():
    batch = started(level=LEVEL, size=6, rooms=1, difficulty="small")
    kit.finish(batch, "planner")
    assert batch.terminations[0, 0] and batch.rewards[0, 0] > 0.7


def test_explorer_learns():
    """What has reached the goal in the first trial, it does at once in the next ones."""
    things = ["pink key", "blue hex", "grey star", "red ball"]
    level = {"goal": "red ball above blue hex", "rules": [], "objects": things}
    batch = started(seed=4, level=level, size=6, rooms=1, difficulty="small", told="nothing", trials=3)
    player, ends = make_policy("explorer", batch.world), [0]
    player.reset(4, 1)
    for trial in range(3):
        while batch.records["trial"][0] == trial:
            batch.step(player.act_batch(batch.observations, batch.masks, [0]))
        ends.append(int(batch.records["t"][0]))
        assert batch.rewards[0, 0] > 0
    first, *later = np.diff(ends)
    assert first > 60 and max(later) < 30
