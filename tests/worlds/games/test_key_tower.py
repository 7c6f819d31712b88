"""KeyTower: a second implementation in plain Python in lock-step, breadth-first search over it, levels, baselines."""

import json
import math
from collections import deque

import kit
import numpy as np
import pytest

from envsuite.core.errors import ParameterError
from envsuite.evaluation.matches import play
from envsuite.games.key_tower import NAMES
from envsuite.generators import describe, generate_many, split_of
from envsuite.registry import build

ID = "envsuite/KeyTower-v0"
SIZES = [(2, 8, 1, 1), (4, 11, 2, 2), (7, 16, 4, 6)]
SMALL = {"map": ["..a..A....", "##H#######", "@...b..B.."], "skulls": [[0, 6, 8, 1]]}


def sizes(floors, width, keys, skulls):
    return dict(floors=floors, width=width, keys=keys, skulls=skulls)


class Plain:
    """The rules on a level as plain data; a state is row, column, time, keys held, doors open, as sets of letters."""

    def __init__(self, level):
        self.map = level["map"]
        self.ways = []
        for row, first, last, phase in level["skulls"]:
            there = [*range(first, last), *range(last, first, -1)]
            self.ways.append((row, there[phase:] + there[:phase]))
        self.period = math.lcm(*(len(way) for _, way in self.ways))
        self.letters = frozenset(sign for line in self.map for sign in line if sign.islower())
        (self.start,) = [(r, line.index("@")) for r, line in enumerate(self.map) if "@" in line]

    def begin(self):
        return (*self.start, 0, frozenset(), frozenset())

    def sign(self, row, column):
        inside = 0 <= row < len(self.map) and 0 <= column < len(self.map[0])
        return self.map[row][column] if inside else "#"

    def after(self, state, action):
        """The next state, the reward, and whether the agent is caught."""
        row, column, t, held, opened = state
        shut = {letter.upper() for letter in self.letters - opened}
        locked = {letter.upper() for letter in self.letters - held}
        to = row, column
        if action in ("up", "down"):
            to = row + (1 if action == "down" else -1), column
        elif action != "wait" and row % 2 == 0:
            side = -1 if "left" in action else 1
            to = row, column + side * (2 if "leap" in action else 1)
            if "leap" in action and {self.sign(row, column + side), self.sign(*to)} & ({"#"} | shut):
                to = row, column
        if self.sign(*to) == "#" or self.sign(*to) in shut & locked:
            to = row, column
        for at, way in self.ways:
            old, new = way[t % len(way)], way[(t + 1) % len(way)]
            swapped = row == to[0] == at and new == column and old == to[1] and "leap" not in action and to[1] != column
            if at == to[0] and (new == to[1] or swapped):
                return (*to, t + 1, held, opened), 0, True
        there, reward = self.sign(*to), 0
        if there in self.letters - held:
            held, reward = held | {there}, 1
        elif there in shut:
            opened, reward = opened | {there.lower()}, 1
        return (*to, t + 1, held, opened), reward, False

    def shortest(self):
        """The least number of steps that open all doors, by breadth-first search; None if they cannot be opened."""
        row, column, t, held, opened = self.begin()
        seen, queue = {(row, column, 0, held, opened)}, deque([(self.begin(), 0)])
        while queue:
            state, steps = queue.popleft()
            for action in NAMES:
                (row, column, t, held, opened), _, caught = self.after(state, action)
                state_after = row, column, t % self.period, held, opened
                if not caught and state_after not in seen:
                    if opened == self.letters:
                        return steps + 1
                    seen.add(state_after)
                    queue.append((state_after, steps + 1))
        return None


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_second_implementation(size, seed):
    """Random steps on fresh levels: cells, keys, doors, rewards, skulls and ends."""
    num, rng, ends = 10, np.random.default_rng(seed), 0
    batch = kit.started(ID, num, 100 + 50 * seed, **sizes(*size), steps=40)
    plain = [Plain(batch.world.get_level(batch.record(k))) for k in range(num)]
    states = []
    for k, one in enumerate(plain):  # from any cell of a floor, since few random walks climb
        places = [(r, c) for r, line in enumerate(one.map) for c, sign in enumerate(line) if sign in "." and r % 2 == 0]
        row, column = places[rng.integers(len(places))]
        batch.records["row"][k], batch.records["column"][k] = row, column
        states.append((row, column, *one.begin()[2:]))
    chances, running = np.array([1, 3, 3, 5, 5, 2, 2]) / 21, np.ones(num, bool)
    for t in range(40):
        actions = rng.choice(7, num, p=chances)
        batch.step(actions[:, None])
        for k in np.flatnonzero(running).tolist():
            states[k], reward, caught = plain[k].after(states[k], NAMES[actions[k]])
            row, column, _, held, opened = states[k]
            s, seen = batch.record(k), batch.observations[k, 0]
            assert (s.row, s.column, s.caught) == (row, column, caught) and batch.rewards[k, 0] == reward
            letters = sorted(plain[k].letters)
            assert [letter in held for letter in letters] == (seen["keys"][:, 0] < 0).tolist()
            assert [letter in opened for letter in letters] == seen["opened"].tolist()
            ways = [(at, way[(t + 1) % len(way)], way[(t + 2) % len(way)]) for at, way in plain[k].ways]
            assert [tuple(skull[:3]) for skull in seen["skulls"].tolist()] == ways
            done = caught or opened == plain[k].letters
            assert (batch.terminations[k, 0], batch.truncations[k, 0]) == (done, not done and t == 39)
            running[k] = not done
            ends += caught
    assert ends > 2


LARGE = [pytest.param(size, marks=pytest.mark.slow) for size in [(4, 11, 2, 2), (5, 12, 2, 4)]]


@pytest.mark.parametrize("size", [(2, 8, 1, 1), (3, 9, 1, 2), *LARGE])
def test_towers_can_be_solved(size):
    """Breadth-first search finds a way past all skulls in every drawn tower, and the planner takes one that is no
    shorter."""
    num = 20 if size[0] != 3 else 8
    levels = generate_many("towers", num, seed=5, **sizes(*size))
    least = [Plain(level).shortest() for level in levels]
    assert all(least)
    world = build(ID, dict(**sizes(*size)))
    batch = kit.started(world, num, level=levels)
    returns = kit.finish(batch, "planner")
    assert (returns == 2 * size[2]).all() and (batch.records["t"] >= least).all()


def test_every_step():
    """Each action from each cell of a tower, with each phase of its skull, and some keys and doors."""
    level = {"map": ["..a..A....", "##HH######", "@..bB....."], "skulls": [[0, 2, 5, 0]]}
    held = [("", ""), ("a", ""), ("ab", ""), ("ab", "a"), ("ab", "b")]
    cells = [(r, c) for r, line in enumerate(level["map"]) for c, sign in enumerate(line) if sign != "#"]
    cases = [
        (*cell, phase, *keys, action) for cell in cells for phase in range(6) for keys in held for action in range(7)
    ]
    batch = kit.started(ID, len(cases), level=level, floors=2, width=10, keys=2, skulls=1)
    records, (rows, columns, phases, keys, doors, actions) = batch.records, zip(*cases)
    records["row"], records["column"], records["level"]["phase"][:, 0] = rows, columns, phases
    for name, letters in (("held", keys), ("opened", doors)):
        records[name] = [[letter in there for letter in "ab"] for there in letters]
    batch.step(np.array(actions)[:, None])
    plain = [Plain(level | {"skulls": [[0, 2, 5, phase]]}) for phase in range(6)]
    found = [records[name].tolist() for name in ("row", "column", "caught", "held", "opened")]
    met = 0
    for case, reward, *now in zip(cases, batch.rewards[:, 0], *found):
        state = *case[:2], 0, frozenset(case[3]), frozenset(case[4])
        (row, column, _, *sets), expected, caught = plain[case[2]].after(state, NAMES[case[5]])
        assert now == [row, column, caught, *([letter in there for letter in "ab"] for there in sets)], case
        assert reward == expected
        met += caught
    assert met > 200


def test_small_tower():
    """Twelve steps by hand: the key below the door, the ladder, a leap over the skull, and both doors."""
    batch = kit.started(ID, level=SMALL, floors=2, width=10, keys=2, skulls=1)
    way = ["right", "leap right", "right", "right", "right", "right"]
    rewards = []
    for action in way:
        batch.step(NAMES.index(action))
        rewards.append(int(batch.rewards[0, 0]))
    assert rewards == [0, 0, 1, 0, 0, 1] and batch.record().column == 7
    assert batch.observations[0, 0]["opened"].tolist() == [0, 1]
    for action, row, column in [("leap left", 2, 5), ("up", 2, 5), ("leap left", 2, 3), ("left", 2, 2), ("up", 1, 2)]:
        batch.step(NAMES.index(action))
        assert (batch.record().row, batch.record().column) == (row, column)
    for action, row, column in [("left", 1, 2), ("up", 0, 2), ("leap right", 0, 4), ("right", 0, 5)]:
        batch.step(NAMES.index(action))
        assert (batch.record().row, batch.record().column) == (row, column)
    assert batch.terminations[0, 0] and Plain(SMALL).shortest() is not None


def test_a_closed_door_stops_leaps():
    level = SMALL | {"map": ["..a.......", "##H#######", "@A..b..B.."], "skulls": [[0, 6, 8, 1]]}
    batch = kit.started(ID, level=level, floors=2, width=10, keys=2, skulls=1)
    for action in ("leap right", "right", "up", "left", "leap left"):
        batch.step(NAMES.index(action))
        assert (batch.record().row, batch.record().column) == (2, 0)
    assert Plain(level).shortest() is None and not describe({"kind": "towers", **level})["solvable"]
    walled = SMALL | {"map": [*SMALL["map"][:2], "@.b....#.B"], "skulls": [[0, 6, 8, 1]]}
    assert not describe({"kind": "towers", **walled})["solvable"] and describe({"kind": "towers", **SMALL})["solvable"]


@pytest.mark.slow
def test_scores():
    """Who minds the skulls takes and opens everything; who does not is often caught; random play hardly gets a key."""
    world = build(ID)
    planner, runner, random = (
        play(world, [name], 100, seed=300).returns.mean() for name in ("planner", "runner", "random")
    )
    assert planner == 4.0 and 1.5 < runner < 3.7 and random < 1.2


# Levels and views.


def test_generator():
    levels = generate_many("towers", 3, seed=3, split="test")
    assert {split_of(level) for level in levels} == {"test"} and json.loads(json.dumps(levels)) == levels
    batch = kit.started(ID, 3, level=levels)
    assert [{"kind": "towers", **batch.world.get_level(batch.record(k))} for k in range(3)] == levels
    for level in levels:
        figures = describe(level)
        assert figures["size"] == [7, 11] and figures["difficulty"] == 6 and figures["solvable"]
    assert generate_many("KeyTower", 2, seed=9)[1] != generate_many("KeyTower", 2, seed=10)[1]
    with pytest.raises(ParameterError, match="fewer than floors"):
        build(ID, dict(floors=2, skulls=2))


def test_broken_levels():
    kit.refuses(
        build(ID, dict(floors=2, width=10, keys=2, skulls=1)),
        ({"map": []}, "'map' and 'skulls'"),
        (SMALL | {"map": SMALL["map"][:2]}, "map must be a list of 3 entries"),
        (SMALL | {"map": ["..a..A..", *SMALL["map"][1:]]}, "row 0 must have 10 signs"),
        (SMALL | {"map": ["..a..A...c", *SMALL["map"][1:]]}, "row 0 has 'c'"),
        (SMALL | {"map": ["..a..A...a", *SMALL["map"][1:]]}, "row 0 has 'a'"),
        (SMALL | {"map": ["..a.......", *SMALL["map"][1:]]}, "lacks 'A'"),
        (SMALL | {"map": [SMALL["map"][0], "##.#######", SMALL["map"][2]]}, "row 1 has '.'"),
        (SMALL | {"skulls": []}, "must be a list of 1"),
        (SMALL | {"skulls": [[0, 6, 8]]}, "a row, two columns and a phase"),
        (SMALL | {"skulls": [[1, 6, 8, 0]]}, "must walk on a floor"),
        (SMALL | {"skulls": [[0, 6, 8, 4]]}, "must walk on a floor"),
        (SMALL | {"skulls": [[2, 0, 2, 1]]}, "walks over the start"),
    )


def test_words_and_keys():
    batch = kit.started(ID, level=SMALL, floors=2, width=10, keys=2, skulls=1)
    text = batch.world.text(batch.record(), 0)
    assert text.splitlines()[:3] == ["..a..A.>..", "##H#######", "@...b..B.."]
    assert "The skull in row 0 walks in columns 6 to 8; it goes to column 8." in text
    assert set(batch.world.keys.values()) == set(NAMES)
    for action in ("leap right", "leap right"):
        batch.step(NAMES.index(action))
    text = batch.world.text(batch.record(), 0)
    assert "You are in row 2, column 4. Keys that you have: b." in text and text.endswith("Steps left: 198.")
