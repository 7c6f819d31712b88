"""Lock step with minigrid: the same level and actions in both, everything compared."""

import itertools
from collections import Counter

import numpy as np

from envsuite.kit.rooms import ACTIONS, BALL, BOX, COLORS, DOOR, EMPTY, GOAL, KEY

DROP, TOGGLE, FORWARD, PICKUP = (ACTIONS.index(name) for name in ("drop", "toggle", "forward", "pickup"))


def export(env):
    """A running MiniGrid environment's grid and agent as a level."""
    return {
        "grid": env.grid.encode().transpose(1, 0, 2).tolist(),
        "agent": [int(number) for number in env.agent_pos],
        "direction": int(env.agent_dir),
    }


def likely_action(rng, image):
    """A random action that makes things happen: it tends to take, open, enter and put down what it can."""
    front, carried = image[3, 5, 0], image[3, 6, 0]
    wish = rng.random()
    if front in (KEY, BALL, BOX) and carried == EMPTY and wish < 0.6:
        return PICKUP
    if front == DOOR:
        return rng.choice([TOGGLE, FORWARD], p=[0.4, 0.6]) if image[3, 5, 2] == 0 else TOGGLE
    if front == GOAL and wish < 0.5:
        return FORWARD
    if front == EMPTY and carried != EMPTY and wish < 0.02:
        return DROP
    return rng.choice(7, p=[0.2, 0.2, 0.5, 0.02, 0.005, 0.05, 0.025])


def events(before, after, carried, carries):
    """What changed between two encoded grids, by name."""
    if carried == EMPTY and carries != EMPTY:
        yield "pickup"
    if carried != EMPTY and carries == EMPTY:
        yield "drop"
    for y, x in np.argwhere((before != after).any(axis=2)):
        if before[y, x, 0] == DOOR == after[y, x, 0]:
            yield {(2, 0): "unlock", (1, 0): "open", (0, 1): "close"}[before[y, x, 2], after[y, x, 2]]
        elif before[y, x, 0] == BOX and carries == carried:
            yield "box"


def changed_grid(before, env):
    """The encoded grid after a step, which can only have changed in front of the agent."""
    x, y = env.front_pos
    after, cell = before.copy(), env.grid.get(x, y)
    after[x, y] = cell.encode() if cell else (EMPTY, 0, 0)
    return after


def theirs(name, *arguments, **options):
    """A function that makes an environment of minigrid, which is imported when it is called."""

    def make():
        from minigrid import envs

        return getattr(envs, name)(*arguments, **options)

    make.__name__ = name
    return make


def play_both(batch, envs, rng, level=export, policy=None, act=likely_action, start=None, before_step=None):
    """Play all episodes in both, compare everything at every step, and count what happened.

    Args:
        level: takes an environment of MiniGrid and gives its level.
        policy: plays every other episode, `act(rng, image)` the others.
        start, before_step: called with an environment and our record, after its reset, and between our step and theirs.
    """
    from minigrid.wrappers import FullyObsWrapper

    world, count = batch.world, Counter()
    for i, env in enumerate(envs):
        batch.set_level(i, level(env))
    batch.start()
    if policy:
        policy.reset(0, batch.num)
    for i, env in enumerate(envs):
        assert world.mission_of(batch.record(i)) == env.mission
        if start:
            start(env, batch.record(i))
    playing = np.ones(len(envs), bool)
    views, grids = [env.gen_obs() for env in envs], [env.grid.encode() for env in envs]
    for t in itertools.count():
        state = world.state(batch.records, batch.observations)
        for i in np.flatnonzero(playing):
            observed = batch.observations[i, 0]
            assert np.array_equal(observed["image"], views[i]["image"])
            assert observed["direction"] == views[i]["direction"]
            if "color" in observed.dtype.names:
                assert COLORS[observed["color"]] in envs[i].mission
            assert np.array_equal(state["carrying"][i], views[i]["image"][3, 6])
            if t % 16 == 0:
                assert np.array_equal(state["grid"][i], FullyObsWrapper(envs[i]).observation({})["image"])
        playing &= ~batch.over()
        if not playing.any():
            return count
        if policy:
            batch.actions[:] = policy.act_batch(batch.observations, batch.masks, [0])
        for i in np.flatnonzero(playing):
            if not policy or i % 2:
                batch.actions[i, 0] = act(rng, views[i]["image"])
        batch.step(where=playing)
        for i in np.flatnonzero(playing):
            env, carried = envs[i], views[i]["image"][3, 6, 0]
            if before_step:
                before_step(env, batch.record(i))
            views[i], reward, terminated, truncated, _ = env.step(int(batch.actions[i, 0]))
            before, grids[i] = grids[i], changed_grid(grids[i], env)
            count.update(events(before, grids[i], carried, views[i]["image"][3, 6, 0]))
            count.update({"goal": reward > 0, "lava": terminated and not reward, "truncated": truncated})
            count.update({"lost": reward < 0, "episodes": terminated or truncated})
            assert batch.rewards[i, 0] == reward  # bit for bit
            assert (batch.terminations[i, 0], batch.truncations[i, 0]) == (terminated, truncated)
