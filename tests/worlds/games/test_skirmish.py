"""Skirmish: step by step against SMAX, each rule alone, levels, and baselines."""

from collections import Counter

import kit
import numpy as np
import pytest

from envsuite.core.errors import LevelError, SnapshotError
from envsuite.games.skirmish_units import COOLDOWN, HEALTH, KINDS, SCENARIOS, STOP
from envsuite.registry import build

ID = "envsuite/Skirmish-v0"

#: Made by tests/skirmish_reference.py.
REFERENCE = np.load(kit.DATA / "skirmish_reference.npz")


# SMAX.


def episode(name):
    """The arrays of an episode, ``map/number``, and its numbers of allies and enemies."""
    found = {key.split("/")[-1]: REFERENCE[key] for key in REFERENCE.files if key.startswith(f"{name}/")}
    return found, *map(len, SCENARIOS[name.split("/")[0]])


def turned(actions, allies):
    """Actions of SMAX in our numbers: its enemies count allies backwards."""
    actions = np.array(actions, np.int64)
    enemies = actions[..., allies:]
    enemies[...] = np.where(enemies > STOP, 5 + allies - 1 - (enemies - 5), enemies)
    return actions


def at_each_state(name, sides="both", copies=1):
    """A batch with a world for each state of an episode of SMAX but the last, copied with different random streams."""
    theirs, allies, enemies = episode(name)
    steps = len(theirs["actions"])
    where = np.repeat(np.arange(steps), copies)
    batch = kit.started(ID, len(where), scenario=name.split("/")[0], sides=sides, jitter=0.0, horizon=200)
    records = batch.records
    records["kinds"] = theirs["types"][where]
    records["position"] = theirs["position"][where]
    records["home"] = theirs["position"][0]
    records["health"] = theirs["health"][where]
    records["cooldown"] = theirs["cooldown"][where].clip(0.0)
    orders = turned(np.concatenate([np.full((1, allies + enemies), STOP), theirs["actions"]]), allies)
    records["orders"] = orders[where]
    target = theirs["target"][where, allies:].astype(np.int64)
    records["target"] = np.where(target < 0, -1, allies - 1 - target)
    batch.observe()
    return batch, theirs, turned(theirs["actions"], allies)


def in_their_order(batch, i, a, allies, enemies):
    """An agent's observation as SMAX has it."""
    seen = batch.observations[i, a]
    own, other = (allies, enemies) if a < allies else (enemies, allies)
    friends, foes = seen["friends"][: own - 1].copy(), seen["foes"][:other].copy()
    enemies_seen = friends if a >= allies else foes
    index = np.rint(enemies_seen[:, 5] * (4 + allies)) - 5
    enemies_seen[:, 5] = np.where(index >= 0, (5 + allies - 1 - index) / (4 + allies), 0)
    if a >= allies:
        friends, foes = friends[::-1], foes[::-1]
    return np.concatenate([friends.ravel(), foes.ravel(), seen["own"]])


def compare(name):
    """All steps of an episode of SMAX, each from its own state: states, rewards, ends, legal actions, observations."""
    batch, theirs, actions = at_each_state(name)
    allies, enemies = map(len, SCENARIOS[name.split("/")[0]])
    masks = theirs["mask"].copy()
    masks[:, allies:, 5 : 5 + allies] = masks[:, allies:, 5 : 5 + allies][:, :, ::-1]
    assert (batch.masks == masks[:-1]).all()
    for k, seen in enumerate(theirs["seen"]):
        ours = [in_their_order(batch, 4 * k, a, allies, enemies) for a in range(allies + enemies)]
        assert np.abs(np.stack(ours) - seen).max() < 1e-5
    batch.step(actions)
    for field in ("position", "health"):
        assert np.abs(batch.records[field] - theirs[field][1:]).max() < 1e-5, field
    assert np.abs(batch.records["cooldown"] - theirs["cooldown"][1:].clip(0.0)).max() < 1e-5
    rewards = theirs["rewards"].repeat([allies, enemies], axis=1)
    assert np.abs(batch.rewards - rewards).max() < 1e-6
    alive = np.split(theirs["health"][1:] > 0, [allies], axis=1)
    over = ~(alive[0].any(axis=1) & alive[1].any(axis=1))
    assert (batch.terminations.all(axis=1) == over).all() and over[-1] and not over[:-1].any()


def compare_choices(name):
    """The enemies' orders in each state: equal attacks, and walks in one of the directions that chance allows."""
    batch, theirs, _ = at_each_state(name, "allies", 16)
    allies, enemies = map(len, SCENARIOS[name.split("/")[0]])
    chosen = turned(theirs["chosen"], allies)
    assert np.abs(32 - theirs["goal"][1:] - theirs["position"][0]).max() < 1e-5
    batch.step(np.full((batch.num, allies), STOP))
    orders = batch.records["orders"].reshape(len(chosen), 16, -1)
    seen = Counter()
    for t, e in np.argwhere(theirs["health"][:-1, allies:] > 0).tolist():
        ours = set(orders[t, :, allies + e].tolist())
        assert chosen[t, allies + e] in ours, (t, e)
        seen["attacks" if min(ours) > STOP else "walks"] += 1
        seen["choices"] += len(ours) > 1
        assert max(ours) < STOP or len(ours) == 1
    target = batch.records["target"].reshape(len(chosen), 16, -1)
    after = theirs["target"][1:, allies:].astype(int)
    alive = theirs["health"][:-1, allies:] > 0
    assert (target[:, 0] == np.where(after < 0, -1, allies - 1 - after))[alive].all()
    return seen


def test_smax_step_by_step():
    compare("3m/0")


def test_choices_of_smax():
    seen = compare_choices("3m/1")
    assert seen["attacks"] > 5 and seen["walks"] > 5


EPISODES = sorted({name.rpartition("/")[0] for name in REFERENCE.files if not name.startswith("rates")})


@pytest.mark.slow
@pytest.mark.parametrize("name", EPISODES)
def test_smax_at_length(name):
    compare(name)
    compare_choices(name)
