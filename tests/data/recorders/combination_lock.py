"""Record Intrepid's lock.

    python tests/data/recorders/combination_lock.py FOLDER tests/data/CombinationLock/combination_lock.json

FOLDER is `src` of github.com/microsoft/Intrepid at 7b43fb6. Its environment runs unchanged, but for its random numbers,
which come from the stream of the same episode here, and its right buttons, which are those here. Actions are right with
probability 0.8. Of each step the file holds the action, the reward, the chain, and the observation with four decimals.
"""

import json
import sys
import tempfile

import numpy as np
from streams import Stream

from envsuite.core.batch import stream_starts
from envsuite.games.combination_lock import right_button
from envsuite.registry import build

EPISODES = 8

#: Parameters here, and the kind of noise there.
CASES = [
    ({"length": 2, "actions": 2}, "hadamhardg"),
    ({"length": 5, "actions": 3, "swap": 0.3, "decoy": 0.4, "cost": 0.6, "lock": 7}, "hadamhardg"),
    ({"length": 12, "actions": 10, "lock": 3}, "hadamhardg"),
    ({"length": 4, "actions": 4, "noise": 0.0, "swap": 0.0, "lock": 2}, "hadamhard"),
]


class Chance(Stream):
    """As NumPy's, but what is certain draws nothing."""

    def binomial(self, n, p, size=None):
        return 1 if p == 1.0 else super().binomial(n, p, size)

    def normal(self, loc, scale, size):
        return loc + scale * np.array([self.randn() for _ in range(size[0])])


def record(lock_class, params, noise, seed, folder):
    full = build("envsuite/CombinationLock-v0", params).parameters
    env = lock_class({
        "noise_type": noise, "horizon": full["length"], "swap_prob": full["swap"], "num_actions": full["actions"],
        "optimal_reward": 1.0, "env_seed": 0, "anti_shaping_reward": full["decoy"],
        "anti_shaping_reward2": full["cost"], "spawn_prob": 0.5, "obs_dim": -1, "save_path": folder,
    })  # fmt: skip
    right = [[right_button(full["lock"], k, c, full["actions"]) for c in range(2)] for k in range(full["length"])]
    env.opt_a, env.opt_b = np.array(right).T
    env.rng = Chance(stream_starts([seed])[0])
    rng, (seen, info), done = np.random.default_rng(seed), env.reset(), False
    episode = {"actions": [], "rewards": [], "chains": [info["state"][0]], "seen": [np.round(seen, 4).tolist()]}
    while not done:
        chain, place = env.curr_state
        action = int(rng.integers(full["actions"]))
        if rng.random() < 0.8 and chain < 2:
            action = int(right[place][chain])
        seen, reward, done, info = env.step(action)
        for name, value in (("actions", action), ("rewards", float(reward)), ("chains", info["state"][0])):
            episode[name].append(value)
        episode["seen"].append(np.round(seen, 4).tolist())
    return episode


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    from environments.rl_acid_env.diabolical_combolock import DiabolicalCombinationLock

    with tempfile.TemporaryDirectory() as folder:
        cases = [
            {
                "params": params,
                "episodes": [
                    record(DiabolicalCombinationLock, params, noise, seed, folder) for seed in range(EPISODES)
                ],
            }
            for params, noise in CASES
        ]
    with open(sys.argv[2], "w") as file:
        json.dump({"source": "github.com/microsoft/Intrepid at 7b43fb6", "cases": cases}, file, separators=(",", ":"))
        file.write("\n")
