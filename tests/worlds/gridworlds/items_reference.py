"""Runs in a separate environment with `momaland`; test_items.py starts it.

``items_reference.py IN.npz OUT.npz`` plays recorded actions with the outcomes of recorded chance, single steps with
chance of its own, all plans of three steps, and random episodes on the package's own map.
"""

import random
import sys

import numpy as np


class Chance:
    """Stands for the module `random`: sends home agents that shall return, gathers items that shall be gathered."""

    def __init__(self):
        self.rng, self.returns, self.gathers = np.random.default_rng(0), [], iter(())

    def choice(self, pair):
        return (
            pair[self.rng.integers(2)]
            if self.returns[pair[0]] == self.returns[pair[1]]
            else max(pair, key=lambda k: self.returns[k])
        )

    def random(self):
        return 0.0 if next(self.gathers, False) else 1.0


def made(cells, **options):
    from momaland.envs.item_gathering.item_gathering import raw_env

    env = raw_env(initial_map=cells, **options)
    env.reset()
    return env


def play(maps, actions, returns, landed, taken, mode):
    """Maps (N, H, W); the other arrays are (N, T, A)."""
    num, steps, agents = actions.shape
    out = {
        "maps": np.zeros((num, steps, *maps.shape[1:]), int),
        "rewards": np.zeros((num, steps, agents, 3)),
        "over": np.zeros((num, steps, 2), bool),
        "played": np.zeros((num, steps), bool),
    }
    for i in range(num):
        env = made(maps[i], num_timesteps=steps, reward_mode=mode, pickup_probabilities=np.full(3, 0.5))
        for t in range(steps):
            names, before = list(env.agents), (env.env_map, env.agent_positions)
            chance.returns = returns[i, t]
            for _ in range(100):  # agents may have returned in another order
                env.env_map, env.agent_positions, env.time_num, env.agents = before[0].copy(), before[1], t, names[:]
                chance.gathers = iter(taken[i, t][landed[i, t]])
                rewards = env.step(dict(zip(names, actions[i, t].tolist())))[1]
                if ((env.agent_positions == before[1]).all(axis=1) == returns[i, t]).all():
                    break
            out["maps"][i, t], out["played"][i, t] = env.state(), True
            out["rewards"][i, t] = [rewards[name] for name in names]
            cut, ended = env.truncations[names[0]], env.terminations[names[0]]
            out["over"][i, t] = ended, cut
            if ended or cut:
                break
    return out


def contest(cells, actions, num):
    """The maps after single steps from one position, and how often each occurred."""
    env, counts = made(cells, num_timesteps=10**6), {}
    for _ in range(num):
        env.reset()
        env.step(dict(zip(env.agents, actions.tolist())))
        key = env.state().tobytes()
        counts[key] = counts.get(key, 0) + 1
    found = np.array([np.frombuffer(key, int).reshape(cells.shape) for key in counts])
    return {"maps": found, "counts": np.array(list(counts.values()))}


def plans(cells):
    """The sums of items of each color (15,625, 3) by all plans of three steps of two agents."""
    env, totals = made(cells, num_timesteps=10, reward_mode="team"), []
    names = list(env.agents)

    def follow(total, depth):
        if depth == 3:
            totals.append(total)
            return
        before = env.env_map, env.agent_positions
        for joint in range(25):
            env.env_map, env.agent_positions, env.time_num = before[0].copy(), before[1], 0
            rewards = env.step({names[0]: joint // 5, names[1]: joint % 5})[1]
            follow(total + rewards[names[0]], depth + 1)

    follow(np.zeros(3), 0)
    return np.array(totals)


def episodes(num):
    """Items gathered (N, 3) by uniformly random play on the package's map."""
    from momaland.envs.item_gathering.map_utils import DEFAULT_MAP

    rng, env, totals = np.random.default_rng(0), made(DEFAULT_MAP), np.zeros((num, 3))
    for total in totals:
        env.reset()
        while env.agents:
            for reward in env.step({name: int(rng.integers(5)) for name in env.agents})[1].values():
                total += reward
    return totals


def main():
    from momaland.envs.item_gathering.map_utils import DEFAULT_MAP

    global chance
    given, results = np.load(sys.argv[1]), {"own": made(DEFAULT_MAP).state()}
    results["episodes"] = episodes(int(given["episodes"]))
    results |= {f"contest/{k}": v for k, v in contest(given["contest/map"], given["contest/actions"], 3000).items()}
    results["plans"] = plans(given["plans/map"])
    chance = Chance()
    random.choice, random.random = chance.choice, chance.random
    for mode in ("individual", "team"):
        parts = [given[f"{mode}/{part}"] for part in ("maps", "actions", "returns", "landed", "taken")]
        results |= {f"{mode}/{part}": array for part, array in play(*parts, mode).items()}
    np.savez(sys.argv[2], **results)


if __name__ == "__main__":
    main()
