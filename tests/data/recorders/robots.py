"""Record four scenarios of JaxRobotarium.

    python tests/data/recorders/robots.py FOLDER tests/data/Robots/robots_tasks.json.gz

FOLDER holds the package jaxrobotarium of GT-STAR-Lab/JaxRobotarium, commit 2c162be, and the package rps_jax of
shalin-jain/robotarium_python_simulator, commit 693aa93. jax, flax, chex and matplotlib must be installed. The rules run
unchanged, with 64 bits, but for the motion: each step puts the robots on places that are drawn here.

Robots of rware with a shelf stand near no cell but the shelf's own, and others near no empty cell: there the source
takes the number of a cell for that of a shelf.

An episode has the scenario, `at`, its poses at the start, and its level. Of each step it has

- a: the actions,
- at: the poses after it,
- way: the waypoints that the actions mean,
- pay: the reward,
- left: the levels of resources, -1 for one that is foraged,
- around, own: the tiles around each drone, and the tile below each robot,
- prey: its place,
- held, cells: the shelf of each robot and in each cell, from 0, or -1; asked: the requests.
"""

import gzip
import json
import sys
import types

import numpy as np

sys.path.insert(0, sys.argv[1])

import jax

jax.config.update("jax_enable_x64", True)

sys.modules["jaxopt"] = types.SimpleNamespace(BoxCDQP=None)  # of the barrier, which is not used here

import jaxrobotarium as source  # noqa: E402

CELLS = [(x, y) for y in (0.25, -0.25) for x in (-1.1, -0.25, 0.6)]


def made(scenario, robots):
    kind = {"num_agents": robots, "max_steps": 100, "robotarium": {"number_of_robots": robots}}
    if scenario == "foraging":
        levels = [[k + 1] for k in range(robots)]
        kind["heterogeneity"] = {"type": "capability_set", "values": levels, "obs_type": None}
    if scenario == "rware":
        kind["num_cells"] = 6
    names = {"arctic": "ArcticTransport", "foraging": "Foraging", "rware": "RWARE", "predator": "PredatorPrey"}
    return getattr(source, names[scenario])(**kind)


def drawn(rng, robots, spots, near):
    """Poses: some near spots, the others anywhere in the arena or just outside."""
    poses = np.stack(
        [rng.uniform(-1.7, 1.7, robots), rng.uniform(-1.1, 1.1, robots), rng.uniform(-np.pi, np.pi, robots)], 1
    )
    for a in range(robots):
        if len(spots) and rng.random() < near:
            poses[a, :2] = np.array(spots[rng.integers(len(spots))]) + rng.normal(0, 0.1, 2)
    return poses.round(4)


def episode(scenario, robots, seed, steps):
    env, rng = made(scenario, robots), np.random.default_rng(seed)
    _, state = env.reset(jax.random.key(seed))
    place = np.asarray(state.p_pos)[robots:, :2]
    spots = {"rware": CELLS + [(1.3, 0.0)], "arctic": []}.get(scenario, place)
    told = {"scenario": scenario, "at": np.asarray(state.p_pos)[:robots].tolist(), "places": place.tolist()}
    if scenario == "arctic":
        told["tiles"] = np.asarray(state.grid).astype(int).tolist()
    if scenario == "foraging":
        told["levels"] = np.asarray(state.payload).astype(int).tolist()
    if scenario == "rware":
        told["asked"] = np.asarray(state.request).tolist()
    told["steps"] = []
    for _ in range(steps):
        if scenario == "foraging":
            spots = [place[rng.integers(len(place))]]
        if scenario == "predator":
            spots = [np.asarray(state.p_pos)[-1, :2] + rng.normal(0, 0.15, 2)]
        after, ways = drawn(rng, robots, spots, 0.9 if scenario == "foraging" else 0.75), []
        env._robotarium_step = lambda poses, goals, after=after, ways=ways: (
            ways.append(goals),
            jax.numpy.array(after),
        )[1]
        actions = rng.integers(5, size=robots) * (rng.random(robots) < (0.5 if scenario == "rware" else 1.0))
        if scenario == "rware":
            for a in range(robots):
                near = [k for k in range(6) if np.hypot(*(after[a, :2] - CELLS[k])) < 0.25]
                held = int(state.payload[a])
                bad = any((held >= 0 and k != held) or (held < 0 and state.grid[k, 2] < 0) for k in near)
                actions[a] = actions[a] or int(bad)
        acted = {f"agent_{a}": int(action) for a, action in enumerate(actions)}
        _, state, reward, _, _ = env.step_env(jax.random.key(int(rng.integers(2**31))), state, acted)
        row = {"a": actions.tolist(), "at": after.tolist(), "pay": float(reward["agent_0"])}
        row["way"] = np.asarray(ways[0]).reshape(robots, -1)[:, :2].tolist()
        if scenario == "arctic":
            seen = np.asarray(env.get_obs(state)["agent_0"])[3 * robots :]
            row["around"] = seen[1:19].astype(int).tolist()
            row["own"] = [int(env.get_obs(state)[f"agent_{a}"][3 * robots]) for a in range(robots)]
        if scenario == "foraging":
            row["left"] = np.asarray(state.payload).astype(int).tolist()
        if scenario == "rware":
            row["held"], row["asked"] = (
                np.asarray(state.payload).astype(int).tolist(),
                np.asarray(state.request).tolist(),
            )
            row["cells"] = np.asarray(state.grid)[:, 2].astype(int).tolist()
        if scenario == "predator":
            row["prey"] = np.asarray(state.p_pos)[-1, :2].tolist()
        told["steps"].append(row)
    return told


def main():
    episodes = []
    for scenario, sizes in {
        "arctic": (4, 4, 4),
        "foraging": (2, 3, 5),
        "rware": (2, 3, 5),
        "predator": (2, 3, 5),
    }.items():
        for k, robots in enumerate(sizes):
            episodes.append(episode(scenario, robots, k, 60))
            pay = [round(step["pay"], 2) for step in episodes[-1]["steps"]]
            print(scenario, robots, sorted(set(pay))[-5:], flush=True)
    with open(sys.argv[2], "wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packed:
        packed.write(json.dumps(episodes).encode())


if __name__ == "__main__":
    main()
