"""Makes tests/data/Skirmish/skirmish_reference.npz: fights of SMAX in `jaxmarl` 0.2.0, for test_skirmish.py.

    python tests/reference_environment.py jax
    .venv/jax/bin/python tests/skirmish_reference.py episodes
    .venv/jax/bin/python tests/skirmish_reference.py conic
    .venv/jax/bin/python tests/skirmish_reference.py rates

Episodes: both sides play SMAX's own heuristic, and random legal actions now and then; one unit walks into a wall. The
random part of cooldowns is patched to 0 in every step. Stored are states, actions, the heuristic's memories and its
choices in each state, rewards, legal actions and some observations. SMAX computes them in 64 bits here, because pushes
in a crowd amplify its usual rounding to 32 bits.

Conic, in tests/data/Skirmish/skirmish_conic.npz: SMAX's conic observations in every `SPARSE`-th state of these, all in
32 bits.

Rates, which are printed: mean, standard error, share of wins and length of episodes of unpatched SMAX in 32 bits, for
random legal and heuristic allies against the heuristic. Each map takes a minute or two to compile.
"""

import os
import sys
from pathlib import Path

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ["JAX_ENABLE_X64"] = str(int(sys.argv[1:] == ["episodes"]))  # SMAX makes its tables when it is imported

import jax
import jax.numpy as jnp
import numpy as np

if jax.config.jax_enable_x64:
    jnp.float32 = jnp.float64  # SMAX converts an action to it, and needs one type

from jaxmarl.environments.smax import SMAX, map_name_to_scenario
from jaxmarl.environments.smax.heuristic_enemy import create_heuristic_policy, get_heuristic_policy_initial_state

FILE = Path(__file__).parent / "data" / "Skirmish" / "skirmish_reference.npz"
#: Maps of the episodes with the share of random actions in each episode, and maps of the rates.
EPISODES = {"3m": (0.0, 0.3), "2s3z": (0.0, 0.3), "3s_vs_5z": (0.3,), "6h_vs_8z": (0.3,), "smacv2_5_units": (0.1,) * 4}
RATES, WORLDS = ("3m", "5m_vs_6m", "2s3z", "smacv2_5_units"), 1000
#: Steps between stored observations, and between conic ones.
EVERY, SPARSE = 4, 6


class Fight:
    """A map of SMAX with compiled functions."""

    def __init__(self, name):
        self.env = SMAX(scenario=map_name_to_scenario(name))
        self.sides = [self.env.num_allies, self.env.num_enemies]
        policies = [jax.vmap(create_heuristic_policy(self.env, team)) for team in range(2)]

        def choose(key, memories, seen):
            """Both sides' choices, and their memories after."""
            seen = jnp.stack([seen[agent] for agent in self.env.agents])
            found = [
                policy(jax.random.split(jax.random.fold_in(key, team), count), memory, part)
                for team, (policy, count, memory, part) in enumerate(
                    zip(policies, self.sides, memories, jnp.split(seen, [self.env.num_allies]))
                )
            ]
            return jnp.concatenate([actions for actions, _ in found]), tuple(memory for _, memory in found)

        self.choose = jax.jit(choose)
        self.step = lambda key, state, actions: self.env.step_env(key, state, dict(zip(self.env.agents, actions)))

    def reset(self, key):
        """Observations and state at the start; actions of a state have the type of actions that are given."""
        seen, state = self.env.reset(key)
        return seen, state.replace(prev_attack_actions=state.prev_attack_actions.astype(int))

    def memories(self):
        first = get_heuristic_policy_initial_state()
        return tuple(jax.tree.map(lambda x, n=n: jnp.stack([jnp.asarray(x)] * n), first) for n in self.sides)

    def masks(self, state):
        """The legal actions of all units (n, K), zeros where a side has fewer."""
        found = self.env.get_avail_actions(state)
        most = 5 + max(self.sides)
        return jnp.stack([jnp.pad(found[agent], (0, most - len(found[agent]))) for agent in self.env.agents])


def noted(fight, state, memories):
    """A state and the memories as arrays."""
    return {
        "position": state.unit_positions,
        "health": state.unit_health,
        "cooldown": state.unit_weapon_cooldowns,
        "types": state.unit_types.astype(jnp.uint8),
        "goal": jnp.concatenate([memory.default_target for memory in memories]),
        "target": jnp.concatenate([memory.last_attacked_enemy for memory in memories]).astype(jnp.int8),
        "mask": fight.masks(state).astype(jnp.uint8),
    }


def play(fight, seed, wild):
    """One episode: arrays by name; those of states have a row more than those of steps."""
    rng, key = np.random.default_rng(seed), jax.random.PRNGKey(seed)
    seen, state = fight.reset(key)
    memories, rows, steps, done = fight.memories(), [noted(fight, state, fight.memories())], [], False
    views = []
    while not done:
        key, *keys = jax.random.split(key, 3)
        chosen, memories = fight.choose(keys[0], memories, seen)
        mask, actions = np.asarray(rows[-1]["mask"]), np.array(chosen)
        for a in range(len(actions)):
            if not mask[a, 0]:
                actions[a] = 4
            elif rng.random() < wild:
                actions[a] = rng.choice(np.flatnonzero(mask[a]))
        if wild == 0.3 and mask[0, 0]:
            actions[0] = 3
        if len(steps) % EVERY == 0:
            views.append(np.stack([seen[agent] for agent in fight.env.agents]))
        seen, state, rewards, dones, _ = fight.zeroed(keys[1], state, jnp.array(actions))
        done = bool(dones["__all__"])
        rows.append(noted(fight, state, memories))
        steps.append(
            {
                "actions": actions.astype(np.uint8),
                "chosen": np.asarray(chosen).astype(np.uint8),
                "rewards": np.array([rewards["ally_0"], rewards["enemy_0"]]),
            }
        )
    found = {name: np.stack([np.asarray(row[name]) for row in rows]) for name in rows[0]}
    found |= {name: np.stack([step[name] for step in steps]) for name in steps[0]}
    return found | {"seen": np.stack(views).astype(np.float32)}


def episodes(name, wilds):
    fight, found = Fight(name), {}
    fight.step = jax.jit(fight.step)
    _, state = fight.reset(jax.random.PRNGKey(0))
    true = jax.random.uniform
    jax.random.uniform = lambda key, shape=(), minval=0.0, maxval=1.0: jnp.zeros(shape)
    fight.zeroed = fight.step.lower(jax.random.PRNGKey(0), state, jnp.zeros(sum(fight.sides), int)).compile()
    jax.random.uniform = true
    for k, wild in enumerate(wilds):
        episode = play(fight, k, wild)
        found |= {f"{name}/{k}/{part}": value for part, value in episode.items()}
        print(name, k, len(episode["actions"]), "steps", flush=True)
    return found


def conic(name):
    """Conic observations of all units in some states of each stored episode of a map, as float32."""
    env, stored, found = SMAX(scenario=map_name_to_scenario(name), observation_type="conic"), np.load(FILE), {}
    _, state = env.reset(jax.random.PRNGKey(0))
    see = jax.jit(jax.vmap(lambda state: jnp.stack([env.get_obs_conic(state)[agent] for agent in env.agents])))
    for k in range(len(EPISODES[name])):
        part = {key: stored[f"{name}/{k}/{key}"] for key in ("position", "health", "cooldown", "types", "actions")}
        first = np.full((1, env.num_agents), 4, np.uint8)
        actions = np.concatenate([first, part["actions"]])[::SPARSE].astype(np.int32)
        moves, attacks = jax.vmap(env._decode_discrete_actions)(jnp.array(actions))
        states = jax.vmap(lambda _: state)(jnp.arange(len(actions))).replace(
            unit_positions=jnp.array(part["position"][::SPARSE]),
            unit_health=jnp.array(part["health"][::SPARSE]),
            unit_alive=jnp.array(part["health"][::SPARSE] > 0),
            unit_types=jnp.array(part["types"][::SPARSE]),
            unit_weapon_cooldowns=jnp.array(part["cooldown"][::SPARSE]),
            prev_movement_actions=moves,
            prev_attack_actions=attacks,
        )
        found[f"{name}/{k}"] = np.asarray(see(states), np.float32)
        print(name, k, found[f"{name}/{k}"].shape, flush=True)
    return found


def rates(name, heuristic):
    """Mean, standard error, wins and length of WORLDS episodes."""
    fight = Fight(name)
    allies = fight.env.num_allies

    def episode(key):
        key, start = jax.random.split(key)
        seen, state = fight.env.reset(start)

        def step(carry, key):
            seen, state, memories, total, length, over, won = carry
            keys = jax.random.split(key, 3)
            chosen, memories = fight.choose(keys[0], memories, seen)
            if not heuristic:
                wild = jax.random.categorical(keys[1], jnp.log(fight.masks(state).astype(float)))
                chosen = jnp.where(jnp.arange(len(chosen)) < allies, wild, chosen)
            chosen = jnp.where(state.unit_alive, chosen, 4)
            seen, state, rewards, dones, _ = fight.step(keys[2], state, chosen)
            total += jnp.where(over, 0.0, rewards["ally_0"])
            won |= ~over & ~state.unit_alive[allies:].any() & state.unit_alive[:allies].any()
            return (seen, state, memories, total, length + ~over, over | dones["__all__"], won), None

        start = (seen, state, fight.memories(), 0.0, 0, jnp.array(False), jnp.array(False))
        return jax.lax.scan(step, start, jax.random.split(key, 100))[0][3:7]

    total, length, _, won = jax.jit(jax.vmap(episode))(jax.random.split(jax.random.PRNGKey(1), WORLDS))
    total = np.asarray(total)
    return [total.mean(), total.std() / WORLDS**0.5, float(won.mean()), float(length.mean())]


if __name__ == "__main__":
    if sys.argv[1] == "episodes":
        stored = {}
        for name, wilds in EPISODES.items():
            stored |= episodes(name, wilds)
        np.savez_compressed(FILE, **stored)
    elif sys.argv[1] == "conic":
        np.savez_compressed(
            FILE.with_name("skirmish_conic.npz"),
            **{key: seen for name in EPISODES for key, seen in conic(name).items()},
        )
    else:
        for name in RATES:
            for kind in ("random", "heuristic"):
                print(name, kind, *np.round(rates(name, kind == "heuristic"), 4), flush=True)
