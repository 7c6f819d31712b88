"""Records tests/data/Intersection/intersection_reference.json with highway-env 1.12.1.

Usage: python tests/data/recorders/intersection.py 120, the number of episodes for statistics.

Scenes are played from states that are set by hand; in the straight ones no car turns, so all cars stay on the middle of
their lanes. A row of a state is x, y, speed, wanted speed, whether the car yields, whether it is a wreck.
"""

import json
import sys
from pathlib import Path

import gymnasium
import highway_env
import numpy as np
from highway_env import utils

ARMS = ("south", "west", "north", "east")
highway_env._register_highway_envs()


def made(version):
    return gymnasium.make(f"intersection-multi-agent-{version}").unwrapped


def placed(env, level):
    """Put the cars of a level on the roads, agents first."""
    env.reset(seed=0)
    env.config["spawn_probability"] = 0.0
    road = env.road
    road.vehicles, env.controlled_vehicles = [], []
    kind = utils.class_from_path(env.config["other_vehicles_type"])
    for k, car in enumerate([*level["agents"], *level["cars"]]):
        arm, out = ARMS.index(car["from"]), ARMS.index(car["to"])
        lane = road.network.get_lane((f"o{arm}", f"ir{arm}", 0))
        place = lane.position(car["way"], 0.0)
        made_by = env.action_type.vehicle_class if k < len(level["agents"]) else kind
        vehicle = made_by(road, place, speed=car["speed"], heading=lane.heading_at(car["way"]))
        vehicle.plan_route_to(f"o{out}")
        if k < len(level["agents"]):
            vehicle.speed_index = 2
            vehicle.target_speed = car["wanted"]
            env.controlled_vehicles.append(vehicle)
        else:
            vehicle.DELTA = car["exponent"]
        road.vehicles.append(vehicle)
    road.steps = 45
    env.define_spaces()


def state(vehicle):
    yields = int(getattr(vehicle, "is_yielding", False))
    wreck = int(vehicle.crashed or vehicle.impact is not None)
    place = [*vehicle.position.tolist(), vehicle.speed, min(float(vehicle.target_speed), 10.0)]
    return [round(float(number), 9) for number in place] + [yields, wreck]


def drawn(rng, straight, count):
    """A level: two agents and other cars, at least 12 m apart."""
    cars, taken = [], []
    for k in range(2 + count):
        for _ in range(100):
            arm = k if k < 2 else int(rng.integers(4))
            way = round(float(rng.uniform(55, 75) if k < 2 else rng.uniform(5, 98)), 3)
            if all(arm != other or abs(way - at) > 12 for other, at in taken):
                break
        else:
            continue
        taken.append((arm, way))
        turn = 2 if straight else int(rng.integers(1, 4))
        speed = round(float(rng.uniform(6, 10)), 3)
        car = {"from": ARMS[arm], "to": ARMS[(arm + turn) % 4], "way": way, "speed": speed}
        more = {"wanted": 9.0} if k < 2 else {"exponent": round(float(rng.uniform(3.5, 4.5)), 3)}
        cars.append({**car, **more})
    return {"agents": cars[:2], "cars": cars[2:]}


def scene(env, level, actions, connected):
    """Steps until an agent is a wreck or 10 are over, with the states of all cars."""
    placed(env, level)
    vehicles, states, rewards, seen = list(env.road.vehicles), [], [], []
    for action in actions:
        observation, _, terminated, truncated, info = env.step(tuple(action))
        states.append([state(vehicle) for vehicle in vehicles])
        rewards.append([float(part) for part in info["agents_rewards"]])
        seen.append([np.round(part, 6).tolist() for part in observation])
        if terminated or truncated:
            break
    return {
        "level": level, "connected": connected, "actions": actions[: len(states)], "states": states, "rewards": rewards,
        "seen": seen[:4],
    }  # fmt: skip


def episodes(env, policy, count):
    """Return of an agent, crash, arrival of all, steps, other cars in the mean, and at the start: means, errors."""
    rows, rng, clear, seen = [], np.random.default_rng(0), env._clear_vehicles, []
    env._clear_vehicles = lambda: (seen.append(len(env.road.vehicles) - 2), clear())
    for number in range(count):
        env.reset(seed=number)
        total, steps, start, over = 0.0, 0, len(env.road.vehicles) - 2, False
        seen.clear()
        while not over:
            action = tuple(int(rng.integers(3)) if policy == "random" else policy for _ in range(2))
            _, _, terminated, truncated, info = env.step(action)
            total, steps, over = total + np.mean(info["agents_rewards"]), steps + 1, terminated or truncated
        crash = any(vehicle.crashed for vehicle in env.controlled_vehicles)
        rows.append([float(total), crash, terminated and not crash, steps, np.mean(seen), start])
    table = np.array(rows, float)
    return {
        "episodes": count, "mean": table.mean(0).round(6).tolist(),
        "error": (table.std(0, ddof=1) / count**0.5).round(6).tolist(),
    }  # fmt: skip


def main():
    rng, out = np.random.default_rng(7), {"source": "highway-env 1.12.1", "scenes": [], "turning": []}
    envs = {version: made(version) for version in ("v0", "v2")}
    alone = {"agents": [dict(drawn(rng, True, 0)["agents"][k], speed=10.0, way=60.0) for k in range(2)], "cars": []}
    out["law"] = scene(envs["v0"], alone, [[0, 0], [1, 1], [2, 2], [1, 1], [0, 0], [0, 0]], False)
    for number in range(24):
        version = "v0" if number % 2 == 0 else "v2"
        actions = rng.choice(3, (10, 2), p=(0.3, 0.3, 0.4)).tolist()
        for name, straight in (("scenes", True), ("turning", False)):
            if name == "scenes" or number < 12:
                level = drawn(rng, straight, 4 + number % 6)
                out[name].append(scene(envs[version], level, actions, version == "v2"))
    out["episodes"] = {}
    for version in ("v0", "v2"):
        for policy in (1, "random"):
            for_policy = episodes(made(version), policy, int(sys.argv[1]))
            out["episodes"][f"{version} {'idle' if policy == 1 else policy}"] = for_policy
            print(version, policy, for_policy, flush=True)
    target = Path(__file__).parents[1] / "intersection_reference.json"
    target.write_text(json.dumps(out).replace('{"level"', '\n{"level"') + "\n")


if __name__ == "__main__":
    main()
