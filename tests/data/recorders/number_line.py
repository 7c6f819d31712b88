"""Record Gym-Cards' NumberLine.

    python tests/data/recorders/number_line.py FOLDER > tests/data/NumberLine/number_line.json

FOLDER is a checkout of github.com/RL4VLM/RL4VLM, commit b989b57. Its picture is not drawn.
"""

import importlib.util
import json
import random
import sys
from pathlib import Path

SOURCE = (
    "Gym-Cards (github.com/RL4VLM/RL4VLM, commit b989b57), gym-cards/gym_cards/envs/numberline.py. An episode has the "
    "highest number, start, target, and for each step the action, position, reward, and 1 for done or 2 for truncated."
)


def main():
    path = Path(sys.argv[1]) / "gym-cards/gym_cards/envs/numberline.py"
    spec = importlib.util.spec_from_file_location("numberline", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.NumberLineEnv._get_observation = lambda self: None
    random.seed(0)
    episodes, starts = [], []
    for highest, count in ((5, 40), (2, 10), (3, 10), (12, 10)):
        env = module.NumberLineEnv(max_position=highest)
        for _ in range(count):
            env.reset()
            episode, over = [highest, env.position, env.goal_position, []], 0
            away = random.random() < 0.4
            while not over:
                towards = int(env.goal_position > env.position)
                action = random.randrange(2) if random.random() < 0.5 else 1 - towards if away else towards
                _, reward, done, truncated, _ = env.step(action)
                over = 1 if done else 2 if truncated else 0
                episode[3].append([action, env.position, reward, over])
            episodes.append(episode)
    for highest in (2, 5, 9):
        env, counts = module.NumberLineEnv(max_position=highest), {}
        for _ in range(20_000):
            env.reset()
            key = f"{env.position} {env.goal_position}"
            counts[key] = counts.get(key, 0) + 1
        starts.append([highest, dict(sorted(counts.items()))])
    print(json.dumps({"source": SOURCE, "episodes": episodes, "starts": starts}, separators=(",", ":")))


if __name__ == "__main__":
    main()
