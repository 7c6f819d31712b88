"""Record or-gym's supply chain.

    python tests/data/recorders/or_gym.py FILE > tests/data/SupplyChain/or_gym_supply_chain.json

FILE is or_gym/envs/supply_chain/inventory_management.py of the wheel or-gym 0.5.0 (PyPI). Its imports of gym and or_gym
are replaced, because they need an old gym.
"""

import json
import sys
import types
from pathlib import Path

import numpy as np

SOURCE = (
    "or-gym 0.5.0 (PyPI wheel), InvManagementBacklogEnv with user_D: random orders, in the last game a base-stock "
    "rule. stock is I (the start of each period and the end), owed B, shipped R, rewards the returned ones."
)
MEANS, PERIODS = (20, 20, 60, 20, 35, 20), (30, 30, 30, 12, 45, 30)


def environment(path):
    """The class of or-gym."""
    np.Inf = np.inf
    gym, utils = types.ModuleType("gym"), types.ModuleType("or_gym.utils")
    gym.Env, gym.spaces = object, types.SimpleNamespace(Box=lambda **_: None)
    utils.assign_env_config = lambda env, given: vars(env).update(given)
    sys.modules |= {"gym": gym, "or_gym": types.ModuleType("or_gym"), "or_gym.utils": utils}
    module = types.ModuleType("inventory_management")
    exec(Path(path).read_text(), vars(module))
    return module.InvManagementBacklogEnv


def game(cls, seed):
    rng = np.random.default_rng(seed)
    periods = PERIODS[seed]
    demand = rng.poisson(MEANS[seed], periods)
    env = cls(dist=5, user_D=demand, periods=periods)
    most = np.array([100, 90, 80] if seed % 2 else [30, 30, 30])
    orders, rewards = [], []
    for n in range(periods):
        order = rng.integers(0, most + 1)
        if seed == 5:
            owed = env.B[n - 1] if n else np.zeros(4)
            order = np.clip(20 * np.array([4, 6, 11]) - env.I[n] - env.T[n] + owed[:-1] - owed[1:], 0, (100, 90, 80))
        orders.append(order.astype(int).tolist())
        rewards.append(float(env.step(np.array(order))[1]))
    stock, owed, shipped = (part.astype(int).tolist() for part in (env.I, env.B, env.R))
    return {
        "demand": demand.tolist(), "orders": orders, "stock": stock, "owed": owed, "shipped": shipped,
        "rewards": rewards,
    }  # fmt: skip


if __name__ == "__main__":
    cls = environment(sys.argv[1])
    games = [game(cls, seed) for seed in range(len(MEANS))]
    print(json.dumps({"source": SOURCE, "games": games}, separators=(",", ":")))
