"""Record random play of MiniHack: python tests/data/recorders/roguelike.py tests/data/Roguelike/roguelike.json

nle 1.3.0, minihack 1.0.2 and minigrid 3.2.0 must be installed. For each of its tasks, under the name that ours has:
the maximum number of steps, the names of its actions, and of episodes of uniformly random actions how many there were,
how many succeeded and how many ended with death, their mean length, and how often each reward was paid. An episode of a
task with a very long limit is stopped after 2,000 steps.
"""

import json
import sys
from collections import Counter

import gymnasium as gym
import minihack  # noqa: F401
import numpy as np

EPISODES, LONGEST = 60, 2000

IDS = {
    "Room-5": "Room-5x5",
    "Room-5-Random": "Room-Random-5x5",
    "Room-5-Dark": "Room-Dark-5x5",
    "Room-5-Monster": "Room-Monster-5x5",
    "Room-5-Trap": "Room-Trap-5x5",
    "Room-5-Ultimate": "Room-Ultimate-5x5",
    "Room-15": "Room-15x15",
    "Room-15-Random": "Room-Random-15x15",
    "Room-15-Dark": "Room-Dark-15x15",
    "Room-15-Monster": "Room-Monster-15x15",
    "Room-15-Trap": "Room-Trap-15x15",
    "Room-15-Ultimate": "Room-Ultimate-15x15",
    "Corridor-R2": "Corridor-R2",
    "Corridor-R3": "Corridor-R3",
    "Corridor-R5": "Corridor-R5",
    "MazeWalk-9": "MazeWalk-9x9",
    "MazeWalk-9-Mapped": "MazeWalk-Mapped-9x9",
    "MazeWalk-15": "MazeWalk-15x15",
    "MazeWalk-45": "MazeWalk-45x19",
    "KeyRoom-S5": "KeyRoom-S5",
    "KeyRoom-S5-Dark": "KeyRoom-Dark-S5",
    "KeyRoom-S15": "KeyRoom-S15",
    "KeyRoom-S15-Dark": "KeyRoom-Dark-S15",
    "River": "River",
    "River-Narrow": "River-Narrow",
    "River-Lava": "River-Lava",
    "River-Monster": "River-Monster",
    "MultiRoom-N2": "MultiRoom-N2",
    "MultiRoom-N4": "MultiRoom-N4",
    "MultiRoom-N6": "MultiRoom-N6",
    "MultiRoom-N10": "MultiRoom-N10",
    "MultiRoom-N2-Locked": "MultiRoom-N2-Locked",
    "MultiRoom-N4-Monster": "MultiRoom-N4-Monster",
    "MultiRoom-N4-Lava": "MultiRoom-N4-Lava",
    "LavaCross": "LavaCross-Restricted",
    "HideNSeek": "HideNSeek",
    "HideNSeek-Lava": "HideNSeek-Lava",
    "HideNSeek-Big": "HideNSeek-Big",
    "CorridorBattle": "CorridorBattle",
    "CorridorBattle-Dark": "CorridorBattle-Dark",
    "ExploreMaze-Easy": "ExploreMaze-Easy",
    "ExploreMaze-Hard": "ExploreMaze-Hard",
    "Labyrinth": "Labyrinth-Big",
    "Labyrinth-Small": "Labyrinth-Small",
}


def play(env, rng, longest):
    """One episode: rewards, and 1 for success, -1 for death, 0 otherwise."""
    env.reset(seed=int(rng.integers(2**31)))
    paid = []
    while len(paid) < longest:
        _, reward, terminated, truncated, info = env.step(int(rng.integers(env.action_space.n)))
        paid.append(round(float(reward), 4))
        if terminated or truncated:
            return paid, int(info["end_status"])
    return paid, 0


def record(name):
    env = gym.make(f"MiniHack-{name}-v0", observation_keys=("blstats",))
    limit = env.unwrapped._max_episode_steps
    rng, lengths, paid, ends = np.random.default_rng(0), [], Counter(), Counter()
    for _ in range(EPISODES if limit <= 400 else EPISODES // 2):
        rewards, end = play(env, rng, min(limit, LONGEST))
        lengths.append(len(rewards))
        paid.update(rewards)
        ends[end] += 1
    actions = [action.name for action in env.unwrapped.actions]
    env.close()
    return {
        "id": f"MiniHack-{name}-v0",
        "limit": limit,
        "actions": actions,
        "episodes": len(lengths),
        "ends": {str(end): count for end, count in sorted(ends.items())},
        "length": round(float(np.mean(lengths)), 2),
        "paid": {str(value): count for value, count in sorted(paid.items())},
    }


def main():
    found = {}
    for ours, theirs in IDS.items():
        try:
            found[ours] = record(theirs)
        except gym.error.NameNotFound as error:
            print(ours, error, file=sys.stderr)
        print(ours, found.get(ours), file=sys.stderr)
    with open(sys.argv[1], "w") as file:
        file.write(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
