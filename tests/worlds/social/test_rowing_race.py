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
COPIES, ATTEMPTS = 8, 40


def fruit(batch, i=0):
    """The places 26 y + x with apples."""
    grid = batch.records["fruit"][i].reshape(HEIGHT + 16, WIDTH + 16)[8:-8, 8:-8]
    return {int(k) for k in np.flatnonzero(grid)}


def spot(batch, k):
    """The cell of a place 26 y + x."""
    return cell(batch, k % WIDTH, k // WIDTH)


def bear(batch, k):
    """Let an apple grow, in all copies."""
    there = spot(batch, k)
    for s in batch.records:
        assert there in s["empty"][: s["empty_count"]].tolist()
        at = s["empty"][: s["empty_count"]].tolist().index(there)
        s["empty_count"] -= 1
        s["empty"][at] = s["empty"][s["empty_count"]]
        s["fruit"][there] = 1
        assert s["cells"][there] == FLOOR
        s["cells"][there] = APPLE


def seen(batch, i):
    """Of copy i, what the file holds of a frame, but for apples and rewards."""
    s, agents = batch.records[i], []
    for a in range(batch.world.players):
        aboard = int(s["doing"][a] == ABOARD)
        agents.append(None if s["away"][a] else [*where(batch, a, i), int(s["facing"][a]), aboard])
    boats = []
    for b in range(s["boats"]):
        rowers = s["rower"][2 * b : 2 * b + 2]
        boats.append([int(s["row"][b]), *(int(s["oar"][a]) if a >= 0 else None for a in rowers)])
    gates = [int(s["open_bank"] == bank) for bank in (NORTH_BANK, SOUTH_BANK)]
    return {"g": agents, "b": boats, "l": "ryg"[s["light"]], "n": gates}


def agrees(batch, i, frame, apples, bare):
    """The apples that grew, and those that grew under agents, if copy i has come to this frame; else None."""
    found = seen(batch, i)
    # Oars without an agent are still shown as it left them.
    wanted = [[row, *(None if a is None else b for a, b in zip(now[1:], oars))] for (row, *oars), now in
              zip(frame["b"], found["b"])]
    if {**found, "b": wanted} != {**found, **{part: frame[part] for part in "gln"}} or found["b"] != wanted:
        return None
    new = apples - fruit(batch, i)
    if fruit(batch, i) - apples or not new <= bare:
        return None
    under = set()
    for a, more in enumerate(np.array(frame.get("r", [0.0] * batch.world.players)) - batch.rewards[i]):
        if more and frame["g"][a] is not None:
            under.add(WIDTH * frame["g"][a][1] + frame["g"][a][0])
        if more not in (0, 1):
            return None
    return (new, under) if under <= bare else None


def follow(episode):
    """Play an episode of Melting Pot; how often apples grew, could grow, and boats moved by flailing and could."""
    frames, players = episode["frames"], episode["params"]["players"]
    world = RowingRace(horizon=10_000, regrowth=0.0, flail=0.5, **episode["params"])
    batch = started(world, COPIES, episode["map"])
    s, apples, counts = batch.records, {k for k, _ in frames[0]["c"]}, np.zeros(4, int)
    for one in s:
        for a in range(players):
            one["cells"][one["at"][a]] = one["under"][a]
        for a, (x, y, facing, _) in enumerate(frames[0]["g"]):
            at = cell(batch, x, y)
            one["at"][a], one["facing"][a], one["under"][a] = at, facing, one["cells"][at]
            one["cells"][at] = PLAYER + 4 * a + facing
    assert seen(batch, 0) == {part: frames[0][part] if part != "b" else seen(batch, 0)["b"] for part in "gbln"}
    assert fruit(batch) == apples
    for frame in frames[1:]:
        if "g" not in frame:  # all agents are out
            batch.step(tuple(frame["a"]))
            assert s["terminated"].all()
            break
        apples = apples ^ {k for k, _ in frame["c"]}
        bare = {k for k in range(HEIGHT * WIDTH) if spot(batch, k) in s["empty"][0, : s["empty_count"][0]]}
        start, turns = s.copy(), bool(s["turning"][0])
        for _ in range(ATTEMPTS):
            batch.step(tuple(frame["a"]))
            fits = [agrees(batch, i, frame, apples, bare) for i in range(COPIES)]
            match = next((i for i, fit in enumerate(fits) if fit is not None), None)
            if match is not None:
                break
            mine = [(seen(batch, i), fruit(batch, i) ^ apples, batch.rewards[i].tolist()) for i in range(COPIES)]
            streams = s["rng"].copy()
            s[:] = start
            s["rng"] = streams
        else:
            raise AssertionError((s["t"][0], frame, *mine))
        new, under = fits[match]
        streams, chosen = s["rng"].copy(), s[match].copy()
        flailed = [b for b in range(chosen["boats"]) if (frame["b"][b][1] == 2 or frame["b"][b][2] == 2)]
        counts[2] += sum(int(chosen["row"][b] != start["row"][0, b]) for b in flailed)
        counts[3] += len(flailed)
        s[:] = chosen
        s["rng"] = streams
        for k in new:
            bear(batch, k)
        if not turns:
            counts[0] += len(new | under)
            counts[1] += len(bare)
    return counts


@pytest.mark.parametrize("number", range(len(EPISODES)))
def test_melting_pot_in_lock_step(number):
    print(follow(EPISODES[number]))
