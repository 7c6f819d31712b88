"""Record MOMAland's MO-Connect4, by the Python of tests/reference_environment.py momaland:

python tests/data/recorders/momaland_connect_four.py 0 6 > tests/data/ConnectFour/momaland_connect_four.json

The numbers are a seed and how many games there are of each size.
"""

import json
import sys

import numpy as np
from momaland.envs.connect4.connect4 import MOConnect4

SOURCE = (
    "momaland 0.2.0 (PyPI), momaland.envs.connect4.moconnect4_v0, with pettingzoo 1.27.0. Random moves, columns from "
    "the left; the objectives of both players in the last step."
)

#: Rows and columns.
SIZES = ((6, 7), (4, 4), (5, 4), (4, 9), (8, 5))


def game(rows, columns, seed):
    env, rng = MOConnect4(board_width=columns, board_height=rows), np.random.default_rng(seed)
    env.reset()
    moves = []
    while not any(env.terminations.values()):
        assert not moves or not any(reward.any() for reward in env.rewards.values())
        mask = env.observe(env.agent_selection)["action_mask"]
        moves.append(int(rng.choice(np.flatnonzero(mask))))
        env.step(moves[-1])
    return {"rows": rows, "columns": columns, "moves": moves, "rewards": [env.rewards[a].tolist() for a in env.agents]}


if __name__ == "__main__":
    seed, count = int(sys.argv[1]), int(sys.argv[2])
    games = [game(*size, 1000 * seed + 10 * k + i) for k, size in enumerate(SIZES) for i in range(count)]
    print(json.dumps({"source": SOURCE, "games": games}, separators=(",", ":")))
