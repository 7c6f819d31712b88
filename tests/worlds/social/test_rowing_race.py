"""RowingRace: in lock-step with recorded episodes of Melting Pot, closed forms, its maps, and each rule by a probe."""

import gzip
import json
import pathlib

import numpy as np
import pytest
from avatar_play import cell, put, put_all, started, where
from scipy import stats

import envsuite
from envsuite.core.errors import LevelError
from envsuite.generators import describe, generate_many, mutate, split_of
from envsuite.kit.avatars import FLOOR, PLAYER
from envsuite.social.rowing_race import (
    ABOARD,
    ASHORE,
    GO,
    LANDED,
    NORTH_BANK,
    SOUTH_BANK,
    RowingRace,
)
from envsuite.social.rowing_race.levels import WIDTH
from envsuite.social.rowing_race.view import APPLE, GATE, GREEN, HULL, LANE_APPLE, OPEN_GATE, RED, SEAT

NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, ROW, FLAIL = range(9)
EAST, SOUTH, WEST, NORTH = range(4)
FILE = pathlib.Path(__file__).parents[2] / "data" / "RowingRace" / "rowing_race.json.gz"
EPISODES = json.loads(gzip.decompress(FILE.read_bytes()))
#: Copies that try each step of a recorded episode, and how often: flailing and the order of walks are random.
COPIES, ATTEMPTS = 2, 100


def fruit(batch, i=0):
    """The cells with apples."""
    return set(np.flatnonzero(batch.records["fruit"][i]).tolist())


def spots(batch, places):
    """The cells of places 26 y + x."""
    return {cell(batch, k % WIDTH, k // WIDTH) for k in places}


def bear(batch, there):
    """Let an apple grow, in all copies."""
    for s in batch.records:
        at = s["empty"][: s["empty_count"]].tolist().index(there)
        s["empty_count"] -= 1
        s["empty"][at] = s["empty"][s["empty_count"]]
        s["fruit"][there] = 1
        assert s["cells"][there] == FLOOR
        s["cells"][there] = APPLE


def seen(batch, i):
    """Of copy i, what the file holds of a frame, but for apples and rewards; None for oars without an agent."""
    s, agents, boats = batch.records[i], [], []
    for a in range(batch.world.players):
        aboard = int(s["doing"][a] == ABOARD)
        agents.append(None if s["away"][a] else [*where(batch, a, i), int(s["facing"][a]), aboard])
    for b in range(s["boats"]):
        rowers = s["rower"][2 * b : 2 * b + 2]
        boats.append([int(s["row"][b]), *(int(s["oar"][a]) if a >= 0 else None for a in rowers)])
    gates = [int(s["open_bank"] == bank) for bank in (NORTH_BANK, SOUTH_BANK)]
    return {"g": agents, "b": boats, "l": "ryg"[s["light"]], "n": gates}


def grown(batch, i, frame, apples, bare):
    """If copy i has come to this frame: the cells where apples grew in it, seen and under agents; else None."""
    found = seen(batch, i)
    for now, wanted in zip(found["b"], frame["b"]):
        now[1:] = [there if mine is None else mine for mine, there in zip(now[1:], wanted[1:])]
    new, under = apples - fruit(batch, i), set()
    for a, more in enumerate(np.array(frame.get("r", [0.0] * batch.world.players)) - batch.rewards[i]):
        if more and (more != 1 or frame["g"][a] is None):
            return None
        if more:
            under |= {cell(batch, *frame["g"][a][:2])}
    fits = found == {part: frame[part] for part in "gbln"} and not fruit(batch, i) - apples
    return (new, under) if fits and new | under <= bare else None


def follow(episode):
    """Play an episode of Melting Pot: how often apples grew and could grow, boats moved by flailing and could."""
    frames = episode["frames"]
    batch = started(RowingRace(horizon=10_000, regrowth=0.0, flail=0.5, **episode["params"]), COPIES, episode["map"])
    s, apples, counts = batch.records, spots(batch, [k for k, _ in frames[0]["c"]]), np.zeros(4, int)
    put_all(batch, {a: agent[:3] for a, agent in enumerate(frames[0]["g"])})
    assert grown(batch, 0, frames[0], apples, set()) == (set(), set())
    for before, frame in zip(frames, frames[1:]):
        if "g" not in frame:  # all agents are out
            batch.step(tuple(frame["a"]))
            assert s["terminated"].all()
            break
        apples = apples ^ spots(batch, [k for k, _ in frame["c"]])
        bare = set(s["empty"][0, : s["empty_count"][0]].tolist())
        start, turns = s.copy(), bool(s["turning"][0])
        for _ in range(ATTEMPTS):
            batch.step(tuple(frame["a"]))
            fits = ((i, grown(batch, i, frame, apples, bare)) for i in range(COPIES))
            match, fit = next(((i, fit) for i, fit in fits if fit), (-1, None))
            if fit:
                break
            streams, mine = s["rng"].copy(), seen(batch, 0)
            s[:] = start
            s["rng"] = streams
        else:
            raise AssertionError((s["t"][0], frame, mine))
        streams, chosen = s["rng"].copy(), s[match].copy()
        s[:] = chosen
        s["rng"] = streams
        new, under = fit
        for there in new:
            bear(batch, there)
        flailed = [b for b, boat in enumerate(frame["b"]) if 2 in boat[1:]]
        moved = [b for b in flailed if frame["b"][b][0] != before["b"][b][0]]
        counts += [0, 0, len(moved), len(flailed)]
        if not turns:
            counts[:2] += len(new | under), len(bare)
    return counts


def test_melting_pot_in_lock_step():
    """Places, facings, boats, oars, lights, gates, apples, rewards and who is out, in every frame."""
    follow({**EPISODES[0], "frames": EPISODES[0]["frames"][:110]})


@pytest.mark.slow
def test_all_episodes_of_melting_pot_in_lock_step():
    """Apples grow and boats move by flailing with probability 0.1 there."""
    grown, could, moved, flailed = np.sum([follow(episode) for episode in EPISODES], axis=0)
    assert could > 5000 and stats.binomtest(int(grown), int(could), 0.1).pvalue > 1e-3
    assert flailed > 500 and stats.binomtest(int(moved), int(flailed), 0.1).pvalue > 1e-3


#: Two boats, docks at rows 9 and 13, lanes at columns 3 and 8; three boats, 13 cells from dock to dock.
NARROW, WIDE = EPISODES[0]["map"], EPISODES[5]["map"]


def act(batch, *actions):
    batch.step(actions + (NOOP,) * (batch.world.players - len(actions)))


def values(batch, name):
    return batch.records[name][0].tolist()


def race(*agents, num=1, level=NARROW, **parameters):
    """The beginning of the first race: agents at (x, y) that face north, others where they started."""
    parameters = {"players": max(2, len(agents)), "choice": 11, "regrowth": 0.0, **parameters}
    batch = started(RowingRace(**parameters), num, level)
    while values(batch, "light") != GO:
        act(batch)
    for a, (x, y) in enumerate(agents):
        put(batch, a, x, y, NORTH)
    return batch


def afloat(*others, num=1, level=NARROW, **parameters):
    """A race in which the first two agents have just sat down in the first boat."""
    y = next(y for y, row in enumerate(level) if "b" in row)
    x = level[y].index("b")
    batch = race((x, y + 1), (x + 1, y + 1), *others, num=num, level=level, **parameters)
    act(batch, FORWARD, FORWARD)
    assert values(batch, "doing")[:2] == [ABOARD, ABOARD]
    return batch


def steps_to_land(batch, choose, limit):
    """(num,) the steps after which the first agent of each copy has landed, if `choose(t)` are the actions."""
    found = np.zeros(batch.num, int)
    for t in range(limit):
        act(batch, *choose(t))
        found[(batch.records["doing"][:, 0] == LANDED) & (found == 0)] = t + 1
        if found.all():
            break
    assert found.all()
    return found


@pytest.mark.parametrize(("level", "cells"), [(NARROW, 4), (WIDE, 13)])
def test_rowing_together(level, cells):
    """d cells need 5 d - 4 steps, whether the agents row in all steps or only when that has an effect."""
    for choose in (lambda t: (ROW, ROW), lambda t: (ROW, ROW) if t % 5 == 0 else (NOOP, NOOP)):
        assert steps_to_land(afloat(level=level), choose, 100).tolist() == [5 * cells - 4]


@pytest.mark.slow
@pytest.mark.parametrize("strokes", [(FLAIL, NOOP), (FLAIL, FLAIL), (NOOP, FLAIL), (ROW, FLAIL)])
def test_flailing(strokes):
    """The number of steps has a negative binomial distribution with mean d / p; two agents are not faster than one."""
    for cells, level in ((4, NARROW), (13, WIDE)):
        batch = afloat(num=400, level=level, horizon=10_000, race=9_000)
        found = steps_to_land(batch, lambda t: strokes, 600)
        waits = stats.nbinom(cells, 0.1)
        assert abs(found.mean() - cells / 0.1) < 4 * np.sqrt(waits.var() / 400)
        bounds = waits.ppf(np.arange(1, 10) / 10).astype(int)
        shares = np.diff([0, *waits.cdf(bounds), 1])
        counts = np.histogram(found - cells, [-1, *(bounds + 0.5), 10_000])[0]
        assert stats.chisquare(counts, 400 * shares).pvalue > 1e-3


@pytest.mark.slow
def test_rowing_together_and_flailing_between():
    """The mean number of steps by dynamic programming: one cell in each fifth step, and else one with p = 0.1."""
    cells, mean = 13, 0.0
    places = np.eye(cells)[0]
    for t in range(100):
        mean += places.sum()
        chance = 1.0 if t % 5 == 0 else 0.1
        places = places * (1 - chance) + chance * np.concatenate([[0], places[:-1]])
    assert round(mean, 1) == 44.3
    batch = afloat(num=400, level=WIDE)
    found = steps_to_land(batch, lambda t: (ROW, ROW) if t % 5 == 0 else (FLAIL, FLAIL), 100)
    assert abs(found.mean() - mean) < 4 * found.std() / 20 and not batch.rewards.min() < 0


def test_strokes_of_different_steps_do_not_count():
    """Two agents that row as often as they can, one step apart, never move, and nobody pays."""
    batch = afloat()
    act(batch, ROW, NOOP)
    for _ in range(30):
        act(batch, ROW, ROW)
        assert values(batch, "row")[0] == 13 and not batch.rewards.any()


def test_rest():
    """Four steps of rest after a row, none after flailing; steps on land do not count; a free seat costs rest too."""
    batch = race((3, 14), (4, 16))
    act(batch, FORWARD)
    act(batch, ROW)
    assert values(batch, "cooldown")[0] == 4 and values(batch, "oar")[0] == 0 and batch.observations["ready"][0, 0] == 0
    put(batch, 1, 4, 14, NORTH)
    act(batch, NOOP, FORWARD)
    for left in (2, 1, 0):
        act(batch, ROW, ROW if left else NOOP)
        assert values(batch, "cooldown")[0] == left and values(batch, "row")[0] == 13
    assert batch.observations["ready"][0].ravel().tolist() == [1, 0.5]  # the other one rowed in the first of these
    for _ in range(2):
        act(batch)
    act(batch, ROW, ROW)
    assert values(batch, "row")[0] == 12 and values(batch, "cooldown") == [4, 4]
    act(batch, FLAIL, FLAIL)
    assert values(batch, "oar") == [2, 2] and values(batch, "cooldown") == [3, 3]
    batch.records["doing"][:, 0] = LANDED
    act(batch)
    assert values(batch, "cooldown") == [3, 2]


def test_fines():
    """A row pays if the other one flails in this step, and only then."""
    batch = afloat(flail=0.0)
    for strokes, wanted in (((ROW, FLAIL), [-0.5, 0]), ((FLAIL, ROW), [0, -0.5]), ((FLAIL, FLAIL), [0, 0])):
        batch.records["cooldown"][:] = 0
        act(batch, *strokes)
        assert batch.rewards[0].tolist() == wanted and values(batch, "row")[0] == 13
        act(batch, *strokes[::-1] if ROW in strokes else strokes)
        resting = [stroke for stroke in strokes if stroke == ROW]
        assert batch.rewards[0].min() == (-0.5 if resting else 0)
    batch.records["cooldown"][:] = [[4, 0]]
    act(batch, ROW, FLAIL)
    assert not batch.rewards.any()
    batch = afloat(flail=1.0, fine=2.0)
    act(batch, ROW, FLAIL)
    assert batch.rewards[0].tolist() == [-2, 0] and values(batch, "row")[0] == 12
    assert values(batch, "oar") == [1, 2] and batch.observations["oars"][0].tolist() == [[2, 2], [2, 2]]


def test_window():
    """With a window of 3, a row counts in its own step and the next two: once, or until it is fined."""
    batch = afloat(window=3)
    act(batch, ROW, NOOP)
    assert values(batch, "row")[0] == 13 and values(batch, "raised") == [3, 0]
    act(batch)
    act(batch, NOOP, ROW)
    assert values(batch, "row")[0] == 12 and values(batch, "raised") == [0, 0]
    for _ in range(4):
        act(batch)
    act(batch, ROW, NOOP)
    for _ in range(2):
        act(batch)
        assert batch.observations["oars"][0, 1].tolist() == [2, 1]
    act(batch, NOOP, ROW)
    assert values(batch, "row")[0] == 12 and batch.observations["oars"][0, 1].tolist() == [1, 2]
    batch = afloat(window=5, flail=0.0)
    act(batch, ROW)
    act(batch, NOOP, FLAIL)
    assert batch.rewards[0].tolist() == [-0.5, 0]
    act(batch, NOOP, FLAIL)
    assert not batch.rewards.any()
    batch = afloat(window=5, flail=0.0)
    act(batch, ROW)
    act(batch, FLAIL)
    act(batch, NOOP, ROW)
    assert values(batch, "row")[0] == 13


def test_seats():
    """Walking onto a free seat binds; nobody walks onto a taken one, onto its dock when it is gone, or onto a lane."""
    batch = race((3, 14), (4, 14), (3, 15), (4, 15))
    act(batch, FORWARD)
    assert values(batch, "doing")[:2] == [ABOARD, ASHORE] and values(batch, "rower")[0] == 0
    for action in (FORWARD, BACKWARD, STEP_RIGHT, TURN_LEFT):
        act(batch, action)
        assert where(batch, 0) == (3, 13) and values(batch, "facing")[0] == NORTH
    act(batch, NOOP, NOOP, FORWARD)
    act(batch, NOOP, NOOP, FORWARD)
    assert where(batch, 2) == (3, 14)
    act(batch, NOOP, FORWARD)
    for _ in range(5):
        act(batch, ROW, ROW, FORWARD, FORWARD)
    assert values(batch, "row")[0] == 12 and where(batch, 2) == (3, 14) and where(batch, 3) == (4, 14)
    # The stern is now over the water of the docks.
    act(batch, NOOP, NOOP, FORWARD, FORWARD)
    assert where(batch, 2) == (3, 14) and where(batch, 3) == (4, 14)


def test_two_agents_that_want_a_seat():
    first = set()
    for seed in range(8):
        batch = race((8, 14), (4, 14), level=NARROW)
        batch.records["rng"] += np.uint64(seed)
        put(batch, 1, 9, 14, NORTH)
        put(batch, 0, 8, 14, NORTH)
        batch.records["column"][:, 1] = 8
        act(batch, STEP_RIGHT, FORWARD)  # one cell is left when the other agent has sat down, or not yet
        first.add(where(batch, 0))
    assert first == {(8, 14), (9, 14)}


def test_landing():
    """An agent lands three cells behind the dock and keeps its facing, or waits in the boat until that cell is free."""
    batch = afloat((3, 6))
    for _ in range(3):
        act(batch, ROW, ROW)
        for _ in range(4):
            act(batch)
    put(batch, 2, 3, 6, SOUTH)
    act(batch, ROW, ROW)
    assert values(batch, "row")[0] == 9 and values(batch, "doing") == [ABOARD, LANDED, ASHORE]
    assert where(batch, 0) == (3, 9) and where(batch, 1) == (4, 6) and values(batch, "facing")[1] == NORTH
    assert batch.observations["oars"][0, 2].tolist() == [1, 0, 0]
    for _ in range(5):
        act(batch, ROW, FORWARD)
    assert where(batch, 0) == (3, 9) and values(batch, "row")[0] == 9 and where(batch, 1)[1] < 6
    act(batch, NOOP, NOOP, BACKWARD)
    assert where(batch, 0) == (3, 6) and values(batch, "doing")[0] == LANDED and values(batch, "rower")[:2] == [-1, -1]
    act(batch, STEP_LEFT)
    assert where(batch, 0) == (3, 6)  # a light is in the way


def test_the_end_of_a_race():
    """Agents that have not landed are out. A boat that they drive in this step continues without them."""
    batch = afloat((8, 14), (9, 15), race=30)
    put(batch, 3, 4, 6, NORTH)
    batch.records["doing"][:, 3] = LANDED
    act(batch, NOOP, NOOP, FORWARD)
    while values(batch, "clock") > 1:
        act(batch)
    assert values(batch, "light") == GO
    act(batch, ROW, ROW, NOOP, FORWARD)
    assert values(batch, "light") == 0 and values(batch, "terminated") == [1, 1, 1, 0]
    assert (
        values(batch, "row")[:2] == [12, 13]
        and batch.rewards[0].tolist() == [0, 0, 0, 1]
        and values(batch, "rower") == [-1] * 6
    )
    assert where(batch, 3) == (4, 5) and values(batch, "doing") == [ASHORE] * 4
    assert not batch.observations["view"][0, 0].any() and "You are out" in batch.world.text(batch.record(), 0)
    assert values(batch, "heading") == NORTH_BANK
    act(batch)
    assert values(batch, "heading") == SOUTH_BANK
    for _ in range(39):  # 3 of red light, of which one has been, 6 of yellow, 31 of green
        assert values(batch, "terminated") == [1, 1, 1, 0]
        act(batch)
    assert values(batch, "terminated") == [1, 1, 1, 1]


def test_a_boat_that_stayed_is_there_again():
    """It cannot be used in the next race, but in the one after that; gates open and close with the race."""
    batch = afloat(race=40)
    assert values(batch, "open_bank") == SOUTH_BANK
    steps_to_land(batch, lambda t: (ROW, ROW), 30)
    while values(batch, "light") == GO:
        act(batch)
    assert values(batch, "row")[:2] == [9, 13] and values(batch, "open_bank") == SOUTH_BANK
    while values(batch, "light") != GO:
        act(batch)
    assert values(batch, "open_bank") == NORTH_BANK
    codes = batch.world.state(batch.records, None)[0]
    assert codes[7, 3] == OPEN_GATE and codes[15, 3] == GATE and codes[15, 8] == GATE and codes[9, 3] == SEAT
    assert codes[13, 8] == SEAT and codes[14, 8] == HULL and codes[6, 2] == GREEN
    put(batch, 0, 3, 8, SOUTH)
    put(batch, 1, 4, 8, SOUTH)
    act(batch, FORWARD, FORWARD)
    steps_to_land(batch, lambda t: (ROW, ROW), 30)
    assert values(batch, "row")[:2] == [13, 13] and where(batch, 0) == (3, 16)
    while values(batch, "light") == GO:
        act(batch)
    while values(batch, "light") != GO:
        act(batch)
    put(batch, 0, 8, 14, NORTH)
    act(batch, FORWARD)
    assert values(batch, "doing") == [ABOARD, ASHORE] and values(batch, "seat")[0] == 2


@pytest.mark.parametrize(("choice", "length"), [(75, 225), (11, 40)])
def test_times(choice, length):
    """Yellow after `choice` - 10 steps, green 6 later, red after `race` + 1; then 2 steps longer: a period of 299."""
    batch = started(RowingRace(players=2, boats=1, choice=choice, race=length, regrowth=0.0), 1)
    changes, light = [], 0
    last = choice + length + 75
    for t in range(1, last):
        batch.records["doing"][:] = LANDED  # nobody is ever out
        act(batch)
        if values(batch, "light") != light:
            light = values(batch, "light")
            changes.append(t)
    green, period = choice - 4, choice + length - 1
    wanted = [k * period + t for k in range(3) for t in (green - 6, green, green + length + 1)]
    assert changes == [t for t in wanted if t < last]


def test_apples():
    """Of a bank one each, of lanes one for each agent in the boat; they grow on the bank to which the race leads."""
    batch = afloat()
    eaten = []
    for _ in range(16):
        act(batch, ROW, ROW)
        eaten.append(batch.rewards[0].tolist())
    assert [k for k, pay in enumerate(eaten) if pay == [1, 1]] == [5] and np.sum(eaten) == 2
    act(batch, FORWARD)
    assert batch.rewards[0].tolist() == [1, 0] and where(batch, 0) == (3, 5)
    act(batch, BACKWARD)
    act(batch, FORWARD)
    assert not batch.rewards.any()
    assert values(batch, "empty_count") == 1
    batch.records["params"]["regrowth"] = 1.0
    act(batch)
    assert batch.rewards[0].tolist() == [1, 0] and values(batch, "empty_count") == 1
    act(batch, FORWARD)  # eats here, and the apple that it left behind grows
    assert batch.rewards[0].tolist() == [1, 0] and values(batch, "empty_count") == 1
    batch.records["params"]["regrowth"] = 0.0
    codes = batch.world.state(batch.records, None)[0]
    assert (codes[3:6] == APPLE).sum() == 23 and not (codes[17] == APPLE).any() and (codes == LANE_APPLE).sum() == 2
    while values(batch, "light") == GO:
        act(batch)
    act(batch)
    codes = batch.world.state(batch.records, None)[0]
    assert not (codes[3:6] == APPLE).any() and (codes[17] == APPLE).sum() == 8 and (codes == LANE_APPLE).sum() == 4


@pytest.mark.slow
def test_apples_grow():
    batch = afloat(num=40, regrowth=0.1, level=WIDE)
    batch.records["fruit"][:] = 0
    sites = np.argwhere(np.array([list(row) for row in WIDE[:12]]) == "a")
    for s in batch.records:
        places = [cell(batch, x, y) for y, x in sites]
        s["empty_count"], s["empty"][: len(places)], s["cells"][places] = len(places), places, FLOOR
    act(batch)
    grown = int((len(sites) - batch.records["empty_count"]).sum())
    assert stats.binomtest(grown, 40 * len(sites), 0.1).pvalue > 1e-3


def test_what_is_seen():
    """Boats, gates, lights and oars, turned; of agents out of view no oar."""
    batch = afloat((3, 16), (7, 18), flail=0.0)
    view, oars = batch.observations["view"][0], batch.observations["oars"][0]
    assert oars[2].tolist() == [1, 1, 0, 0] and oars[3].tolist() == [1, 1, 0, 0]
    assert view[2, 8, 5] == OPEN_GATE and view[2, 8, 4] == GREEN and view[2, 7, 5] == HULL
    assert view[2, 6, 5] == PLAYER and view[2, 6, 6] == PLAYER + 4
    put(batch, 2, 3, 16, SOUTH)
    assert batch.observations["oars"][0, 2].tolist() == [0, 0, 0, 0]
    assert batch.observations["view"][0, 2, 10, 5] == OPEN_GATE
    act(batch, FLAIL)
    assert batch.observations["oars"][0, 3].tolist() == [2, 1, 0, 0]
    text = batch.world.text(batch.record(), 3)
    assert "player_0 5 ahead 4 left, facing as you do" in text and "in a boat with its oar up" in text
    assert "You sit in a boat, your oar is up." in batch.world.text(batch.record(), 0)
    batch = started(RowingRace(), 1, WIDE)
    grid = batch.world.state(batch.records, None)[0]
    assert grid[9, 3] == RED and grid[10, 4] == OPEN_GATE and grid[27, 4] == GATE and grid[25, 4] == SEAT


def test_maps():
    """48 apples on each bank as in Melting Pot, 10 to 16 cells from dock to dock, all starts joined with all boats."""
    levels = generate_many("regatta", 30, seed=0)
    lengths = set()
    for level in levels:
        facts = describe(level)
        lengths.add(facts["cells"])
        letters = "".join(level["map"])
        assert facts["solvable"] and facts["apples"] == 96 and facts["boats"] == 3
        assert letters.count("g") == 12 and letters.count("l") == 36 and letters.count("p") == 32
        assert describe(mutate(level, seed=1))["apples"] == 96 and mutate(level, seed=1) != level
    assert lengths == set(range(10, 17)) and {split_of(level) for level in levels} == {"train", "test"}
    assert {describe(level)["boats"] for level in generate_many("regatta", 4, seed=0, boats=1)} == {1}


def changed(*edits):
    rows = [list(row) for row in NARROW]
    for x, y, letter in edits:
        rows[y][x] = letter
    return ["".join(row) for row in rows]


def test_levels():
    env = envsuite.make_parallel("RowingRace", players=2)
    for rows, message in (
        (NARROW[:-1], "map must be 38 texts of 26 letters"),
        (changed((3, 13, ","), (4, 13, ","), (8, 13, "~"), (9, 13, "~")), "1 to 3 boats"),
        (changed((8, 13, "~"), (7, 13, "b"), (9, 13, "~"), (10, 13, "b")), "side by side"),
        (changed((3, 9, "~")), "two docks"),
        (changed((3, 15, ".")), "floor, a gate"),
        (changed((3, 11, "~")), "water of a lane"),
        (changed((2, 14, ".")), "at both sides of a lane"),
        (changed((6, 17, "g")), "no gates"),
        (changed((6, 9, "p")), "apples ('a') on the banks"),
        (["".join("." if c == "p" else c for c in row) for row in NARROW], "0 starts"),
    ):
        with pytest.raises(LevelError, match=message.replace("(", "\\(").replace(")", "\\)")):
            env.reset(seed=0, options={"level": {"map": rows}})
    with pytest.raises(LevelError, match="unknown part"):
        describe({"kind": "regatta", "map": NARROW, "x": 1}) and mutate({"kind": "regatta", "map": NARROW, "x": 1}, 0)
    env.reset(seed=0, options={"level": {"map": NARROW}})
    assert len(env.scene().shapes) > 100


def test_contradictions():
    batch = afloat((3, 16), (9, 18), flail=0.0)
    act(batch, ROW, FLAIL)
    assert batch.world.contradiction(batch.record()) is None
    for name, value in (
        ("rower", [-1] * 6),
        ("seat", [1, 0, -1, -1]),
        ("doing", [ABOARD, ABOARD, ABOARD, ASHORE]),
        ("row", [12, 13, 4]),
        ("docks", [9, 14]),
        ("boats", 1),
        ("open_bank", 0),
        ("light", 1),
        ("heading", 1),
        ("turning", 1),
        ("empty_count", 1),
        ("cooldown", [5, 0, 0, 0]),
        ("raised", [2, 0, 0, 0]),
        ("oar", [0, 0, 1, 0]),
        ("goes", [1, 0, 0]),
    ):
        s = batch.records.copy()
        s[name][0] = value
        assert batch.world.contradiction(s.view(np.recarray)[0]) is not None, name


@pytest.mark.slow
def test_policies():
    """Agents that match strokes beat those that flail, who beat those that play at random; who rows, needs luck."""

    def mean(name, **parameters):
        envs = envsuite.make_vec("RowingRace", 24, **parameters)
        envs.reset(seed=0)
        return envs.rollout(name, 2400, seed=0).returns.mean()

    pair = dict(players=2, boats=1)
    assert mean("random", **pair) < 5 and mean("matcher", **pair) > mean("rower", **pair) + 100
    assert mean("matcher") > 450 > mean("rower") > 150 and mean("flailer") > 250
