"""Roguelike: exact random play, MiniHack's random play by task, rules by example, solutions, sight by fractions."""

import json
from collections import Counter, deque
from fractions import Fraction
from itertools import product

import kit
import numpy as np
import pytest

from envsuite.core.errors import SnapshotError
from envsuite.generators import generate, generate_many
from envsuite.gridworlds.roguelike import levels, rules
from envsuite.gridworlds.roguelike.levels import NAMES
from envsuite.gridworlds.roguelike.rules import GLYPH_LETTERS, LETTERS, MONSTERS
from envsuite.kit.figures import DOWN, MOVES, RIGHT
from envsuite.registry import build

ID = "envsuite/Roguelike-v0"
RECORDED = json.loads((kit.DATA / "Roguelike" / "roguelike.json").read_text())
N, NE, E, SE, S, SW, W, NW = MOVES


# Helpers.


def level(*rows, hero=None, things=(), monsters=(), light=None):
    """A level; `@` marks the hero on floor."""
    rows = list(rows)
    if hero is None:
        y = next(k for k, row in enumerate(rows) if "@" in row)
        hero = [y, rows[y].index("@")]
        rows[y] = rows[y].replace("@", ".")
    made = {
        "map": rows,
        "hero": hero,
        "things": [list(one) for one in things],
        "monsters": [list(one) for one in monsters],
    }
    return made | ({"light": light} if light else {})


def dungeon(*rows, num=1, seed=0, task="Room-5", hero=None, things=(), monsters=(), light=None, **params):
    """Games on a level of one's own. The task decides what is legal."""
    made = level(*rows, hero=hero, things=things, monsters=monsters, light=light)
    return kit.started(ID, num, seed, made, task=task, **params)


def did(batch, *names):
    """What actions pay, by the first world; all worlds do the same."""
    paid = []
    for name in names:
        assert not batch.over()[0], (names, paid)
        batch.step(np.full((batch.num, 1), rules.ACTIONS.index(name)), ~batch.over())
        paid.append(round(float(batch.rewards[0, 0]), 4))
    return paid


def place(batch):
    """Row and column of the hero."""
    return int(batch.records["y"][0]), int(batch.records["x"][0])


def drawn(batch):
    """The map as it is: ground, boulders and things."""
    s = batch.record()
    rows = [[LETTERS[code] for code in row] for row in s.ground[: s.level.height, : s.level.width].tolist()]
    for y, x in np.argwhere(s.things).tolist():
        rows[y][x] = "?Okaiw"[s.things[y, x]]
    return ["".join(row) for row in rows]


def view(batch):
    """The view in letters."""
    return ["".join(GLYPH_LETTERS[code] for code in row) for row in batch.observations["crop"][0, 0].tolist()]


def near(count, num, chance, deviations=4.5):
    """Whether a count is as likely as a chance says."""
    return abs(count - num * chance) < deviations * (num * chance * (1 - chance)) ** 0.5 + 1e-9


# Random play.


def random_walk(side, steps, pairs):
    """Chance of the stairs and mean of bumps, the mean over pairs of start and stairs, by powers of a matrix."""
    cells = list(product(range(side), repeat=2))
    found = bumps = 0.0
    for start, stairs in pairs:
        move, bump = np.zeros((side * side, side * side)), np.zeros(side * side)
        for k, (y, x) in enumerate(cells):
            for down, right in zip(DOWN.tolist(), RIGHT.tolist()):
                to = (y + down, x + right)
                move[k, cells.index(to) if to in cells else k] += 1 / 8
                bump[k] += (to not in cells) / 8
        at, goal = np.zeros(side * side), cells.index(stairs)
        at[cells.index(start)] = 1
        for _ in range(steps):
            bumps += at @ bump / len(pairs)
            at = at @ move
            found += at[goal] / len(pairs)
            at[goal] = 0
    return found, bumps


def corner(side):
    return [((0, 0), (side - 1, side - 1))]


def anywhere(side):
    return [
        (one, other)
        for one in product(range(side), repeat=2)
        for other in product(range(side), repeat=2)
        if one != other
    ]


def played(task, num, **params):
    """Success, length and bumps of random play."""
    batch = kit.started(ID, num, task=task, **params)
    returns = kit.finish(batch, "random")[:, 0]
    found = batch.terminations[:, 0] & (batch.records["health"] > 0)
    return found, batch.records["t"], np.round((found - returns) * 100), batch


def test_the_page():
    """The table of MiniHack's successes is the recording."""
    page = build(ID).__doc__
    for row in (
        ("51, 33", "Room-5-Random", "Room-15-Random"), ("4, 0", "KeyRoom-S5", "KeyRoom-S15"),
        ("45, 11", "Room-5-Monster", "Room-15-Monster"), ("0, 0, 0", "MultiRoom-N4", "MultiRoom-N6", "MultiRoom-N10"),
        ("51, 33", "Room-5-Trap", "Room-15-Trap"), ("0, 0", "LavaCross", "CorridorBattle"),
        ("29; 8", "MazeWalk-9", "MazeWalk-15"), ("0, 1", "HideNSeek", "HideNSeek-Big"),
    ):  # fmt: skip
        found = [str(RECORDED[task]["ends"].get("2", 0)) for task in row[1:]]
        assert row[0].replace(";", ",") == ", ".join(found) and f"| {row[0]} |" in page
    assert (RECORDED["Room-15-Ultimate"]["ends"]["2"], RECORDED["Corridor-R2"]["ends"]["2"]) == (23, 16)
    assert RECORDED["River"]["ends"]["2"] == 3 and RECORDED["MazeWalk-15"]["episodes"] == 30
    for task, found in RECORDED.items():
        if task in NAMES:
            assert build(ID, {"task": task})._params["horizon"] == found["limit"], task


@pytest.mark.slow
def test_random_play_in_an_empty_room():
    found, bumps = random_walk(5, 100, corner(5))
    assert f"with probability {found:.3f}" in build(ID).__doc__
    success, _, bumped, _ = played("Room-5", 300)
    assert near(success.sum(), 300, found) and abs(bumped.mean() - bumps) < 4.5 * bumped.std() / 300**0.5
    their = RECORDED["Room-5"]
    assert near(their["ends"]["2"], their["episodes"], found) and "in 31 of 60 episodes" in build(ID).__doc__
    assert abs(their["paid"]["-0.01"] / 60 - bumps) < 4.5 * bumped.std() / 60**0.5


@pytest.mark.slow
@pytest.mark.parametrize("side, task", [(5, "Room-5-Random"), (15, "Room-15")])
def test_random_play_in_other_rooms(side, task):
    found, bumps = random_walk(side, 20 * side, corner(side) if side == 15 else anywhere(side))
    success, _, bumped, _ = played(task, 400)
    assert near(success.sum(), 400, found) and abs(bumped.mean() - bumps) < 4.5 * bumped.std() / 20
    their = RECORDED[task]
    assert (
        near(their["ends"]["2"], 60, found) and abs(their["paid"]["-0.01"] / 60 - bumps) < 4.5 * bumped.std() / 60**0.5
    )


@pytest.mark.parametrize("task", [
    pytest.param(task, marks=[pytest.mark.slow] * (task not in ("KeyRoom-S5", "MazeWalk-9", "Room-5-Trap")))
    for task in ("KeyRoom-S5", "MazeWalk-9", "Room-5-Trap", "Room-5-Monster", "Room-15-Random", "Room-15-Trap",
                 "Room-15-Monster", "MazeWalk-15", "KeyRoom-S15", "MultiRoom-N4", "MultiRoom-N6", "MultiRoom-N10",
                 "MultiRoom-N2-Locked", "MultiRoom-N4-Lava", "LavaCross", "CorridorBattle", "HideNSeek",
                 "HideNSeek-Big")
])  # fmt: skip
def test_as_often_as_in_minihack(task):
    """Random play succeeds as often as in MiniHack, within chance, and is paid the same numbers."""
    their, num = RECORDED[task], 120
    success, *_, batch = played(task, num)
    wins, episodes = their["ends"].get("2", 0), their["episodes"]
    both = (success.sum() + wins) / (num + episodes)
    spread = (both * (1 - both) * (1 / num + 1 / episodes)) ** 0.5
    assert abs(success.mean() - wins / episodes) <= 3.5 * spread
    assert set(their["paid"]) <= {"-0.01", "0.0", "1.0"}
    assert batch.record().params.horizon == their["limit"]


# Doors and steps.


def test_steps_and_bumps():
    batch = dungeon("#####", "#.@.#", "#...#", "#T.>#", "#####")
    assert did(batch, N, E, NE, S, SE) == [-0.01, 0, -0.01, 0, -0.01] and place(batch) == (2, 3)
    assert did(batch, W, SW, W, S, E, SE) == [0, -0.01, 0, -0.01, 0, 1]
    assert batch.terminations[0, 0] and "reached the stairs" in batch.world.text(batch.record(), 0)


def test_doors():
    rows = ["#######", "#...#.#", "#.@.+.#", "#...#>#", "#######"]
    batch = dungeon(*rows)
    assert did(batch, NE, SE) == [0, -0.01]  # no diagonal move opens a door
    assert drawn(batch)[2] == "#...+.#" and did(batch, S, E) == [0, 0] and drawn(batch)[2] == "#.../.#"
    assert did(batch, N, SE) == [0, -0.01]  # or passes one
    assert did(batch, S, E, SE, NE, SW) == [0, 0, -0.01, -0.01, -0.01] and place(batch) == (2, 4)
    assert did(batch, E, SW) == [0, -0.01]
    batch = dungeon(*[row.replace("+", "'") for row in rows])
    assert did(batch, NE, SE, SE) == [0, 0, 1]  # a doorway without a door is passed in any direction
    batch = dungeon(*[row.replace("+", "L") for row in rows])
    assert did(batch, E, E, E) == [0, -0.01, -0.01]


def test_keys():
    batch = dungeon("######", "#.@L>#", "######", things=[("key", 1, 1)], task="KeyRoom-S5")
    assert kit.legal(batch) == set(MOVES) and did(batch, W) == [0]
    assert kit.legal(batch) == {*MOVES, "take"} and did(batch, "take") == [0]
    assert kit.legal(batch) == {*MOVES, "apply"} and did(batch, "apply") == [-0.01]  # no door beside the hero
    assert did(batch, E, "apply", E, E) == [0, 0, 0, 1]
    batch = dungeon("####", "#.@#", "#L.#", "#>.#", "####", things=[("key", 1, 2)], task="KeyRoom-S5")
    assert did(batch, "take", "apply", SW, W, S, S) == [0, 0, -0.01, 0, 0, 1]  # a door opens from a corner


def test_kicks():
    batch = dungeon("######", "#.@L.#", "######", task="MultiRoom-N4-Locked", num=300)
    did(batch, E)
    did(batch, "kick")
    assert near((batch.records["ground"][:, 1, 3] == rules.DOORWAY).sum(), 300, 0.35)
    once = dungeon("######", "#.@..#", "######", task="MultiRoom-N4-Locked", monsters=[("ogre", 1, 3)], num=300)
    did(once, W, "kick")
    assert (once.records["monsters"]["health"][:, 0] == 20).all()  # it faces west
    did(once, "kick")
    batch = dungeon("#####", "##@##", "##.##", "#####", task="MultiRoom-N4-Locked", monsters=[("ogre", 2, 2)], num=300)
    batch.records["facing"] = 4
    did(batch, "kick")
    taken = 20 - batch.records["monsters"]["health"][:, 0]
    assert near((taken > 0).sum(), 300, 0.6) and set(taken) == set(range(5))


# Boulders.


def test_boulders():
    def pushed(row, move=E, **more):
        batch = dungeon("########", row, "########", **more)
        did(batch, move)
        return drawn(batch)[1], place(batch)[1], float(batch.rewards[0, 0]) == 0

    assert pushed("#.@....#", things=[("boulder", 1, 3)]) == ("#...O..#", 3, True)
    for blocked in ("#.@.#..#", "#.@.>..#", "#.@.T..#", "#.@.d..#", "#.@.*..#", "#.@.+..#", "#.@./..#"):
        assert pushed(blocked, things=[("boulder", 1, 3)])[1:] == (2, False), blocked
    for other in ("boulder", "key"):
        assert pushed("#.@....#", things=[("boulder", 1, 3), (other, 1, 4)])[1:] == (2, False)
    assert pushed("#.@....#", things=[("boulder", 1, 3)], monsters=[("rat", 1, 4)])[1] == 2
    assert pushed("#.@.~..#", things=[("boulder", 1, 3)]) == ("#......#", 3, True)
    assert pushed("#.@.=..#", things=[("boulder", 1, 3)]) == ("#...O..#", 3, True)
    batch = dungeon("########", "#.@.%..#", "########", things=[("boulder", 1, 3)], num=300)
    did(batch, E)
    filled = batch.records["ground"][:, 1, 4] == rules.FLOOR
    assert near(filled.sum(), 300, 0.9) and not batch.records["things"].any()


def test_boulders_diagonally():
    rows = ["######", "#@...#", "#....#", "#....#", "#..^.#", "######"]
    batch = dungeon(*rows[:4], "#....#", rows[5], things=[("boulder", 2, 2)])
    assert did(batch, SE) == [0] and drawn(batch)[3] == "#..O.#" and place(batch) == (2, 2)
    batch = dungeon(*rows, things=[("boulder", 2, 2)])
    assert did(batch, SE) == [-0.01] and drawn(batch)[2] == "#.O..#"


def test_pits():
    batch = dungeon(
        "#########", "#@..^^.>#", "#########", things=[("boulder", 1, 2), ("boulder", 1, 3)], task="Sokoban-2"
    )
    assert did(batch, E) == [-0.01]  # two boulders
    batch = dungeon("#########", "#@..^.>.#", "#.......#", "#########", things=[("boulder", 1, 2)], task="Sokoban-2")
    assert did(batch, SE, E, E, E, NE) == [0] * 5 and not batch.over()[0]  # stairs do not count yet
    batch = dungeon("#########", "#@..^.>.#", "#########", things=[("boulder", 1, 2)], task="Sokoban-2")
    assert did(batch, E, E, E, E, E) == [0, 0.1, 0, 0, 1] and batch.records["pits"][0] == 0
    batch = dungeon("#####", "#@^.#", "#####")
    assert did(batch, E) == [0] and batch.terminations[0, 0] and batch.records["health"][0] == 0


# Water, lava, levitation and cold.


def test_lava_and_water():
    batch = dungeon("#######", "#@~..>#", "#.%...#", "#######")
    assert did(batch, E) == [-0.01] and did(batch, SE) == [0] and batch.terminations[0, 0]
    assert "You have died" in batch.world.text(batch.record(), 0)


def test_levitation():
    row = "#@" + "%" * 20 + "~" * 30 + "#"
    batch = dungeon("#" * len(row), row, "#" * len(row), things=[("potion", 1, 1)], task="LavaCross")
    assert did(batch, "take", "quaff") == [0, 0] and batch.records["levitation"][0] == 39
    did(batch, *[E] * 38)
    assert batch.observations["stats"][0, 0, 1] == 1 and batch.records["health"][0] == rules.HERO_HEALTH
    assert did(batch, E) == [0] and batch.terminations[0, 0] and batch.records["health"][0] == 0  # it ends over water
    batch = dungeon("########", "#@.^N>.#", "########", task="LavaCross", things=[("potion", 1, 1), ("boulder", 1, 2)])
    assert did(batch, "take", "quaff", E) == [0, 0, -0.01]  # boulders are not pushed in the air
    batch = dungeon(
        "########",
        "#@^ND..#",
        "########",
        task="LavaCross",
        things=[("potion", 1, 1), ("potion", 1, 5)],
    )
    did(batch, "take", "quaff", E, E, E, E)
    assert batch.records["health"][0] == 16 and "take" not in kit.legal(batch) and drawn(batch)[1] == "#.^NDi.#"


def test_wand():
    row = "#@.~%~~~~~~~.#"
    batch = dungeon("#" * 14, row, "#" * 14, things=[("wand", 1, 1)], task="LavaCross", monsters=[("goblin", 1, 12)])
    assert did(batch, "take") == [0] and batch.records["charges"][0] == 4
    batch.records["facing"] = 2
    assert did(batch, "zap") == [0] and drawn(batch)[1] == "#..=.=====~~.#"  # eight cells
    assert batch.records["charges"][0] == 3 and batch.records["monsters"]["kind"][0, 0] == MONSTERS.index("goblin")
    batch = dungeon("########", "#@.*.%T#", "########", task="LavaCross",
                    things=[("wand", 1, 1)], monsters=[("ogre", 1, 4)])  # fmt: skip
    batch.records["facing"] = 2
    did(batch, "take")
    batch.records["facing"] = 2
    did(batch, "zap")
    assert batch.records["monsters"]["kind"][0, 0] == 0 and "%" not in drawn(batch)[1]
    batch = dungeon("########", "#@.T%..#", "########", task="LavaCross", things=[("wand", 1, 1)])
    batch.records["facing"] = 2
    did(batch, "take", "zap", "zap", "zap", "zap")
    assert "%" in drawn(batch)[1] and "zap" not in kit.legal(batch)  # trees stop it; four charges


def test_apples():
    batch = dungeon("#####", "#@.>#", "#####", things=[("apple", 1, 1)], task="ExploreMaze-Easy")
    assert kit.legal(batch) == {*MOVES, "eat"} and did(batch, "eat") == [0.5]
    assert kit.legal(batch) == set(MOVES) and did(batch, E, E) == [0, 1]


# Traps and hidden things.


def test_traps():
    hurt = dungeon("######", "#@D..#", "######", num=300)
    assert view(hurt)[4][4:7] == "@.."
    did(hurt, E)
    taken = 16 - hurt.records["health"]
    assert set(taken) == {1, 2, 3, 4} and near((taken == 1).sum(), 300, 0.25) and drawn(hurt)[1] == "#.d..#"
    held = dungeon("######", "#@N..#", "######", num=300)
    did(held, E)
    stuck = held.records["stuck"].copy()
    assert set(stuck) == {1, 2, 3, 4, 5}
    did(held, E)
    assert (held.records["x"] == 2).all() and (held.records["stuck"] == stuck - 1).all()
    did(held, E)
    assert (held.records["x"] == np.where(stuck == 1, 3, 2)).all()
    moved = dungeon("########", "#@P....#", "#......#", "########", num=300,
                    things=[("boulder", 2, 5)], monsters=[("rat", 2, 6)])  # fmt: skip
    did(moved, E)
    cells = moved.records["y"] * 10 + moved.records["x"]
    free = {11, 13, 14, 15, 16, 21, 22, 23, 24}
    assert set(cells) <= free and drawn(moved)[1] == "#.p....#"
    assert all(near((cells == cell).sum(), 300, 1 / len(free)) for cell in free)


def test_search():
    rows = ["#######", "#.#.H.#", "#.P@#.#", "#.#.h.#", "#######"]
    batch = dungeon(*rows, num=300, task="Corridor-R2")
    assert view(batch)[3][3:6] == "#.#" and view(batch)[4][3:6] == ".@#" and view(batch)[5][3:6] == "#._"
    did(batch, "search")
    ground = batch.records["ground"]
    for (y, x), code in (((1, 4), rules.CLOSED), ((3, 4), rules.CORRIDOR), ((2, 2), rules.TELEPORT)):
        assert near((ground[:, y, x] == code).sum(), 300, 1 / 7)
    assert (ground[:, 1, 2] == rules.WALL).all() and "search" not in kit.legal(dungeon(*rows))
    assert near((batch.observations["crop"][:, 0, 3, 5] == rules.CLOSED).sum(), 300, 1 / 7)


# Monsters.


@pytest.mark.parametrize("name, speed", [("rat", 10), ("goblin", 9), ("ogre", 10), ("minotaur", 15)])
def test_speeds(name, speed):
    batch = dungeon("#" * 43, "#@" + "." * 40 + "#", "#" * 43, monsters=[(name, 1, 41)])
    for turn in range(1, 20):
        did(batch, E)
        assert batch.records["monsters"]["x"][0, 0] == 41 - speed * turn // 12
        assert did(batch, NE) == [-0.01]  # a bump takes no time
        batch.records["x"] = 1


def test_bats_flutter():
    """A third of a bat's moves is random; each is one of eight directions."""
    rows = ["#" * 43, *["#" + "." * 41 + "#"] * 9, "#" * 43]
    batch = dungeon(*rows, hero=[5, 2], monsters=[("bat", 5, 30)], num=600)
    did(batch, W)  # one move, and 10 energy are left
    m = batch.records["monsters"][:, 0]
    assert near((m["x"] == 29).sum(), 600, 2 / 3 + 3 / 24) and (m["energy"] == 10).all()
    assert near((m["x"] == 31).sum(), 600, 1 / 8)


@pytest.mark.parametrize("name, health, speed, chance, most", [
    ("rat", 3, 10, 0.5, 3), ("bat", 4, 22, 0.5, 4), ("goblin", 5, 9, 0.5, 6), ("ogre", 20, 10, 0.6, 10),
    ("minotaur", 40, 15, 0.9, 20),
])  # fmt: skip
def test_attacks(name, health, speed, chance, most):
    """One attack: its chance and damage; a bat flutters in one of three moves, here in a dead end."""
    assert f"| {name} | {health} | {speed} | {chance} | {most} |" in build(ID).__doc__
    batch = dungeon("#####", "#.@.#", "#####", monsters=[(name, 1, 3)], num=300, task="Corridor-R2")
    batch.records["monsters"]["energy"][:, 0] = max(0, 12 - speed)
    assert (batch.records["monsters"]["health"][:, 0] == health).all()
    did(batch, "search")
    taken = 16 - batch.records["health"]
    hits = chance * (2 / 3 if name == "bat" else 1)
    assert near((taken > 0).sum(), 300, hits) and taken.max() == min(most, 16)
    assert near((taken == 1).sum(), 300, hits / most)
    assert batch.terminations[:, 0].tolist() == (taken == 16).tolist()


def test_fights():
    for name, chance in (("rat", 0.8 * 6 / 8), ("goblin", 0.8 * 4 / 8), ("bat", 0.8 * 5 / 8)):
        batch = dungeon("#####", "#.@.#", "#####", monsters=[(name, 1, 3)], num=300)
        did(batch, E)
        assert near((batch.records["monsters"]["kind"][:, 0] == 0).sum(), 300, chance), name
        assert (batch.records["x"] == 2).all()


def test_healing():
    batch = dungeon("####", "#@.#", "####")
    batch.records["health"] = 10
    did(batch, *[E, W] * 7)
    assert batch.records["health"][0] == 10
    did(batch, E)
    assert batch.records["health"][0] == 11
    batch.records["health"] = 16
    did(batch, *[W, E] * 8)
    assert batch.records["health"][0] == 16


def test_monsters_follow():
    """One that has lost the hero goes to where it saw it last."""
    inner = ["#." + "#" * 11 + ".#"] * 3
    rows = ["#" * 15, "#" + "." * 13 + "#", *inner, "#" * 15]
    batch = dungeon(*rows, hero=[1, 2], monsters=[("ogre", 1, 13)], task="Corridor-R2")
    did(batch, "search", "search", W, S, S, S)
    m = batch.records["monsters"]
    assert m["hunts"][0, 0] and (m["goal_y"][0, 0], m["goal_x"][0, 0]) in {(1, 1), (2, 1)}
    far = [int(m["x"][0, 0])]
    for _ in range(3):
        did(batch, "search")
        far.append(int(batch.records["monsters"]["x"][0, 0]))
    assert far == sorted(far, reverse=True) and far[0] > 2 and far[-1] < far[0] - 1
    lost = dungeon(*rows, hero=[3, 1], monsters=[("ogre", 1, 13)], task="Corridor-R2", num=60)
    did(lost, *["search"] * 6)
    moved = lost.records["monsters"][:, 0]
    assert not moved["hunts"].any() and len(set(zip(moved["y"].tolist(), moved["x"].tolist()))) > 3  # it wanders


@pytest.mark.parametrize("wall", "%~+L^TO/")
def test_monsters_are_stopped(wall):
    """By lava, water, shut doors, pits, trees and boulders; an open door is passed straight only."""
    row = f"#...{wall}..#".replace("O", ".")
    more = {"monsters": [("minotaur", 1, 6)], "things": [("boulder", 1, 4)] if wall == "O" else []}
    batch = dungeon("########", row, "########", hero=[1, 1], task="Corridor-R2", **more)
    for _ in range(5):
        did(batch, "search")
        batch.records["health"] = 16
    assert (batch.records["monsters"]["x"][0, 0] < 4) == (wall == "/")
    batch = dungeon(
        "######", "#..###", "###/.#", "######", hero=[1, 1], monsters=[("minotaur", 2, 4)], task="Corridor-R2"
    )
    for _ in range(5):
        did(batch, "search")
    assert batch.records["health"][0] == 16 and batch.records["monsters"]["x"][0, 0] in (3, 4)


# Sight.


def nearest(place):
    """The nearest whole numbers: two of them for a half."""
    half = Fraction(1, 2)
    return {int(place - half), int(place + half)} if place.denominator == 2 else {round(place)}


def lit_by_fractions(opaque, y, x, to_y, to_x):
    """Whether a cell is in sight: some nearest cell of the exact line is clear at each row or column between."""
    steps = max(abs(to_y - y), abs(to_x - x))
    for k in range(1, steps):
        rows = nearest(y + Fraction((to_y - y) * k, steps))
        columns = nearest(x + Fraction((to_x - x) * k, steps))
        if all(opaque[one, other] for one in rows for other in columns):
            return False
    return True


def seen_by_fractions(s):
    """What the hero has seen after the first look."""
    height, width = int(s.level.height), int(s.level.width)
    ground = s.ground[:height, :width]
    opaque = np.isin(ground, [rules.ROCK, rules.WALL, rules.CLOSED, rules.LOCKED, rules.TREE, rules.CLOUD])
    opaque |= np.isin(ground, [rules.HIDDEN_DOOR, rules.HIDDEN_CORRIDOR]) | (s.things[:height, :width] == rules.BOULDER)
    seen = np.zeros((height, width), np.bool_)
    for y, x in np.ndindex(height, width):
        beside = max(abs(y - s.y), abs(x - s.x)) <= 1
        seen[y, x] = beside or (s.level.lit[y, x] and lit_by_fractions(opaque, int(s.y), int(s.x), y, x))
    return seen


@pytest.mark.parametrize("task, seeds", [
    ("HideNSeek", 6), ("Room-15-Dark", 2), ("River", 2),
    *(pytest.param(task, 12, marks=pytest.mark.slow) for task in ("ExploreMaze-Hard", "Corridor-R3", "HideNSeek-Big",
                                                                   "MultiRoom-N6-Lava", "KeyRoom-S15", "Memento-F2")),
])  # fmt: skip
def test_sight(task, seeds):
    batch = kit.started(ID, seeds, seed=50, task=task)
    for k in range(seeds):
        s = batch.record(k)
        height, width = int(s.level.height), int(s.level.width)
        assert ((s.seen[:height, :width] != 0) == seen_by_fractions(s)).all()
        assert not s.seen[height:].any() and not s.seen[:, width:].any()


def test_dark_rooms_and_memory():
    rows = ["#########", "#@......#", "#.......#", "#.......#", "#########"]
    batch = dungeon(*rows, light=["0" * 9] * 5, monsters=[("rat", 3, 7)])
    assert view(batch)[3:7] == ["???###???", "???#@.???", "???#..???", "?????????"]
    batch.records["monsters"]["kind"] = 0
    did(batch, E, E)
    assert view(batch)[3:7] == ["?#####???", "?#..@.???", "?#....???", "?????????"]  # what was seen is remembered
    batch = dungeon(*rows, monsters=[("rat", 1, 3)])
    assert view(batch)[4] == "???#@.r.."
    lost = dungeon("#######", "#@+...#", "#######", monsters=[("rat", 1, 4)])
    assert view(lost)[4] == "???#@+???"
    did(lost, E)
    assert "r" in view(lost)[4] or lost.records["monsters"]["kind"][0, 0] == 0


def test_monsters_are_not_remembered():
    batch = dungeon("########", "#.@....#", "#.####.#", "########", monsters=[("ogre", 1, 6)])
    assert view(batch)[4] == "??#.@...o"
    did(batch, W, SW)
    batch.records["monsters"]["x"] = 6
    batch.records["monsters"]["y"] = 2
    batch.records["monsters"]["hunts"] = 0
    did(batch, S)
    assert not any("o" in row for row in view(batch)) and any("...." in row for row in view(batch))


def test_the_whole_map():
    batch = kit.started(ID, task="MazeWalk-15", mapped=True, map=True)
    s, shown = batch.record(), batch.observations["map"][0, 0]
    look = np.asarray(rules.LOOK)[s.ground]
    wanted = np.where(np.indices(look.shape)[0] < s.level.height, look, 0)
    wanted[:, s.level.width :] = 0
    wanted[s.y, s.x] = rules.HERO
    assert (shown == wanted).all()
    far = kit.started(ID, task="MazeWalk-15", map=True)
    seen = far.observations["map"][0, 0]
    assert (seen == 0).sum() > (shown == 0).sum() and ((seen == shown) | (seen == 0)).all()


# Levels.

_ALWAYS = ".:'/+=>*dnpDNPHh"


def reached(made, passed=_ALWAYS, start=None):
    """The cells that a hero can get to on these letters, by an independent search; doors are passed straight."""
    rows, boulders = made["map"], {(y, x) for name, y, x in made["things"] if name == "boulder"}
    first = tuple(start or made["hero"])
    found, left = {first}, deque([first])
    while left:
        y, x = left.popleft()
        for down, right in product((-1, 0, 1), repeat=2):
            to = (y + down, x + right)
            letter = rows[to[0]][to[1]]
            door = down and right and (letter in "/+LH" or rows[y][x] in "/+LH")
            if to not in found and letter in passed and to not in boulders and not door:
                found.add(to)
                left.append(to)
    return found


def solvable(task, made):
    """Whether the stairs can be reached, by what the task offers."""
    stairs = [(y, x) for y, row in enumerate(made["map"]) for x, letter in enumerate(row) if letter == ">"]
    if len(stairs) != 1:
        return False
    if task.startswith("KeyRoom"):
        key = next((y, x) for name, y, x in made["things"] if name == "key")
        return (
            key in reached(made) and stairs[0] not in reached(made) and stairs[0] in reached(made, _ALWAYS + "L", key)
        )
    if task == "LavaCross":
        tool = next((y, x) for name, y, x in made["things"])
        return tool in reached(made) and stairs[0] not in reached(made) and stairs[0] in reached(made, _ALWAYS + "%")
    kicks = task.startswith("Corridor") or task.endswith(("Locked", "Extreme"))
    return stairs[0] in reached(made, _ALWAYS + "L" * kicks)


def region(rows, start, walls):
    """The cells around one that no such wall is in between, in the four directions."""
    found, left = {start}, [start]
    while left:
        y, x = left.pop()
        for to in ((y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)):
            if rows[to[0]][to[1]] not in walls and to not in found:
                found.add(to)
                left.append(to)
    return found


def regions(rows, cells, walls):
    """The regions that have these cells."""
    found, left = [], set(cells)
    while left:
        found.append(region(rows, next(iter(left)), walls))
        left -= found[-1]
    return found


def rectangle(top, left, bottom, right):
    """The cells from the top left corner to the bottom right one."""
    return set(product(range(top, bottom + 1), range(left, right + 1)))


def check_room(rows, where, hero, stairs, task, made):
    """One room, from corner to corner or at random; monsters and hidden traps by its name."""
    side, name = int(task.split("-")[1]), task.split("-")[2:]
    inside, few = rectangle(1, 1, side, side), side == 5
    assert set.union(*(where[letter] for letter in ".>DNP")) == inside and len(where["#"]) == 4 * side + 4
    assert bool(name) or (hero, stairs) == ((1, 1), (side, side))
    for words, number, count in (
        ("Trap Ultimate", 1 if few else 15, sum(len(where[letter]) for letter in "DNP")),
        ("Monster Ultimate", 1 if few else 3, len(made["monsters"])),
    ):
        assert count == number * (name != [] and name[0] in words.split())


def check_corridor(rows, where, hero, stairs, task, made):
    """Rooms from west to east with two doors between each and the next; hero and stairs in different ones."""
    count = int(task[-1])
    assert len(where["'"] | where["/"] | where["+"] | where["L"] | where["H"]) == 2 * count - 2
    assert len(where["h"]) <= count - 1
    rooms = regions(rows, where["."] | {stairs}, "#'/+LH")
    assert len(rooms) == count and all(cells == rectangle(*min(cells), *max(cells)) for cells in rooms)
    assert sum(hero in cells or stairs in cells for cells in rooms) == 2


def check_maze(rows, where, hero, stairs, task, made):
    """A perfect maze: its rooms, at odd places, and one passage less than rooms."""
    high, wide = len(rows), len(rows[0])
    assert (high, wide) == {"9": (9, 9), "15": (15, 15), "45": (19, 45)}[task.split("-")[1]]
    cells = where["."] | {stairs}
    assert set(product(range(1, high, 2), range(1, wide, 2))) <= cells == region(rows, hero, "#")
    assert len(cells) == 2 * (high // 2) * (wide // 2) - 1


def check_vault(rows, where, hero, stairs, task, made):
    """A room within a room; its wall is one cell thick and has a locked door."""
    side, inner = (5, 2) if "S5" in task else (15, 5)
    vault = region(rows, stairs, "#L")
    assert len(rows) == len(rows[0]) == side + 2
    assert vault == rectangle(*min(vault), *(number + inner - 1 for number in min(vault)))
    around = {(y + j, x + i) for y, x in vault for j, i in product((-1, 0, 1), repeat=2)} - vault
    outside = rectangle(1, 1, side, side) - vault - around
    assert len(where["L"]) == 1 and where["L"] < around and where["#"] >= around - where["L"]
    assert where["."] == vault - {stairs} | outside and hero in outside
    assert [(name, (y, x) in outside - {hero}) for name, y, x in made["things"]] == [("key", True)]


def check_river(rows, where, hero, stairs, task, made):
    """Boulders and monsters on the near bank, water and perhaps lava, and the stairs on the far bank."""
    last = 20 if task == "River-Narrow" else 21
    river = rectangle(1, 19, 7, last)
    assert (len(rows), len(rows[0])) == (9, 27) and where["~"] | where["%"] == river
    shores = where["."] | {stairs}
    assert shores == rectangle(1, 1, 7, 25) - river and hero[1] < 19 and stairs[1] > last
    water = {y for y, _ in where["~"]}
    assert len(water) == (2 if "Lava" in task else 7) and where["~"] == {cell for cell in river if cell[0] in water}
    boulders = {(y, x) for name, y, x in made["things"] if name == "boulder"}
    assert len(boulders) == len(made["things"]) == 5 and boulders <= rectangle(2, 2, 6, 16)
    assert len(made["monsters"]) == (5 if "Monster" in task else 0) and all(x < 19 for *_, x in made["monsters"])


def check_rooms(rows, where, hero, stairs, task, made):
    """A chain of rectangles: hero and stairs are in those at its ends."""
    count, style = int(task.split("-")[1][1:]), task.split("-")[2:]
    letter = {"Open": "/", "Locked": "L", "Extreme": "L"}.get(*style, "+") if style else "+"
    doors = where["/"] | where["L"] | where["+"]
    assert where[letter] == doors and len(doors) == count - 1
    lava = style in (["Lava"], ["Extreme"])
    assert bool(where["%"]) == lava and not (where["#"] and lava)
    rooms = regions(rows, where["."] | {stairs}, "#%/L+")
    assert len(rooms) == count and all(cells == rectangle(*min(cells), *max(cells)) for cells in rooms)
    assert not any(hero in cells and stairs in cells for cells in rooms)
    for cells in rooms:
        beside = sum(bool({(y + 1, x), (y - 1, x), (y, x + 1), (y, x - 1)} & cells) for y, x in doors)
        assert beside == (1 if hero in cells or stairs in cells else 2)
    most = 3 * count // 2 if style in (["Monster"], ["Extreme"]) else 0
    assert min(most, 1) <= len(made["monsters"]) <= min(most, 12)


def check_crossing(rows, where, hero, stairs, task, made):
    """A column of lava in the middle; hero and thing west of it, the stairs east."""
    assert where["%"] == rectangle(1, 6, 5, 6) and where["."] | {stairs} == rectangle(1, 1, 5, 11) - where["%"]
    [(name, y, x)] = made["things"]
    assert name in ("potion", "wand") and max(x, hero[1]) < 6 < stairs[1] and (y, x) != hero


def check_wood(rows, where, hero, stairs, task, made):
    """The hero in the north west; stairs and monster in two of the other corners."""
    high, wide = len(rows) - 2, len(rows[0]) - 2
    assert (high, wide) == ((15, 15) if "Big" in task else (9, 11)) and hero == (1, 1)
    [(name, y, x)] = made["monsters"]
    assert name in ("ogre", "minotaur") and len({stairs, (y, x), hero}) == 3
    assert {stairs, (y, x)} <= {(1, wide), (high, 1), (high, wide)} and (y, x) in reached(made)
    assert not where["%"] or "Lava" in task


def check_orchard(rows, where, hero, stairs, task, made):
    """Three open columns: the hero's in the west, the stairs' in the middle, and that of four apples in the east."""
    high, wide = len(rows) - 2, len(rows[0]) - 2
    assert (high, wide) == ((9, 19) if "Easy" in task else (13, 27))
    middle = stairs[1]
    assert hero[1] == 1 and abs(middle - (wide + 1) / 2) <= 1
    for column in (1, middle, wide):
        assert rectangle(1, column, high, column) <= where["."] | {stairs}
    assert [(name, x) for name, _, x in made["things"]] == [("apple", wide)] * 4
    assert len(set(map(tuple, made["things"]))) == 4


def check_hall(rows, where, hero, stairs, task, made):
    """A small room and a hall, a corridor between them, the rats in the hall and the stairs behind them."""
    assert where["."] | {stairs} == rectangle(1, 1, 5, 4) | rectangle(1, 13, 5, 30)
    assert where[":"] == rectangle(3, 6, 3, 11) and where["'"] == {(3, 5), (3, 12)}
    assert hero[1] < 5 and stairs[1] == 30 and [name for name, *_ in made["monsters"]] == ["rat"] * 6
    assert all(12 < x < 30 for *_, x in made["monsters"])


def check_memory(rows, where, hero, stairs, task, made):
    """The page: what lies in the corners of the first room says which stairs are real."""
    ways = int(task[-1])
    ends = sorted(where["<"] | {stairs})
    assert len(ends) == ways and len({x for _, x in ends}) == 1
    real, room = ends.index(stairs), where["."]
    assert room == rectangle(*min(room), *max(room)) and len(room) == 9 and hero in room
    cues = {(y, x): name for name, y, x in made["things"]}
    expected = {min(room): "key" if real % 2 == 0 else "apple"}
    if ways == 4:
        expected[max(y for y, _ in room), min(x for _, x in room)] = "key" if real < 2 else "apple"
    assert cues == expected
    assert stairs[1] - max(x for _, x in room) > (20 if "Short" in task else 58)


def check_pits(rows, where, hero, stairs, task, made):
    """A room with one boulder more than the corridor behind it has pits."""
    count = int(task[-1])
    room = rectangle(1, 1, count + 5, count + 6)
    assert room <= where["."] and hero in room and len(where["^"]) == count
    assert len({y for y, _ in where["^"] | {stairs}}) == 1 and max(where["^"]) < stairs
    boulders = {(y, x) for name, y, x in made["things"] if name == "boulder"}
    assert len(boulders) == count + 1 and boulders <= rectangle(2, 2, count + 4, count + 4)


def check_rings(rows, where, hero, stairs, task, made):
    """Corridors around each other; in each wall between them is one gap."""
    high, wide = len(rows), len(rows[0])
    assert (high, wide) == ((11, 19) if "Small" in task else (19, 35))
    rings = [rectangle(k, k, high - 1 - k, wide - 1 - k) for k in range((high + 1) // 2)]
    edges = [one - other for one, other in zip(rings, [*rings[1:], set()])]
    free = where["."] | {stairs}
    assert [len(edge & free) for edge in edges[::2]] == [0] + [1] * (len(edges) // 2 - 1)
    assert all(edge <= free for edge in edges[1::2]) and stairs in edges[-1] and hero[0] == 1


CHECKS = {
    "Room": check_room, "Corridor": check_corridor, "MazeWalk": check_maze, "KeyRoom": check_vault,
    "River": check_river, "MultiRoom": check_rooms, "LavaCross": check_crossing, "HideNSeek": check_wood,
    "ExploreMaze": check_orchard, "CorridorBattle": check_hall, "Memento": check_memory, "Sokoban": check_pits,
    "Labyrinth": check_rings,
}  # fmt: skip


def check(task, made):
    """What the page says of the levels of a task."""
    rows, kind = made["map"], task.split("-")[0]
    where = {letter: set() for letter in LETTERS}
    for y, row in enumerate(rows):
        for x, letter in enumerate(row):
            where[letter].add((y, x))
    [stairs] = where[">"]
    hero = tuple(made["hero"])
    assert set(rows[0] + rows[-1] + "".join(row[0] + row[-1] for row in rows)) <= {"#", "_"}
    assert hero in where["."]
    cells = [(y, x) for _, y, x in (*made["things"], *made["monsters"])]
    assert len(set(cells)) == len(cells) and set(cells) <= where["."] - {hero}
    if kind in ("Room", "KeyRoom", "River", "MultiRoom"):
        assert {name for name, *_ in made["monsters"]} <= {"rat", "bat", "goblin"}
    dark = task.endswith(("Dark", "Ultimate"))
    assert all(made["light"][y][x] == "01"[not dark] for y, x in where["."])
    CHECKS[kind](rows, where, hero, stairs, task, made)


@pytest.mark.parametrize("task", NAMES)
def test_every_level_can_be_solved(task):
    boulders = task.startswith(("River", "Sokoban"))  # see test_boulders_can_be_used
    for made in generate_many(ID, 1 if boulders else 3, seed=len(task), task=task):
        assert boulders or solvable(task, made), made
        check(task, made)


@pytest.mark.slow
@pytest.mark.parametrize("task", NAMES)
def test_many_levels_can_be_solved(task):
    for made in generate_many(ID, 60, seed=1000, task=task):
        check(task, made)
        if task.startswith(("River", "Sokoban")):
            rocks = [(y, x) for name, y, x in made["things"] if name == "boulder"]
            apart = [max(abs(a - c), abs(b - d)) for a, b in rocks for c, d in rocks if (a, b) != (c, d)]
            assert min(apart) > 1 and len(rocks) == (5 if "River" in task else int(task[-1]) + 1)
            assert not any(">" in made["map"][y][x] for y, x in reached(made))
        else:
            assert solvable(task, made), made


def letters(task, num):
    """How often each letter is in levels of a task."""
    return Counter("".join(row for made in generate_many(ID, num, seed=2000, task=task) for row in made["map"]))


@pytest.mark.slow
def test_kinds_of_doors_traps_and_things():
    """Doors of corridors: of eight, three are missing, two open, one each closed, locked, hidden; the others even."""
    found = letters("Corridor-R5", 40)
    doors = {letter: found[letter] for letter in "'/+LH"}
    assert sum(doors.values()) == 40 * 8
    for letter, share in zip(doors, (3, 2, 1, 1, 1)):
        assert near(doors[letter], 40 * 8, share / 8), letter
    assert near(found["h"], 40 * 4, 0.25, 6)  # a cell that is dug again is hidden no more
    traps = letters("Room-15-Trap", 20)
    assert all(near(traps[letter], 20 * 15, 1 / 3) for letter in "DNP")
    made = generate_many(ID, 60, seed=2000, task="LavaCross")
    assert near(sum(one["things"][0][0] == "wand" for one in made), 60, 0.5)
    made = generate_many(ID, 60, seed=2000, task="HideNSeek-Lava")
    assert near(sum(one["monsters"][0][0] == "ogre" for one in made), 60, 0.5)
    assert any("%" in "".join(one["map"]) for one in made)
    for corners in ([one["monsters"][0][1:] for one in made], [list(_stairs(one)) for one in made]):
        assert all(near(corners.count(corner), 60, 1 / 3) for corner in ([1, 11], [9, 1], [9, 11]))


def _stairs(made):
    return next((y, row.index(">")) for y, row in enumerate(made["map"]) if ">" in row)


@pytest.mark.slow
def test_doors_of_vaults_are_anywhere():
    """Any cell of the inner wall with the inner room on one side and the outer one on the other, all as likely."""
    first = last = expected = spread = 0
    for made in generate_many(ID, 120, seed=2000, task="KeyRoom-S5"):
        vault = region(made["map"], _stairs(made), "#L")
        top, left = min(vault)
        sides = [(y + j, x + i) for y, x in vault for j, i in ((0, 1), (0, -1), (1, 0), (-1, 0))
                 if (y + j, x + i) not in vault and {y + 2 * j, x + 2 * i} <= set(range(1, 6))]  # fmt: skip
        door = next((y, row.index("L")) for y, row in enumerate(made["map"]) if "L" in row)
        assert door in sides
        first, last = first + (door == min(sides)), last + (door == max(sides))
        expected, spread = expected + 1 / len(sides), spread + (1 - 1 / len(sides)) / len(sides)
    assert abs(first - expected) < 4.5 * spread**0.5 and abs(last - expected) < 4.5 * spread**0.5


@pytest.mark.slow
def test_chains_of_rooms_go_anywhere():
    """Two of four rooms that are beside each other: eight chains, all as likely."""
    chains = Counter()
    for made in generate_many(ID, 160, seed=2000, task="MultiRoom-N2"):
        rooms = [region(made["map"], start, "#+") for start in (tuple(made["hero"]), _stairs(made))]
        middles = [np.mean(list(room), axis=0) > 6 for room in rooms]  # the map is 13 x 13
        chains[str(middles)] += 1
    assert len(chains) == 8 and all(near(count, 160, 1 / 8) for count in chains.values())


@pytest.mark.parametrize("y, x", [(9, -9), (-9, 9), (9, 0), (0, -9)])
def test_cleared_ways(y, x):
    """A way of king's moves down, across or both, each as likely while both are needed."""
    s, firsts = kit.started(ID).record(), Counter()
    for _ in range(60 if x and y else 1):
        s.level.ground[:] = rules.ROCK
        with np.errstate(over="ignore"):
            levels.trample(s, np.int64(10), np.int64(10), np.int64(10 + y), np.int64(10 + x))
        cells = {(int(j) - 10, int(i) - 10) for j, i in np.argwhere(np.asarray(s.level.ground) == rules.FLOOR)}
        assert {(0, 0), (y, x)} <= cells and len(cells) >= 10
        steps = [(j, i) for j, i in cells if max(abs(j), abs(i)) == 1]
        firsts[min(steps, key=lambda step: abs(step[0]) + abs(step[1])) if len(steps) > 1 else steps[0]] += 1
    assert set(firsts) <= {(np.sign(y), 0), (0, np.sign(x)), (np.sign(y), np.sign(x))}
    assert not (x and y) or near(firsts[np.sign(y), np.sign(x)], 60, 1 / 3)


@pytest.mark.parametrize("task, num", [
    ("River", 4), ("Sokoban-2", 4),
    *(pytest.param(task, 150, marks=pytest.mark.slow) for task in ("River", "River-Narrow", "Sokoban-1", "Sokoban-4")),
])  # fmt: skip
def test_boulders_can_be_used(task, num):
    """The explorer pushes boulders until it gets across, on every level."""
    batch = kit.started(ID, num, seed=7, task=task)
    kit.finish(batch, "explorer")
    assert batch.terminations.all() and (batch.records["health"] > 0).all()


def test_layouts():
    def maps(layout, **params):
        return [(one["map"], one["hero"]) for one in generate_many(ID, 6, task="MazeWalk-9", layout=layout, **params)]

    assert len({str(one) for one in maps("fixed")}) == 1 and len({str(one) for one in maps("all")}) == 6
    goals = maps("goal")
    assert len({str(rows).replace(">", ".") for rows, _ in goals}) == 1 and len({str(one) for one in goals}) > 3
    assert str(maps("fixed")[0][0]).replace(">", ".") == str(goals[0][0]).replace(">", ".")
    assert maps("fixed", map_seed=1) != maps("fixed")
    batch = kit.started(ID, 2, task="Room-5-Monster", layout="fixed")  # the monsters of two episodes differ
    did(batch, *[S, N] * 3)
    assert batch.records["rng"][0] != batch.records["rng"][1]


def test_tasks_in_one_batch():
    """Tasks share spaces and records, so a batch can have several of them."""
    batch = kit.started(ID, 3)
    batch.start(5, None, [{"task": "Room-5"}, {"task": "River"}, {"task": "KeyRoom-S15"}])
    assert batch.records["params"]["horizon"].tolist() == [100, 350, 400]
    assert batch.records["level"]["width"].tolist() == [7, 27, 17]
    alone = kit.started(ID, seed=6, task="River")
    assert (alone.records["level"]["things"][0] == batch.records["level"]["things"][1]).all()


def test_kinds_of_levels():
    made = generate(ID, task="CorridorBattle")
    assert [name for name, *_ in made["monsters"]] == ["rat"] * 6 and "1" in "".join(made["light"])
    assert "1" not in "".join(generate(ID, task="CorridorBattle-Dark")["light"])
    assert sum(row.count("^") for row in generate(ID, task="Sokoban-4")["map"]) == 4
    for seed in range(12):
        made = generate(ID, seed, task="Memento-F4")
        rows = [row for row in made["map"] if row.rstrip("_").endswith((">", "<"))]
        real = next(k for k, row in enumerate(rows) if ">" in row)
        cues = [name for name, *_ in made["things"]]
        assert cues == [("key", "apple")[real % 2], ("key", "apple")[real // 2]] and len(rows) == 4
    batch = dungeon("#####", "#@<>#", "#####")
    assert view(batch)[4][3:7] == "#@>>" and did(batch, E) == [0] and batch.terminations[0, 0]
    assert "not real" in batch.world.text(batch.record(), 0)
    for count in (2, 4, 6, 10):
        made = generate(ID, task=f"MultiRoom-N{count}-Locked")
        assert sum(row.count("L") for row in made["map"]) == count - 1
    rows = generate(ID, task="River-Lava")["map"]
    assert sorted(row[19:22] for row in rows[1:8]) == ["%%%"] * 5 + ["~~~"] * 2


def test_splits():
    train, test = (generate_many(ID, 4, split=split, task="KeyRoom-S5") for split in ("train", "test"))
    assert not any(one in test for one in train)


def test_levels():
    batch = kit.started(ID, task="LavaCross")
    made = batch.world.get_level(batch.record())
    again = kit.started(ID, level=made)
    assert again.world.get_level(again.record()) == made
    room = level("####", "#@.#", "####")
    kit.refuses(
        batch.world,
        ({**room, "x": 1}, "unknown part 'x'"),
        ({**room, "map": ["####", "#.?#", "####"]}, "letter '\\?'"),
        ({**room, "map": ["####", "#.e#", "####"]}, "letter 'e'"),
        ({**room, "map": ["####", "#..#", "###"]}, "equally long"),
        ({**room, "map": ["####", "#...", "####"]}, "walls or rock at its edges"),
        ({**room, "light": ["0000"] * 4}, "differ in size"),
        ({**room, "hero": [0, 0]}, "hero cannot be"),
        ({**room, "hero": [1, 9]}, "at a row and a column"),
        ({**room, "things": [["sword", 1, 1]]}, "a name \\(boulder"),
        ({**room, "things": [["key", 1, 1], ["key", 1, 1]]}, "two things"),
        ({**room, "things": [["boulder", 1, 1]]}, "in a boulder"),
        ({**room, "monsters": [["rat", 1, 1]]}, "a monster is where"),
        ({**room, "monsters": [["rat", 1, 2], ["bat", 1, 2]]}, "a monster is where"),
        ({**room, "monsters": [["rat", 0, 2]]}, "rat cannot be"),
        ({**room, "monsters": "rat"}, "must be a list"),
    )


def test_records_that_are_refused():
    batch = dungeon("#####", "#@.>#", "#####", things=[("key", 1, 2)])
    for change, words in (
        (lambda r: r["opaque"].__setitem__((0, 1, 1), 1), "opaque"),
        (lambda r: r.__setitem__("pits", 1), "pits"),
        (lambda r: r.__setitem__("turns", 5), "turns"),
        (lambda r: r.__setitem__("keys", 1659), "too many keys"),
        (lambda r: r.__setitem__("levitation", 2**20 + 1), "levitation"),
        (lambda r: r.__setitem__("x", 5), "solid"),
        (lambda r: r.__setitem__("t", 100), "last step"),
    ):
        records = batch.records.copy()
        change(records)
        with pytest.raises(SnapshotError, match=words):
            batch.world.admit(records)


# Baselines, words and clicks.


@pytest.mark.parametrize("task, least", [
    ("KeyRoom-S5", 1.0), ("LavaCross", 1.0), ("MultiRoom-N4-Lava", 1.0), ("Room-15-Ultimate", 0.7),
    pytest.param("Corridor-R2", 0.9, marks=pytest.mark.slow), pytest.param("MazeWalk-45", 1.0, marks=pytest.mark.slow),
])  # fmt: skip
def test_explorer(task, least):
    batch = kit.started(ID, 12, seed=3, task=task)
    kit.finish(batch, "explorer")
    assert (batch.terminations[:, 0] & (batch.records["health"] > 0)).mean() >= least


@pytest.mark.slow
def test_explorer_with_the_map():
    """On a known map the explorer walks a shortest way."""
    batch = kit.started(ID, 6, task="MazeWalk-15", map=True, mapped=True)
    lengths = []
    for k in range(6):
        s = batch.record(k)
        rows, far = np.asarray(s.ground), {(int(s.y), int(s.x)): 0}
        left = deque(far)
        while left:
            y, x = left.popleft()
            for down, right in product((-1, 0, 1), repeat=2):
                to = (y + down, x + right)
                if rows[to] in (rules.FLOOR, rules.STAIRS) and to not in far:
                    far[to] = far[y, x] + 1
                    left.append(to)
        lengths.append(next(far[to] for to in far if rows[to] == rules.STAIRS))
    kit.finish(batch, "explorer")
    assert batch.records["t"].tolist() == lengths


def test_texts():
    batch = dungeon("######", "#@.L.#", "######", things=[("key", 1, 1)], task="KeyRoom-S5", monsters=[("rat", 1, 4)])
    text = batch.world.text(batch.record(), 0)
    assert "You are in row 1, column 1, on floor with a key." in text and "rat" not in text
    did(batch, "take")
    assert "You carry: keys 1." in batch.world.text(batch.record(), 0)
    assert "Health 16 of 16" in batch.world.text(batch.record(), 0)


def test_clicks():
    batch = dungeon("#####", "#@..#", "#...#", "#####")
    assert kit.clicks(batch, 0, 0.5, 0.5) == {None, *range(8)}
    assert MOVES[batch.world.click(batch.record(), 0, 8.5, 4.5)] == "east"
    batch = dungeon("#####", "#@..#", "#...#", "#####", map=True)
    assert MOVES[batch.world.click(batch.record(), 0, 3.5, 3.5)] == "south east"
