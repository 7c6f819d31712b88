"""Daycare: in lock-step with recorded episodes of Melting Pot, its random play, and each rule by a probe."""

import gzip
import json
import pathlib

import numpy as np
import pytest
from avatar_play import cell, hall, started, where

from envsuite.generators.nursery import HEIGHT, WIDTH
from envsuite.kit.avatars import PLAYER
from envsuite.social.daycare import CHILD, PARENT, Daycare

EPISODES = json.loads(gzip.decompress((pathlib.Path(__file__).parents[2] / "data" / "daycare.json.gz").read_bytes()))
#: Copies that play each step of a recorded episode, because walks, hands and luck differ.
COPIES = 24
EAST, SOUTH, WEST, NORTH = range(4)
NOOP, FORWARD, BACKWARD, STEP_LEFT, STEP_RIGHT, TURN_LEFT, TURN_RIGHT, EAT, GRASP = range(9)


def place(batch, agents):
    """Put agents, by number, on (x, y, facing), all at once."""
    for s in batch.records:
        for a in agents:
            if s["cells"][s["at"][a]] >> 2 == (PLAYER >> 2) + a:
                s["cells"][s["at"][a]] = s["under"][a]
        for a, (x, y, facing) in agents.items():
            at = cell(batch, x, y)
            s["at"][a], s["facing"][a], s["under"][a] = at, facing, s["cells"][at]
            s["cells"][at] = PLAYER + 4 * a + facing
    batch.observe()


def window(codes, x, y, facing):
    """The part of a whole map (HEIGHT, WIDTH) that an agent sees, as NumPy turns and cuts it."""
    padded = np.pad(codes, 11)[y : y + 23, x : x + 23]
    return np.rot90(padded, (facing + 1) % 4)[2:13, 6:17]


def same(batch, i, frame, codes):
    """Whether copy i is as in the frame; `codes` are whole maps as child and parent see them."""
    s = batch.records[i]
    for a in range(2):
        if (frame["g"][a] is None) != bool(s["away"][a]):
            return False
        if frame["g"][a] is not None:
            if frame["g"][a] != [*where(batch, a, i), int(s["facing"][a])]:
                return False
            if (batch.observations["food"][i, a] != window(codes[a], *frame["g"][a])).any():
                return False
    return s["hunger"] == frame["h"] and batch.rewards[i].tolist() == frame.get("r", [0, 0])


def returns(batch, before, frame):
    """Prepare a step by when and where the child of Melting Pot returns in it; 1 if our rule is another one."""
    s = batch.records
    if before["g"][CHILD] is not None:
        return 0
    parent, left = before["g"][PARENT][:2], before["w"]
    if frame["g"][CHILD] is None:
        if s["away"][0, CHILD] > 1:
            return 0
        assert left == parent or s["map"][0, left[1], left[0]] == 0
        s["away"][:, CHILD] = 2
        return 1
    assert (s["away"][:, CHILD] == 1).all()
    x, y, facing = frame["g"][CHILD]
    if abs(x - parent[0]) + abs(y - parent[1]) == 1:
        return 0
    assert [x, y] in (left, parent) and frame["a"][PARENT] != EAT
    if [x, y] == parent:  # which has made room
        s["away"][:, CHILD] = 2
    else:
        s["away"][:, CHILD], s["hunger"] = 0, batch.world.parameters["hungry"] + 1
        place(batch, {CHILD: (x, y, facing)})
    return 1


def follow(episode):
    """Play an episode of Melting Pot; the number of times that the child returns by another rule."""
    frames, others = episode["frames"], 0
    world = Daycare(10_000, episode["hungry"], episode["respawn"], episode["regrowth"])
    batch = started(world, COPIES, episode["map"])
    s, codes, chance = batch.records, [np.zeros(HEIGHT * WIDTH, int) for _ in range(2)], np.random.default_rng(0)
    place(batch, dict(enumerate(frames[0]["g"])))
    for k, (before, frame) in enumerate(zip(frames, frames[1:])):
        for a, letter in enumerate("cp"):
            for f in (before, frame) if k == 0 else (frame,):
                for at, code in f.get(letter, []):
                    codes[a][at] = code
        maps = [c.reshape(HEIGHT, WIDTH) for c in codes]
        others += returns(batch, before, frame)
        batch.step(tuple(frame["a"]))
        if s["away"][0, CHILD] == 1 and frame["g"][CHILD] is not None:
            s["away"][:, CHILD], s["hunger"] = 0, episode["hungry"]
            place(batch, {CHILD: frame["g"][CHILD]})
        matches = [i for i in range(COPIES) if same(batch, i, frame, maps)]
        assert matches, (k, frame)
        # Several may go on: who of two hands has got a fruit shows later.
        streams, chosen = s["rng"].copy(), chance.choice(matches, COPIES)
        chosen[matches] = matches
        s[:] = s[chosen]
        s["rng"] = streams
    return others


@pytest.mark.parametrize("episode", EPISODES)
def test_melting_pot(episode):
    print(follow(episode))
