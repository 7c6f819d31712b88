"""FactoryCommons: in lock-step with recorded episodes of Melting Pot, its maps, and each rule by a probe."""

import gzip
import json

import numpy as np
import pytest
from avatar_play import cell, hall, put_all, started, turned, where
from kit import DATA

import envsuite
from envsuite.core.errors import LevelError
from envsuite.generators import describe, generate_many, mutate
from envsuite.kit.avatars import BORDER, PLAYER
from envsuite.social.factory_commons import (
    _AS_SEEN,
    APPLE,
    ARRIVES,
    ARRIVING_APPLE,
    BUSY,
    CUBE,
    CUBES,
    FRUIT,
    FRUITS,
    LIES,
    SWALLOWED,
    FactoryCommons,
    held,
    spot,
)
from envsuite.social.factory_commons.levels import HEIGHT, MACHINES, WIDTH

NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, GRASP = range(8)
EAST, SOUTH, WEST, NORTH = range(4)
EPISODES = json.loads(gzip.decompress((DATA / "FactoryCommons" / "factory_commons.json.gz").read_bytes()))
#: Copies that play each step of a recorded episode, because agents act in a random order, and hold things unseen.
COPIES = 16
#: What mouths can look like, by the steps until a hopper is ready: open, in motion, else closed.
MOUTHS = {0: (0,), 18: (0, 1), 17: (0,), 16: (0,), 15: (0,), 14: (1,), 1: (1,)}


def padded(rows):
    return [row.ljust(WIDTH, "#") for row in rows] + ["#" * WIDTH] * (HEIGHT - len(rows))


def seen(batch, i, width):
    """Of copy i, what the file holds of a frame, but for hands and rewards."""
    s, things = batch.records[i], {}
    for at in np.flatnonzero(s["goods"]):
        y, x = divmod(int(at), WIDTH + 2 * BORDER)
        cube, fruit = int(s["goods"][at]) & CUBES, {0: 0, APPLE: 1, ARRIVING_APPLE: 2}[int(s["goods"][at]) & FRUITS]
        things[(y - BORDER) * width + x - BORDER] = [LIES if cube == SWALLOWED else cube, fruit]
    agents = [[*where(batch, a, i), int(s["facing"][a]), int(s["stamina"][a])] for a in range(len(s["at"]))]
    return {"g": agents, "t": things}


def fits(batch, i, hands, rewards):
    """Whether the hands that begin the next frame, and the rewards, are those of copy i."""
    s, paid = batch.record(i), batch.rewards[i]
    for a in np.flatnonzero(s.holds).tolist():
        ahead = s.side[a] == s.facing[a] and (s.holds[a] == FRUIT or s.goods[held(s, a)] < APPLE)
        if ahead and a not in hands:
            return False
    if not all(s.holds[a] for a in hands):
        return False
    spots = [int(spot(s, m, k)) for m in range(s.machines) for k in range(2)]
    # There, an agent that eats where a machine gives an apple can be paid twice and three times for it.
    most = [paid[a] + 2 * (paid[a] > 0 and s.at[a] in spots) for a in range(len(rewards))]
    return all(least <= reward <= high for least, reward, high in zip(paid, rewards, most))


def follow(episode):
    """Play an episode of Melting Pot: the numbers of frames that are the same, of apples, and of those paid twice.

    It ends where two machines work at once, where one begins whose last product found no room, and where an apple is
    eaten while one begins: there, things get lost, or come twice.
    """
    rows, frames = episode["map"], episode["frames"]
    n, width = len(frames[0]["g"]), len(rows[0])
    batch = started(FactoryCommons(n, horizon=10_000, end_probability=0.0), COPIES, padded(rows))
    s, apples, doubtful = batch.records, 0, 0
    put_all(batch, {a: g[:3] for a, g in enumerate(frames[0]["g"])})
    things, again = {k: both for k, *both in frames[0]["c"]}, np.zeros((COPIES, MACHINES), bool)
    for number, (frame, after) in enumerate(zip(frames[1:], frames[2:]), 1):
        things.update({k: both for k, *both in frame["c"]})
        things = {k: both for k, both in things.items() if any(both)}
        waits = s["due"].any(2)
        s["due"][:, :, 1] |= again
        batch.step(tuple(frame["a"]))
        wanted, rewards = {"g": frame["g"], "t": things}, frame.get("r", [0] * n)
        results = {}
        for i in range(COPIES):
            alike = b"".join(s[part][i].tobytes() for part in ("at", "facing", "stamina", "goods", "holds", "side"))
            if alike not in results:
                same = seen(batch, i, width) == wanted
                results[alike] = same and fits(batch, i, after["h"], rewards), []
            results[alike][1].append(i)
        matches = [i for fit, copies in results.values() if fit for i in copies]
        assert matches, (number, frame, wanted, seen(batch, 0, width), batch.rewards[0])
        clocks = s["clock"][matches[0], : len(frame["m"])]
        assert all(look in MOUTHS.get(int(clock), (2,)) for look, clock in zip(frame["m"], clocks))
        doubtful += sum(rewards) > batch.rewards[matches[0]].sum()
        apples += int(batch.rewards[matches[0]].sum())
        streams = s["rng"].copy()
        s[:] = s[np.resize(matches, COPIES)]
        s["rng"] = streams
        # There, the apple of a renewing machine comes once more if it is gone after the step in which it came.
        given = (s["clock"] == 5) & (s["doubles"] == 0) & (s["due"][:, :, 1] == 0)
        second = np.take_along_axis(s["goods"], s["mouth"] + 1 + 2 * (WIDTH + 2 * BORDER), 1)
        again = given & (second < APPLE)
        begun, begins = s["clock"] == 18, (s["clock"] == 17) | (s["clock"] == 16)
        both = begun.any(1) & ((s["clock"] > 0).sum(1) > 1)
        if (begun & waits).any() or both.any() or (begins.any() and any(rewards)):
            break
    return number, apples, doubtful


@pytest.mark.parametrize("number", [4, 11])
def test_melting_pot_in_lock_step(number):
    """Places, facings, stamina, cubes, apples, mouths, hands and rewards in every frame."""
    frames, apples, _ = follow(EPISODES[number])
    assert frames > 200 and apples > 1


@pytest.mark.slow
def test_all_episodes_of_melting_pot_in_lock_step():
    frames, apples, doubtful = np.sum([follow(episode) for episode in EPISODES], axis=0)
    assert frames > 7000 and apples > 70 and doubtful < 10


def plant(*machines, **things):
    """A bare hall with machines: (x, y, letter of the dispenser)."""
    letters = dict(things)
    for x, y, letter in machines:
        parts = {"h": [(x, y)], letter: [(x + 1, y)], "m": [(x, y + 1)], "b": [(x + 1, y + 1)]}
        for part, places in {**parts, "s": [(x + 1, y + 2), (x + 1, y + 3)]}.items():
            letters[part] = letters.get(part, []) + places
    return hall(WIDTH, HEIGHT, **letters)


def bare(*agents, num=1, level=None):
    """A hall with these agents, each (x, y, facing)."""
    batch = started(FactoryCommons(len(agents)), num, level or plant())
    put_all(batch, dict(enumerate(agents)))
    return batch


def lay(batch, code, *places):
    """Put goods on places."""
    for x, y in places:
        batch.records["goods"][:, cell(batch, x, y)] += code


def goods(batch, i=0):
    """What lies where: (x, y) and code."""
    found = np.flatnonzero(batch.records["goods"][i])
    wide = WIDTH + 2 * BORDER
    return {(int(k % wide) - BORDER, int(k // wide) - BORDER): int(batch.records["goods"][i, k]) for k in found}


def play(batch, *actions):
    """Step after step of the first agent; others do nothing. The sum of its rewards."""
    total = 0.0
    for action in actions:
        batch.step((action,) + (NOOP,) * (len(batch.world.agents) - 1))
        total += batch.rewards[0, 0]
    return total


def test_hands():
    """A cube ahead is taken, moves along with all steps, swings with turns, and stays when let go."""
    batch = bare((5, 5, EAST))
    lay(batch, LIES, (6, 5))
    play(batch, GRASP, STEP_LEFT)
    assert goods(batch) == {(6, 4): LIES} and where(batch, 0) == (5, 4) and batch.observations["holds"][0, 0, 0] == 1
    play(batch, FORWARD, BACKWARD, BACKWARD, TURN_RIGHT)
    assert goods(batch) == {(4, 5): LIES} and where(batch, 0) == (4, 4)
    play(batch, GRASP, BACKWARD)
    assert goods(batch) == {(4, 5): LIES} and where(batch, 0) == (4, 3) and batch.observations["holds"][0, 0, 0] == 0
    play(batch, GRASP)
    assert batch.records["holds"][0, 0] == 0
    lay(batch, APPLE, (4, 4))
    lay(batch, LIES, (4, 4))
    play(batch, GRASP, TURN_LEFT)  # the apple goes first
    assert goods(batch) == {(4, 5): LIES, (4, 4): LIES, (5, 3): APPLE} and batch.observations["holds"][0, 0, 0] == 5


def test_room():
    """Cubes fit under hoppers, not on dispensers, walls, cubes or agents; apples fit everywhere but on apples."""
    level = plant((5, 3, "R"))
    batch = bare((3, 3, EAST), level=level)
    lay(batch, LIES, (4, 3))
    play(batch, GRASP, FORWARD, FORWARD)
    assert goods(batch) == {(5, 3): LIES} and where(batch, 0) == (4, 3)
    batch = bare((6, 4, EAST), level=level)
    lay(batch, LIES, (7, 4))
    play(batch, GRASP, TURN_LEFT, FORWARD)
    assert goods(batch) == {(7, 4): LIES} and where(batch, 0) == (6, 4) and batch.records["facing"][0, 0] == NORTH
    play(batch, STEP_RIGHT)  # it stayed beside, and still moves along
    assert goods(batch) == {(8, 4): LIES} and where(batch, 0) == (7, 4)
    for thing, at in ((LIES, (1, 1)), (APPLE, (2, 0))):
        batch = bare((2, 2, WEST))
        lay(batch, thing, (1, 2))
        play(batch, GRASP, STEP_RIGHT, TURN_RIGHT)
        assert goods(batch) == {at: thing} and where(batch, 0) == (2, 1)
    batch = bare((5, 5, EAST), (8, 5, EAST))
    lay(batch, LIES, (6, 5))
    play(batch, GRASP, FORWARD, FORWARD)
    assert where(batch, 0) == (6, 5)
    batch = bare((5, 5, EAST))
    lay(batch, LIES, (6, 5), (7, 5))
    play(batch, FORWARD, GRASP, FORWARD)
    assert where(batch, 0) == (5, 5) and goods(batch) == {(6, 5): LIES, (7, 5): LIES}
    batch = bare((5, 5, EAST))
    lay(batch, APPLE, (6, 5), (7, 5))
    assert play(batch, GRASP, FORWARD) == 0 and where(batch, 0) == (5, 5)


def test_eating():
    """An apple is eaten by who comes onto it or gets it, whoever holds it."""
    batch = bare((5, 5, EAST), (8, 5, SOUTH))
    lay(batch, APPLE, (6, 5))
    batch.step((GRASP, NOOP))
    batch.step((FORWARD, NOOP))
    batch.step((NOOP, STEP_RIGHT))
    assert batch.rewards[0].tolist() == [0, 1] and not goods(batch) and batch.records["holds"][0, 0] == 0
    batch = bare((5, 5, EAST), (7, 5, EAST))
    lay(batch, APPLE, (6, 5))
    batch.step((GRASP, NOOP))
    batch.step((FORWARD, NOOP))
    assert batch.rewards[0].tolist() == [0, 1] and where(batch, 0) == (6, 5)
    batch = bare((5, 5, EAST))
    lay(batch, APPLE, (6, 5))
    assert play(batch, FORWARD) == 1


def test_who_grasps_first():
    """Two agents that grasp one cube get it equally often, as a free cell; what is held cannot be taken."""
    batch = bare((5, 5, EAST), (7, 5, WEST), num=64)
    lay(batch, LIES, (6, 5))
    batch.step((GRASP, GRASP))
    firsts = batch.records["holds"][:, 0].sum()
    assert 16 < firsts < 48 and (batch.records["holds"].sum(1) == 1).all()
    batch.step((NOOP, NOOP))
    held_by = batch.records["holds"].copy()
    batch.step((GRASP, NOOP))
    batch.step((NOOP, GRASP))
    both = batch.records["holds"]
    assert (both[held_by[:, 0] == 1] == [0, 1]).all() and (both[held_by[:, 1] == 1] == [0, 0]).all()
    batch = bare((5, 5, EAST), (7, 5, WEST), num=64)
    batch.step((FORWARD, FORWARD))
    assert 16 < (batch.records["at"][:, 0] == cell(batch, 6, 5)).sum() < 48


@pytest.mark.parametrize("letter", ["R", "T"])
def test_machines(letter):
    """The times of a machine's work; the hopper takes cubes out of hands."""
    batch = bare((5, 8, NORTH), level=plant((5, 5, letter)))
    lay(batch, LIES, (5, 7))
    play(batch, GRASP, FORWARD)
    assert goods(batch) == {(5, 6): LIES} and batch.records["clock"][0, 0] == 0
    seen = []
    for step in range(19):
        play(batch, NOOP)
        places = goods(batch)
        seen.append([places.get(at, 0) for at in ((5, 6), (6, 7), (6, 8))])
        assert batch.records["holds"][0, 0] == (CUBE if step == 0 else 0)
        assert (batch.observations["view"][0, 0, 8, 5] == BUSY) == (step < 18)
    first, second = (LIES, ARRIVES) if letter == "R" else (APPLE, ARRIVING_APPLE)
    wanted = [[5, 0, 0], [4, 0, 0], [3, 0, 0]] + [[0, 0, 0]] * 7
    if letter == "R":
        wanted += [[0, second, 0], [0, first, 0], [0, first, 0]] + [[0, first, APPLE]] * 6
    else:
        wanted += [[0, second, second]] + [[0, first, first]] * 8
    assert seen == wanted


def test_a_falling_cube_can_be_moved():
    batch = bare((5, 8, NORTH), level=plant((5, 5, "R")))
    lay(batch, LIES, (5, 7))
    play(batch, GRASP, FORWARD, BACKWARD, BACKWARD, BACKWARD)
    assert goods(batch) == {(5, 8): 3} and where(batch, 0) == (5, 10)
    play(batch, *[NOOP] * 12)
    assert goods(batch) == {(6, 7): LIES, (6, 8): APPLE}


def test_busy_hoppers():
    """For four steps they destroy another cube; then it can lie on them, and is swallowed when they open."""
    for steps, lost in ((3, True), (4, True), (5, False), (9, False)):
        batch = bare((20, 10, EAST), level=plant((5, 5, "T")))
        lay(batch, LIES, (5, 6))
        play(batch, *[NOOP] * steps)
        batch.records["goods"][:, cell(batch, 5, 6)] = LIES
        batch.records["falling"][:] = 0
        play(batch, *[NOOP] * 3)
        assert goods(batch).get((5, 6)) == (3 if lost else LIES)
        play(batch, *[NOOP] * (16 - steps))
        assert batch.records["clock"][0, 0] == (0 if lost else 18)


def test_products_wait_for_room():
    """A cube for an agent to leave, an apple for an apple; the next one of a kind that waits is lost."""
    batch = bare((6, 7, WEST), level=plant((5, 5, "R")))
    lay(batch, LIES, (5, 6))
    lay(batch, APPLE, (6, 8))
    play(batch, *[NOOP] * 15)
    assert goods(batch) == {(6, 8): APPLE} and batch.records["due"][0, 0].tolist() == [1, 1]
    assert play(batch, BACKWARD) == 0 and goods(batch) == {(6, 8): APPLE, (6, 7): LIES}
    play(batch, NOOP, NOOP, NOOP, NOOP)
    lay(batch, LIES, (5, 6))
    play(batch, *[NOOP] * 15)
    assert goods(batch) == {(6, 8): APPLE, (6, 7): LIES} and batch.records["due"][0, 0].tolist() == [1, 1]
    assert play(batch, STEP_LEFT, FORWARD) == 2 and goods(batch) == {
        (6, 7): LIES
    }  # the apple that waited comes at once


def test_apples_come_onto_agents():
    batch = bare((6, 8, WEST), (6, 7, WEST), level=plant((5, 5, "T")))
    lay(batch, LIES, (5, 6))
    for step in range(14):
        batch.step((NOOP, NOOP))
        assert batch.rewards[0].tolist() == [step == 11] * 2


def test_machines_work_independently():
    batch = bare((20, 10, EAST), level=plant((5, 5, "R"), (10, 5, "T")))
    lay(batch, LIES, (5, 6))
    play(batch, NOOP, NOOP, NOOP)
    lay(batch, LIES, (10, 6))
    play(batch, *[NOOP] * 13)
    assert goods(batch) == {(6, 7): LIES, (6, 8): APPLE, (11, 7): APPLE, (11, 8): APPLE}


def test_stamina():
    """Each walk costs 1; below 7 it tires for two steps, at 0 for six; all else restores 1."""
    batch = bare((1, 5, EAST))
    levels, places = [], []
    for step in range(60):
        play(batch, (FORWARD, BACKWARD)[step // 18 % 2])
        levels.append(int(batch.records["stamina"][0, 0]))
        places.append(where(batch, 0)[0])
    assert levels[:12] == list(range(17, 5, -1))
    assert levels[12:] == [level for level in range(6, 0, -1) for _ in range(3)][1:] + [0] * 31
    moved = [k for k in range(1, 60) if places[k] != places[k - 1]]
    assert moved == [*range(1, 12), *range(14, 30, 3), 36, 43, 50, 57]
    batch.records["tired"][:] = batch.records["acted"][:] = 0
    for action in (TURN_LEFT, GRASP, NOOP):
        play(batch, action)
    assert batch.records["stamina"][0, 0] == 3


def test_tired_agents():
    """They cannot turn, but swing what they hold, and grasp."""
    batch = bare((5, 5, EAST))
    lay(batch, LIES, (6, 5))
    batch.records["stamina"][:] = 1
    play(batch, GRASP)
    batch.records["stamina"][:] = 1
    play(batch, FORWARD, TURN_RIGHT)
    assert goods(batch) == {(6, 6): LIES} and batch.records["facing"][0, 0] == EAST
    assert batch.observations["holds"][0, 0, 0] == 2
    play(batch, TURN_LEFT, GRASP)
    assert goods(batch) == {(6, 4): LIES} and batch.records["holds"][0, 0] == 0
    play(batch, *[FORWARD] * 3)
    assert where(batch, 0) == (6, 5)
    play(batch, FORWARD)
    assert where(batch, 0) == (7, 5)


def test_what_is_seen():
    """The same of the map and of goods from each facing; stamina and hands of agents in view."""
    level = plant((5, 5, "R"), (12, 5, "T"))
    for facing in range(4):
        batch = bare((9, 8, facing), (9, 7, SOUTH), (20, 14, EAST), level=level)
        lay(batch, LIES, (9, 6), (12, 7))
        lay(batch, APPLE, (6, 8))
        batch.records["stamina"][:] = [17, 12, 3]
        batch.records["holds"][:] = [0, 1, 0]
        batch.records["side"][:] = NORTH
        batch.observe()
        s, out = batch.record(0), batch.observations
        assert (out["view"][0, 0] == turned(batch.world, s, 0)).all()
        grid = np.pad(_AS_SEEN[s.goods].reshape(HEIGHT + 2 * BORDER, -1), 4)
        upward = np.rot90(grid[8 + 12 - 11 : 8 + 12 + 12, 9 + 12 - 11 : 9 + 12 + 12], (facing + 1) % 4)
        assert (out["goods"][0, 0] == upward[2:13, 6:17]).all()
        near = PLAYER + 4 in out["view"][0, 0] & 252
        assert out["stamina"][0, 0].tolist() == [17, 12 * near, 0]
        assert out["holds"][0, 0].tolist() == [0, (1 + (NORTH - facing) % 4) * near, 0]


def test_maps():
    """As many machines as asked for, all within reach; a fifth of the maps is for tests."""
    levels = generate_many("factory", 40, seed=0, renewing=3, doubling=5)
    assert len({tuple(level["map"]) for level in levels}) == 40
    for level in levels:
        facts = describe(level)
        assert facts["solvable"] and (facts["renewing"], facts["doubling"]) == (3, 5)
        assert (facts["cubes"], facts["likely"], facts["difficulty"]) == (6, 10, 0.625)
        assert mutate(level, seed=1) != level
    batch = started(FactoryCommons(), 200)
    cubes = ((batch.records["goods"] & CUBES) > 0).sum(1)
    assert cubes.min() >= 6 and cubes.max() <= 16 and abs(cubes.mean() - 11) < 0.5
    assert ((batch.records["doubles"].sum(1) == 4) & (batch.records["machines"] == 8)).all()


@pytest.mark.slow
def test_cubes():
    """Each cube that a doubling machine takes gives two apples; renewing machines give back as many as they take."""
    for machines, name in ((dict(renewing=0), "greedy"), (dict(doubling=0), "steady")):
        envs = envsuite.make_vec("FactoryCommons", 16, end_probability=0.0, horizon=3000, **machines)
        envs.reset(seed=0)
        s, before = envs.batch.records, _cubes(envs.batch.records)
        paid = round(envs.rollout(name, 1500, seed=0).rewards.sum())
        lying = ((s["goods"] & FRUITS) > 0).sum() + s["due"][:, :, 1].sum() + s["due"][:, :, 0][s["doubles"] > 0].sum()
        taken = before - _cubes(s)
        coming = (s["clock"] > 8) * (1 + s["doubles"])
        if name == "greedy":
            assert paid + lying + coming.sum() == 2 * taken > 16 * 15
        else:
            assert 0 <= taken <= 5 and paid > 16 * 3 * 30


def _cubes(s):
    """Cubes in all worlds, with those that renewing machines will give."""
    own = s["doubles"] == 0
    return (
        ((s["goods"] & CUBES) > 0).sum()
        - s["falling"].sum()
        + ((s["clock"] > 8) & own).sum()
        + s["due"][:, :, 0][own].sum()
    )


@pytest.mark.slow
def test_policies():
    """Greed pays at first, and at last nobody; any plan is better than none."""
    totals = {}
    for name in ("random", "steady", "greedy"):
        for steps in (100, 1000):
            envs = envsuite.make_vec("FactoryCommons", 32, end_probability=0.0)
            envs.reset(seed=0)
            totals[name, steps] = envs.rollout(name, steps, seed=0).rewards.sum()
    assert totals["greedy", 100] > 1.2 * totals["steady", 100] > 20 * totals["random", 100]
    assert totals["steady", 1000] > 2.5 * totals["greedy", 1000] > 10 * totals["random", 1000]


def test_levels_and_text():
    env = envsuite.make_parallel("FactoryCommons")
    good = plant((5, 5, "R"))
    assert env.reset(seed=0, options={"level": {"map": good}}) and "Dispensers of two apples: none" in env.text(
        "player_0"
    )
    for rows, message in (
        (
            [*good[:7], good[7].replace("s", "C"), *good[8:]],
            "must have 's' in row 7, column 6, for the dispenser in row 5, column 6",
        ),
        ([*plant((5, 13, "T"))[:-1], "#" * WIDTH], "must have 's' in row 16"),
        (plant(m=[(3, 3)]), "has 'm' in row 3, column 3 without a dispenser"),
        (plant(*((x, y, "T") for x in range(1, 20, 3) for y in (2, 8))), "has 14 dispensers; 10 are allowed"),
        (plant(C=[(x, y) for x in range(1, 22) for y in range(1, 16)]), "0 cells of bare floor"),
        (good[:-1], "map must be 17 texts of 23 letters"),
    ):
        with pytest.raises(LevelError, match=message):
            env.reset(seed=0, options={"level": {"map": rows}})
    with pytest.raises(LevelError, match="unknown part"):
        describe({"kind": "factory", "map": good, "x": 1})
    batch = bare((9, 8, NORTH), (9, 6, SOUTH), level=good)
    lay(batch, LIES, (9, 7))
    lay(batch, ARRIVING_APPLE, (10, 7))
    batch.step((GRASP, NOOP))
    text = batch.world.text(batch.record(0), 0)
    assert "Your condition: stamina 18, holds a cube (ahead in your view)." in text
    assert "Cubes: 1 ahead." in text and "Apples: 1 ahead 1 right, in motion." in text
    assert "player_1 stamina 13 or more" in text and "Open mouths: 2 ahead 4 left." in text
