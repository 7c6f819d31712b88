"""FactoryCommons: in lock-step with recorded episodes of Melting Pot, its maps, and each rule by a probe."""

import gzip
import json
import pathlib

import numpy as np
import pytest
from avatar_play import cell, hall, started, where

from envsuite.generators.factories import HEIGHT, MACHINES, WIDTH
from envsuite.kit.avatars import BORDER, PLAYER
from envsuite.social.factory_commons import (
    APPLE,
    ARRIVING_APPLE,
    CUBES,
    FRUIT,
    FRUITS,
    LIES,
    SWALLOWED,
    FactoryCommons,
    held,
    spot,
)


EPISODES = json.loads(gzip.decompress((pathlib.Path(__file__).parents[2] / "data" / "factory_commons.json.gz").read_bytes()))
#: Copies that play each step of a recorded episode, because agents act in a random order, and hold things unseen.
COPIES = 16
#: What mouths can look like, by the steps until a hopper is ready: open, in motion, else closed.
MOUTHS = {0: (0,), 18: (0, 1), 17: (0,), 16: (0,), 15: (0,), 14: (1,), 1: (1,)}


def place(batch, agents):
    """Put agents, by number, on (x, y, facing), all at once."""
    for s in batch.records:
        for a in agents:
            s["cells"][s["at"][a]] = s["under"][a]
        for a, (x, y, facing) in agents.items():
            at = cell(batch, x, y)
            s["at"][a], s["facing"][a], s["under"][a] = at, facing, s["cells"][at]
            s["cells"][at] = PLAYER + 4 * a + facing
    batch.observe()


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
    s, paid, doubtful = batch.record(i), batch.rewards[i], 0
    for a in np.flatnonzero(s.holds).tolist():
        ahead = s.side[a] == s.facing[a] and (s.holds[a] == FRUIT or s.goods[held(s, a)] < APPLE)
        if ahead and a not in hands:
            return False, 0
    if not all(s.holds[a] for a in hands):
        return False, 0
    spots = [int(spot(s, m, k)) for m in range(s.machines) for k in range(2)]
    for a, reward in enumerate(rewards):
        # There, an agent that eats where a machine gives an apple can be paid twice and three times for it.
        twice = paid[a] > 0 and s.at[a] in spots
        doubtful += reward > paid[a]
        if not paid[a] <= reward <= paid[a] + 2 * twice:
            return False, 0
    return True, doubtful


def follow(episode):
    """Play an episode of Melting Pot: the numbers of frames that are the same, of apples, and of those paid twice.

    It ends where two machines work at once, where one begins whose last product found no room, and where an apple is
    eaten while one begins: there, things get lost, or come twice.
    """
    rows, frames = episode["map"], episode["frames"]
    n, width = len(frames[0]["g"]), len(rows[0])
    batch = started(FactoryCommons(n, horizon=10_000, end_probability=0.0), COPIES, padded(rows))
    s, apples, doubtful = batch.records, 0, 0
    place(batch, {a: g[:3] for a, g in enumerate(frames[0]["g"])})
    things, again = {k: both for k, *both in frames[0]["c"]}, np.zeros((COPIES, MACHINES), bool)
    for number, (frame, after) in enumerate(zip(frames[1:], frames[2:]), 1):
        things.update({k: both for k, *both in frame["c"]})
        things = {k: both for k, both in things.items() if any(both)}
        waits = s["due"].any(2)
        s["due"][:, :, 1] |= again
        batch.step(tuple(frame["a"]))
        wanted, rewards = {"g": frame["g"], "t": things}, frame.get("r", [0] * n)
        matches = [i for i in range(COPIES) if seen(batch, i, width) == wanted and fits(batch, i, after["h"], rewards)[0]]
        assert matches, (number, frame, wanted, seen(batch, 0, width), batch.rewards[0])
        clocks = s["clock"][matches[0], : len(frame["m"])]
        assert all(look in MOUTHS.get(int(clock), (2,)) for look, clock in zip(frame["m"], clocks))
        doubtful += fits(batch, matches[0], after["h"], rewards)[1]
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


if __name__ == "__main__":
    for e in EPISODES:
        try:
            print(len(e["frames"]), follow(e), flush=True)
        except AssertionError as x:
            print("FAIL", x)
