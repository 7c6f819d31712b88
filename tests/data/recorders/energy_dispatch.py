"""Record OdysseyArena's grid.

    python tests/data/recorders/energy_dispatch.py FOLDER tests/data/EnergyDispatch/energy_dispatch.json.gz

FOLDER is EnergyEnv of xufangzhi/Odyssey-Arena, commit b9eb63d; its EnergyEnv_v5.py runs unchanged. Levels are our own,
drawn by the generator `power` and rounded. Of each episode the file holds

- level, budget: the level, and the budget for a unit of demand,
- commands: of each day, multiples of 0.25; or choices: of each day the three percentages and the battery's word,
- days: of each day the four outputs, the charge, 1 for a violated demand and for a violated budget, the days in a row
  with violations, the mean stability, the thermal share and the cost,
- reward: the last one; the others are 0.
"""

import gzip
import json
import pathlib
import sys
import types

import numpy as np

from envsuite.generators import generate

CAPACITY = {"thermal": 600.0, "wind": 350.0, "solar": 250.0, "battery": 80.0}
PRICES = {"thermal": 3.0, "wind": 5.0, "solar": 6.0, "battery": 0.1}
PERCENTS = ((0, 40, 50, 55, 60, 65, 70, 75, 80, 90, 100), (0, 10, 15, 20, 25, 30, 40, 50), (0, 5, 10, 20, 30))
FLOWS = {"hold": 0.0, "charge": -20.0, "discharge": 20.0}

#: Of each episode: seed, days, budget, targets, and how commands are chosen.
EPISODES = (
    [(seed, 30, 4.2, None, "random") for seed in range(4)]
    + [(seed, 30, 20.0, (0.1, 0.9), "random") for seed in range(4, 8)]
    + [(8, 120, 4.2, (0.9, 0.9), "follow"), (9, 60, 4.2, None, "follow"), (10, 30, 4.2, (0.3, 0.95), "rough")]
    + [(seed, 25, 6.0, (0.5, 0.8), "store") for seed in range(11, 15)]
    + [(15, 10, 4.2, (0.0, 1.0), "zero"), (16, 12, 4.2, (0.9, 0.95), "thermal"), (17, 2, 4.2, (0.2, 0.9), "follow")]
    + [(seed, 30, 6.0, (0.3, 0.9), "choices") for seed in range(18, 24)]
    + [(24, 60, 4.4, (0.5, 0.8), "near"), (25, 40, 4.2, (0.4, 0.72), "near"), (26, 15, 5.0, (0.8, 0.99), "near")]
)


def config(level, budget):
    """The level as the environment takes it."""
    days, rated = len(level["demand"]), dict(zip(CAPACITY, [*level["first"], 0.0]))
    return {
        "horizon": days, "target_stability": level["targets"][0], "target_carbon": level["targets"][1],
        "world": {f"eff_{name}": level[name] for name in ("thermal", "wind", "solar")}, "demand": level["demand"],
        "budget": [budget * demand for demand in level["demand"]], "capacity": CAPACITY, "initial_rated": rated,
        "initial_stability": 1.0, "prices": PRICES, "penalty": {},
    }  # fmt: skip


def chosen(how, rng, demand, d):
    """The commands of a day."""
    if how == "random":
        return rng.uniform([0, 0, 0, -80], [600, 350, 250, 80])
    if how == "rough":
        return np.array([0.75, 0.2, 0.1, 0.0]) * demand * rng.uniform(0.9, 1.15)
    if how == "store":
        battery = rng.uniform(-80, 80) if d % 2 else rng.choice([-80, -30, 30, 80])
        return np.array([0.8 * demand, 0.25 * demand, 0.2 * demand, battery])
    parts = {"follow": [0.86, 0.15, 0.08], "zero": [0, 0, 0], "thermal": [1.04, 0, 0]}[how]
    return np.array([*(np.array(parts) * demand), 0.0 if how != "follow" else rng.uniform(-5, 5)])


def episode(cls, seed, days, budget, targets, how):
    rng, drawn = np.random.default_rng(seed), generate("power", seed, days=days)
    digits = {"demand": 2, "thermal": 4, "wind": 4, "solar": 4, "first": 2, "targets": 4}
    level = {name: np.round(drawn[name], digits[name]).tolist() for name in digits}
    level["targets"] = list(targets or level["targets"])
    env, given, found, reward, done = cls(config(level, budget)), [], [], 0.0, False
    while not done:
        d, demand = len(found), level["demand"][len(found)]
        if how in ("choices", "near"):
            usual = ([75, 80], [20, 25], [10, 20]) if how == "near" else PERCENTS
            choice = [int(rng.choice(values)) for values in usual] + [str(rng.choice(list(FLOWS)))]
            commands = [percent / 100 * demand for percent in choice[:3]] + [FLOWS[choice[3]]]
            given.append(choice)
        else:
            commands = np.round(chosen(how, rng, demand, d) * 4) / 4
            commands = commands.clip([0, 0, 0, -80], [600, 350, 250, 80]).tolist()
            given.append(commands)
        seen, reward, done, info = env.step(dict(zip(CAPACITY, commands)))
        found.append(
            [*(float(seen["actual_prev"][name]) for name in CAPACITY), float(env.battery_cur),
             int(env.demand_violation), int(env.budget_violation), env.violation_days_cont, float(env.stability_avg),
             float(env.share_thermal), float(info["cost_today"])]
        )  # fmt: skip
    name = "choices" if how in ("choices", "near") else "commands"
    rows = [[float(f"{value:.13g}") for value in row] for row in found]
    print(how, days, len(found), "reward", reward, "stability", round(found[-1][8], 3), "share", round(found[-1][9], 3))
    return {"level": level, "budget": budget, name: given, "days": rows, "reward": reward}


if __name__ == "__main__":
    folder, target = sys.argv[1:]
    sys.modules["EnergyGenerator"] = types.ModuleType("EnergyGenerator")  # that only its demonstration uses
    sys.path.insert(0, folder)
    from EnergyEnv_v5 import DynamicEnergyGrid

    data = json.dumps([episode(DynamicEnergyGrid, *one) for one in EPISODES], separators=(",", ":"))
    pathlib.Path(target).write_bytes(gzip.compress(data.encode(), 9, mtime=0))
