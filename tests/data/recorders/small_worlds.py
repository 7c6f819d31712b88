"""Record bsuite's small worlds: python tests/data/recorders/small_worlds.py FOLDER tests/data/bsuite.json

FOLDER is that of bsuite 0.3.6's source; dm_env must be installed. Its environments run unchanged, but for their random
numbers, which come from the stream of the same episode here, and the secret bits of DeepSea, which are those here.
Actions are random. Of each step the file holds the action, the reward, and a checksum of the observation after it.
"""

import importlib
import json
import sys
import types

import numpy as np
from streams import Stream, checksum

from envsuite.core.batch import stream_starts
from envsuite.games.deep_sea import goes_right

EPISODES = 8

#: Our world, its parameters, the environment's module and class there, its parameters, and the bytes of observations.
WORLDS = [
    ("DeepSea", {}, "deep_sea.DeepSea", {"size": 10}, np.uint8),
    ("DeepSea", {"size": 4, "stochastic": True, "mapping": 7, "move_cost": 0.5}, "deep_sea.DeepSea",
     {"size": 4, "deterministic": False, "unscaled_move_cost": 0.5}, np.uint8),
    ("Catch", {}, "catch.Catch", {}, np.uint8),
    ("Catch", {"rows": 4, "columns": 7}, "catch.Catch", {"rows": 4, "columns": 7}, np.uint8),
    ("MemoryChain", {}, "memory_chain.MemoryChain", {"memory_length": 10}, np.float32),
    ("MemoryChain", {"length": 3, "bits": 4}, "memory_chain.MemoryChain", {"memory_length": 3, "num_bits": 4},
     np.float32),
    ("UmbrellaChain", {}, "umbrella_chain.UmbrellaChain", {"chain_length": 10}, np.float32),
    ("UmbrellaChain", {"horizon": 4, "distractors": 3}, "umbrella_chain.UmbrellaChain",
     {"chain_length": 4, "n_distractor": 3}, np.float32),
    ("DiscountingChain", {}, "discounting_chain.DiscountingChain", {"mapping_seed": 0}, np.float32),
    ("DiscountingChain", {"bonus": 3}, "discounting_chain.DiscountingChain", {"mapping_seed": 3}, np.float32),
]  # fmt: skip


def record(place, theirs, params, dtype, seed):
    module, name = place.split(".")
    env = getattr(importlib.import_module(f"bsuite.environments.{module}"), name)(**theirs)
    env._rng = Stream(stream_starts([seed])[0])
    if name == "DeepSea":
        size, mapping = theirs["size"], params.get("mapping", 0)
        env._action_mapping = np.array([[goes_right(mapping, y, x) for x in range(size)] for y in range(size)])
        if env._deterministic:
            env._rng = np.random.RandomState(0)  # it draws what it does not use
    rng, now = np.random.default_rng(seed), env.reset()
    episode = {"actions": [], "rewards": [], "seen": checksum(now.observation.astype(dtype))}
    while not now.last():
        action = int(rng.integers(env.action_spec().num_values))
        if name == "DeepSea" and seed % 2:
            action = int(env._action_mapping[env._row, env._column])
        now = env.step(action)
        episode["actions"].append(action)
        episode["rewards"].append(float(now.reward))
        episode["seen"] += checksum(now.observation.astype(dtype))
    return episode


if __name__ == "__main__":
    for name in ("bsuite", "bsuite.environments", "bsuite.experiments"):  # the package itself imports much more
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = [f"{sys.argv[1]}/{name.replace('.', '/')}"]
    with np.errstate(all="ignore"):  # words wrap around, as in machine code
        found = [
            {"world": world, "params": params,
             "episodes": [record(place, theirs, params, dtype, k) for k in range(EPISODES)]}
            for world, params, place, theirs, dtype in WORLDS
        ]  # fmt: skip
    with open(sys.argv[2], "w") as file:
        json.dump({"source": "bsuite 0.3.6", "worlds": found}, file, separators=(",", ":"))
