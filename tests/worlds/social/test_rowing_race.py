"""RowingRace: in lock-step with recorded episodes of Melting Pot, closed forms, its maps, and each rule by a probe."""

import gzip
import json
import pathlib

import numpy as np
import pytest
from avatar_play import cell, started, where
from scipy import stats

import envsuite
from envsuite.core.errors import LevelError
from envsuite.generators import describe, generate_many, mutate, split_of
from envsuite.generators.regatta import HEIGHT, SITE, WIDTH
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
from envsuite.social.rowing_race_view import APPLE, GATE, GREEN, HULL, LANE_APPLE, OPEN_GATE, RED, SEAT

NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, ROW, FLAIL = range(9)
EAST, SOUTH, WEST, NORTH = range(4)
FILE = pathlib.Path(__file__).parents[2] / "data" / "rowing_race.json.gz"
EPISODES = json.loads(gzip.decompress(FILE.read_bytes()))
#: Copies that try each step of a recorded episode, and how often: flailing and the order of walks are random.
COPIES, ATTEMPTS = 4, 60


def fruit(batch, i=0):
    """The cells with apples."""
    return set(np.flatnonzero(batch.records["fruit"][i]).tolist())


def spots(batch, places):
    """The cells of places 26 y + x."""
    return {cell(batch, k % WIDTH, k // WIDTH) for k in places}


def put_all(batch, agents):
    """Put agents on (x, y, facing) each, in all copies."""
    for s in batch.records:
        for a in range(len(agents)):
            s["cells"][s["at"][a]] = s["under"][a]
        for a, (x, y, facing) in enumerate(agents):
            at = cell(batch, x, y)
            s["at"][a], s["facing"][a], s["under"][a] = at, facing, s["cells"][at]
            s["cells"][at] = PLAYER + 4 * a + facing


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
    frames, n = episode["frames"], episode["params"]["players"]
    batch = started(
        RowingRace(horizon=10_000, regrowth=0.0, flail=0.5, **episode["params"]), COPIES, episode["map"]
    )
    s, apples, counts = batch.records, spots(batch, [k for k, _ in frames[0]["c"]]), np.zeros(4, int)
    put_all(batch, [agent[:3] for agent in frames[0]["g"]])
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
            fits = [grown(batch, i, frame, apples, bare) for i in range(COPIES)]
            match = next((i for i, fit in enumerate(fits) if fit is not None), None)
            if match is not None:
                break
            streams, mine = s["rng"].copy(), seen(batch, 0)
            s[:] = start
            s["rng"] = streams
        else:
            raise AssertionError((s["t"][0], frame, mine))
        streams, chosen = s["rng"].copy(), s[match].copy()
        s[:] = chosen
        s["rng"] = streams
        new, under = fits[match]
        for there in new:
            bear(batch, there)
        flailed = [b for b, boat in enumerate(frame["b"]) if 2 in boat[1:]]
        moved = [b for b in flailed if frame["b"][b][0] != before["b"][b][0]]
        counts += [0, 0, len(moved), len(flailed)]
        if not turns:
            counts[:2] += len(new | under), len(bare)
    return counts


@pytest.mark.parametrize("number", range(len(EPISODES)))
def test_melting_pot_in_lock_step(number):
    print(follow(EPISODES[number]))
