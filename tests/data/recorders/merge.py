"""Records tests/data/Merge/merge_reference.json with highway-env 1.12.1 (`pip install highway-env==1.12.1`).

Usage: python tests/data/recorders/merge.py

A row of a state is x, y, heading, speed, wanted speed, lane, wanted lane, whether the car is a wreck.
"""

import json
from pathlib import Path

import gymnasium
import highway_env
import numpy as np

highway_env._register_highway_envs()
LANES = [("a", "b", 0), ("a", "b", 1), ("b", "c", 0), ("b", "c", 1), ("b", "c", 2), ("c", "d", 0), ("c", "d", 1)]
LANES += [("j", "k", 0), ("k", "b", 0)]

#: How likely each action is: drivers that mostly keep their lane or speed, change lanes, or go fast on the right.
STYLES = [
    (0.2, 0.2, 0.2, 0.2, 0.2),
    (0.05, 0.5, 0.05, 0.2, 0.2),
    (0.05, 0.2, 0.05, 0.65, 0.05),
    (0.05, 0.3, 0.05, 0.05, 0.55),
]


#: Cars that give up a change, since another one changes to the same lane.
GIVEN_UP = [
    [[0, -1.4, 13.4], [0, 6.6, 19.2], [0, 110.3, 8.8]],
    [[1, 14.5, 21.7], [1, 3.4, 24.1], [1, 149.3, 26.7]],
    [[1, -3.8, 38.6], [1, 20.1, 26.7], [0, 111.2, 5.9]],
    [[1, 35.1, 39.6], [1, 115.9, 27.4], [1, 145.5, 8.0]],
    [[1, 60.9, 34.1], [1, 106.5, 5.3], [1, 20.7, 37.2]],
    [[1, 139.7, 6.7], [1, 94.6, 15.6], [1, 59.9, 32.1]],
]


def state(vehicle):
    lanes = [LANES.index((*lane[:2], int(lane[2]))) for lane in (vehicle.lane_index, vehicle.target_lane_index)]
    numbers = [*vehicle.position.tolist(), vehicle.heading, vehicle.speed, vehicle.target_speed]
    return [round(float(number), 9) for number in numbers] + lanes + [int(vehicle.crashed)]


def episode(env, seed, style):
    observation, _ = env.reset(seed=seed)
    rng, out = np.random.default_rng(seed), {"actions": [], "states": [], "rewards": [], "ends": [], "seen": []}
    cars = env.road.vehicles[1:4]
    level = {"cars": [[int(car.lane_index[2]), float(car.position[0]), float(car.speed)] for car in cars]}
    over = False
    while not over:
        out["seen"].append(np.round(observation, 6).tolist())
        action = int(rng.choice(5, p=STYLES[style]))
        observation, reward, over, _, _ = env.step(action)
        out["actions"].append(action)
        out["states"].append([state(vehicle) for vehicle in env.road.vehicles])
        out["rewards"].append(float(reward))
        out["ends"].append(bool(over))
    return {"level": level, "connected": env.config["neighbour_vehicles_connected_lanes"], **out}


def wild(env, seed, given=None):
    """Ten steps of cars in any places, where the merger has actions too: 15 ticks, as the source plays them."""
    env.reset(seed=seed)
    rng, road = np.random.default_rng(1000 + seed), env.road
    cars = [[int(rng.integers(2)), float(rng.uniform(-20, 150)), float(rng.uniform(5, 40))] for _ in range(3)]
    cars = given or cars
    ego, kind, merger = env.vehicle, type(road.vehicles[1]), road.vehicles[4]
    if seed % 2:
        merger = type(ego)(road, merger.position, speed=merger.speed)
    others = [kind(road, road.network.get_lane(("a", "b", lane)).position(x, 0.0), speed=v) for lane, x, v in cars]
    road.vehicles = [ego, *others, merger]
    out = {"level": {"cars": cars}, "connected": road.neighbour_vehicles_connected_lanes, "players": 1 + seed % 2}
    out |= {"actions": [], "states": []}
    names = ("LANE_LEFT", "IDLE", "LANE_RIGHT", "FASTER", "SLOWER")
    for _ in range(10):
        actions = [1] if given else rng.choice(5, 1 + seed % 2, p=STYLES[seed % 4]).tolist()
        for vehicle, action in zip((ego, merger), actions):
            vehicle.act(names[action])
        for _ in range(15):
            road.act()
            road.step(1 / 15)
        out["actions"].append(actions)
        out["states"].append([state(vehicle) for vehicle in road.vehicles])
        if ego.crashed or (seed % 2 and merger.crashed):
            break
    return out


def main():
    episodes, scenes = [], []
    for version in ("v0", "v1"):
        env = gymnasium.make(f"merge-{version}").unwrapped
        episodes += [episode(env, seed, seed % 4) for seed in range(12)]
        scenes += [wild(env, seed) for seed in range(16)]
        scenes += [wild(env, 0, cars) for cars in GIVEN_UP]
    target = Path(__file__).parents[1] / "merge_reference.json"
    rows, wilds = (",\n".join(json.dumps(row) for row in part) for part in (episodes, scenes))
    target.write_text(f'{{"source": "highway-env 1.12.1", "episodes": [\n{rows}\n], "wild": [\n{wilds}\n]}}\n')


if __name__ == "__main__":
    main()
