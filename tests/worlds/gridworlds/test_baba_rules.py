"""BabaRules: episodes of Baba Is AI in lock-step, its shortest solutions, its levels; rules by hand; baselines."""

from collections import Counter
from functools import cache, partial

import kit
import numpy as np
import pytest
from kit import DATA

from envsuite.agents import make_policy
from envsuite.core.batch import Batch
from envsuite.core.errors import ParameterError
from envsuite.evaluation.matches import play
from envsuite.generators import describe, generate, generate_many, split_of
from envsuite.generators.rule_rooms import DEPTH, SIZES, TASKS, read_map, write_map
from envsuite.registry import build

ID = "envsuite/BabaRules-v0"

started = partial(kit.started, ID)

IDLE, U, R, D, L = range(5)

#: A map on which every recorded one has room.
WIDE = dict(task="two_room-goto_win", layers=DEPTH)


@cache
def recording():
    with np.load(DATA / "baba_rules.npz") as held:
        data = dict(held)
    steps = np.concatenate([[0], np.cumsum(data["count"])])
    return data, steps, steps + np.arange(len(steps))


def episode(k):
    """Actions, rewards, ends, states and rules of a recorded episode."""
    data, steps, states = recording()
    acts, shown = slice(steps[k], steps[k + 1]), slice(states[k], states[k + 1])
    pieces = np.cumsum(data["states"][shown], axis=0, dtype=np.uint8)
    return data["actions"][acts], data["rewards"][acts], data["ends"][acts], pieces, data["rules"][shown]


def compare(episodes, compiled=False):
    """Play recorded episodes; the number of steps."""
    held = [episode(k) for k in episodes]
    batch = Batch(build(ID, WIDE), len(held), compiled=compiled)
    batch.start(0, [{"map": write_map(pieces[0])} for _, _, _, pieces, _ in held])
    steps, longest = 0, max(len(actions) for actions, *_ in held)
    for t in range(longest + 1):
        for i, (actions, rewards, ends, pieces, rules) in enumerate(held):
            if t > len(actions):
                continue
            record = batch.records[i]
            assert (record["pieces"].reshape(pieces[t].shape) & 255 == pieces[t]).all(), (episodes[i], t)
            assert (record["rules"] == rules[t, :, :9]).all(), (episodes[i], t)
            if t > 0:
                assert batch.rewards[i, 0] == rewards[t - 1], (episodes[i], t)
                assert batch.terminations[i, 0] == ends[t - 1], (episodes[i], t)
        alive = np.array([t < len(actions) for actions, *_ in held])
        chosen = np.array([[actions[t] if t < len(actions) else 0] for actions, *_ in held], np.int64)
        if alive.any():
            batch.step(chosen, alive)
        steps += alive.sum()
    return steps


def names():
    return recording()[0]["name"]


def test_some_episodes_of_the_source():
    crowd = np.flatnonzero(names() == "crowd")[:12]
    assert compare([*range(0, 159, 40), *crowd]) > 100


@pytest.mark.slow
def test_all_episodes_of_the_source():
    """Pieces, rules, rewards and ends of three episodes of each of 53 environments, and of crowded maps."""
    assert len(set(names())) == 54
    assert compare(range(len(names())), compiled=None) == recording()[0]["count"].sum()
