"""Record episodes of XLand-MiniGrid: python tests/data/recorders/xland.py SCRIPT tests/data/XLand/xland.npz

SCRIPT is scripts/ruleset_generator.py of dunnolab/xland-minigrid, commit 0d306d1; xminigrid 0.9.3 and jax must be
installed. One half of the rulesets comes from the script, with the settings of its benchmark "medium". The rules and
goals of the other half are of all kinds and about few different tiles, so that rules apply often.

Actions are random, but often pick up what is ahead, put it down or open a door. For each layout the file holds the goal
and the rules of every episode, and of every step the action, reward, end (1 terminated, 2 truncated), grid, agent (row,
column, direction), pocket and view. A tile is tile + 16 color. The file continues after an end, as the source does. The
entries "one" are single steps, each from a crowded map of two kinds of tile with one rule and one goal about them: what
is before and after the step.
"""

import importlib.util
import sys

import jax
import jax.numpy as jnp
import numpy as np
import xminigrid
from xminigrid.types import RuleSet

#: Layout, size, episodes, most objects of the rulesets of few tiles.
LAYOUTS = (("R1", 7, 40, 12), ("R2", 7, 30, 8), ("R4", 9, 30, 10), ("R6", 9, 20, 8), ("R9", 10, 20, 10))
STEPS, RULES, OBJECTS = 90, 9, 16
KINDS = (3, 4, 5, 6, 7, 11, 12)
PORTABLE = (3, 4, 5, 7, 11, 12)


def dense(rng, size, most):
    """A ruleset about few tiles."""
    palette = [(int(rng.choice(KINDS)), int(rng.choice([1, 5]))) for _ in range(4)]
    if rng.random() < 0.5:
        palette[0] = (6, 3)

    def tile(portable=False):
        while True:
            found = palette[rng.integers(len(palette))]
            if not portable or found[0] in PORTABLE:
                return found
            palette.append((int(rng.choice(PORTABLE)), 1))

    rules = np.zeros((RULES, 7), int)
    for k in range(rng.integers(3, RULES + 1)):
        kind = int(rng.integers(1, 12))
        made = (1, 7) if rng.random() < 0.15 else tile(kind == 1)
        first = tile(kind == 1)
        rules[k] = [kind, *first, *tile(), *made] if 3 <= kind <= 7 else [kind, *first, *made, 0, 0]
    goal = np.zeros(5, int)
    kind = int(rng.integers(0, 15))
    place = rng.integers(1, size - 1, 2)
    if kind in (4, 7, 8, 9, 10):
        goal[:] = [kind, *tile(), *tile()]
    elif kind == 5:
        goal[:] = [kind, *tile(), *place]
    elif kind == 6:
        goal[:3] = [kind, *place]
    elif kind:
        goal[:3] = [kind, *tile()]
    objects = np.zeros((OBJECTS, 2), int)
    for k in range(most):
        objects[k] = tile()
    return goal, rules, objects


def drawn(script):
    """A ruleset of the source's script."""
    made = script.sample_ruleset(2, 3, 2, False, True, True, 0.1)
    goal, rules, objects = np.zeros(5, int), np.zeros((RULES, 7), int), np.zeros((OBJECTS, 2), int)
    goal[:] = np.array(made["goal"].encode())
    for k, rule in enumerate(made["rules"]):
        rules[k] = np.array(rule.encode())
    objects[: len(made["init_tiles"])] = made["init_tiles"]
    return goal, rules, objects


def record(script, layout, size, episodes, most, rng):
    rulesets = []
    for k in range(episodes):
        while True:
            found = drawn(script) if k % 2 and layout != "R1" else dense(rng, size, most)
            if (found[2][:, 0] > 0).sum() < {"R1": 16, "R2": 16, "R4": 30, "R6": 20, "R9": 30}[layout]:
                break
        rulesets.append(found)
    goals, rules, objects = (np.array(part, np.uint8) for part in zip(*rulesets))
    objects = objects[:, : int((objects[..., 0] > 0).sum(axis=1).max())]
    env, params = xminigrid.make("XLand-MiniGrid-R1-9x9")
    params = params.replace(height=size, width=size, grid_type=layout, max_steps=STEPS - 5)
    usual = rng.choice(6, (episodes, STEPS), p=[0.44, 0.17, 0.17, 0.08, 0.08, 0.06])
    eager = rng.random((episodes, STEPS)) < 0.6

    def episode(key, goal, rule, tiles, acts, eagerly):
        own = params.replace(ruleset=RuleSet(goal, rule, tiles))
        first = env.reset(own, key)

        def step(now, given):
            action, eager = given
            front, empty = now.observation[3, 2, 0], now.state.agent.pocket[0] == 0
            apt = jnp.where(front == 9, 5, jnp.where(jnp.isin(front, jnp.array(PORTABLE)) & empty, 3, action))
            apt = jnp.where((front == 1) & ~empty & (action == 0), 4, apt)
            action = jnp.where(eager, apt, action)
            after = env.step(own, now, action)
            return after, (after, action)

        return first, *jax.lax.scan(step, first, (acts, eagerly))[1]

    keys = jax.random.split(jax.random.PRNGKey(size), episodes)
    run = jax.jit(jax.vmap(episode))
    first, later, actions = run(keys, *map(jnp.array, (goals, rules, objects, usual, eager)))

    def joined(pick):
        return np.concatenate([np.array(pick(first))[:, None], np.array(pick(later))], axis=1)

    agent = [joined(lambda x: x.state.agent.position), joined(lambda x: x.state.agent.direction)[..., None]]
    last, goal_met = np.array(later.step_type) == 2, np.array(later.discount) == 0
    return {
        "goals": goals,
        "rules": rules,
        "objects": code(objects),
        "actions": np.array(actions, np.uint8),
        "rewards": np.array(later.reward, np.float32),
        "ends": np.where(last, np.where(goal_met, 1, 2), 0).astype(np.uint8),
        "grid": code(joined(lambda x: x.state.grid)),
        "agent": np.concatenate(agent, axis=-1).astype(np.uint8),
        "pocket": code(joined(lambda x: x.state.agent.pocket)),
        "view": code(joined(lambda x: x.observation)),
    }


def situations(rng, count, size):
    """Single steps from crowded maps of two kinds of tile, with one rule and one goal about them."""
    env, params = xminigrid.make("XLand-MiniGrid-R1-9x9")
    params = params.replace(height=size, width=size, grid_type="R1", max_steps=10)
    grids = np.full((count, size, size, 2), (2, 6))
    goals, rules = np.zeros((count, 5), int), np.zeros((count, 1, 7), int)
    agents, pockets, actions = np.zeros((count, 3), int), np.zeros((count, 2), int), np.zeros(count, int)
    for n in range(count):
        pair = [
            (int(rng.choice(PORTABLE)), int(rng.integers(1, 6))),
            (int(rng.choice(KINDS)), int(rng.integers(8, 12))),
        ]
        inside = rng.choice(3, (size - 2, size - 2), p=[0.5, 0.25, 0.25])
        grids[n, 1:-1, 1:-1] = np.array([(1, 7), *pair])[inside]
        agents[n] = [*rng.integers(1, size - 1, 2), rng.integers(4)]
        grids[n, agents[n, 0], agents[n, 1]] = (1, 7)
        pockets[n] = [(0, 0), pair[0], pair[1] if pair[1][0] != 6 else pair[0]][rng.integers(3)]
        kind, actions[n] = int(rng.integers(1, 12)), rng.choice(6, p=[0.25, 0.05, 0.05, 0.2, 0.4, 0.05])
        first, second = [pair, pair[::-1]][rng.integers(2)]
        made = [(1, 7), first, second, (12, 6)][rng.integers(4)]
        rules[n, 0] = [kind, *first, *second, *made] if 3 <= kind <= 7 else [kind, *first, *made, 0, 0]
        first, second = [pair, pair[::-1]][rng.integers(2)]
        kind = int(rng.integers(1, 15))
        place = rng.integers(1, size - 1, 2)
        if kind in (4, 7, 8, 9, 10):
            goals[n] = [kind, *first, *second]
        else:
            goals[n] = [5, *first, *place] if kind == 5 else [kind, *(place if kind == 6 else first), 0, 0]

    def one(grid, goal, rule, agent, pocket, action):
        tiles = jnp.zeros((1, 2), jnp.uint8)
        now = env.reset(params.replace(ruleset=RuleSet(goal, rule, tiles)), jax.random.PRNGKey(0))
        who = now.state.agent.replace(position=agent[:2], direction=agent[2], pocket=pocket)
        return env.step(params, now.replace(state=now.state.replace(grid=grid, agent=who)), action)

    bytes_ = (jnp.array(part, jnp.uint8) for part in (grids, goals, rules))
    after = jax.jit(jax.vmap(one))(*bytes_, jnp.array(agents), jnp.array(pockets, jnp.uint8), jnp.array(actions))
    later = [np.array(after.state.agent.position), np.array(after.state.agent.direction)[:, None]]
    return {
        "goals": goals.astype(np.uint8),
        "rules": rules.astype(np.uint8),
        "actions": actions.astype(np.uint8),
        "rewards": np.array(after.reward, np.float32),
        "grid": np.stack([code(grids), code(np.array(after.state.grid))], axis=1),
        "agent": np.stack([agents, np.concatenate(later, axis=1)], axis=1).astype(np.uint8),
        "pocket": np.stack([code(pockets), code(np.array(after.state.agent.pocket))], axis=1),
    }


def code(tiles):
    return (tiles[..., 0] + 16 * tiles[..., 1]).astype(np.uint8)


def main(path, file):
    import random

    random.seed(7)
    rng = np.random.default_rng(7)
    spec = importlib.util.spec_from_file_location("ruleset_generator", path)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    held = {}
    for layout, size, episodes, most in LAYOUTS:
        for name, values in record(script, layout, size, episodes, most, rng).items():
            held[f"{layout}_{name}"] = values
        ends = held[f"{layout}_ends"]
        changes = (np.diff(held[f"{layout}_grid"].astype(int), axis=1) != 0).any(axis=(2, 3)).sum()
        print(layout, (ends == 1).any(axis=1).sum(), "of", episodes, "met;", changes, "changed grids", flush=True)
    for name, values in situations(rng, 2000, 7).items():
        held[f"one_{name}"] = values
    print("goals met by kind", np.bincount(held["one_goals"][held["one_rewards"] > 0, 0]), flush=True)
    changed = (held["one_grid"][:, 0] != held["one_grid"][:, 1]).sum(axis=(1, 2)) > 1
    print("rules applied by kind", np.bincount(held["one_rules"][changed, 0, 0]), flush=True)
    np.savez_compressed(file, **held)


if __name__ == "__main__":
    main(*sys.argv[1:])
