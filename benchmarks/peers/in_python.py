"""Peers in plain Python: ``in_python.py PACKAGE NAME`` answers with the steps per second of one world of that name.

Actions are uniformly random, drawn before; observations and resets are included.
"""

import sys
import time
from itertools import cycle

from serving import serve  # isort: skip: before anything is printed

import numpy as np


def playing(reset, step, actions, window=0.3):
    """Serve steps: `step(action)` says whether the episode is over."""
    actions = cycle(actions.tolist())
    reset()

    def play(count):
        start = time.perf_counter()
        for _, action in zip(range(count), actions):
            if step(action):
                reset()
        return count, time.perf_counter() - start

    serve(play, window)


def uniform(choices, *shape):
    return np.random.default_rng(0).integers(0, choices, (10_000, *shape))


def minigrid(name):
    import gymnasium
    import minigrid  # noqa: F401

    env = gymnasium.make(name).unwrapped
    playing(env.reset, lambda action: any(env.step(action)[2:4]), uniform(env.action_space.n))


def minigrid_resets(name):
    """Its resets in the place of steps."""
    import gymnasium
    import minigrid  # noqa: F401

    env = gymnasium.make(name).unwrapped
    playing(env.reset, lambda action: True, uniform(1))


def crafter(name):
    import crafter

    env = crafter.Env()
    if name == "without pixels":
        env.render = lambda: None
    playing(env.reset, lambda action: env.step(action)[2], uniform(17), 1.0)


def lbforaging(name):
    import gymnasium
    import lbforaging  # noqa: F401

    env = gymnasium.make(name).unwrapped

    def step(actions):
        _, _, ended, cut, _ = env.step(actions)
        return np.all(ended) or cut

    playing(env.reset, step, uniform(6, env.n_agents))


def pogema(name):
    """`name` is the number of agents; the rest are PathFinding's own parameters."""
    from pogema import GridConfig, pogema_v0

    agents = int(name)
    config = GridConfig(
        num_agents=agents, size=15, density=0.2, obs_radius=5, on_target="restart", max_episode_steps=256
    )
    env = pogema_v0(config)
    playing(env.reset, lambda actions: all(env.step(actions)[3]), uniform(5, agents))


def overcooked(name):
    """Its rules and its 26 planes, for episodes of 400 steps."""
    from overcooked_ai_py.mdp.actions import Action
    from overcooked_ai_py.mdp.overcooked_mdp import OvercookedGridworld

    kitchen = OvercookedGridworld.from_layout_name(name)
    state = None

    def reset():
        nonlocal state
        state = kitchen.get_standard_start_state()
        kitchen.lossless_state_encoding(state, 400)

    def step(actions):
        nonlocal state
        state, _ = kitchen.get_state_transition(state, [Action.INDEX_TO_ACTION[action] for action in actions])
        kitchen.lossless_state_encoding(state, 400)
        return state.timestep >= 400

    playing(reset, step, uniform(6, 2))


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2])
