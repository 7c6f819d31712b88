"""Household: episodes of Mini-BEHAVIOR in lock-step, rules by hand, homes, and the planner."""

from functools import cache

import kit
import numpy as np
import pytest
from kit import DATA
from scipy import ndimage

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError
from envsuite.generators import describe, generate, generate_many, split_of
from envsuite.gridworlds.household.activities import (
    _KINDS,
    ABLE,
    FILLS,
    FROZEN,
    FURNITURE,
    GOAL_COUNT,
    HOLDS,
    INSIDE,
    KIND,
    KINDS,
    LEAST,
    NAMES,
    OBJECT_COUNT,
    PIECE_COUNT,
    PIECES,
    ROOMS,
    SOAKED,
    WALL,
    bits_of,
    condition_in_words,
    thing_name,
)
from envsuite.gridworlds.household.levels import in_words
from envsuite.gridworlds.household.rules import count_met, holds, on_top, states_of, update
from envsuite.registry import build

ID = "envsuite/Household-v0"
KITCHEN, TEA = NAMES.index("clean_kitchen"), NAMES.index("make_tea")
#: The condition of cleaning the kitchen that always holds in the source.
PLATE = next(c for c in range(GOAL_COUNT[KITCHEN]) if condition_in_words(KITCHEN, c).startswith("the plate is inside"))
#: The source's number of `cook`, which ours leaves out.
COOK = 7


@cache
def recording():
    """The recording, and the first row of each episode."""
    with np.load(DATA / "Household" / "household.npz") as held:
        data = dict(held)
    return data, np.concatenate([[0], np.cumsum(data["start_kind"][:, 3])])


def start_of(data, e):
    """The start of an episode of the recording as a level."""
    activity, size = data["start_kind"][e, :2].tolist()
    objects, pieces = data["start_objects"][e].astype(int), data["start_pieces"][e].tolist()
    bits = objects[:, 4] & ~FROZEN | INSIDE * (objects[:, 3] > 0)
    level = {
        "activity": NAMES[activity],
        "size": size,
        "furniture": [
            [thing_name(activity, f), *data["start_corners"][e, f].tolist(), in_words(pieces[f])]
            for f in range(PIECE_COUNT[activity])
        ],
        "objects": [
            [thing_name(activity, FURNITURE + k), *objects[k, :3].tolist(), in_words(int(bits[k]))]
            for k in range(OBJECT_COUNT[activity])
        ],
        "agent": data["start_agent"][e, :3].tolist(),
    }
    return {**level, "door": int(data["start_door"][e])} if ROOMS[activity] == 2 else level


def from_source(e, exact=True):
    """An episode of ours from a start of the source, with a tape, played as Python."""
    level = start_of(recording()[0], e)
    params = {"activity": level["activity"], "size": level["size"], "steps": 100_000}
    batch = Batch(build(ID, params), 1, exact=exact, compiled=False)
    batch.start(0, [level])
    return batch


def ours(s):
    """The agent, the objects and the states of furniture as the recording has them."""
    activity = int(s.level.activity)
    objects = np.zeros((len(s.bits), 5), int)
    for k in range(OBJECT_COUNT[activity]):
        bits = int(states_of(s, k))
        objects[k] = (
            *s.place[k],
            int(s.ground[s.place[k, 1], s.place[k, 0]]) * bool(bits & INSIDE),
            bits & ~INSIDE,
        )
    return [int(s.x), int(s.y), int(s.facing), int(s.held)], objects, s.piece_bits


def compare(s, data, t, tea=False):
    """Compare a state with a row of the recording; of tea only up to the soaked bag."""
    agent, objects, pieces = ours(s)
    theirs = data["objects"][t].astype(int)
    if tea:
        objects[:, 4] &= ~SOAKED
    slots = np.zeros(s.slots.shape)
    for k in range(OBJECT_COUNT[s.level.activity]):
        if s.held != k + 1:
            slots[s.place[k, 1], s.place[k, 0], s.place[k, 2]] = k + 1
    assert (s.slots == slots).all() and agent == data["agent"][t].tolist()
    assert (objects == theirs).all()
    assert (pieces == data["pieces"][t]).all()


def take(batch, data, t):
    """Take the recorded action number t with its random choice."""
    tape = batch.records["tape"]
    tape["cursor"], tape["given"] = 0, 1
    tape["outcomes"][0, 0] = data["choice"][t]
    batch.step(int(data["action"][t]) - (data["action"][t] > COOK))


def check(batch, data, t):
    """Compare a state, its reward and its end with those of the recording; whether ours is over."""
    s = batch.record()
    activity = int(s.level.activity)
    compare(s, data, t, activity == TEA)
    goals = [bool(holds(s, c)) for c in range(GOAL_COUNT[activity])]
    done, met = bool(data["done"][t]), all(goals)
    assert met == bool(batch.terminations[0, 0]) and batch.rewards[0, 0] == met and sum(goals) == s.met
    if activity == KITCHEN:
        goals[PLATE] = True
    if activity != TEA:
        assert done == all(goals)
    if NAMES[activity] == "throw_leftovers":
        assert np.isclose(data["reward"][t], sum(goals) / 3)
    else:
        assert data["reward"][t] == done
    return met


def lock_step(e):
    """Play an episode of the recording; the number of steps, and whether the goal was reached."""
    data, first = recording()
    batch = from_source(e)
    compare(batch.record(), {name[6:]: data[name] for name in data if name.startswith("start_")}, e)
    for t in range(first[e], first[e + 1]):
        take(batch, data, t)
        if check(batch, data, t):
            return t + 1 - first[e], True
    return first[e + 1] - first[e], False


def jump(batch, data, t):
    """Go to the state after step number t of the recording."""
    s, objects = batch.record(), data["objects"][t].astype(int)
    s.x, s.y, s.facing, s.held = data["agent"][t].tolist()
    s.place[:] = objects[:, :3]
    s.bits[:] = objects[:, 4] & ~FROZEN | INSIDE * (objects[:, 3] > 0)
    s.piece_bits[:] = data["pieces"][t]
    s.slots[:] = 0
    for k in range(OBJECT_COUNT[s.level.activity]):
        if s.held != k + 1:
            s.slots[s.place[k, 1], s.place[k, 0], s.place[k, 2]] = k + 1
    s.terminated[0], batch.finished[:] = 0, False
    batch.observe()


def episodes(which):
    """Play episodes of the recording that `which(number, kind)` chooses; the number of steps and of goals reached."""
    kinds = recording()[0]["start_kind"].tolist()
    played = [lock_step(e) for e, kind in enumerate(kinds) if which(e, kind)]
    return sum(steps for steps, _ in played), sum(met for _, met in played)


#: Episodes by the planner are the last of the recording.
def by_planner(e):
    return e >= len(recording()[0]["start_kind"]) - 33


def test_some_episodes_of_the_source():
    """Shorter episodes of the planner."""
    steps, met = episodes(lambda e, kind: by_planner(e) and 20 < kind[3] < 50)
    assert steps > 200 and met > 5


def test_single_steps_of_the_source():
    """Steps in which states change or things move, each from the recorded state before it."""
    data, first = recording()
    moved = np.diff(data["objects"].astype(int), axis=0) != 0
    special = moved[..., 4].any(axis=1) | moved[..., 2].sum(axis=1) > 1  # states, and objects that move down
    count = 0
    for e in range(len(first) - 1):
        inner = np.arange(first[e] + 1, first[e + 1])
        inner = inner[~data["done"][inner - 1].astype(bool)]
        steps = [*inner[special[inner - 1]], *inner[moved.any(axis=(1, 2))[inner - 1]][::15], *inner[::100]]
        batch = from_source(e) if steps else None
        for t in steps:
            jump(batch, data, t - 1)
            take(batch, data, t)
            check(batch, data, t)
            count += 1
    assert count > 600


@pytest.mark.slow
def test_more_episodes_of_the_source():
    """Random actions in all activities, and the other episodes of the planner."""
    kinds = recording()[0]["start_kind"]
    assert set(kinds[:, 0].tolist()) == set(range(len(NAMES)))
    steps, met = episodes(lambda e, kind: kind[3] >= 55 and (by_planner(e) or e % 4 == 0))
    assert steps > 7000 and met > 15


def test_views_of_the_source():
    """The view, without numbers of things, in the first steps of an episode of each activity."""
    data, first = recording()
    codes, seen, row = data["kinds"][:, 0], set(), 0
    # Our states, and the columns that the source has for them: of furniture, and of objects.
    columns = {1: (1, 2), 2: (3, 7), 4: (2, 4), 8: (4, 8), 16: (None, 6), 32: (None, 5), 64: (None, 3)}
    for e, (activity, _, _, length) in enumerate(data["start_kind"].tolist()):
        if activity in seen:
            continue
        seen.add(activity)
        batch, rows = from_source(e), min(length, 40)
        for t in range(first[e], first[e] + min(rows, 40 if activity % 4 == 1 else 10)):
            take(batch, data, t)
            image = batch.observations["image"][0, 0].astype(int)
            image[-1, 3, 3:6] = batch.observations["held"][0, 0]
            theirs = data["view"][row + t - first[e]]
            for k, start in enumerate((0, 5, 14, 23)):
                assert (codes[image[..., 3 * k]] == theirs[..., start]).all()
                for bit, places in columns.items():
                    column = places[k > 0]
                    if column is not None:
                        assert ((image[..., 3 * k + 2] & bit > 0) == theirs[..., start + column]).all()
        row += rows
    assert len(seen) == len(NAMES)


def test_kinds_of_the_source():
    """States of all kinds; layers and sizes of furniture. Doors are always open here."""
    for name, (_, *theirs) in zip(KINDS, recording()[0]["kinds"].tolist(), strict=True):
        kind = KIND[name]
        size = _KINDS[kind].size if name not in ("wall", "door") else (1, 1)
        assert name == "door" or theirs == [ABLE[kind], FILLS[kind], HOLDS[kind], *size]


# By hand.

TEA_LEVEL = {
    "activity": "make_tea",
    "size": 8,
    "furniture": [["cabinet", 5, 4, ""], ["fridge", 1, 1, "open"], ["stove", 3, 1, ""]],
    "objects": [
        ["teapot", 2, 4, 0, ""],
        ["tea bag", 3, 5, 0, ""],
        ["knife", 5, 4, 1, "inside"],
        ["lemon", 2, 3, 2, ""],
    ],
    "agent": [3, 4, 2],
}


def at_home(level, **params):
    """A batch of a level that is played as Python."""
    params = {"activity": level["activity"], "size": level["size"], **params}
    batch = Batch(build(ID, params), 1, compiled=False)
    batch.start(0, [level])
    return batch


def states(batch, k):
    return in_words(int(states_of(batch.record(), k)))


def test_tea():
    """A teapot on top of a stove that is on soaks a tea bag in its cell, and nothing else does."""
    batch = at_home(TEA_LEVEL)
    kit.act(batch, "pick up bottom", "right", "forward", "forward", "toggle", "open")
    assert in_words(int(batch.record().piece_bits[2])) == "open on"
    kit.act(batch, "drop bottom", "drop middle")
    assert batch.record().held == 1
    kit.act(batch, "drop in", "pick up bottom", "drop top")
    assert batch.record().place[0].tolist() == [3, 2, 2] and states(batch, 0) == ""
    kit.act(batch, "left", "left", "forward", "forward", "pick up bottom", "right", "right", "forward", "forward")
    assert batch.record().held == 2 and states(batch, 1) == ""
    kit.act(batch, "toggle", "drop in")
    assert states(batch, 1) == "inside" and batch.record().met == 2
    kit.act(batch, "toggle")
    assert states(batch, 1) == "soaked inside" and batch.record().met == 4
    kit.act(batch, "toggle")
    assert states(batch, 1) == "soaked inside" and batch.record().met == 3


def test_slicing():
    """Only an agent with the knife slices; what is inside something closed cannot be reached."""
    batch = at_home({**TEA_LEVEL, "agent": [4, 4, 0]})
    kit.act(batch, "pick up middle", "slice")
    assert batch.record().held == 0
    kit.act(batch, "open", "pick up middle")
    assert batch.record().held == 3 and states(batch, 2) == ""
    kit.act(batch, "left", "left", "forward", "right", "forward", "left", "slice")
    assert (batch.record().x, batch.record().y, batch.record().facing) == (3, 3, 2)
    assert states(batch, 3) == "sliced" and batch.record().met == 1
    kit.act(batch, "drop bottom", "slice")
    assert batch.record().held == 3  # the fridge fills all layers
    kit.act(batch, "drop in")
    assert batch.record().held == 0 and batch.record().place[2].tolist() == [2, 3, 0]


KITCHEN_LEVEL = {
    "activity": "clean_kitchen",
    "size": 10,
    "furniture": [
        ["cabinet 1", 1, 1, "open"], ["cabinet 2", 4, 1, "open"], ["fridge", 7, 1, "open"], ["bin", 1, 8, ""],
        ["sink", 7, 7, ""], ["countertop", 3, 7, ""],
    ],
    "objects": [
        ["soap", 7, 6, 0, ""], ["rag", 6, 7, 0, ""], ["dustpan", 1, 6, 0, ""], ["broom", 1, 5, 0, ""],
        ["blender", 3, 7, 1, ""], ["casserole", 7, 1, 0, "inside"], ["plate", 2, 5, 0, ""], ["oil", 2, 3, 0, "inside"],
        ["apple", 7, 2, 0, "inside"],
    ],
    "agent": [2, 6, 3],
}  # fmt: skip


def test_the_plate_has_a_cabinet_of_its_own():
    """In the source this condition always holds."""
    batch = at_home(KITCHEN_LEVEL, reward="progress")
    assert batch.record().met == 9 and not batch.over()[0]
    kit.act(batch, "pick up bottom", "forward", "forward", "drop in")
    assert batch.record().bits[6] & INSIDE and batch.record().met == 8
    assert np.isclose(batch.rewards[0, 0], -0.1)
    kit.act(batch, "pick up middle")
    assert batch.record().met == 9 and np.isclose(batch.rewards[0, 0], 0.1)
    kit.act(batch, "right", "forward", "forward", "left", "drop in")
    assert batch.record().met == 10 and np.isclose(batch.rewards[0, 0], 0.1)
    assert batch.terminations[0, 0] and not batch.truncations[0, 0]


PRINTER_LEVEL = {
    "activity": "install_printer",
    "size": 6,
    "furniture": [["table", 2, 3, ""]],
    "objects": [["printer", 1, 1, 0, "dusty"]],
    "agent": [1, 2, 3],
}


def test_what_is_observed():
    """Kind, number and states of things ahead and in the hand; the end by time."""
    batch = at_home(PRINTER_LEVEL, steps=6)
    printer, table = [KIND["printer"], 1, 1], [KIND["table"], 1, 0]
    seen = batch.observations[0, 0]
    assert seen["image"][5, 3].tolist() == [0, 0, 0, *printer, 0, 0, 0, 0, 0, 0]
    assert seen["image"][4, 3].tolist() == [WALL] + 11 * [0] and seen["held"].tolist() == [0, 0, 0]
    kit.act(batch, "pick up bottom", "left", "left")
    seen = batch.observations[0, 0]
    assert seen["held"].tolist() == printer and seen["direction"] == 1 and seen["clock"].tolist() == [3, 6]
    assert seen["image"][5, 2, :3].tolist() == table and seen["image"][6, 3].tolist() == 12 * [0]
    kit.act(batch, "forward", "left", "drop top")
    assert batch.record().met == 1 and batch.truncations[0, 0] and not batch.terminations[0, 0]


def laid(activity, states="", **places):
    """A home for an activity in which objects have been put into these places, by their numbers."""
    batch = at_home(generate("homes", 0, activity=activity, size=10))
    s = batch.record()
    s.slots[:] = 0
    for name, place in places.items():
        k = int(name[1:])
        s.place[k] = place
        s.slots[place[1], place[0], place[2]] = k + 1
        s.bits[k] = bits_of(states) if k == 0 else 0
    return s


def test_boards_beside_each_other():
    """A board in the same cell, or across a corner, is not beside another one."""
    for place, met in (((4, 3, 0), 2), ((3, 3, 1), 0), ((4, 4, 0), 0), ((5, 3, 0), 0), ((3, 2, 2), 2)):
        s = laid("lay_floor", p0=(3, 3, 0), p1=place, p2=(7, 7, 0), p3=(1, 7, 0), p4=(1, 1, 0), p5=(8, 1, 0))
        assert count_met(s) == met
    s.held = 2
    assert count_met(s) == 0


def test_on_top():
    """The middle layer of a shelf or table, which it fills, is on top of it, and the bottom one is not."""
    s = laid("sort_books", p0=(8, 8, 0), p1=(8, 8, 1), p2=(8, 8, 2), p3=(1, 8, 0))
    table, shelf = s.level.corner[0].tolist(), s.level.corner[1].tolist()
    for layer in range(3):
        s.place[3] = *shelf, layer
        assert count_met(s) == (layer >= 1) and on_top(s, 3, 1 << 1) == (layer >= 1)
        s.place[3] = *table, layer
        assert on_top(s, 3, 1) == (layer >= 1) and not on_top(s, 3, 1 << 1)


def test_three_candles():
    """Four candles on a table are not three."""
    batch = at_home(generate("homes", 0, activity="set_candles", size=10))
    s = batch.record()
    x, y = s.level.corner[0].tolist()
    for count in range(1, 6):
        s.place[count - 1] = x + (count - 1) % 3, y + (count - 1) // 3, 2
        assert count_met(s) == (count == 3)


def test_wiping():
    """A dry towel removes dust only; a soaked one stains, too; no tool does anything to the cells around it."""
    for states, left in (("", "stained"), ("soaked", "")):
        s = laid(
            "clean_shoes", states, p0=(1, 1, 0), p1=(1, 2, 0), p2=(3, 3, 0), p3=(3, 3, 1), p4=(3, 3, 2), p6=(3, 4, 0)
        )
        for tool in (0, 6):
            s.place[tool], s.bits[tool] = (3, 3, 2), bits_of(states)
            s.slots[3, 3, 2] = tool + 1
            s.bits[2:6] = bits_of("stained dusty")
            update(s)
            assert [in_words(int(s.bits[k])) for k in (2, 3, 5)] == [left, left, "dusty stained"]
            s.place[tool], s.slots[3, 3, 2] = (1, 6, 0), 0


def test_levels_are_refused():
    def changed(**parts):
        return {**PRINTER_LEVEL, **parts}

    kit.refuses(
        build(ID, {"activity": "install_printer", "size": 6}),
        (changed(doors=1), "unknown part 'doors'"),
        (changed(activity="cook"), "'activity' must be one of install_printer, "),
        (changed(size=7), "'size' must be 6, 8, 10 or 16, not 7"),
        (changed(size=8), "the level has size 8, not 6"),
        (changed(activity="open_packages"), "the level is for activity open_packages, not install_printer"),
        (changed(door=2), "has one room, so there is no 'door'"),
        (changed(furniture=[]), "'furniture' must have a row for each of table, in this order"),
        (changed(furniture=[["table", 3, 3, ""]]), "table at 3, 3 is not within the walls"),
        (changed(furniture=[["table", 2, 3]]), "must have 4 parts"),
        (changed(furniture=[["table", 2, "3", ""]]), "a text in place of a number"),
        (changed(furniture=[["table", 2, 3, "on"]]), "table cannot be on; dusty stained are possible"),
        (changed(objects=[["printer", 1, 1, 3, ""]]), "printer at 1, 1, 3 is not in the home"),
        (changed(objects=[["printer", 2, 3, 0, "inside"]]), "printer is inside of nothing"),
        (changed(agent=[1, 1, 3]), "the agent is where it cannot stand"),
        (changed(agent=[2, 3, 3]), "the agent is where it cannot stand"),
        (changed(agent=[1, 2, 4]), "'agent' must be a column, a row and a direction"),
    )
    world = build(ID, {"activity": "make_tea", "size": 8})
    kit.refuses(world, ({**TEA_LEVEL, "furniture": [["cabinet", 2, 1, ""], *TEA_LEVEL["furniture"][1:]]}, "overlaps"))
    level = generate("homes", 0, activity="stack_cartons", size=6)
    kit.refuses(
        build(ID, {"activity": "stack_cartons", "size": 6}),
        ({**level, "door": 5}, "'door' must be a row from 1 to 4, not 5"),
        ({**level, "furniture": [["shelf", 4, 1, ""]]}, "furniture is in a wall"),
        ({**level, "objects": [["carton 1", 5, level["door"], 0, ""], level["objects"][1]]}, "in a wall or a doorway"),
        ({**level, "objects": [[f"carton {k}", 1, 1, 0, ""] for k in (1, 2)]}, "where another object is"),
    )
    with pytest.raises(ParameterError, match="'make_tea' needs a size of at least 8, not 6"):
        build(ID, {"activity": "make_tea", "size": 6})


def sound(level):
    """Whether all objects of a level lie beside the floor, which is in one piece."""
    size = level["size"]
    activity = NAMES.index(level["activity"])
    wide = int(ROOMS[activity]) * (size - 1) + 1
    floor = np.zeros((size, wide), bool)
    floor[1:-1, 1:-1] = True
    if wide > size:
        floor[:, size - 1] = False
        floor[level["door"], size - 1] = True
    for f, (name, x, y, _) in enumerate(level["furniture"]):
        if not name.startswith("bed"):
            floor[y : y + PIECES[activity, f, 2], x : x + PIECES[activity, f, 1]] = False
    for _, x, y, _, _ in level["objects"]:
        floor[y, x] = False
    parts, count = ndimage.label(floor)
    sizes = np.bincount(parts.ravel())[1:]
    reached = ndimage.binary_dilation(parts == 1 + sizes.argmax(), ndimage.generate_binary_structure(2, 1))
    beds = sum(name.startswith("bed") for name, *_ in level["furniture"])
    return (count == 1 or beds) and all(reached[y, x] for _, x, y, _, _ in level["objects"])


def homes(seed, num, sizes, activity="any"):
    for size in sizes:
        levels = generate_many("homes", num, seed + size, size=size, activity=activity)
        assert {level["activity"] for level in levels} <= {NAMES[k] for k in np.flatnonzero(LEAST <= size)}
        for level in levels:
            assert sound(level) and describe(level)["solvable"]
            assert at_home(level).record().met < GOAL_COUNT[NAMES.index(level["activity"])]


def test_homes():
    homes(100, 4, (6, 8))
    homes(100, 8, (6,), "lay_floor")
    assert not describe({**KITCHEN_LEVEL, "kind": "homes"})["solvable"]  # the rag shuts a cell off
    level = generate("homes", 7, size=10)
    assert at_home(level).world.get_level(at_home(level).record()) == {k: v for k, v in level.items() if k != "kind"}


@pytest.mark.slow
def test_more_homes():
    homes(1000, 25, (6, 8, 10, 16))


@pytest.mark.slow
def test_splits():
    for split in ("train", "test"):
        assert {split_of(level) for level in generate_many("homes", 20, 0, split)} == {split}


def solve(activity, size, seed):
    """The number of steps of the planner in an episode, or None."""
    batch = Batch(build(ID, {"activity": activity, "size": size}), 1, compiled=False)
    batch.start(seed)
    player = make_policy("planner", batch.world)
    player.reset(seed, 1)
    for t in range(400):
        batch.step(player.act_batch(batch.observations, batch.masks, [0]))
        if batch.over()[0]:
            return t + 1 if batch.terminations[0, 0] else None
    return None


@pytest.mark.parametrize("activity", ["install_printer", "throw_leftovers"])
def test_the_planner_solves(activity):
    assert solve(activity, 6, 3)


@pytest.mark.slow
@pytest.mark.parametrize("activity", NAMES)
def test_the_planner_solves_all(activity):
    """In each activity, in rooms of the smallest size."""
    assert solve(activity, int(LEAST[NAMES.index(activity)]), 4)
