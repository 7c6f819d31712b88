"""Record MinAtar's five games: python tests/data/recorders/arcade.py tests/data/minatar.json

MinAtar 1.0.15 must be installed; it needs NumPy only (pip install --no-deps minatar). Its games run unchanged, but for
their random numbers, which come from the stream of the same episode here. A baseline plays every second episode, with
one random action in fifty, or in every fourth episode with none and without actions that stick. The others are random
play. Of each step the file holds the action, the reward, and a checksum of the planes after it.
"""

import json
import logging
import sys

import numpy as np
from streams import Stream, checksum

from envsuite.agents import make_policy
from envsuite.core.batch import stream_starts
from envsuite.registry import build

logging.disable(logging.WARNING)  # nothing is drawn
from minatar.environment import Environment  # noqa: E402

GAMES = {
    "Asterix": ("asterix", "gatherer"),
    "Breakout": ("breakout", "catcher"),
    "Freeway": ("freeway", "careful"),
    "Seaquest": ("seaquest", "hunter"),
    "SpaceInvaders": ("space_invaders", "gunner"),
}
EPISODES = 12
#: Steps of an episode at most, and of the first one.
STEPS, FIRST = 900, 2501


def record(name, seed):
    game, policy = GAMES[name]
    rng, player = np.random.default_rng(seed), make_policy(policy, build(f"envsuite/{name}-v0"))
    player.reset(seed, 1)
    sticky = 0.1 if seed % 4 else 0.0
    theirs = Environment(game, sticky)
    theirs.random = theirs.env.random = Stream(stream_starts([seed])[0])
    theirs.reset()
    episode = {
        "sticky": sticky,
        "actions": "",
        "rewards": [],
        "boards": checksum(theirs.state().astype(np.uint8)),
        "terminal": False,
    }
    while not episode["terminal"] and len(episode["actions"]) < (STEPS if seed else FIRST):
        action = int(rng.integers(6))
        if seed % 4 == 0 or (seed % 2 == 0 and rng.random() > 1 / 50):
            planes = theirs.state().astype(np.uint8)[None, None]
            action = int(player.act_batch(planes, np.ones((1, 1, 6), np.uint8), [0])[0, 0])
        reward, terminal = theirs.act(action)
        episode["actions"] += str(action)
        episode["rewards"].append(int(reward))
        episode["boards"] += checksum(theirs.state().astype(np.uint8))
        episode["terminal"] = bool(terminal)
    return episode


if __name__ == "__main__":
    with np.errstate(all="ignore"):  # words wrap around, as in machine code
        games = {name: [record(name, seed) for seed in range(EPISODES)] for name in GAMES}
    with open(sys.argv[1], "w") as file:
        json.dump({"source": "MinAtar 1.0.15", "games": games}, file, separators=(",", ":"))
